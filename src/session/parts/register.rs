//! Register this session in the directory, by the alarm: no caller waits, and no call fails for it.

use crate::domain::Result;
use crate::domain::limits::REGISTERED_FOR_MS;
use crate::domain::time::rfc3339;
use crate::ports::{Level, LogLine};
use crate::session::parts::Context;
use serde_json::json;
use std::cell::Cell;
use std::rc::Rc;

/// The key of its retries. No sandbox and no backup has such an id.
const SUBJECT: &str = "directory:register";

/// Whether the directory of sessions lists this one.
pub struct Registration {
    context: Rc<Context>,
    announced: Cell<bool>,
}

impl Registration {
    pub(crate) fn new(context: Rc<Context>) -> Self {
        Self { context, announced: Cell::new(false) }
    }

    /// Has the alarm list an opened session. If the alarm can't be set now, the next call does it.
    pub async fn announce(&self) {
        if let Err(error) = self.try_announce().await {
            self.context.ports.log.write(LogLine::new(
                Level::Warn,
                "register",
                json!({ "session": self.context.session, "code": error.code, "cause": error.cause }),
            ));
        }
    }

    async fn try_announce(&self) -> Result<()> {
        if self.announced.get() || !self.context.ports.directory.is_bound() {
            return Ok(());
        }
        let Some(registered) = self.is_registered()? else { return Ok(()) };
        if !registered {
            let retry = self.context.catalogue.retries()?.remove(SUBJECT);
            let due_ms = retry.map_or_else(|| self.context.now_ms(), |retry| retry.due_ms);
            self.context.ports.alarm.schedule_by(due_ms).await?;
        }
        self.announced.set(true);
        Ok(())
    }

    /// None: the session was never opened.
    fn is_registered(&self) -> Result<Option<bool>> {
        self.context.catalogue.is_registered(self.context.now_ms() - REGISTERED_FOR_MS)
    }

    /// A registration lapses after `REGISTERED_FOR_MS`; the next use of the session renews it.
    pub(crate) fn register_due_ms(&self) -> Result<Option<i64>> {
        if !self.context.ports.directory.is_bound() || self.is_registered()? != Some(false) {
            return Ok(None);
        }
        Ok(Some(
            self.context.catalogue.retry_due_ms(SUBJECT)?.unwrap_or_else(|| self.context.now_ms()),
        ))
    }

    pub(crate) async fn register(&self) -> Result<Option<i64>> {
        let Err(error) = self.context.ports.directory.register(&self.context.session).await else {
            self.context.catalogue.forget_retry(SUBJECT)?;
            self.context.catalogue.set_registered(self.context.now_ms())?;
            return Ok(None);
        };
        let retry = self.context.catalogue.put_off(SUBJECT, self.context.now_ms())?;
        self.context.ports.log.write(LogLine::new(
            Level::Warn,
            "register",
            json!({
                "session": self.context.session, "code": error.code, "message": error.message,
                "cause": error.cause, "failures": retry.failures,
                "nextTryAt": rfc3339(retry.due_ms),
            }),
        ));
        Ok(None)
    }
}
