//! Destroy a workspace's container, and keep the workspace.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::session::event::Event;
use crate::domain::snapshot::refs::WorkspaceRef;
use crate::domain::workspace::{WorkspaceState, not_owned_workspace};
use crate::ports::log::{Level, LogLine};
use crate::session::Session;
use crate::session::containers::Containers;
use crate::session::context::Context;
use crate::session::locks::WorkspaceLocks;
use serde_json::json;

parts!(DestroyContainer { context: Context, locks: WorkspaceLocks, containers: Containers });

impl Session {
    /// Destroys the container of a workspace at once, the active one's too, in
    /// a closed session too. Calls that are in it end with an error. The
    /// workspace stays, and wakes with the files it was last saved with when it
    /// is used again; what was not saved is gone. Where none runs, it succeeds.
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
        let workspace = self.context.catalogue.workspace(id)?.ok_or_else(not_owned_workspace)?;
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
