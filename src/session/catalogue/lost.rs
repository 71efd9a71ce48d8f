//! Snapshots that R2 has lost, in whole or in part.

use crate::domain::{BackupId, Result, Snapshot};
use crate::session::catalogue::Catalogue;

impl Catalogue {
    /// The snapshots that R2 no longer has whole, the longest lost first.
    pub fn lost_snapshots(&self, limit: u32) -> Result<Vec<Snapshot>> {
        self.select_snapshots(
            "INDEXED BY snapshots_by_state WHERE state = 'lost' ORDER BY ended_at_ms, seq LIMIT ?",
            &[i64::from(limit).into()],
        )
    }

    /// Records that R2 has a lost snapshot whole again. Another snapshot may have its name by
    /// now.
    pub fn set_found(&self, id: &BackupId) -> Result<()> {
        self.database.exec(
            "UPDATE snapshots SET name = NULL, unsynced_edits = unsynced_edits + 1
             WHERE id = ?1 AND name IS NOT NULL AND EXISTS (SELECT 1 FROM snapshots AS other
                WHERE other.name = snapshots.name AND other.state IN ('pending', 'ready'))",
            &[id.as_str().into()],
        )?;
        self.database.exec(
            "UPDATE snapshots SET state = 'ready', ended_at_ms = NULL WHERE id = ? AND state = 'lost'",
            &[id.as_str().into()],
        )?;
        Ok(())
    }

    /// Lost snapshots that were lost at or before `lost_ms` and may be deleted now, at most
    /// `limit`. Those that are pinned, or that a workspace would wake from, here or in another
    /// session, stay.
    pub fn lost_to_delete(&self, lost_ms: i64, now_ms: i64, limit: u32) -> Result<Vec<Snapshot>> {
        self.select_snapshots(
            "INDEXED BY snapshots_by_state WHERE state = 'lost' AND pinned = 0 AND ended_at_ms <= ?
                AND NOT EXISTS (SELECT 1 FROM heads CROSS JOIN workspaces USING (sandbox_id)
                    WHERE backup_id = snapshots.id AND workspaces.state <> 'destroyed')
                AND NOT EXISTS (SELECT 1 FROM leases WHERE backup_id = snapshots.id AND until_ms > ?)
             ORDER BY ended_at_ms, seq LIMIT ?",
            &[lost_ms.into(), now_ms.into(), i64::from(limit).into()],
        )
    }

    /// Makes every lost snapshot count as lost at `lost_ms` or later.
    pub fn put_off_lost(&self, lost_ms: i64) -> Result<()> {
        self.database.exec(
            "UPDATE snapshots INDEXED BY snapshots_by_state SET ended_at_ms = MAX(ended_at_ms, ?)
             WHERE state = 'lost'",
            &[lost_ms.into()],
        )?;
        Ok(())
    }

    /// Records whether R2 has lost the machine of a snapshot.
    pub fn set_machine_lost(&self, id: &BackupId, lost: bool) -> Result<()> {
        let sql = if lost {
            "UPDATE snapshots SET machine = json_set(machine, '$.lost', json('true')) WHERE id = ?"
        } else {
            "UPDATE snapshots SET machine = json_remove(machine, '$.lost') WHERE id = ?"
        };
        self.database.exec(sql, &[id.as_str().into()])?;
        Ok(())
    }
}
