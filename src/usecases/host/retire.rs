//! Retire the workspaces that nobody uses.

use super::Host;
use crate::domain::error::Result;
use crate::domain::event::Event;

impl Host {
    /// Destroys the workspaces that nobody has used for as long as the policy
    /// says, and comes back when the next one is due.
    pub(super) async fn retire(&self) -> Result<()> {
        for seen in self.catalogue.live_workspaces()? {
            // No await from these looks to the row: one that was taken up while
            // another was being destroyed stays.
            let Ok(known) = self.known() else { return Ok(()) };
            let after_ms = self.retention_policy(&known)?.retire_after_ms;
            let Some(mut workspace) = self.catalogue.workspace(&seen.sandbox_id)? else { continue };
            let id = seen.sandbox_id;
            let in_use = self.gates.calls(&id) > 0 || self.is_worked_on(id.as_str());
            workspace.last_used_at_ms =
                if in_use { self.now_ms() } else { self.used_at_ms(&workspace) };
            let active = &known.row.active_sandbox_id;
            let Some(due_ms) = workspace.retires_at_ms(active, after_ms) else { continue };
            if due_ms > self.now_ms() {
                self.ports.alarm.wake_by(due_ms).await?;
                continue;
            }
            let event = Event::WorkspaceRetired { sandbox_id: id.clone() };
            self.catalogue.add_event(self.now_ms(), &event)?;
            let destroyed = self.destroy_sandbox(&id).await.map(|()| Some("destroyed"));
            self.note_settled(id.as_str(), "unused", destroyed)?;
        }
        Ok(())
    }
}
