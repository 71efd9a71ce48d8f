//! Set the alarm again after one that failed.

use crate::domain::Result;
use crate::domain::backoff::pause_ms;
use crate::domain::limits::{ALARM_RETRY_MAX_MS, ALARM_RETRY_MS};
use crate::domain::time::rfc3339;
use crate::ports::{Alarm, Clock, Level, Log, LogLine};
use serde_json::json;
use std::cell::Cell;
use std::rc::Rc;

/// Keeps an object's alarm going even if its work fails, and even if there is no
/// [`Session`](crate::session::Session) because its settings are wrong.
///
/// The runtime retries a failed alarm only a few times, within minutes. After
/// that, containers would stop unsaved even though the cause is long fixed.
pub struct Alarms {
    /// The session's name in the log.
    pub label: String,
    /// The object's alarm.
    pub alarm: Rc<dyn Alarm>,
    /// The clock.
    pub clock: Rc<dyn Clock>,
    /// Where failures are logged.
    pub log: Rc<dyn Log>,
    /// Failures in a row.
    pub failures: Cell<u32>,
}

impl Alarms {
    /// Takes the result of an alarm. After a failure, sets the alarm again, with
    /// growing delay.
    ///
    /// # Errors
    /// `INTERNAL` if the alarm can't be set: the runtime then retries.
    pub async fn ended(&self, recovered: Result<()>) -> Result<()> {
        let Err(error) = recovered else {
            self.failures.set(0);
            return Ok(());
        };
        let failures = self.failures.get();
        self.failures.set(failures.saturating_add(1));
        let pause_ms = pause_ms(failures, ALARM_RETRY_MS, ALARM_RETRY_MAX_MS);
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
