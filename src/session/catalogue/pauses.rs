//! Paused workspaces, and those among them that may still have a container.

use crate::domain::{Result, SandboxId};
use crate::ports::database::values;
use crate::session::catalogue::Catalogue;

impl Catalogue {
    /// Records that a workspace is paused and its container is about to be
    /// released.
    pub fn set_paused(&self, id: &SandboxId, now_ms: i64) -> Result<()> {
        self.database.exec(
            "UPDATE workspaces SET paused_at_ms = ?, unreleased = 1 WHERE sandbox_id = ?",
            &[now_ms.into(), id.as_str().into()],
        )?;
        Ok(())
    }

    /// Records whether a paused workspace may have a container.
    pub fn set_unreleased(&self, id: &SandboxId, unreleased: bool) -> Result<()> {
        self.database.exec(
            "UPDATE workspaces SET unreleased = ? WHERE sandbox_id = ?",
            &[unreleased.into(), id.as_str().into()],
        )?;
        Ok(())
    }

    /// Records that a workspace is no longer paused.
    pub fn set_resumed(&self, id: &SandboxId) -> Result<()> {
        self.database.exec(
            "UPDATE workspaces SET paused_at_ms = NULL, unreleased = 0 WHERE sandbox_id = ?",
            &[id.as_str().into()],
        )?;
        Ok(())
    }

    /// Paused workspaces that may have a container: a pause or a resume was begun,
    /// and its end was not recorded.
    pub fn unreleased_workspaces(&self) -> Result<Vec<SandboxId>> {
        values(
            self.database.as_ref(),
            "SELECT sandbox_id FROM workspaces INDEXED BY workspaces_live
             WHERE state <> 'destroyed' AND paused_at_ms IS NOT NULL AND unreleased = 1 AND state = 'ready'
             ORDER BY sandbox_id",
            &[],
        )
    }

    /// Whether a workspace is one of [`Self::unreleased_workspaces`].
    pub fn is_unreleased(&self, id: &SandboxId) -> Result<bool> {
        Ok(self.unreleased_workspaces()?.contains(id))
    }
}
