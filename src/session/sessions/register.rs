//! Have the directory list this session.
//!
//! No caller waits for it, and no call fails by it: that the session is not
//! listed yet is in its own row from the first, and the alarm does it.

use crate::domain::error::Result;
use crate::domain::limits::REGISTERED_FOR_MS;
use crate::domain::snapshot::backup::rfc3339;
use crate::ports::log::{Level, LogLine};
use crate::session::Host;
use serde_json::json;

/// What a failure is counted under. No sandbox and no backup has such an id.
const SUBJECT: &str = "directory:register";

impl Host {
    /// Sets the alarm for a session that was opened and is not listed yet. Where
    /// that can't be done now, the next call does it.
    pub async fn announce(&self) {
        if let Err(error) = self.try_announce().await {
            self.ports.log.write(LogLine::new(
                Level::Warn,
                "register",
                json!({ "session": self.session, "code": error.code, "cause": error.cause }),
            ));
        }
    }

    async fn try_announce(&self) -> Result<()> {
        if self.announced.get() || !self.ports.directory.is_bound() {
            return Ok(());
        }
        let Some(registered) = self.is_registered()? else { return Ok(()) };
        if !registered {
            let retry = self.catalogue.retries()?.remove(SUBJECT);
            let due_ms = retry.map_or_else(|| self.now_ms(), |retry| retry.due_ms);
            self.ports.alarm.schedule_by(due_ms).await?;
        }
        self.announced.set(true);
        Ok(())
    }

    /// None: it was never opened.
    fn is_registered(&self) -> Result<Option<bool>> {
        self.catalogue.is_registered(self.now_ms() - REGISTERED_FOR_MS)
    }

    /// When it is to be listed. One that is listed is listed anew once it is used.
    pub(crate) fn register_due_ms(&self) -> Result<Option<i64>> {
        if !self.ports.directory.is_bound() || self.is_registered()? != Some(false) {
            return Ok(None);
        }
        Ok(Some(self.catalogue.retry_due_ms(SUBJECT)?.unwrap_or_else(|| self.now_ms())))
    }

    /// Has it listed. Where the directory does not respond, later.
    pub(crate) async fn register(&self) -> Result<Option<i64>> {
        let Err(error) = self.ports.directory.register(&self.session).await else {
            self.catalogue.forget_retry(SUBJECT)?;
            self.catalogue.set_registered(self.now_ms())?;
            return Ok(None);
        };
        let retry = self.catalogue.put_off(SUBJECT, self.now_ms())?;
        self.ports.log.write(LogLine::new(
            Level::Warn,
            "register",
            json!({
                "session": self.session, "code": error.code, "message": error.message,
                "cause": error.cause, "failures": retry.failures,
                "nextTryAt": rfc3339(retry.due_ms),
            }),
        ));
        Ok(None)
    }
}
