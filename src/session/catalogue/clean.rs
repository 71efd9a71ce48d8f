//! Clean sandboxes: those in which tools work on archives, and no caller's command ever runs.

use crate::domain::{BackupId, Result, SandboxId};
use crate::ports::database::values;
use crate::session::catalogue::Catalogue;

impl Catalogue {
    /// Records that a clean sandbox is about to get a container.
    pub fn add_clean(&self, id: &SandboxId) -> Result<()> {
        self.database
            .exec("INSERT INTO clean_sandboxes (sandbox_id) VALUES (?)", &[id.as_str().into()])?;
        Ok(())
    }

    /// Records which backup a clean sandbox is about to make.
    pub fn set_clean_backup(&self, id: &SandboxId, backup: &BackupId) -> Result<()> {
        self.database.exec(
            "UPDATE clean_sandboxes SET backup_id = ? WHERE sandbox_id = ?",
            &[backup.as_str().into(), id.as_str().into()],
        )?;
        Ok(())
    }

    /// The clean sandboxes that may have a container.
    pub fn clean_sandboxes(&self) -> Result<Vec<SandboxId>> {
        let sql = "SELECT sandbox_id FROM clean_sandboxes ORDER BY sandbox_id";
        values(self.database.as_ref(), sql, &[])
    }

    /// Whether the backup that a clean sandbox makes is still pending.
    pub fn makes_pending(&self, id: &SandboxId) -> Result<bool> {
        let rows = self.database.exec(
            "SELECT 1 AS one FROM clean_sandboxes JOIN snapshots ON snapshots.id = backup_id
             WHERE sandbox_id = ? AND state = 'pending'",
            &[id.as_str().into()],
        )?;
        Ok(!rows.is_empty())
    }

    /// The clean sandbox that makes a backup, if one does.
    pub fn clean_maker_of(&self, backup: &BackupId) -> Result<Option<SandboxId>> {
        let sql = "SELECT sandbox_id FROM clean_sandboxes WHERE backup_id = ?";
        Ok(values(self.database.as_ref(), sql, &[backup.as_str().into()])?.pop())
    }

    /// Forgets a clean sandbox whose container is destroyed.
    pub fn drop_clean(&self, id: &SandboxId) -> Result<()> {
        self.database
            .exec("DELETE FROM clean_sandboxes WHERE sandbox_id = ?", &[id.as_str().into()])?;
        Ok(())
    }
}
