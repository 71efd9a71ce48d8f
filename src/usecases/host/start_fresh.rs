//! Go on with an empty workspace where the files are gone.

use super::Host;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::event::Event;
use crate::domain::refs::WorkspaceRef;

impl Host {
    /// Gives the active workspace, whose container was replaced, a fresh and
    /// empty one. Only a lost workspace can be started fresh: files that are
    /// still there are never discarded.
    ///
    /// # Errors
    /// `CONFLICT` where the files are still there.
    pub async fn start_fresh(&self) -> Result<WorkspaceRef> {
        let opened = self.opened()?.writable()?;
        let id = opened.row.active_sandbox_id.clone();
        let Some(mut workspace) = self.catalogue.workspace(&id)? else {
            return Err(Error::internal(format!("active workspace {id} has no row")));
        };
        let sandbox = self.configured_sandbox(&opened, &id).await?;
        let idle = self.find_idle(&opened).await?;
        if idle.has(&workspace) {
            self.check_running_quota(&opened, &idle, Some(&id))?;
        }
        let _starting = self.work_on(id.as_str());
        let instance = sandbox.ensure_running().await?;
        if workspace.instance_id.as_ref() == Some(&instance) {
            return Err(Error::new(
                ErrorCode::Conflict,
                "the workspace still has its files; only a lost one can be started fresh",
            )
            .with_hint("go on using it, or restore a snapshot into a new workspace"));
        }
        self.provision(&opened, sandbox.as_ref(), None).await?;
        workspace.instance_id = Some(instance);
        workspace.from_backup_id = None;
        workspace.head_backup_id = None;
        workspace.head_seq = self.catalogue.newest_seq()?;
        workspace.last_used_at_ms = self.now_ms();
        self.catalogue.put_workspace(&workspace)?;
        let event = Event::WorkspaceStartedFresh { sandbox_id: id };
        self.catalogue.add_event(workspace.last_used_at_ms, &event)?;
        Ok(workspace.to_ref())
    }
}
