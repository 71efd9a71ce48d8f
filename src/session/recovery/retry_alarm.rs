//! Come back after an alarm that failed.

use crate::domain::error::Result;
use crate::domain::limits::{ALARM_RETRY_MAX_MS, ALARM_RETRY_MS};
use crate::domain::snapshot::backup::rfc3339;
use crate::ports::alarm::Alarm;
use crate::ports::clock::Clock;
use crate::ports::log::{Level, Log, LogLine};
use serde_json::json;
use std::cell::Cell;
use std::rc::Rc;

/// Keeps an object's alarm going whatever becomes of its work, so also where
/// there is no [`Session`](crate::session::Session), because its settings are wrong.
///
/// The runtime repeats an alarm that failed a few times, within minutes, and
/// then no more: containers would stop unsaved, though what was wrong has long
/// been put right.
pub struct Alarms {
    /// The session, for the log.
    pub label: String,
    /// The object's alarm.
    pub alarm: Rc<dyn Alarm>,
    /// What time it is.
    pub clock: Rc<dyn Clock>,
    /// Where a failure is told.
    pub log: Rc<dyn Log>,
    /// How many have failed one after the other.
    pub failures: Cell<u32>,
}

impl Alarms {
    /// Takes what an alarm has come to. One that failed is set again, ever later.
    ///
    /// # Errors
    /// `INTERNAL` where it can't be set: that is left to the runtime.
    pub async fn ended(&self, recovered: Result<()>) -> Result<()> {
        let Err(error) = recovered else {
            self.failures.set(0);
            return Ok(());
        };
        let failures = self.failures.get();
        self.failures.set(failures.saturating_add(1));
        let pause_ms = ALARM_RETRY_MS.saturating_mul(1 << failures.min(8)).min(ALARM_RETRY_MAX_MS);
        let again_ms = self.clock.now_ms().saturating_add(pause_ms);
        self.log.write(LogLine::new(
            Level::Warn,
            "alarm.failed",
            json!({
                "session": self.label, "failures": self.failures.get(), "code": error.code,
                "message": error.message, "cause": error.cause, "nextTryAt": rfc3339(again_ms),
            }),
        ));
        self.alarm.schedule_by(again_ms).await
    }
}
