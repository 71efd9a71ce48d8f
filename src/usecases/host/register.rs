//! Have the directory list this session.
//!
//! No caller waits for it, and no call fails by it: that the session is not
//! listed yet is in its own row from the first, and the alarm does it.

use super::Host;
use crate::domain::backup::rfc3339;
use crate::domain::error::Result;
use crate::domain::limits::REGISTERED_FOR_MS;
use crate::ports::log::{Level, LogLine};
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
            self.ports.alarm.wake_by(due_ms).await?;
        }
        self.announced.set(true);
        Ok(())
    }

    /// None: it was never opened.
    fn is_registered(&self) -> Result<Option<bool>> {
        self.catalogue.is_registered(self.now_ms() - REGISTERED_FOR_MS)
    }

    /// Has it listed, if it is due. Where the directory does not answer, later.
    pub(super) async fn register(&self) -> Result<()> {
        if !self.ports.directory.is_bound() || self.is_registered()? != Some(false) {
            return Ok(());
        }
        let retry = self.catalogue.retries()?.remove(SUBJECT);
        if let Some(due_ms) = retry.map(|retry| retry.due_ms).filter(|at| *at > self.now_ms()) {
            return self.ports.alarm.wake_by(due_ms).await;
        }
        let Err(error) = self.ports.directory.register(&self.session).await else {
            self.catalogue.forget_retry(SUBJECT)?;
            return self.catalogue.set_registered(self.now_ms());
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
        self.ports.alarm.wake_by(retry.due_ms).await
    }
}
