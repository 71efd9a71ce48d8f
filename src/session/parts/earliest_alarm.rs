//! The object's alarm, kept at the earliest requested time.

use crate::domain::Result;
use crate::ports::Alarm;
use crate::support::fifo_mutex::FifoMutex;
use async_trait::async_trait;
use std::cell::Cell;
use std::rc::Rc;

/// An alarm that reads and sets its time under a mutex. Without the mutex, if two calls both moved
/// it earlier, the later time could win.
pub(crate) struct EarliestAlarm {
    alarm: Rc<dyn Alarm>,
    mutex: FifoMutex,
    /// When an alarm must look for due work, apart from the heartbeat. An object's first alarm
    /// always looks: an earlier object may have left work.
    look_ms: Cell<i64>,
}

impl EarliestAlarm {
    pub(crate) fn over(alarm: Rc<dyn Alarm>) -> Self {
        Self { alarm, mutex: FifoMutex::default(), look_ms: Cell::new(0) }
    }

    pub(crate) fn look_ms(&self) -> i64 {
        self.look_ms.get()
    }

    /// Notes that an alarm looks for due work now: the requested look is no longer needed.
    pub(crate) fn looks(&self) {
        self.look_ms.set(i64::MAX);
    }

    /// Sets the alarm for the heartbeat alone.
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
