//! Rows of ended snapshots and workspaces, and when they are forgotten.

use crate::domain::{Result, SandboxId};
use crate::ports::database::{query, values};
use crate::session::catalogue::Catalogue;
use serde::Deserialize;

#[derive(Deserialize)]
struct EndedSnapshot {
    seq: i64,
    is_needed: i64,
}

#[derive(Deserialize)]
struct EndedWorkspace {
    sandbox_id: SandboxId,
    is_needed: i64,
}

impl Catalogue {
    /// The earliest end of the ended snapshots and workspaces that are still
    /// recorded.
    pub fn oldest_end_ms(&self) -> Result<Option<i64>> {
        let mut oldest_ms = None;
        for sql in [
            "SELECT MIN(ended_at_ms) FROM snapshots INDEXED BY snapshots_ended
             WHERE state IN ('deleted', 'failed')",
            "SELECT MIN(ended_at_ms) FROM workspaces INDEXED BY workspaces_ended
             WHERE state = 'destroyed' AND sandbox_id NOT IN (SELECT active_sandbox_id FROM session)",
        ] {
            let ends_ms: Vec<Option<i64>> = values(self.database.as_ref(), sql, &[])?;
            oldest_ms = ends_ms.into_iter().chain([oldest_ms]).flatten().min();
        }
        Ok(oldest_ms)
    }

    /// Forgets a few workspaces that ended before `before_ms`. Keeps the active workspace of a
    /// closed session. Rechecks a workspace later if snapshots taken from it still exist.
    pub fn forget_ended_workspaces(&self, before_ms: i64, now_ms: i64, limit: u64) -> Result<()> {
        let rows: Vec<EndedWorkspace> = query(
            self.database.as_ref(),
            "SELECT sandbox_id, EXISTS (SELECT 1 FROM snapshots INDEXED BY snapshots_by_origin
                    WHERE origin_sandbox_id = ended.sandbox_id
                        AND state IN ('pending', 'ready', 'deleting')) AS is_needed
             FROM workspaces AS ended INDEXED BY workspaces_ended
             WHERE ended.state = 'destroyed' AND ended.ended_at_ms <= ?
                AND ended.sandbox_id NOT IN (SELECT active_sandbox_id FROM session)
             ORDER BY ended.ended_at_ms LIMIT ?",
            &[before_ms.into(), limit.into()],
        )?;
        for EndedWorkspace { sandbox_id, is_needed } in rows {
            let id = sandbox_id.as_str();
            if is_needed != 0 {
                self.database.exec(
                    "UPDATE workspaces SET ended_at_ms = ? WHERE sandbox_id = ?",
                    &[now_ms.into(), id.into()],
                )?;
            } else {
                self.database.exec("DELETE FROM heads WHERE sandbox_id = ?", &[id.into()])?;
                self.database.exec("DELETE FROM workspaces WHERE sandbox_id = ?", &[id.into()])?;
            }
        }
        Ok(())
    }

    /// Forgets a few snapshots that ended before `before_ms`. Rechecks a snapshot later if a
    /// workspace was made from it, because a lineage shows it, or if a workspace would wake from
    /// it, because its row says why it can't.
    pub fn forget_ended_snapshots(&self, before_ms: i64, now_ms: i64, limit: u64) -> Result<()> {
        let rows: Vec<EndedSnapshot> = query(
            self.database.as_ref(),
            "SELECT seq, EXISTS (SELECT 1 FROM workspaces WHERE from_backup_id = ended.id)
                OR EXISTS (SELECT 1 FROM workspaces WHERE made_from_backup_id = ended.id)
                OR EXISTS (SELECT 1 FROM heads CROSS JOIN workspaces USING (sandbox_id)
                    WHERE backup_id = ended.id AND workspaces.state <> 'destroyed') AS is_needed
             FROM snapshots AS ended INDEXED BY snapshots_ended
             WHERE ended.state IN ('deleted', 'failed') AND ended.ended_at_ms <= ?
             ORDER BY ended.ended_at_ms LIMIT ?",
            &[before_ms.into(), limit.into()],
        )?;
        for EndedSnapshot { seq, is_needed } in rows {
            if is_needed != 0 {
                self.database.exec(
                    "UPDATE snapshots SET ended_at_ms = ? WHERE seq = ?",
                    &[now_ms.into(), seq.into()],
                )?;
            } else {
                self.database.exec("DELETE FROM snapshots WHERE seq = ?", &[seq.into()])?;
            }
        }
        Ok(())
    }
}
