//! The object's alarm, kept at the earliest time that any call asks for.

use crate::domain::error::Result;
use crate::ports::alarm::Alarm;
use crate::support::fifo_mutex::FifoMutex;
use async_trait::async_trait;
use std::cell::Cell;
use std::rc::Rc;

/// An alarm whose looks and sets come one after the other: of two calls that
/// both found it later than they need it, the later one would win.
pub(crate) struct EarliestAlarm {
    alarm: Rc<dyn Alarm>,
    mutex: FifoMutex,
    /// When an alarm is to look at what is due, beside the heartbeat. The first
    /// alarm of an object always does: an earlier one may have left something.
    look_ms: Cell<i64>,
}

impl EarliestAlarm {
    pub(crate) fn over(alarm: Rc<dyn Alarm>) -> Self {
        Self { alarm, mutex: FifoMutex::default(), look_ms: Cell::new(0) }
    }

    pub(crate) fn look_ms(&self) -> i64 {
        self.look_ms.get()
    }

    /// An alarm looks now: what was asked for is being done.
    pub(crate) fn looks(&self) {
        self.look_ms.set(i64::MAX);
    }

    /// Sets it for the heartbeat alone.
    pub(crate) async fn beat_by(&self, at_ms: i64) -> Result<()> {
        let _guard = self.mutex.lock().await;
        self.alarm.schedule_by(at_ms).await
    }
}

#[async_trait(?Send)]
impl Alarm for EarliestAlarm {
    async fn due_ms(&self) -> Result<Option<i64>> {
        self.alarm.due_ms().await
    }

    async fn set(&self, at_ms: i64) -> Result<()> {
        let _guard = self.mutex.lock().await;
        self.look_ms.set(self.look_ms.get().min(at_ms));
        self.alarm.set(at_ms).await
    }

    async fn schedule_by(&self, at_ms: i64) -> Result<()> {
        let _guard = self.mutex.lock().await;
        self.look_ms.set(self.look_ms.get().min(at_ms));
        self.alarm.schedule_by(at_ms).await
    }
}
