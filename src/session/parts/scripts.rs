//! Counts the scripts of a session that run.

use crate::domain::limits::SCRIPTS_AT_ONCE;
use crate::domain::{Error, ErrorCode, Result};
use serde_json::json;
use std::cell::Cell;
use std::rc::Rc;

#[derive(Default)]
pub(crate) struct Scripts {
    running: Rc<Cell<u32>>,
}

#[must_use]
pub(crate) struct Running(Rc<Cell<u32>>);

impl Scripts {
    pub(crate) fn begin(&self) -> Result<Running> {
        let running = self.running.get();
        if running >= SCRIPTS_AT_ONCE {
            let problem = format!("{SCRIPTS_AT_ONCE} scripts of this session run already");
            return Err(Error::new(ErrorCode::QuotaExceeded, problem)
                .with_hint("call again once one has ended, or do more in one script")
                .with_details(json!({ "limit": "scripts" })));
        }
        self.running.set(running + 1);
        Ok(Running(self.running.clone()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}
