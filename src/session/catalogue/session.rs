//! The session's own row.

use crate::domain::error::{Error, Result};
use crate::domain::ids::{SandboxId, SessionId};
use crate::domain::json::parse_stored;
use crate::domain::session::config::WorkspaceConfig;
use crate::ports::database::query;
use crate::session::catalogue::Catalogue;
use serde::Deserialize;

/// The stored session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    /// Its id.
    pub session_id: SessionId,
    /// The configuration it was opened with.
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

#[derive(Deserialize)]
struct StoredRegistration {
    registered: i64,
}

#[derive(Deserialize)]
struct StoredRate {
    snapshots_full_at_us: i64,
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
                    config: parse_stored("config", &stored.config)?,
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
            "INSERT INTO session
             (singleton, session_id, config, active_sandbox_id, opened_at_ms, closed_at_ms)
             VALUES (1, ?, ?, ?, ?, ?)
             ON CONFLICT (singleton) DO UPDATE SET
                session_id = excluded.session_id, config = excluded.config,
                active_sandbox_id = excluded.active_sandbox_id,
                opened_at_ms = excluded.opened_at_ms, closed_at_ms = excluded.closed_at_ms",
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

    /// Whether the directory listed the session after `since_ms`. None: the session
    /// was never opened.
    pub fn is_registered(&self, since_ms: i64) -> Result<Option<bool>> {
        let sql = "SELECT COALESCE(registered_at_ms > ?, 0) AS registered FROM session";
        let rows = query::<StoredRegistration>(self.database.as_ref(), sql, &[since_ms.into()])?;
        Ok(rows.first().map(|row| row.registered != 0))
    }

    /// Records that the directory lists the session.
    pub fn set_registered(&self, now_ms: i64) -> Result<()> {
        let sql = "UPDATE session SET registered_at_ms = ?";
        self.database.exec(sql, &[now_ms.into()]).map(drop)
    }

    /// When the token bucket of snapshots is full again, in microseconds since the
    /// epoch.
    pub fn snapshots_full_at_us(&self) -> Result<i64> {
        let sql = "SELECT snapshots_full_at_us FROM session";
        let rows = query::<StoredRate>(self.database.as_ref(), sql, &[])?;
        Ok(rows.first().map_or(0, |row| row.snapshots_full_at_us))
    }

    /// Stores when that bucket is full again. Does nothing for a session that was
    /// never opened.
    pub fn set_snapshots_full_at_us(&self, at_us: i64) -> Result<()> {
        let sql = "UPDATE session SET snapshots_full_at_us = ?";
        self.database.exec(sql, &[at_us.into()]).map(drop)
    }
}
