//! The session's own row.

use super::Catalogue;
use crate::domain::config::WorkspaceConfig;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{SandboxId, SessionId};
use crate::ports::database::query;
use serde::Deserialize;

/// What is stored of the session itself.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    /// Its id.
    pub session_id: SessionId,
    /// As it was opened.
    pub config: WorkspaceConfig,
    /// The sandbox that tools act on.
    pub active_sandbox_id: SandboxId,
    /// Milliseconds since the epoch.
    pub opened_at_ms: i64,
    /// Milliseconds since the epoch, while closed.
    pub closed_at_ms: Option<i64>,
}

#[derive(Deserialize)]
struct StoredSession {
    session_id: SessionId,
    config: String,
    active_sandbox_id: SandboxId,
    opened_at_ms: i64,
    closed_at_ms: Option<i64>,
}

impl Catalogue {
    /// The session, if it was ever opened.
    pub fn session(&self) -> Result<Option<SessionRow>> {
        let rows = query::<StoredSession>(
            self.database.as_ref(),
            "SELECT session_id, config, active_sandbox_id, opened_at_ms, closed_at_ms FROM session",
            &[],
        )?;
        rows.into_iter()
            .next()
            .map(|stored| {
                Ok(SessionRow {
                    session_id: stored.session_id,
                    config: serde_json::from_str(&stored.config)
                        .map_err(|error| Error::internal(format!("stored config: {error}")))?,
                    active_sandbox_id: stored.active_sandbox_id,
                    opened_at_ms: stored.opened_at_ms,
                    closed_at_ms: stored.closed_at_ms,
                })
            })
            .transpose()
    }

    /// Creates or replaces the session's row.
    pub fn put_session(&self, row: &SessionRow) -> Result<()> {
        let config = serde_json::to_string(&row.config)
            .map_err(|error| Error::internal(format!("config: {error}")))?;
        self.database.exec(
            "INSERT OR REPLACE INTO session
             (singleton, session_id, config, active_sandbox_id, opened_at_ms, closed_at_ms)
             VALUES (1, ?, ?, ?, ?, ?)",
            &[
                row.session_id.as_str().into(),
                config.into(),
                row.active_sandbox_id.as_str().into(),
                row.opened_at_ms.into(),
                row.closed_at_ms.into(),
            ],
        )?;
        Ok(())
    }

    /// Makes tools act on another sandbox.
    pub fn set_active(&self, sandbox_id: &SandboxId) -> Result<()> {
        self.database
            .exec("UPDATE session SET active_sandbox_id = ?", &[sandbox_id.as_str().into()])?;
        Ok(())
    }
}
