//! Put the active workspace back to a snapshot, in place.

use crate::domain::limits::QUIET_WAIT_MS;
use crate::domain::time::rfc3339;
use crate::domain::workspace::lost;
use crate::domain::{
    AbsolutePath, BackupDir, BackupId, Error, ErrorCode, Outcome, ProcessName, Result, SandboxId,
    Snapshot, SnapshotSelector, SnapshotTrigger, TreeSelector, WorkspaceRef,
};
use crate::ports::sandbox::{DirUsers, FileOptions, ProcessOptions, ProcessState, StoredBackup};
use crate::ports::{Level, LogLine};
use crate::session::parts::snapshots::saver::{Saved, Saving};
use crate::session::parts::snapshots::source::Source;
use crate::session::parts::workspaces::ready::BRING_UP_ATTEMPTS;
use crate::session::parts::{
    Active, CleanSandboxes, Containers, Context, Deleter, InFlight, Leases, LoadedSession,
    PlannedChanges, Quotas, Replacer, Rewound, Saver, SnapshotStore, Sources, WorkspaceLocks,
    Workspaces,
};
use crate::session::snapshots::archives::import::Import;
use crate::session::trees::Trees;
use crate::session::trees::diff::{DiffOutput, DiffRequest, TreeDiff};
use crate::session::{Abort, Session, SnapshotRequest};
use crate::support::fifo_mutex::FifoGuard;
use serde_json::json;

/// A request for a rewind.
#[derive(Debug, Clone, PartialEq)]
pub struct RewindRequest {
    /// The snapshot to go back to.
    pub r#ref: SnapshotSelector,
    /// Only while this is the workspace's head.
    pub expected_head: Option<BackupId>,
    /// Also reach snapshots of other sessions.
    pub allow_cross_session: bool,
    /// Only while this workspace is the active one.
    pub expected_active: Option<WorkspaceRef>,
    /// Change nothing; return what would change.
    pub dry_run: bool,
}

const START_AGAIN: &str = "start the ones that you need again, with restart so that the next rewind does it for you; until then a preview of such a server shows an old page, and reloading it fails";

/// The background processes that have ended since `began_ms`, and those that were started again.
/// Empty if the container does not report them: the files are rewound all the same.
async fn ended_since(active: &Active, began_ms: i64) -> (Vec<ProcessName>, Vec<ProcessName>) {
    let options =
        ProcessOptions { instance_id: Some(active.instance.clone()), ..ProcessOptions::default() };
    let Ok(listed) = active.sandbox.list_processes(options).await else {
        return (Vec::new(), Vec::new());
    };
    // Both times come from the machine's clock, and times of one format sort like their text.
    let since = rfc3339(began_ms);
    let (mut ended, mut restarted) = (Vec::new(), Vec::new());
    for one in listed.processes {
        if one.ended_at.as_ref() >= Some(&since) {
            ended.push(one.name);
        } else if one.state == ProcessState::Running && one.started_at >= since {
            restarted.push(one.name);
        }
    }
    (ended, restarted)
}

parts!(Rewind {
    context: Context,
    locks: WorkspaceLocks,
    in_flight: InFlight,
    containers: Containers,
    store: SnapshotStore,
    leases: Leases,
    quotas: Quotas,
    sources: Sources,
    saver: Saver,
    deleter: Deleter,
    replacer: Replacer,
    clean: CleanSandboxes,
    workspaces: Workspaces,
});

impl Session {
    /// Puts the active workspace back to a snapshot, in place, after a safety snapshot. The call
    /// has the workspace exclusively. A dry run only compares files and looks at processes.
    ///
    /// Order: lease, for another session's snapshot; safety snapshot, alarm, `running` row, files
    /// (extracted beside, swapped by rename), then head, event and `done` row together. On failure
    /// the workspace is as it was. After a crash past the row, `complete_rewind` redoes or ends it.
    ///
    /// # Errors
    /// The errors of a restore; `PRECONDITION_FAILED`; `CONFLICT` if shared or in use;
    /// `UNSUPPORTED` if the directory can't be swapped; `BACKUP_FAILED`.
    pub async fn rewind(&self, request: &RewindRequest, abort: &Abort) -> Result<Rewound> {
        if request.dry_run {
            return RewindPlan::from(self).plan(request).await;
        }
        Rewind::from(self).rewind(request, abort).await
    }
}

