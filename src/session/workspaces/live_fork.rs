//! Make new workspaces with the files of the active one as they are now.

use crate::domain::limits::{LIVE_FORKS_MAX, RECOVER_AFTER_MS};
use crate::domain::{Error, RestoreKind, Result, SandboxId, Subject, WorkspaceRef};
use crate::session::parts::results::{LiveFork, LiveForks};
use crate::session::parts::snapshots::saver::Saved;
use crate::session::parts::snapshots::source::Source;
use crate::session::parts::{
    AutosaveState, Context, InFlight, Maker, Occasion, Quotas, Saver, Workspaces,
};
use crate::session::{Abort, Session};
use futures::future::join_all;

/// A request for a live fork.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveForkRequest {
    /// How many workspaces to make. None: one.
    pub count: Option<u32>,
    /// The workspace to fork. Refused if another one is active.
    pub expected_active: Option<WorkspaceRef>,
}

impl LiveFork {
    pub(crate) fn failed(error: &Error) -> Self {
        Self::Failed { error: error.to_wire().error }
    }
}

parts!(ForkLive {
    context: Context,
    in_flight: InFlight,
    autosave: AutosaveState,
    quotas: Quotas,
    saver: Saver,
    workspaces: Workspaces,
    maker: Maker,
});

impl Session {
    /// Makes new workspaces with the active one's files as they are now. The active one is not
    /// touched, and stays active.
    ///
    /// Saves the active workspace first, if it has changed since its last save. Then makes all the
    /// workspaces concurrently, each like a branch; a failed workspace does not affect the others.
    ///
    /// # Errors
    /// If no workspace can be begun: `INVALID_ARGUMENT` for a count out of range;
    /// `PRECONDITION_FAILED`; `QUOTA_EXCEEDED`; the errors of a save.
    pub async fn live_fork(&self, request: &LiveForkRequest, abort: &Abort) -> Result<LiveForks> {
        ForkLive::from(self).live_fork(request, abort).await
    }
}

impl ForkLive<'_> {
    pub async fn live_fork(&self, request: &LiveForkRequest, abort: &Abort) -> Result<LiveForks> {
        abort.check()?;
        let open = self.context.require_open()?.writable()?;
        open.require_snapshots()?;
        open.expect_active(request.expected_active.as_ref())?;
        let count = request.count.unwrap_or(1);
        if !(1..=LIVE_FORKS_MAX).contains(&count) {
            return Err(Error::invalid("count", format!("must be 1 to {LIVE_FORKS_MAX}")));
        }
        // Without room for the forks, nothing is saved.
        self.quotas.check_workspace_quota(&open)?;
        let ids: Vec<SandboxId> = (0..count)
            .map(|_| self.maker.new_workspace_id(&open, RestoreKind::Branch))
            .collect::<Result<_>>()?;
        abort.makes(&Subject::Forked(ids.clone()))?;
        abort.step("making the workspace ready")?;
        let active = self.workspaces.active(&open).await?;
        self.quotas.check_running_quota(&open, &self.quotas.find_idle(&open).await?, None)?;
        abort.step("saving the workspace")?;
        let dir = open.config.saved_dirs.main.clone();
        let began_ms = self.context.now_ms();
        // A head past its time to live is kept only for its own workspace.
        let head = self.saver.comparable_head(&active, &dir)?;
        let head = head.filter(|head| !head.is_expired(self.context.now_ms()));
        let (Saved::Taken(snapshot) | Saved::Unchanged(snapshot)) = self
            .saver
            .save_automatically(&open, &active, dir.clone(), head, Occasion::Call, abort)
            .await?;
        if open.config.saved_dirs.are_in(&dir) {
            self.context.catalogue.set_saved_at(&active.workspace.sandbox_id, began_ms)?;
        }
        // No await since the save: no delete came in between, and this guard keeps out later ones.
        let _reading = self.in_flight.read(&snapshot.id);
        let handle = snapshot.restorable(self.context.now_ms())?.clone();
        let binding = snapshot.binding.clone();
        let (turn, machine) = (snapshot.turn.clone(), snapshot.machine.clone());
        let source = Source { handle, binding, own: true, turn, machine };
        let idle = self.quotas.find_idle(&open).await?;
        abort.step("restoring the files into new workspaces")?;
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        self.autosave.schedule(&open).await?;
        // No await from here to the last row: the quotas count each row for the next one.
        let begun: Vec<_> = ids
            .into_iter()
            .map(|id| self.maker.begin_workspace(&open, &idle, RestoreKind::Branch, id, &source))
            .collect();
        let forks = begun.into_iter().map(async |begun| match begun {
            Ok(begun) => self.maker.finish_workspace(&open, begun, &source, abort).await,
            Err(refused) => Err(refused),
        });
        let workspaces = join_all(forks).await.into_iter().map(|forked| match forked {
            Ok(forked) => LiveFork::Made { r#ref: forked.r#ref },
            Err(error) => LiveFork::failed(&error),
        });
        let workspaces = workspaces.collect();
        Ok(LiveForks {
            from_snapshot_id: snapshot.id,
            turn: snapshot.turn,
            workspaces,
            woken: self.context.take_unreported_wake()?,
        })
    }
}
