//! Start an empty workspace after its files are gone.

use crate::domain::limits::RECOVER_AFTER_MS;
use crate::domain::{
    Error, ErrorCode, Event, Heads, InstanceId, Result, WorkspaceKind, WorkspaceRef,
};
use crate::ports::sandbox::{FileOptions, FileType, SandboxApi};
use crate::session::Session;
use crate::session::catalogue::RewindState;
use crate::session::parts::containers::Provided;
use crate::session::parts::{
    AutosaveState, Containers, Context, InFlight, Leases, LoadedSession, Quotas, WorkspaceLocks,
};

parts!(StartFresh {
    context: Context,
    locks: WorkspaceLocks,
    in_flight: InFlight,
    autosave: AutosaveState,
    containers: Containers,
    leases: Leases,
    quotas: Quotas,
});

impl Session {
    /// Gives the active workspace, if its container has stopped, a new and empty one. Keeps its
    /// snapshots, and files that are still in a container, unless a pause has saved them. A missing
    /// directory in a running container is made again; a file or link in its place is moved away.
    ///
    /// # Errors
    /// `CONFLICT` if the files are still there.
    pub async fn start_fresh(&self) -> Result<WorkspaceRef> {
        let start_fresh = StartFresh::from(self);
        let open = start_fresh.context.require_open()?.writable()?;
        let id = open.row.active_sandbox_id.clone();
        let exclusive = start_fresh.locks.exclusive(&id, "a fresh start").await?;
        let sandbox = start_fresh.containers.configured_sandbox(&id).await?;
        if start_fresh.context.usable(&id)?.paused_at_ms.is_some() {
            start_fresh
                .context
                .ports
                .alarm
                .schedule_by(start_fresh.context.now_ms() + RECOVER_AFTER_MS)
                .await?;
        }
        let idle = start_fresh.quotas.find_idle(&open).await?;
        start_fresh.context.require_open()?;
        let slept = start_fresh.context.usable(&id)?;
        if idle.has(&slept) {
            start_fresh.quotas.check_running_quota(&open, &idle, Some(&id))?;
        }
        let was_paused = slept.paused_at_ms.is_some();
        if was_paused {
            // If this call fails, the alarm releases the container that it starts.
            start_fresh.context.catalogue.set_unreleased(&id, true)?;
        }
        let _starting = start_fresh.in_flight.work_on(id.as_str());
        let running = match sandbox.disk().await? {
            Some(disk) if Some(&disk) == slept.instance_id.as_ref() && !was_paused => {
                start_fresh.make_missing(&open, sandbox.as_ref(), &disk).await?;
                Some(disk)
            }
            // Discard what a failed wake left in a container.
            Some(_other) if slept.kind != WorkspaceKind::Shared => {
                start_fresh.containers.destroy(&id).await?;
                None
            }
            _ => None,
        };
        let instance = match running {
            Some(instance) => instance,
            None => {
                let sandbox = start_fresh.containers.sandbox_to_start(&id).await?;
                start_fresh.autosave.schedule(&open).await?;
                let instance = sandbox.ensure_running().await?;
                if slept.instance_id.as_ref() == Some(&instance) {
                    return Err(still_has_files());
                }
                instance
            }
        };
        let provided = Provided { instance, made: Vec::new() };
        start_fresh.containers.provision(&open, sandbox.as_ref(), &provided).await?;
        // No await from here on: row and event are stored together. The row may have changed.
        let mut workspace = start_fresh.context.usable(&id)?;
        workspace.instance_id = Some(provided.instance);
        workspace.from_backup_id = None;
        workspace.made_from_backup_id = None;
        workspace.head_backup_id = None;
        workspace.head_seq = start_fresh.context.catalogue.newest_seq()?;
        workspace.last_used_at_ms = start_fresh.context.now_ms();
        workspace.saved_at_ms = workspace.last_used_at_ms;
        if let Some(left) = start_fresh.context.catalogue.running_rewind(&id)? {
            // The files that the rewind was to replace are gone with the container.
            start_fresh.context.catalogue.end_rewind(left.seq, RewindState::Undone)?;
        }
        start_fresh.context.catalogue.put_workspace(&workspace)?;
        start_fresh.context.catalogue.set_heads(&id, &Heads::default())?;
        start_fresh.context.catalogue.set_resumed(&id)?;
        start_fresh.context.catalogue.set_unreported_wake(&id, None)?;
        let event = Event::WorkspaceStartedFresh { sandbox_id: id.clone() };
        start_fresh.context.catalogue.add_event(workspace.last_used_at_ms, &event)?;
        start_fresh.autosave.forget_failure(&open, &id).await?;
        // Calls that wait for the workspace don't wait for an owner to respond.
        drop(exclusive);
        start_fresh.leases.update_leases_of(&id).await;
        Ok(workspace.to_ref())
    }
}

impl StartFresh<'_> {
    /// Refused if the directory of the running workspace is still there.
    async fn make_missing(
        &self,
        open: &LoadedSession,
        sandbox: &dyn SandboxApi,
        instance: &InstanceId,
    ) -> Result<()> {
        let dir = &open.config.workspace_dir;
        let on_disk = FileOptions { instance_id: Some(instance.clone()), ..FileOptions::default() };
        match sandbox.stat(dir.clone(), on_disk.clone()).await {
            Ok(found) if found.r#type == FileType::Directory => return Err(still_has_files()),
            Err(error) if error.code != ErrorCode::NotFound => return Err(error),
            _ => {}
        }
        self.autosave.schedule(open).await?;
        sandbox.mkdir(dir.clone(), FileOptions { recursive: true, clear: true, ..on_disk }).await
    }
}

fn still_has_files() -> Error {
    Error::new(
        ErrorCode::Conflict,
        "the workspace still has its files; only one whose container has stopped, or whose directory is gone, can be started fresh",
    )
    .with_hint("go on using it, or restore a snapshot into a new workspace")
}
