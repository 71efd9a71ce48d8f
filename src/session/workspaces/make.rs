//! Make new workspaces from a snapshot (restore, branch) or from the active workspace (live fork).

use crate::domain::limits::{LIVE_FORKS_MAX, RECOVER_AFTER_MS};
use crate::domain::{
    Error, Next, Outcome, RestoreKind, Result, SandboxId, SnapshotSelector, Subject, WorkspaceRef,
    WorkspaceState,
};
use crate::session::parts::results::{LiveFork, LiveForks};
use crate::session::parts::snapshots::saver::Saved;
use crate::session::parts::snapshots::source::Source;
use crate::session::parts::{
    AutosaveState, CleanSandboxes, Context, InFlight, Leases, LoadedSession, MadeWorkspace, Maker,
    Occasion, Quotas, Saver, SnapshotStore, Sources, Workspaces,
};
use crate::session::snapshots::archives::import::Import;
use crate::session::{Abort, Session};
use futures::future::join_all;
use serde_json::json;

parts!(Make {
    context: Context,
    autosave: AutosaveState,
    leases: Leases,
    quotas: Quotas,
    sources: Sources,
    maker: Maker,
    store: SnapshotStore,
    saver: Saver,
    clean: CleanSandboxes,
});

impl Session {
    /// Makes a new workspace from a snapshot that is this session's or published. It is not active.
    /// Order: alarm, `creating` row (which also marks the snapshot as being read), restore into a
    /// new sandbox, `ready` row. On failure the sandbox is destroyed, and nothing else has changed.
    ///
    /// # Errors
    /// `SNAPSHOT_NOT_OWNED`, `SNAPSHOT_EXPIRED`, `SNAPSHOT_GONE`, `QUOTA_EXCEEDED`, `INTEGRITY`,
    /// `RESTORE_FAILED`.
    pub async fn make_workspace(
        &self,
        kind: RestoreKind,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
        abort: &Abort,
    ) -> Result<MadeWorkspace> {
        let make = Make::from(self);
        abort.check()?;
        let open = make.context.require_open()?.writable()?;
        open.require_snapshots()?;
        let id = make.maker.new_workspace_id(&open, kind)?;
        // While the workspace is marked as borrowing, its leases are not returned.
        let borrowing = make.leases.borrowing.begin(id.clone());
        let named = (selector, allow_cross_session);
        let made = make.make_named(&open, kind, &id, named, abort).await;
        drop(borrowing);
        make.leases.update_leases_of(&id).await;
        made
    }

    /// The error of a call that made a workspace but could not make it the active one.
    pub fn unswitched(&self, made: &MadeWorkspace, error: Error) -> Error {
        Make::from(self).unswitched(made, error)
    }
}

