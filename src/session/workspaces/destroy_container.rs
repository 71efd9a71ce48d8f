//! Destroy a workspace's container, and keep the workspace.

use crate::domain::{Error, ErrorCode, Event, Result, WorkspaceRef, WorkspaceState};
use crate::ports::{Level, LogLine};
use crate::session::Session;
use crate::session::parts::{Containers, Context, WorkspaceLocks};
use serde_json::json;

parts!(DestroyContainer { context: Context, locks: WorkspaceLocks, containers: Containers });

impl Session {
    /// Destroys the container of a workspace at once, even that of the active workspace, and even
    /// in a closed session. Calls that use the container end with an error. The workspace stays. It
    /// wakes with its last saved files when it is used again; what was not saved is gone. Succeeds
    /// if no container runs.
    ///
    /// # Errors
    /// `WORKSPACE_NOT_OWNED`; `CONFLICT` for a destroyed workspace.
    pub async fn destroy_container(&self, named: &WorkspaceRef) -> Result<()> {
        DestroyContainer::from(self).destroy_container(named).await
    }
}

impl DestroyContainer<'_> {
    pub async fn destroy_container(&self, named: &WorkspaceRef) -> Result<()> {
        self.context.load()?;
        let id = named.sandbox_id();
        let workspace = self.context.own_workspace(id)?;
        if workspace.state == WorkspaceState::Destroyed {
            return Err(Error::new(ErrorCode::Conflict, format!("workspace {id} is destroyed"))
                .with_hint("it has no container"));
        }
        // Destroy at once, even during a wake; then again under the lock, when no call
        // can start a container.
        self.containers.destroy(id).await?;
        let _exclusive = self.locks.exclusive_to_destroy(id).await?;
        self.containers.destroy(id).await?;
        self.context.ports.log.write(LogLine::new(
            Level::Warn,
            "container.destroyed",
            json!({
                "session": self.context.session, "sandboxId": id, "headBackupId": workspace.head_backup_id,
            }),
        ));
        let event = Event::ContainerDestroyed {
            sandbox_id: id.clone(),
            backup_id: workspace.head_backup_id,
        };
        self.context.catalogue.add_event(self.context.now_ms(), &event)
    }
}
