//! Rewinds in progress, and the outcomes of the last ones.

use crate::domain::limits::OPERATION_KEPT_MS;
use crate::domain::{BackupId, Error, Result, SandboxId};
use crate::ports::SqlValue;
use crate::ports::database::{query, values};
use crate::session::catalogue::Catalogue;
use serde::Deserialize;

const COLUMNS: &str = "seq, sandbox_id, backup_id, safety_id, state";

/// The state of a rewind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RewindState {
    /// Files may have been replaced, or not.
    Running,
    /// Files were replaced.
    Done,
    /// Files were not replaced; or the container was lost, with its files.
    Undone,
}

impl RewindState {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Undone => "undone",
        }
    }
}

/// One rewind.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Rewind {
    /// Order within the session.
    pub seq: i64,
    /// The workspace.
    pub sandbox_id: SandboxId,
    /// The snapshot that the workspace is rewound to.
    pub backup_id: BackupId,
    /// The safety snapshot of its earlier files.
    pub safety_id: BackupId,
    /// State.
    pub state: RewindState,
}

impl Catalogue {
    fn select_rewinds(&self, tail: &str, params: &[SqlValue]) -> Result<Vec<Rewind>> {
        query(self.database.as_ref(), &format!("SELECT {COLUMNS} FROM rewinds {tail}"), params)
    }

    /// Records a rewind before its first effect. Forgets ended ones that no recorded call names.
    pub fn add_rewind(
        &self,
        sandbox_id: &SandboxId,
        backup_id: &BackupId,
        safety_id: &BackupId,
        now_ms: i64,
    ) -> Result<Rewind> {
        self.database.exec(
            "DELETE FROM rewinds INDEXED BY rewinds_by_time WHERE state <> 'running' AND began_at_ms < ?",
            &[(now_ms - OPERATION_KEPT_MS).into()],
        )?;
        let added: Vec<i64> = values(
            self.database.as_ref(),
            "INSERT INTO rewinds (sandbox_id, backup_id, safety_id, state, began_at_ms)
             VALUES (?, ?, ?, 'running', ?) RETURNING seq",
            &[
                sandbox_id.as_str().into(),
                backup_id.as_str().into(),
                safety_id.as_str().into(),
                now_ms.into(),
            ],
        )?;
        let rewind = added.first().map(|seq| self.rewind(*seq)).transpose()?.flatten();
        rewind.ok_or_else(|| Error::internal("a rewind was not recorded"))
    }

    /// Whether a workspace was rewound after `from_ms` and before `until_ms`.
    pub fn is_rewound_between(&self, id: &SandboxId, from_ms: i64, until_ms: i64) -> Result<bool> {
        let rows = self.database.exec(
            "SELECT 1 AS one FROM rewinds INDEXED BY rewinds_by_time
             WHERE began_at_ms > ? AND began_at_ms < ? AND sandbox_id = ? AND state = 'done' LIMIT 1",
            &[from_ms.into(), until_ms.into(), id.as_str().into()],
        )?;
        Ok(!rows.is_empty())
    }

    /// A rewind by its `seq`.
    pub fn rewind(&self, seq: i64) -> Result<Option<Rewind>> {
        Ok(self.select_rewinds("WHERE seq = ?", &[seq.into()])?.into_iter().next())
    }

    /// The unfinished rewind of a workspace.
    pub fn running_rewind(&self, id: &SandboxId) -> Result<Option<Rewind>> {
        let tail = "INDEXED BY rewinds_running
            WHERE state = 'running' AND sandbox_id = ? ORDER BY seq LIMIT 1";
        Ok(self.select_rewinds(tail, &[id.as_str().into()])?.into_iter().next())
    }

    /// All unfinished rewinds.
    pub fn running_rewinds(&self) -> Result<Vec<Rewind>> {
        self.select_rewinds("INDEXED BY rewinds_running WHERE state = 'running' ORDER BY seq", &[])
    }

    /// Ends a rewind.
    pub fn end_rewind(&self, seq: i64, state: RewindState) -> Result<()> {
        self.database.exec(
            "UPDATE rewinds SET state = ? WHERE seq = ?",
            &[state.as_str().into(), seq.into()],
        )?;
        Ok(())
    }
}
