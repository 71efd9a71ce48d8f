//! Bring the changes of another workspace or snapshot into the active workspace. The file is long
//! because it tells all steps of a promotion, and what a crash leaves between them, in order.

use crate::domain::limits::RECOVER_AFTER_MS;
use crate::domain::merge::text::Labels;
use crate::domain::tree::changes::ChangeCounts;
use crate::domain::workspace::lost;
use crate::domain::{
    BackupId, Error, ErrorCode, Event, Next, Outcome, Result, Snapshot, SnapshotSelector,
    TreeSelector, WorkspaceKind, WorkspaceRef, WorkspaceState,
};
use crate::ports::sandbox::FileOptions;
use crate::session::catalogue::RewindState;
use crate::session::parts::snapshots::locate::Target;
use crate::session::parts::workspaces::ready::BRING_UP_ATTEMPTS;
use crate::session::parts::{
    AutosaveState, Context, InFlight, LoadedSession, Occasion, Saver, Workspaces,
};
use crate::session::trees::Trees;
use crate::session::trees::changes_tar::ChangesTar;
use crate::session::trees::merge::{ConflictPolicy, Sides};
use crate::session::trees::promoted::Promoted;
use crate::session::trees::tree::{LiveTree, NamedTree, Tree};
use crate::session::workspaces::destroy::DestroyWorkspace;
use crate::session::workspaces::promote_plan::PromotePlan;
use crate::session::workspaces::rewind::Rewind;
use crate::session::{Abort, RewindRequest, Session};
use futures::future::join_all;
use serde::{Deserialize, Serialize};

/// How to bring changes over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum PromoteMode {
    /// Merge them with what the active workspace changed itself.
    #[default]
    Merge,
    /// Give the active workspace exactly the other's files.
    Replace,
}

/// A request to bring changes over.
#[derive(Debug, Clone, PartialEq)]
pub struct PromoteRequest {
    /// The workspace or snapshot whose changes to bring over.
    pub from: TreeSelector,
    /// How to bring them over.
    pub mode: PromoteMode,
    /// What to do about conflicts. None: refuse.
    pub on_conflict: Option<ConflictPolicy>,
    /// The snapshot that both sides came from. None: the nearest such snapshot.
    pub base: Option<SnapshotSelector>,
    /// Also bring over changes that are ignored in their tree.
    pub include_ignored: bool,
    /// Destroy the session's other branches afterwards.
    pub discard_others: bool,
    /// Also reach snapshots of other sessions.
    pub allow_cross_session: bool,
    /// Only while this workspace is the active one.
    pub expected_active: Option<WorkspaceRef>,
    /// Change nothing; return what would change.
    pub dry_run: bool,
}

pub(crate) struct Promote<'a> {
    context: &'a Context,
    in_flight: &'a InFlight,
    autosave: &'a AutosaveState,
    saver: &'a Saver,
    workspaces: &'a Workspaces,
    trees: Trees<'a>,
    rewind: Rewind<'a>,
    destroy: DestroyWorkspace<'a>,
}

impl<'a> From<&'a Session> for Promote<'a> {
    fn from(session: &'a Session) -> Self {
        Self {
            context: &session.context,
            in_flight: &session.in_flight,
            autosave: &session.autosave,
            saver: &session.saver,
            workspaces: &session.workspaces,
            trees: Trees::from(session),
            rewind: Rewind::from(session),
            destroy: DestroyWorkspace::from(session),
        }
    }
}

impl Session {
    /// Brings changes into the active workspace, after a safety snapshot. The call has the
    /// workspace exclusively. A dry run also answers conflicts, and starts no container.
    ///
    /// Everything is decided before anything is written. A crash after the first write leaves an
    /// unfinished rewind to the safety snapshot, which puts the old files back.
    ///
    /// # Errors
    /// `CONFLICT` with all conflicts, or while in use; those of a comparison and of a rewind.
    pub async fn promote(&self, request: &PromoteRequest, abort: &Abort) -> Result<Promoted> {
        if request.dry_run {
            return PromotePlan::from(self).plan(request).await;
        }
        Promote::from(self).promote(request, abort).await
    }
}

