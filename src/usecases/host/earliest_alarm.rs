//! The object's alarm, kept at the earliest time that any call asks for.

use crate::domain::error::Result;
use crate::ports::alarm::Alarm;
use crate::usecases::turns::Turns;
use async_trait::async_trait;
use std::rc::Rc;

/// An alarm whose looks and sets come one after the other: of two calls that
/// both found it later than they need it, the later one would win.
pub(super) struct EarliestAlarm {
    alarm: Rc<dyn Alarm>,
    turns: Turns,
}

impl EarliestAlarm {
    pub(super) fn over(alarm: Rc<dyn Alarm>) -> Self {
        Self { alarm, turns: Turns::default() }
    }
}

#[async_trait(?Send)]
impl Alarm for EarliestAlarm {
    async fn due_ms(&self) -> Result<Option<i64>> {
        self.alarm.due_ms().await
    }

    async fn set(&self, at_ms: i64) -> Result<()> {
        let _turn = self.turns.take().await;
        self.alarm.set(at_ms).await
    }

    async fn wake_by(&self, at_ms: i64) -> Result<()> {
        let _turn = self.turns.take().await;
        self.alarm.wake_by(at_ms).await
    }
}
