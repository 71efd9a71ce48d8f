//! Destroy a workspace that is not active.

use crate::domain::limits::RECOVER_AFTER_MS;
use crate::domain::{
    BackupId, Error, ErrorCode, Event, Result, WorkspaceKind, WorkspaceRef, WorkspaceState,
};
use crate::ports::{Level, LogLine};
use crate::session::Session;
use crate::session::parts::{AutosaveState, Containers, Context, WorkspaceLocks};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The answer to a workspace's destruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DestroyedWorkspace {
    /// Always true, even if the workspace was gone.
    pub destroyed: bool,
    /// The snapshot it would have woken from, or null.
    pub last_snapshot_id: Option<BackupId>,
    /// Whether it was used or active after its files last equalled that snapshot. Changes since
    /// then are lost.
    pub used_since: bool,
}

parts!(DestroyWorkspace { context: Context, autosave: AutosaveState, containers: Containers });

impl Session {
    /// Destroys a workspace. Saves nothing, but keeps its snapshots; its last autosave gets a whole
    /// time to live from now. Succeeds if the workspace is gone.
    ///
    /// # Errors
    /// `WORKSPACE_NOT_OWNED`; `CONFLICT` for an active, a shared or an unfinished workspace.
    pub async fn destroy_workspace(&self, named: &WorkspaceRef) -> Result<DestroyedWorkspace> {
        DestroyWorkspace::from(self).destroy_workspace(named).await
    }
}

impl DestroyWorkspace<'_> {
    pub async fn destroy_workspace(&self, named: &WorkspaceRef) -> Result<DestroyedWorkspace> {
        self.context.require_open()?;
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        // No await from here to the row.
        let open = self.context.require_open()?.writable()?;
        let id = named.sandbox_id();
        let workspace = self.context.own_workspace(id)?;
        let conflict = |message: &str, hint: &str| {
            Err(Error::new(ErrorCode::Conflict, message).with_hint(hint))
        };
        if workspace.kind == WorkspaceKind::Shared {
            return conflict(
                "a session can't destroy a shared workspace",
                "it stops by itself when idle",
            );
        }
        if id == &open.row.active_sandbox_id {
            return conflict(
                "the active workspace cannot be destroyed",
                "switch to another one first",
            );
        }
        let used_since = self.autosave.is_used_since_save(&workspace);
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
                self.containers.destroy_sandbox(id).await.map(|()| answer)
            }
        }
    }
}

parts!(DestroyContainer { context: Context, locks: WorkspaceLocks, containers: Containers });

impl Session {
    /// Destroys a container at once, even the active workspace's or a closed session's. Calls that
    /// use it fail. The workspace later wakes with its last saved files. Succeeds if none runs.
    ///
    /// # Errors
    /// `WORKSPACE_NOT_OWNED`; `CONFLICT` for a destroyed workspace.
    pub async fn destroy_container(&self, named: &WorkspaceRef) -> Result<()> {
        let destroy_container = DestroyContainer::from(self);
        destroy_container.context.load()?;
        let id = named.sandbox_id();
        let workspace = destroy_container.context.own_workspace(id)?;
        if workspace.state == WorkspaceState::Destroyed {
            return Err(Error::new(ErrorCode::Conflict, format!("workspace {id} is destroyed"))
                .with_hint("it has no container"));
        }
        // At once, even during a wake; then again under the lock, when no call can start one.
        destroy_container.containers.destroy(id).await?;
        let _exclusive = destroy_container.locks.exclusive_to_destroy(id).await?;
        destroy_container.containers.destroy(id).await?;
        destroy_container.context.ports.log.write(LogLine::new(
            Level::Warn,
            "container.destroyed",
            json!({
                "session": destroy_container.context.session, "sandboxId": id, "headBackupId": workspace.head_backup_id,
            }),
        ));
        let event = Event::ContainerDestroyed {
            sandbox_id: id.clone(),
            backup_id: workspace.head_backup_id,
        };
        destroy_container.context.catalogue.add_event(destroy_container.context.now_ms(), &event)
    }
}