impl Rewind<'_> {
    pub async fn rewind(&self, request: &RewindRequest, abort: &Abort) -> Result<Rewound> {
        abort.check()?;
        let open = self.context.require_open()?.writable()?;
        open.require_snapshots()?;
        open.expect_active(request.expected_active.as_ref())?;
        let id = open.row.active_sandbox_id.clone();
        // While the workspace is marked as borrowing, its leases are not returned.
        let borrowing = self.leases.borrowing.begin(id.clone());
        let rewound = self.rewind_active(&open, &id, request, abort).await;
        drop(borrowing);
        self.leases.update_leases_of(&id).await;
        rewound
    }

    async fn rewind_active(
        &self,
        open: &LoadedSession,
        id: &SandboxId,
        request: &RewindRequest,
        abort: &Abort,
    ) -> Result<Rewound> {
        self.context.rewindable(id, request.expected_head.as_ref())?;
        if self.context.is_foreign(&request.r#ref)? {
            // Check before asking an owner: a refused call then costs other sessions nothing.
            self.context.unpaused(id)?;
            self.quotas.check_running_quota(open, &self.quotas.find_idle(open).await?, Some(id))?;
        }
        let import = Import {
            context: self.context,
            store: self.store,
            saver: self.saver,
            clean: self.clean,
        };
        let (selector, crossing) = (&request.r#ref, request.allow_cross_session);
        let imported = import.import_sdk_backup(open, selector, crossing, abort).await?;
        let (selector, crossing) =
            imported.as_ref().map_or((selector, crossing), |own| (own, false));
        let source = self.sources.source(open, "rewind", id, selector, crossing).await?;
        abort.step("making the workspace ready")?;
        for _ in 0..BRING_UP_ATTEMPTS {
            drop(self.workspaces.ready(open, id).await?);
            let _exclusive = self.lock_to_rewind(id).await?;
            // An earlier unfinished rewind would undo this one when it is finished.
            if self.context.catalogue.running_rewind(id)?.is_some() {
                continue;
            }
            // An earlier holder of the lock may have stopped the container.
            if let Some(active) = self.containers.has_files(id).await? {
                return self.rewind_exclusively(open, &active, &source, request, abort).await;
            }
        }
        Err(lost())
    }

    pub(crate) async fn lock_to_rewind(&self, id: &SandboxId) -> Result<FifoGuard> {
        self.locks.exclusive_when_idle(id, "a rewind", QUIET_WAIT_MS).await?.ok_or_else(|| {
            let mut error = Error::new(
                ErrorCode::Conflict,
                "other calls are working in the workspace, and a rewind needs it exclusively",
            )
            .with_hint("wait until they end, or cancel them, then retry");
            error.retryable = true;
            error
        })
    }

    async fn rewind_exclusively(
        &self,
        open: &LoadedSession,
        active: &Active,
        source: &Source,
        request: &RewindRequest,
        abort: &Abort,
    ) -> Result<Rewound> {
        let id = &active.workspace.sandbox_id;
        let _working = self.in_flight.work_on(id.as_str());
        let _reading = self.in_flight.read(&source.handle.id);
        self.context.rewindable(id, request.expected_head.as_ref())?;
        abort.step("saving what the workspace has")?;
        let (dir, next) = (source.handle.dir.clone(), Some(source.stored()));
        let (safety, taken) = self.save_before(open, active, dir, next, true, abort).await?;
        // Keeps the safety snapshot from being deleted, too.
        let kept = self.in_flight.read(&safety.id);
        let began_ms = self.context.now_ms();
        let rewound = self
            .replacer
            .replace_files(open, active, source, &safety, request.expected_head.as_ref(), abort)
            .await;
        match rewound {
            Ok((ended_processes, machine_lost)) => {
                let (ended_background, restarted) = if ended_processes.is_empty() {
                    (Vec::new(), Vec::new())
                } else {
                    ended_since(active, began_ms).await
                };
                let hint = (!ended_background.is_empty()).then(|| START_AGAIN.to_owned());
                Ok(Rewound {
                    r#ref: active.workspace.to_ref(),
                    from_snapshot_id: source.handle.id.clone(),
                    turn: source.turn.clone(),
                    undone: None,
                    safety_ref: Some(safety.to_ref()),
                    dry_run: false,
                    changes: None,
                    ended_processes,
                    ended_background,
                    restarted,
                    hint,
                    machine_lost,
                    woken: self.context.take_unreported_wake()?,
                })
            }
            Err(error) => {
                drop(kept);
                Err(self.undo_rewind(&safety, taken, error).await)
            }
        }
    }

    /// Returns the safety snapshot, and whether it was taken for this rewind: an equal head serves,
    /// too. With `clears`, moves away what has the directory's name but is no directory.
    pub(crate) async fn save_before(
        &self,
        open: &LoadedSession,
        active: &Active,
        dir: BackupDir,
        prepare_restore: Option<StoredBackup>,
        clears: bool,
        abort: &Abort,
    ) -> Result<(Snapshot, bool)> {
        let options = FileOptions {
            recursive: true,
            clear: clears,
            instance_id: Some(active.instance.clone()),
            ..FileOptions::default()
        };
        // The directory may be missing, or something else may have its name: bringing it back
        // may be why the caller rewinds.
        active.sandbox.mkdir(AbsolutePath::parse("dir", dir.as_str())?, options).await?;
        let ttl = self.context.retention_policy(open)?.ttl;
        let head = self.saver.comparable_head(active, &dir)?;
        let saving = Saving {
            ttl,
            cause: SnapshotTrigger::Safety.into(),
            base: head.clone(),
            unless_equal: head,
            prepare_restore,
            abort: abort.clone(),
            ..Saving::default()
        };
        let id = &active.workspace.sandbox_id;
        let last_check = |_: &BackupId| self.context.usable(id).map(drop);
        let binding = &open.config.backup_binding;
        match self.saver.save(binding, active, &dir, saving, last_check).await? {
            Saved::Taken(snapshot) => Ok((snapshot, true)),
            Saved::Unchanged(head) => {
                let nothing = SnapshotRequest::default();
                let cause = SnapshotTrigger::Safety.into();
                let kept = self.store.adopt(&nothing, (ttl, false), &head, cause).await?;
                Ok((kept, false))
            }
        }
    }

    /// Deletes the safety snapshot of a failed rewind, unless files may have changed.
    pub(crate) async fn undo_rewind(&self, safety: &Snapshot, taken: bool, error: Error) -> Error {
        let changed = error.outcome != Outcome::None || error.code == ErrorCode::WorkspaceLost;
        if taken
            && !changed
            && let Err(second) = self.deleter.delete_own(&safety.id, false).await
        {
            self.context.ports.log.write(LogLine::new(
                Level::Warn,
                "rewind.safety_kept",
                json!({
                    "session": self.context.session, "backupId": safety.id,
                    "code": second.code, "cause": second.cause,
                }),
            ));
        }
        error
    }
}

