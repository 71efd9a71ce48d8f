//! Take the session's first workspace from a warm pool.
//!
//! The pool only saves time: whatever goes wrong with it, the session opens as with `from`.

use crate::domain::pools::{TakeRequest, WarmContainer};
use crate::domain::session::config::PoolConfig;
use crate::domain::{BackupMeta, Error, ErrorCode, Result, SessionConfig};
use crate::ports::{Level, LogLine};
use crate::session::parts::Context;
use serde_json::json;

impl Context {
    /// Refuses a pool where the operator allows none.
    ///
    /// # Errors
    /// `NOT_CONFIGURED`.
    pub(crate) fn check_pool(&self, pool: Option<&PoolConfig>) -> Result<()> {
        if pool.is_none() || self.ports.pools.is_some() {
            return Ok(());
        }
        Err(Error::new(ErrorCode::NotConfigured, "the variable MAX_POOL_CONTAINERS is not set")
            .with_hint(
                "open with from instead of pool, or ask the operator to set MAX_POOL_CONTAINERS",
            ))
    }

    /// A container of the pool that runs with the files of this snapshot, if one is ready.
    pub(crate) async fn take_warm(
        &self,
        checked: &SessionConfig,
        pool: &PoolConfig,
        meta: &BackupMeta,
    ) -> Option<WarmContainer> {
        let pools = self.ports.pools.as_ref()?;
        // The container must have the directories already, so that the open runs no command.
        if !checked.saved_dirs.are_in(&meta.dir) {
            return None;
        }
        let spec = checked.pool_of(meta.id.clone());
        let request = TakeRequest { spec, size: pool.size, session: self.session.clone() };
        match pools.take(&request).await {
            Ok(taken) => taken,
            Err(error) => {
                self.ports.log.write(LogLine::new(
                    Level::Warn,
                    "pool.unanswered",
                    json!({ "session": self.session, "code": error.code, "cause": error.cause }),
                ));
                None
            }
        }
    }

    /// Destroys a container that was taken, unless the session uses it.
    pub(crate) async fn discard_warm(&self, taken: &WarmContainer) {
        let used = self.catalogue.workspace(&taken.sandbox);
        if !matches!(used, Ok(None)) {
            return;
        }
        // If this fails, the container stops by itself when idle.
        if let Ok(sandbox) = self.ports.sandboxes.get(&taken.sandbox) {
            let _ = sandbox.destroy().await;
        }
    }
}
