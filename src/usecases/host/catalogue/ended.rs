//! Rows of snapshots that are gone, and when they are forgotten.

use super::Catalogue;
use crate::domain::error::Result;
use crate::ports::database::query;
use serde::Deserialize;

#[derive(Deserialize)]
struct Oldest {
    at_ms: Option<i64>,
}

#[derive(Deserialize)]
struct Ended {
    seq: i64,
    is_needed: i64,
}

impl Catalogue {
    /// When the snapshot ended that did first, of those that are still known.
    pub fn oldest_end_ms(&self) -> Result<Option<i64>> {
        let rows: Vec<Oldest> = query(
            self.database.as_ref(),
            "SELECT MIN(ended_at_ms) AS at_ms FROM snapshots INDEXED BY snapshots_ended
             WHERE state IN ('deleted', 'failed')",
            &[],
        )?;
        Ok(rows.first().and_then(|row| row.at_ms))
    }

    /// Forgets a few snapshots that ended before `before_ms`. One that a
    /// workspace was made from is part of what a lineage shows, and one that a
    /// workspace would wake from says why it can't: both are looked at again
    /// later.
    pub fn forget_ended(&self, before_ms: i64, now_ms: i64, limit: usize) -> Result<()> {
        let rows: Vec<Ended> = query(
            self.database.as_ref(),
            "SELECT seq, EXISTS (SELECT 1 FROM workspaces WHERE from_backup_id = ended.id)
                OR EXISTS (SELECT 1 FROM workspaces WHERE made_from_backup_id = ended.id)
                OR EXISTS (SELECT 1 FROM layers CROSS JOIN workspaces USING (sandbox_id)
                    WHERE backup_id = ended.id AND workspaces.state <> 'destroyed') AS is_needed
             FROM snapshots AS ended INDEXED BY snapshots_ended
             WHERE ended.state IN ('deleted', 'failed') AND ended.ended_at_ms <= ?
             ORDER BY ended.ended_at_ms LIMIT ?",
            &[before_ms.into(), (limit as u64).into()],
        )?;
        for Ended { seq, is_needed } in rows {
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
