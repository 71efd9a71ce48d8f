//! Pause a workspace: save it, and release its container until it is resumed.

use crate::domain::limits::{QUIET_WAIT_MS, RECOVER_AFTER_MS};
use crate::domain::{
    Error, ErrorCode, Event, Outcome, Result, SandboxId, Subject, Workspace, WorkspaceRef,
    WorkspaceStatus, WorkspaceSummary,
};
use crate::ports::sandbox::SandboxApi;
use crate::session::parts::results::{Paused, Resumed};
use crate::session::parts::workspaces::ready::BRING_UP_ATTEMPTS;
use crate::session::parts::{
    Containers, Context, InFlight, LoadedSession, Occasion, Replacer, Saver, WorkspaceLocks,
    Workspaces,
};
use crate::session::{Abort, Session};
use crate::support::fifo_mutex::FifoGuard;

parts!(Pause {
    context: Context,
    locks: WorkspaceLocks,
    in_flight: InFlight,
    containers: Containers,
    saver: Saver,
    replacer: Replacer,
});

impl Session {
    /// Saves a workspace, by default the active one, and releases its container. Until it is
    /// resumed, calls that need a container are refused. Succeeds if it is paused.
    ///
    /// Order: alarm, save, row and event together, container, `unreleased` off. After a crash
    /// before the row, the workspace runs on. After a later crash, recovery finishes the pause.
    ///
    /// # Errors
    /// `WORKSPACE_NOT_OWNED`; `CONFLICT` if shared or in use; as a save: then nothing is released.
    pub async fn pause(&self, named: Option<&WorkspaceRef>, abort: &Abort) -> Result<Paused> {
        let pause = Pause::from(self);
        abort.check()?;
        let open = pause.context.require_open()?.writable()?;
        let id = pause.context.named_or_active(&open, named)?;
        let row = pause.context.pausable(&id)?;
        abort.makes(&Subject::Paused(id.clone()))?;
        if row.paused_at_ms.is_none() || pause.context.catalogue.is_unreleased(&id)? {
            let sandbox = pause.context.ports.sandboxes.get(&id)?;
            abort.step("waiting until nobody uses the workspace")?;
            let _exclusive = pause.lock_to_pause(&id).await?;
            let _pausing = pause.in_flight.work_on(id.as_str());
            if pause.context.pausable(&id)?.paused_at_ms.is_none() {
                pause.save_to_pause(&open, sandbox.as_ref(), &id, abort).await?;
            }
            if pause.context.catalogue.is_unreleased(&id)? {
                pause.containers.release(&id).await.map_err(unreleased)?;
            }
        }
        let active = open.row.active_sandbox_id == id;
        let workspace = pause.context.usable(&id)?.summary(active, WorkspaceStatus::Paused);
        Ok(Paused { workspace })
    }
}

impl Pause<'_> {
    /// Saves the container's files, if they are the workspace's.
    async fn save_to_pause(
        &self,
        open: &LoadedSession,
        sandbox: &dyn SandboxApi,
        id: &SandboxId,
        abort: &Abort,
    ) -> Result<()> {
        if sandbox.runs_commands().await? {
            return Err(in_use());
        }
        let disk = sandbox.disk().await?;
        let row = self.context.pausable(id)?;
        abort.step("saving the workspace")?;
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        if disk.is_some() && disk == row.instance_id {
            self.saver.autosave(open, &row, Occasion::Call, abort).await.map_err(unsaved)?;
        }
        // No await since the save: these checks still hold at the write.
        self.context.require_open()?;
        let row = self.context.pausable(id)?;
        let now_ms = self.context.now_ms();
        self.context.catalogue.set_paused(id, now_ms)?;
        let event =
            Event::WorkspacePaused { sandbox_id: id.clone(), backup_id: row.head_backup_id };
        self.context.catalogue.add_event(now_ms, &event)
    }

    /// After a crash during a pause or a resume.
    pub(crate) async fn finish_release(&self, id: &SandboxId) -> Result<Option<&'static str>> {
        let _exclusive = self.locks.exclusive(id, "the end of a pause").await?;
        if !self.context.catalogue.is_unreleased(id)? {
            // Another caller has just released or resumed it.
            return Ok(None);
        }
        let _working = self.in_flight.work_on(id.as_str());
        self.containers.release(id).await?;
        Ok(Some("released"))
    }

    /// Locks the workspace exclusively, with no unfinished rewind.
    async fn lock_to_pause(&self, id: &SandboxId) -> Result<FifoGuard> {
        for _ in 0..BRING_UP_ATTEMPTS {
            if let Some(left) = self.context.catalogue.running_rewind(id)? {
                self.replacer.complete_rewind(&left).await?;
            }
            let exclusive = self.locks.exclusive_when_idle(id, "a pause", QUIET_WAIT_MS).await?;
            let exclusive = exclusive.ok_or_else(in_use)?;
            if self.context.catalogue.running_rewind(id)?.is_none() {
                return Ok(exclusive);
            }
        }
        Err(in_use())
    }
}

fn in_use() -> Error {
    let mut error = Error::new(
        ErrorCode::Conflict,
        "calls are running in the workspace, and a pause would interrupt them",
    )
    .with_hint("wait until they end, or cancel them, then pause it");
    error.retryable = true;
    error
}

fn unsaved(error: Error) -> Error {
    let message = format!("the workspace could not be saved, and is not paused: {}", error.message);
    Error { message, ..error }
}

fn unreleased(error: Error) -> Error {
    let message = format!(
        "the workspace is saved and paused, but its container could not be released yet: {}",
        error.message
    );
    Error { message, ..error }
        .with_outcome(Outcome::Unknown)
        .with_hint("this is retried automatically; pause it again to learn that it is done")
}

parts!(Resume {
    context: Context,
    locks: WorkspaceLocks,
    in_flight: InFlight,
    containers: Containers,
    workspaces: Workspaces,
});

impl Session {
    /// Gives a workspace, by default the active one, a running container with its files. Succeeds
    /// if it has one. On failure, a paused workspace stays paused.
    ///
    /// Order: alarm, `unreleased` on, container and files, then disk, row and event together. After
    /// a crash before that, the workspace is paused, and recovery releases its container.
    ///
    /// # Errors
    /// `WORKSPACE_NOT_OWNED`; `CONFLICT` for a shared workspace; the errors of a wake.
    pub async fn resume(&self, named: Option<&WorkspaceRef>, abort: &Abort) -> Result<Resumed> {
        let resume = Resume::from(self);
        abort.check()?;
        let open = resume.context.require_open()?.writable()?;
        let id = resume.context.named_or_active(&open, named)?;
        let row = resume.context.pausable(&id)?;
        abort.makes(&Subject::Resumed(id.clone()))?;
        abort.step("bringing the workspace back")?;
        if row.paused_at_ms.is_some() {
            resume.end_pause(&open, &id, abort).await?;
        } else {
            drop(resume.workspaces.ready(&open, &id).await?);
        }
        let workspace = running(&open, &resume.context.usable(&id)?);
        Ok(Resumed { workspace, woken: resume.context.take_wake_of(&id)? })
    }
}

impl Resume<'_> {
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
                // No await since its disk was recorded: all these writes are stored, or none.
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