impl Promote<'_> {
    async fn promote(&self, request: &PromoteRequest, abort: &Abort) -> Result<Promoted> {
        abort.check()?;
        let open = self.context.require_open()?.writable()?;
        open.require_snapshots()?;
        open.expect_active(request.expected_active.as_ref())?;
        let from = self.fixed(&open, request, abort).await?;
        // If `from` is a snapshot of ours, keeps it from being deleted meanwhile.
        let _reading = from.id.as_ref().map(|id| self.in_flight.read(id));
        let mut promoted = match request.mode {
            PromoteMode::Replace => self.replace(request, &from.selector, abort).await?,
            PromoteMode::Merge => self.merge(&open, request, &from, abort).await?,
        };
        if request.discard_others {
            abort.step("destroying the other branches")?;
            promoted.discarded = self.discard_others(&open).await.map_err(|error| {
                error.with_outcome(Outcome::Committed).with_hint(Next::DestroyOthers)
            })?;
        }
        Ok(promoted)
    }

    /// The snapshot to bring changes from. A running workspace that has changed is saved first.
    async fn fixed(
        &self,
        open: &LoadedSession,
        request: &PromoteRequest,
        abort: &Abort,
    ) -> Result<Fixed> {
        let named = match self.context.side(open, &request.from)? {
            NamedTree::Snapshot(selector) => {
                let id = match self.context.is_foreign(&selector)? {
                    true => None,
                    false => Some(self.own_id(open, &selector)?),
                };
                return Ok(Fixed { id, selector, label: "snapshot".to_owned() });
            }
            NamedTree::Workspace(id) => id,
        };
        if named == open.row.active_sandbox_id {
            return Err(Error::invalid("from", "is the active workspace itself")
                .with_hint("name another workspace, or a snapshot"));
        }
        abort.step("saving the other workspace")?;
        let room = self.trees.archives.room().await?;
        let id = match self.trees.open_workspace(&room, open, &named).await? {
            Tree::Empty { .. } => {
                return Err(Error::new(ErrorCode::Conflict, "the workspace has no files yet")
                    .with_hint("name another workspace, or a snapshot"));
            }
            Tree::Archive { snapshot, .. } => snapshot.id.clone(),
            Tree::Live(live) => self.save(open, &live, abort).await?.id,
        };
        let selector = SnapshotSelector::Id(id.clone());
        Ok(Fixed { id: Some(id), selector, label: named.to_string() })
    }

    fn own_id(&self, open: &LoadedSession, selector: &SnapshotSelector) -> Result<BackupId> {
        match self.context.locate(open, selector, false)? {
            Target::Own(snapshot) => Ok(snapshot.id),
            Target::Foreign(id) => Ok(id),
        }
    }

    async fn save(&self, open: &LoadedSession, live: &LiveTree, abort: &Abort) -> Result<Snapshot> {
        let dir = open.config.saved_dirs.main.clone();
        let began_ms = self.context.now_ms();
        let head = self.saver.comparable_head(&live.active, &dir)?;
        let head = head.filter(|head| !head.is_expired(self.context.now_ms()));
        let saved = self
            .saver
            .save_automatically(open, &live.active, dir.clone(), head, Occasion::Call, abort)
            .await?;
        if open.config.saved_dirs.are_in(&dir) {
            self.context.catalogue.set_saved_at(&live.active.workspace.sandbox_id, began_ms)?;
        }
        Ok(saved.snapshot().clone())
    }

    async fn replace(
        &self,
        request: &PromoteRequest,
        from: &SnapshotSelector,
        abort: &Abort,
    ) -> Result<Promoted> {
        let rewind = RewindRequest {
            r#ref: from.clone(),
            expected_head: None,
            allow_cross_session: request.allow_cross_session,
            expected_active: request.expected_active.clone(),
            dry_run: false,
        };
        let rewound = self.rewind.rewind(&rewind, abort).await?;
        Ok(Promoted {
            safety_ref: rewound.safety_ref,
            ended_processes: rewound.ended_processes,
            changed: true,
            woken: rewound.woken,
            ..Promoted::unchanged(rewound.r#ref, Some(rewound.from_snapshot_id))
        })
    }

    async fn merge(
        &self,
        open: &LoadedSession,
        request: &PromoteRequest,
        from: &Fixed,
        abort: &Abort,
    ) -> Result<Promoted> {
        let id = &open.row.active_sandbox_id;
        self.context.rewindable(id, None)?;
        abort.step("making the workspace ready")?;
        for _ in 0..BRING_UP_ATTEMPTS {
            drop(self.workspaces.ready(open, id).await?);
            let _exclusive = self.rewind.lock_to_rewind(id).await?;
            // An earlier unfinished rewind would undo this merge when it is finished.
            if self.context.catalogue.running_rewind(id)?.is_some() {
                continue;
            }
            // An earlier holder of the lock may have stopped the container.
            if let Some(live) = self.trees.live(open, id).await? {
                return self.merge_exclusively(open, live, request, from, abort).await;
            }
        }
        Err(lost())
    }

    async fn merge_exclusively(
        &self,
        open: &LoadedSession,
        live: LiveTree,
        request: &PromoteRequest,
        from: &Fixed,
        abort: &Abort,
    ) -> Result<Promoted> {
        let id = live.active.workspace.sandbox_id.clone();
        let _working = self.in_flight.work_on(id.as_str());
        abort.step("comparing both with what they came from")?;
        let crossing = request.allow_cross_session;
        let archives = self.trees.archives;
        let room = archives.room().await?;
        let theirs = archives.open(&room, open, "promote", &from.selector, crossing).await?;
        let theirs = Tree::Archive { snapshot: theirs.into(), sandbox_id: None };
        let Some(archive) = theirs.archive().cloned() else { return Err(lost()) };
        let _reading = self.in_flight.read(&archive.id);
        let base = match &request.base {
            Some(named) => {
                let named = NamedTree::Snapshot(named.clone());
                self.trees.open(&room, open, "promote", &named, crossing).await?
            }
            None => {
                let lines = [
                    self.trees.ancestors_of_workspace(open, &id)?,
                    self.trees.ancestors_of_snapshot(Some(archive.id.clone()))?,
                ];
                self.trees.open_common_ancestor(&room, open, &lines).await?
            }
        };
        let ours = Tree::Live(Box::new(live));
        self.trees.relate(&room, open, &ours, &base).await?;
        let labels = Labels { ours: id.as_str(), theirs: &from.label };
        let include_ignored = request.include_ignored;
        let sides = Sides { base: &base, ours: &ours, theirs: &theirs, labels, include_ignored };
        let plan = sides.plan(request.on_conflict).await?;
        if request.discard_others && plan.not_compared > 0 {
            return Err(left_behind(plan.not_compared));
        }
        let mut promoted = Promoted {
            base_snapshot_id: base.archive().map(|open| open.id.clone()),
            woken: self.context.take_unreported_wake()?,
            ..Promoted::unchanged(WorkspaceRef::new(id.clone()), Some(archive.id.clone()))
        };
        promoted.describe(&plan);
        let Tree::Live(live) = ours else { return Err(lost()) };
        if plan.is_empty() {
            return Ok(promoted);
        }
        abort.step("saving what the workspace has")?;
        let dir = open.config.saved_dirs.main.clone();
        let (safety, taken) =
            self.rewind.save_before(open, &live.active, dir, None, false, abort).await?;
        // Keeps the safety snapshot from being deleted, too.
        let kept = self.in_flight.read(&safety.id);
        promoted.safety_ref = Some(safety.to_ref());
        promoted.changed = true;
        let from = archive.id.clone();
        let changes = ChangesTar::new(archive, plan, self.context.now_ms())?;
        match self.apply(open, &live, &safety, changes, (&from, promoted.counts), abort).await {
            Ok(()) => Ok(promoted),
            Err(error) => {
                drop(kept);
                Err(self.rewind.undo_rewind(&safety, taken, error).await)
            }
        }
    }

    /// Writes the changes. Until they are recorded, an unfinished rewind to the safety snapshot
    /// stands for them: however this call ends, the alarm or the next call puts the files back.
    async fn apply(
        &self,
        open: &LoadedSession,
        live: &LiveTree,
        safety: &Snapshot,
        changes: ChangesTar,
        (from, counts): (&BackupId, ChangeCounts),
        abort: &Abort,
    ) -> Result<()> {
        let id = &live.active.workspace.sandbox_id;
        abort.step("writing the changes")?;
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        self.autosave.schedule(open).await?;
        // No await from these checks to the row.
        self.context.require_open()?;
        self.context.rewindable(id, None)?;
        let now_ms = self.context.now_ms();
        let undo = self.context.catalogue.add_rewind(id, &safety.id, &safety.id, now_ms)?;
        let options = FileOptions {
            instance_id: Some(live.active.instance.clone()),
            ..FileOptions::default()
        };
        let failure = changes.failure();
        let sandbox = live.active.sandbox.as_ref();
        let applied = sandbox.apply_changes(Box::new(changes), live.root.clone(), options).await;
        match applied {
            Ok(()) => {
                // No await in here: row, workspace and event are stored together.
                let mut workspace = self.context.usable(id)?;
                // No archive has these files yet, and none that was begun earlier will have them.
                workspace.head_seq = self.context.catalogue.newest_seq()?;
                workspace.saved_at_ms = 0;
                workspace.last_used_at_ms = self.context.now_ms();
                self.context.catalogue.put_workspace(&workspace)?;
                self.context.catalogue.end_rewind(undo.seq, RewindState::Undone)?;
                let event = Event::WorkspacePromoted {
                    sandbox_id: id.clone(),
                    backup_id: from.clone(),
                    safety_id: safety.id.clone(),
                    added: counts.added,
                    removed: counts.removed,
                    modified: counts.modified,
                };
                self.context.catalogue.add_event(self.context.now_ms(), &event)?;
                self.context.ports.alarm.schedule_by(self.context.now_ms()).await
            }
            Err(error) => {
                // The container knows only that the stream broke off.
                let cause = failure.take();
                let is_undone =
                    error.outcome == Outcome::None || error.code == ErrorCode::WorkspaceLost;
                if is_undone {
                    self.context.catalogue.end_rewind(undo.seq, RewindState::Undone)?;
                    let error = cause.unwrap_or(error);
                    return Err(match error.code {
                        ErrorCode::Conflict => error
                            .with_hint("nothing was changed; call again to compare the files anew"),
                        _ => error,
                    });
                }
                self.context.ports.alarm.schedule_by(self.context.now_ms()).await?;
                Err(error.with_hint(format!(
                    "the workspace is soon put back to its files before the call, from safety snapshot {}",
                    safety.id
                )))
            }
        }
    }

    async fn discard_others(&self, open: &LoadedSession) -> Result<Vec<WorkspaceRef>> {
        let others = other_branches(self.context, open)?;
        let destroyed = others.iter().map(|other| self.destroy.destroy_workspace(other));
        join_all(destroyed).await.into_iter().collect::<Result<Vec<_>>>()?;
        Ok(others)
    }
}

pub(crate) fn other_branches(context: &Context, open: &LoadedSession) -> Result<Vec<WorkspaceRef>> {
    let others = context.catalogue.live_workspaces()?.into_iter().filter(|row| {
        let is_branch = matches!(row.kind, WorkspaceKind::Restored | WorkspaceKind::Branch);
        is_branch
            && row.state == WorkspaceState::Ready
            && row.sandbox_id != open.row.active_sandbox_id
    });
    Ok(others.map(|row| WorkspaceRef::new(row.sandbox_id)).collect())
}

/// Changes that we could not detect would be lost with the branches.
pub(crate) fn left_behind(files: u64) -> Error {
    let message = format!(
        "{files} files of equal size and time exceed what one call compares; the branches to destroy may have changed them"
    );
    Error::new(ErrorCode::TooLarge, message).with_hint(
        "nothing was changed; promote without discardOthers, or with mode replace, which brings over all files",
    )
}

struct Fixed {
    /// None: it belongs to another session.
    id: Option<BackupId>,
    selector: SnapshotSelector,
    /// Its name in conflict markers.
    label: String,
}
