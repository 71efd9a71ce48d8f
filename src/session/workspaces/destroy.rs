//! Destroy a workspace that is not active.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::{BackupId, SandboxId};
use crate::domain::limits::RECOVER_AFTER_MS;
use crate::domain::session::event::Event;
use crate::domain::snapshot::refs::WorkspaceRef;
use crate::domain::workspace::{Workspace, WorkspaceKind, WorkspaceState, not_owned_workspace};
use crate::session::Host;
use serde::{Deserialize, Serialize};

/// The answer to a workspace's destruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DestroyedWorkspace {
    /// Always true: destroying what is gone succeeds.
    pub destroyed: bool,
    /// The snapshot it would have woken from, or null.
    pub last_snapshot_id: Option<BackupId>,
    /// It was used, or active, since that snapshot was last equal to its files:
    /// what changed then is gone.
    pub used_since: bool,
}

impl Host {
    /// Destroys a workspace and its container. Snapshots taken from it are
    /// kept, and its last autosave lives a whole time to live from now. Nothing
    /// is saved: the answer says whether there may have been something to save.
    /// Destroying one that is gone succeeds.
    ///
    /// # Errors
    /// `WORKSPACE_NOT_OWNED`; `CONFLICT` for the active, a shared, or an
    /// unfinished workspace.
    pub async fn destroy_workspace(&self, named: &WorkspaceRef) -> Result<DestroyedWorkspace> {
        self.require_open()?;
        self.ports.alarm.schedule_by(self.now_ms() + RECOVER_AFTER_MS).await?;
        // No await from here to the row.
        let open = self.require_open()?.writable()?;
        let id = named.sandbox_id();
        let workspace = self.catalogue.workspace(id)?.ok_or_else(not_owned_workspace)?;
        let conflict = |message: &str, hint: &str| {
            Err(Error::new(ErrorCode::Conflict, message).with_hint(hint))
        };
        if workspace.kind == WorkspaceKind::Shared {
            return conflict(
                "a shared workspace is not one session's to destroy",
                "it stops by itself when idle",
            );
        }
        if id == &open.row.active_sandbox_id {
            return conflict(
                "the active workspace cannot be destroyed",
                "switch to another one first",
            );
        }
        let used_since = self.is_used_since_save(&workspace);
        let answer = DestroyedWorkspace {
            destroyed: true,
            last_snapshot_id: workspace.head_backup_id,
            used_since,
        };
        match workspace.state {
            WorkspaceState::Destroyed => Ok(answer),
            WorkspaceState::Creating => {
                conflict("the workspace is still being made", "wait for the restore that makes it")
            }
            WorkspaceState::Ready | WorkspaceState::Destroying => {
                self.destroy_sandbox(id).await.map(|()| answer)
            }
        }
    }

    /// Destroys a sandbox of this session and records it, in an order that a
    /// crash at any point leaves to the alarm.
    pub(crate) async fn destroy_sandbox(&self, id: &SandboxId) -> Result<()> {
        let _working = self.work_on(id.as_str());
        // By a wake, say, which may start another container yet.
        let was_exclusive = self.locks.is_exclusive(id);
        let row = self.catalogue.workspace(id)?;
        if let Ok(loaded) = self.load() {
            let ttl_ms = self.retention_policy(&loaded)?.ttl.as_ms();
            self.catalogue.keep_for_destroyed(id, self.now_ms().saturating_add(ttl_ms))?;
        }
        self.catalogue.set_workspace_state(id, WorkspaceState::Destroying, self.now_ms())?;
        self.ports.alarm.schedule_by(self.now_ms() + RECOVER_AFTER_MS).await?;
        let sandbox = self.ports.sandboxes.get(id)?;
        sandbox.destroy().await?;
        if was_exclusive || self.locks.is_exclusive(id) {
            let _exclusive = self.locks.exclusive(id).await;
            sandbox.destroy().await?;
        }
        self.configured.borrow_mut().remove(id);
        self.catalogue.set_workspace_state(id, WorkspaceState::Destroyed, self.now_ms())?;
        self.catalogue.forget_retry(id.as_str())?;
        let used_since = row.as_ref().is_some_and(|row| self.is_used_since_save(row));
        let event = Event::WorkspaceDestroyed {
            sandbox_id: id.clone(),
            backup_id: row.and_then(|row| row.head_backup_id),
            used_since,
        };
        self.catalogue.add_event(self.now_ms(), &event)
    }

    /// Whether a workspace may have files that its last save lacks. Its sandbox,
    /// which may not answer, is not asked.
    fn is_used_since_save(&self, row: &Workspace) -> bool {
        row.state == WorkspaceState::Ready
            && row.instance_id.is_some()
            && row.kind != WorkspaceKind::Shared
            && self.used_at_ms(row) > row.saved_at_ms
    }
}
