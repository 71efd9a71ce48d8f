//! Retire the workspaces that nobody uses.

use super::Host;
use crate::domain::error::Result;
use crate::domain::event::Event;
use crate::domain::ids::SandboxId;
use crate::domain::limits::AUTOSAVE_RETRY_MAX_MS;

impl Host {
    /// Destroys the workspaces that nobody has used for as long as the policy
    /// says, and comes back when the next one is due.
    pub(super) async fn retire(&self) -> Result<()> {
        for seen in self.catalogue.live_workspaces()? {
            let id = seen.sandbox_id;
            if !self.is_to_retire(&id).await? {
                continue;
            }
            // A command may still run whose call ended with an earlier object.
            if !matches!(self.runs_commands(&id).await, Ok(false)) {
                self.ports.alarm.wake_by(self.now_ms() + AUTOSAVE_RETRY_MAX_MS).await?;
                continue;
            }
            // No await from this look to the row: one that was taken up meanwhile stays.
            if self.retires_at_ms(&id)?.is_none_or(|due_ms| due_ms > self.now_ms()) {
                continue;
            }
            let event = Event::WorkspaceRetired { sandbox_id: id.clone() };
            self.catalogue.add_event(self.now_ms(), &event)?;
            let destroyed = self.destroy_sandbox(&id).await.map(|()| Some("destroyed"));
            self.note_settled(id.as_str(), "unused", destroyed)?;
        }
        Ok(())
    }

    /// Whether it is due now. The alarm comes when it is.
    async fn is_to_retire(&self, id: &SandboxId) -> Result<bool> {
        match self.retires_at_ms(id)? {
            Some(due_ms) if due_ms > self.now_ms() => {
                self.ports.alarm.wake_by(due_ms).await.map(|()| false)
            }
            due_ms => Ok(due_ms.is_some()),
        }
    }

    fn retires_at_ms(&self, id: &SandboxId) -> Result<Option<i64>> {
        let Ok(known) = self.known() else { return Ok(None) };
        let after_ms = self.retention_policy(&known)?.retire_after_ms;
        let Some(mut workspace) = self.catalogue.workspace(id)? else { return Ok(None) };
        let in_use = self.gates.calls(id) > 0 || self.is_worked_on(id.as_str());
        workspace.last_used_at_ms =
            if in_use { self.now_ms() } else { self.used_at_ms(&workspace) };
        Ok(workspace.retires_at_ms(&known.row.active_sandbox_id, after_ms))
    }

    /// Whether a command runs in its container; one of `@cloudflare/sandbox` can't tell.
    pub(super) async fn runs_commands(&self, id: &SandboxId) -> Result<bool> {
        let sandbox = self.ports.sandboxes.get(id)?;
        Ok(sandbox.knows_disks().await? && sandbox.is_telling().await?)
    }
}
