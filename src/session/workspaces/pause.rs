//! Put a workspace aside: save it, and release its container until it is resumed.

use crate::domain::call::subject::Subject;
use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::ids::SandboxId;
use crate::domain::json::render;
use crate::domain::limits::{QUIET_WAIT_MS, RECOVER_AFTER_MS};
use crate::domain::session::event::Event;
use crate::domain::snapshot::refs::WorkspaceRef;
use crate::domain::workspace::{WorkspaceStatus, WorkspaceSummary};
use crate::ports::sandbox::SandboxApi;
use crate::session::Abort;
use crate::session::calls::recover::interrupted;
use crate::session::containers::Containers;
use crate::session::context::Context;
use crate::session::in_flight::InFlight;
use crate::session::loaded_session::LoadedSession;
use crate::session::locks::WorkspaceLocks;
use crate::session::snapshots::saver::{Occasion, Saver};
use crate::session::workspaces::ready::BRING_UP_ATTEMPTS;
use crate::session::workspaces::replace::Replacer;
use crate::support::fifo_mutex::FifoGuard;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A workspace that is paused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Paused {
    /// As it is now.
    pub workspace: WorkspaceSummary,
}

parts!(Pause {
    context: Context,
    locks: WorkspaceLocks,
    in_flight: InFlight,
    containers: Containers,
    saver: Saver,
    replacer: Replacer,
});

impl Pause<'_> {
    /// Saves a workspace, the active one unless another is named, and releases
    /// its container. Until it is resumed, calls that need one are refused. It
    /// has the workspace to itself meanwhile. Pausing a paused one succeeds.
    ///
    /// Order: alarm, save, row and event together, container, `unreleased` off.
    /// A crash before the row leaves a workspace that runs, one after it is
    /// finished by recovery.
    ///
    /// # Errors
    /// `WORKSPACE_NOT_OWNED`; `CONFLICT` for a shared workspace, and while calls
    /// are in it; what a save answers: nothing is released then.
    pub async fn pause(&self, named: Option<&WorkspaceRef>, abort: &Abort) -> Result<Paused> {
        abort.check()?;
        let open = self.context.require_open()?.writable()?;
        let id = self.context.named_or_active(&open, named)?;
        let row = self.context.pausable(&id)?;
        abort.makes(&Subject::Pause(id.clone()))?;
        if row.paused_at_ms.is_none() || self.context.catalogue.is_unreleased(&id)? {
            let sandbox = self.context.ports.sandboxes.get(&id)?;
            abort.step("waiting until nobody uses the workspace")?;
            let _exclusive = self.lock_to_pause(&id).await?;
            let _pausing = self.in_flight.work_on(id.as_str());
            if self.context.pausable(&id)?.paused_at_ms.is_none() {
                self.save_to_pause(&open, sandbox.as_ref(), &id, abort).await?;
            }
            if self.context.catalogue.is_unreleased(&id)? {
                self.containers.release(&id).await.map_err(unreleased)?;
            }
        }
        self.context.paused_now(&open, &id)
    }

    /// Saves what the container has, if it has the workspace's files, and
    /// records that the workspace is paused.
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
            self.saver.autosave(open, &row, Occasion::Call).await.map_err(unsaved)?;
        }
        // No await since it was saved: what is looked at holds when it is written.
        self.context.require_open()?;
        let row = self.context.pausable(id)?;
        let now_ms = self.context.now_ms();
        self.context.catalogue.set_paused(id, now_ms)?;
        let event =
            Event::WorkspacePaused { sandbox_id: id.clone(), backup_id: row.head_backup_id };
        self.context.catalogue.add_event(now_ms, &event)
    }

    /// The same for what a crash left: of a pause, or of a resume.
    pub(crate) async fn finish_release(&self, id: &SandboxId) -> Result<Option<&'static str>> {
        let _exclusive = self.locks.exclusive(id).await;
        if !self.context.catalogue.is_unreleased(id)? {
            // Another caller has just done it, or has resumed it.
            return Ok(None);
        }
        let _working = self.in_flight.work_on(id.as_str());
        self.containers.release(id).await?;
        Ok(Some("released"))
    }

    /// The workspace to itself, with no rewind of it unfinished.
    async fn lock_to_pause(&self, id: &SandboxId) -> Result<FifoGuard> {
        for _ in 0..BRING_UP_ATTEMPTS {
            if let Some(left) = self.context.catalogue.running_rewind(id)? {
                self.replacer.complete_rewind(&left).await?;
            }
            let exclusive = self.locks.exclusive_when_idle(id, QUIET_WAIT_MS).await;
            let exclusive = exclusive.ok_or_else(in_use)?;
            if self.context.catalogue.running_rewind(id)?.is_none() {
                return Ok(exclusive);
            }
        }
        Err(in_use())
    }
}

impl Context {
    fn paused_now(&self, open: &LoadedSession, id: &SandboxId) -> Result<Paused> {
        let active = &open.row.active_sandbox_id == id;
        let workspace = self.usable(id)?.summary(active, WorkspaceStatus::Paused);
        Ok(Paused { workspace })
    }

    /// What a recorded call that was to pause would have answered.
    pub(crate) fn pause_holds(&self, id: &SandboxId) -> Result<Result<Value>> {
        let loaded = self.load()?;
        Ok(match self.usable(id) {
            Ok(row) if row.paused_at_ms.is_some() => render(&self.paused_now(&loaded, id)?),
            Ok(_) => Err(interrupted("the workspace was not paused, and is as it was")),
            Err(_destroyed) => Err(interrupted("the workspace has been destroyed since")),
        })
    }
}

/// The refusal of a pause while the workspace is in use.
fn in_use() -> Error {
    let mut error = Error::new(
        ErrorCode::Conflict,
        "calls are at work in the workspace, which a pause would break off",
    )
    .with_hint("wait until they have ended, or cancel them, and pause it then");
    error.retryable = true;
    error
}

/// The save before a pause failed: nothing was released.
fn unsaved(error: Error) -> Error {
    let message = format!("the workspace could not be saved, and is not paused: {}", error.message);
    Error { message, ..error }
}

/// The workspace is paused, and its container may still be there.
fn unreleased(error: Error) -> Error {
    let message = format!(
        "the workspace is saved and paused, and its container could not be released yet: {}",
        error.message
    );
    Error { message, ..error }
        .with_outcome(Outcome::Unknown)
        .with_hint("it is tried again by itself; pause it again to hear that it is done")
}