impl Make<'_> {
    async fn make_named(
        &self,
        open: &LoadedSession,
        kind: RestoreKind,
        id: &SandboxId,
        (selector, allow_cross_session): (&SnapshotSelector, bool),
        abort: &Abort,
    ) -> Result<MadeWorkspace> {
        let operation = match kind {
            RestoreKind::Restored => "restore",
            RestoreKind::Branch => "branch",
        };
        let idle = self.quotas.find_idle(open).await?;
        if self.context.is_foreign(selector)? {
            // Check before asking an owner: a refused call then costs other sessions nothing.
            self.quotas.check_workspace_quota(open)?;
            self.quotas.check_running_quota(open, &idle, None)?;
        }
        let import = Import {
            context: self.context,
            store: self.store,
            saver: self.saver,
            clean: self.clean,
        };
        let imported = import.import_sdk_backup(open, selector, allow_cross_session, abort).await?;
        let (selector, allow_cross_session) =
            imported.as_ref().map_or((selector, allow_cross_session), |own| (own, false));
        let source =
            self.sources.source(open, operation, id, selector, allow_cross_session).await?;
        abort.step("restoring the files into a new workspace")?;
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        self.autosave.schedule(open).await?;
        let begun = self.maker.begin_workspace(open, &idle, kind, id.clone(), &source)?;
        abort.makes(&Subject::Made(id.clone()))?;
        self.maker.finish_workspace(open, begun, &source, abort).await
    }

    /// As [`Session::unswitched`].
    #[must_use]
    pub fn unswitched(&self, made: &MadeWorkspace, error: Error) -> Error {
        match self.context.catalogue.workspace(made.r#ref.sandbox_id()) {
            Ok(Some(row)) if row.state == WorkspaceState::Ready => {}
            // The workspace is gone, too.
            _ => return error,
        }
        let message = format!("the workspace was made, but is not active: {}", error.message);
        // A retry would make another workspace.
        Error { message, retryable: false, ..error }
            .and_then(Next::Switch)
            .with_outcome(Outcome::Committed)
            .with_details(json!({ "ref": made.r#ref }))
    }
}

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
    /// Makes new workspaces, concurrently, with the active one's current files, which are saved
    /// first if they have changed. A failed workspace does not affect the others.
    ///
    /// # Errors
    /// If none can be begun: the errors of a save; `PRECONDITION_FAILED`; `QUOTA_EXCEEDED`.
    pub async fn live_fork(&self, request: &LiveForkRequest, abort: &Abort) -> Result<LiveForks> {
        let fork_live = ForkLive::from(self);
        abort.check()?;
        let open = fork_live.context.require_open()?.writable()?;
        open.require_snapshots()?;
        open.expect_active(request.expected_active.as_ref())?;
        let count = request.count.unwrap_or(1);
        if !(1..=LIVE_FORKS_MAX).contains(&count) {
            return Err(Error::invalid("count", format!("must be 1 to {LIVE_FORKS_MAX}")));
        }
        // Without room for any fork, nothing is saved.
        fork_live.quotas.check_workspace_quota(&open)?;
        let ids: Vec<SandboxId> = (0..count)
            .map(|_| fork_live.maker.new_workspace_id(&open, RestoreKind::Branch))
            .collect::<Result<_>>()?;
        abort.makes(&Subject::Forked(ids.clone()))?;
        abort.step("making the workspace ready")?;
        let active = fork_live.workspaces.active(&open).await?;
        fork_live.quotas.check_running_quota(
            &open,
            &fork_live.quotas.find_idle(&open).await?,
            None,
        )?;
        abort.step("saving the workspace")?;
        let dir = open.config.saved_dirs.main.clone();
        let began_ms = fork_live.context.now_ms();
        // A head past its time to live is kept only for its own workspace.
        let head = fork_live.saver.comparable_head(&active, &dir)?;
        let head = head.filter(|head| !head.is_expired(fork_live.context.now_ms()));
        let (Saved::Taken(snapshot) | Saved::Unchanged(snapshot)) = fork_live
            .saver
            .save_automatically(&open, &active, dir.clone(), head, Occasion::Call, abort)
            .await?;
        if open.config.saved_dirs.are_in(&dir) {
            fork_live.context.catalogue.set_saved_at(&active.workspace.sandbox_id, began_ms)?;
        }
        // No await since the save: no delete came in between, and this guard keeps out later ones.
        let _reading = fork_live.in_flight.read(&snapshot.id);
        let handle = snapshot.restorable(fork_live.context.now_ms())?.clone();
        let binding = snapshot.binding.clone();
        let (turn, machine) = (snapshot.cause.turn.clone(), snapshot.machine.clone());
        let source = Source { handle, binding, own: true, turn, machine };
        let idle = fork_live.quotas.find_idle(&open).await?;
        abort.step("restoring the files into new workspaces")?;
        fork_live
            .context
            .ports
            .alarm
            .schedule_by(fork_live.context.now_ms() + RECOVER_AFTER_MS)
            .await?;
        fork_live.autosave.schedule(&open).await?;
        // No await from here to the last row: the quotas count each row for the next one.
        let begun: Vec<_> = ids
            .into_iter()
            .map(|id| {
                fork_live.maker.begin_workspace(&open, &idle, RestoreKind::Branch, id, &source)
            })
            .collect();
        let forks = begun.into_iter().map(async |begun| match begun {
            Ok(begun) => fork_live.maker.finish_workspace(&open, begun, &source, abort).await,
            Err(refused) => Err(refused),
        });
        let workspaces = join_all(forks).await.into_iter().map(|forked| match forked {
            Ok(forked) => LiveFork::Made { r#ref: forked.r#ref },
            Err(error) => LiveFork::failed(&error),
        });
        let workspaces = workspaces.collect();
        Ok(LiveForks {
            from_snapshot_id: snapshot.id,
            turn: snapshot.cause.turn,
            workspaces,
            woken: fork_live.context.take_unreported_wake()?,
        })
    }
}