pub(crate) struct RewindPlan<'a> {
    context: &'a Context,
    containers: &'a Containers,
    trees: Trees<'a>,
}

impl<'a> From<&'a Session> for RewindPlan<'a> {
    fn from(session: &'a Session) -> Self {
        Self {
            context: &session.context,
            containers: &session.containers,
            trees: Trees::from(session),
        }
    }
}

impl RewindPlan<'_> {
    pub(crate) async fn plan(&self, request: &RewindRequest) -> Result<Rewound> {
        let open = self.context.require_open()?.writable()?;
        open.require_snapshots()?;
        open.expect_active(request.expected_active.as_ref())?;
        let id = open.row.active_sandbox_id.clone();
        self.context.rewindable(&id, request.expected_head.as_ref())?;
        if matches!(request.r#ref, SnapshotSelector::Name(_)) {
            // A comparison would take the id of a workspace, too.
            self.context.locate(&open, &request.r#ref, request.allow_cross_session)?;
        }
        let to = TreeSelector::Snapshot(request.r#ref.clone());
        let diff = self.differences_to(to, request.allow_cross_session).await?;
        let users = self.users(&open, &id).await?;
        let from_snapshot_id = diff.to.snapshot_id.clone();
        let from_snapshot_id = from_snapshot_id
            .ok_or_else(|| Error::internal("a snapshot was compared without an id"))?;
        let turn = match self.context.catalogue.snapshot(&from_snapshot_id)? {
            Some(snapshot) => self.context.turn_of(&request.r#ref, &snapshot)?,
            None => None,
        };
        Ok(Rewound {
            r#ref: self.context.usable(&id)?.to_ref(),
            from_snapshot_id,
            turn,
            undone: None,
            safety_ref: None,
            dry_run: true,
            changes: Some(PlannedChanges::from(diff)),
            ended_processes: users.processes,
            machine_lost: false,
            ended_background: users.background,
            restarted: Vec::new(),
            hint: None,
            woken: None,
        })
    }

    pub(crate) async fn differences_to(
        &self,
        to: TreeSelector,
        allow_cross_session: bool,
    ) -> Result<TreeDiff> {
        let request = DiffRequest {
            from: Some(TreeSelector::Now),
            to: Some(to),
            allow_cross_session,
            output: DiffOutput::List,
            ..DiffRequest::default()
        };
        self.trees.diff(request).await
    }

    pub(crate) async fn users(&self, open: &LoadedSession, id: &SandboxId) -> Result<DirUsers> {
        let Some(active) = self.containers.has_files(id).await? else {
            return Ok(DirUsers::default());
        };
        let dir = AbsolutePath::parse("dir", open.config.saved_dirs.main.as_str())?;
        let options =
            ProcessOptions { instance_id: Some(active.instance), ..ProcessOptions::default() };
        active.sandbox.list_users(dir, options).await
    }
}
