//! Bring a paused workspace back.

use crate::domain::limits::RECOVER_AFTER_MS;
use crate::domain::{
    Event, Result, SandboxId, Subject, Workspace, WorkspaceRef, WorkspaceStatus, WorkspaceSummary,
};
use crate::session::parts::results::Resumed;
use crate::session::parts::{
    Containers, Context, InFlight, LoadedSession, WorkspaceLocks, Workspaces,
};
use crate::session::{Abort, Session};

parts!(Resume {
    context: Context,
    locks: WorkspaceLocks,
    in_flight: InFlight,
    containers: Containers,
    workspaces: Workspaces,
});

impl Session {
    /// Brings a workspace back, the active one unless another is named: a running container with
    /// its files. A sleeping workspace is woken; resuming a running one succeeds. If this fails, a
    /// paused workspace stays paused.
    ///
    /// Order: alarm, `unreleased` on, container and files, then disk, row and event together. After
    /// a crash before that, the workspace is paused, and recovery releases its container.
    ///
    /// # Errors
    /// `WORKSPACE_NOT_OWNED`; `CONFLICT` for a shared workspace; the errors of a
    /// wake: `RESTORE_FAILED`, `QUOTA_EXCEEDED`, `UNAVAILABLE`.
    pub async fn resume(&self, named: Option<&WorkspaceRef>, abort: &Abort) -> Result<Resumed> {
        Resume::from(self).resume(named, abort).await
    }
}

impl Resume<'_> {
    pub async fn resume(&self, named: Option<&WorkspaceRef>, abort: &Abort) -> Result<Resumed> {
        abort.check()?;
        let open = self.context.require_open()?.writable()?;
        let id = self.context.named_or_active(&open, named)?;
        let row = self.context.pausable(&id)?;
        abort.makes(&Subject::Resumed(id.clone()))?;
        abort.step("bringing the workspace back")?;
        if row.paused_at_ms.is_some() {
            self.end_pause(&open, &id, abort).await?;
        } else {
            drop(self.workspaces.ready(&open, &id).await?);
        }
        let workspace = running(&open, &self.context.usable(&id)?);
        Ok(Resumed { workspace, woken: self.context.take_wake_of(&id)? })
    }

    async fn end_pause(&self, open: &LoadedSession, id: &SandboxId, abort: &Abort) -> Result<()> {
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        let _exclusive = self.locks.exclusive(id, "a resume").await?;
        let row = self.context.pausable(id)?;
        if row.paused_at_ms.is_none() {
            // Another caller has just resumed it.
            return Ok(());
        }
        let _resuming = self.in_flight.work_on(id.as_str());
        if self.context.catalogue.is_unreleased(id)? {
            // Its container's files may differ from what was saved.
            self.containers.release(id).await?;
        }
        self.context.catalogue.set_unreleased(id, true)?;
        match self.workspaces.bring_up_exclusively(open, row, abort).await {
            Ok(()) => {
                // No await since its disk was recorded: the runtime stores all these writes, or none of them.
                self.context.usable(id)?;
                let now_ms = self.context.now_ms();
                self.context.catalogue.set_resumed(id)?;
                self.context.catalogue.touch_workspace(id, now_ms)?;
                let event = Event::WorkspaceResumed { sandbox_id: id.clone() };
                self.context.catalogue.add_event(now_ms, &event)?;
                self.containers.start_services(open, id).await;
                Ok(())
            }
            Err(error) => {
                if self.containers.release(id).await.is_err() {
                    // The alarm releases the container that this call started.
                    self.context.ports.alarm.schedule_by(self.context.now_ms()).await?;
                }
                Err(error)
            }
        }
    }
}

fn running(open: &LoadedSession, row: &Workspace) -> WorkspaceSummary {
    let active = open.row.active_sandbox_id == row.sandbox_id;
    row.summary(active, WorkspaceStatus::Running)
}
