//! Replace a workspace's files with a snapshot's and record it: the second half of a rewind, under
//! the exclusive lock, and again after a crash.

pub(crate) mod complete;
pub(crate) mod machine;

use crate::domain::limits::RECOVER_AFTER_MS;
use crate::domain::{
    AbsolutePath, BackupHandle, BackupId, DirHead, Error, ErrorCode, Event, Next, Outcome, Result,
    Snapshot, Subject,
};
use crate::ports::sandbox::{EndedProcess, RestoreBackupOptions};
use crate::session::Abort;
use crate::session::catalogue::{Rewind, RewindState};
use crate::session::parts::containers::Provided;
use crate::session::parts::snapshots::recover_saves::committed_facts;
use crate::session::parts::snapshots::source::Source;
use crate::session::parts::{
    Active, AutosaveState, Containers, Context, InFlight, LoadedSession, Quotas, SnapshotStore,
    Sources, WorkspaceLocks,
};
use std::rc::Rc;

/// Replaces the files of a running workspace.
pub struct Replacer {
    pub(crate) context: Rc<Context>,
    pub(crate) locks: Rc<WorkspaceLocks>,
    pub(crate) in_flight: Rc<InFlight>,
    autosave: Rc<AutosaveState>,
    pub(crate) containers: Rc<Containers>,
    pub(crate) store: Rc<SnapshotStore>,
    quotas: Rc<Quotas>,
    pub(crate) sources: Rc<Sources>,
}

impl Replacer {
    #[expect(clippy::too_many_arguments, reason = "one for each part that it stands on")]
    pub(crate) fn new(
        context: Rc<Context>,
        locks: Rc<WorkspaceLocks>,
        in_flight: Rc<InFlight>,
        autosave: Rc<AutosaveState>,
        containers: Rc<Containers>,
        store: Rc<SnapshotStore>,
        quotas: Rc<Quotas>,
        sources: Rc<Sources>,
    ) -> Self {
        Self { context, locks, in_flight, autosave, containers, store, quotas, sources }
    }

    /// Returns the ended processes, and whether the machine stays because the snapshot's is lost.
    pub(crate) async fn replace_files(
        &self,
        open: &LoadedSession,
        active: &Active,
        source: &Source,
        safety: &Snapshot,
        expected_head: Option<&BackupId>,
        abort: &Abort,
    ) -> Result<(Vec<EndedProcess>, bool)> {
        let id = &active.workspace.sandbox_id;
        abort.step("putting the snapshot's files in place")?;
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        self.autosave.schedule(open).await?;
        let equal = self.holds_already(source, safety).await?;
        let machine_lost = self.has_lost_machine(open, source).await?;
        // No await from these checks to the row.
        self.context.require_open()?;
        self.context.rewindable(id, expected_head)?;
        if source.own {
            self.context.require_snapshot(&source.handle.id)?.restorable(self.context.now_ms())?;
        }
        let to = &source.handle.id;
        let rewind =
            self.context.catalogue.add_rewind(id, to, &safety.id, self.context.now_ms())?;
        abort.makes(&Subject::Rewind(rewind.seq))?;
        let changes_machine = self.changes_machine(open, source, &rewind, machine_lost)?;
        if equal && !changes_machine {
            // No await since the row: both are stored, or neither.
            let whole = source.handle.dir.covers(&open.config.saved_dirs.main);
            self.record_rewound(&rewind, source, whole, 0)?;
            return Ok((Vec::new(), machine_lost));
        }
        let replaced = if changes_machine {
            self.replace_container(open, source, &rewind, abort).await.map(|()| Vec::new())
        } else {
            self.replace(open, active, source, &rewind, abort).await
        };
        match replaced {
            Ok(ended) => Ok((ended, machine_lost)),
            Err(error) => {
                if source.own {
                    self.store.check_missing(to, &error).await;
                }
                Err(if changes_machine {
                    self.return_to_safety(open, &rewind, error)?
                } else {
                    self.note_unreplaced(&rewind, error).await
                })
            }
        }
    }

    /// Whether the directory has the wanted files already, and R2 both objects of their snapshot.
    async fn holds_already(&self, source: &Source, safety: &Snapshot) -> Result<bool> {
        let Some(wanted) = self.context.catalogue.snapshot(&source.handle.id)? else {
            return Ok(false);
        };
        let equal = source.own
            && wanted.dir == safety.dir
            // The same layer on other archives is another tree.
            && wanted.chain == safety.chain
            && wanted.sha256.is_some()
            && wanted.sha256 == safety.sha256
            && wanted.size_bytes == safety.size_bytes;
        // If both are one snapshot, R2 was checked when the files were compared with it.
        if !equal || wanted.id == safety.id {
            return Ok(equal);
        }
        let bucket = self.context.ports.buckets.open(&source.binding)?;
        // If this fails, the restore reports what is wrong.
        let facts = committed_facts(bucket.as_ref(), source.handle.clone()).await;
        Ok(matches!(facts, Ok(Some(_))))
    }

    /// However far an attempt came, the whole can be redone from the start.
    pub(crate) async fn replace(
        &self,
        open: &LoadedSession,
        active: &Active,
        source: &Source,
        rewind: &Rewind,
        abort: &Abort,
    ) -> Result<Vec<EndedProcess>> {
        let handle: BackupHandle = source.handle.clone();
        let dir = AbsolutePath::parse("dir", handle.dir.as_str())?;
        let options = RestoreBackupOptions {
            binding: Some(source.binding.clone()),
            // The caller's check at the start of the rewind counts.
            lifetime_checked: true,
            end_users: true,
            instance_id: Some(active.instance.clone()),
            ..RestoreBackupOptions::default()
        };
        let (sandbox, id) = (active.sandbox.as_ref(), handle.id.clone());
        let restoring = self.store.restore_stored(sandbox, handle, options);
        let result = abort.or_stopped(sandbox, &id, restoring).await?;
        // The workspace's directory may lie in the replaced one.
        let whole = source.handle.dir.covers(&open.config.saved_dirs.main);
        let provided = Provided { instance: active.instance.clone(), made: vec![dir] };
        let provisioned = self.containers.provision(open, active.sandbox.as_ref(), &provided).await;
        // The files are in place by now.
        provisioned.map_err(|error| error.with_outcome(Outcome::Unknown))?;
        // Before the rewind is recorded: after a crash in between, everything is done again.
        self.containers.services.restart(open, active).await;
        self.record_rewound(rewind, source, whole, result.ended.len())?;
        if !whole {
            // Save soon the files that the head lacks now.
            self.context.ports.alarm.schedule_by(self.context.now_ms()).await?;
        }
        Ok(result.ended)
    }

    pub(crate) fn record_rewound(
        &self,
        rewind: &Rewind,
        source: &Source,
        whole: bool,
        ended_processes: usize,
    ) -> Result<()> {
        // No await in here: row, head and event are stored together.
        let mut workspace = self.context.usable(&rewind.sandbox_id)?;
        let now_ms = self.context.now_ms();
        workspace.from_backup_id = Some(rewind.backup_id.clone());
        // No archive begun earlier has these files.
        workspace.head_seq = self.context.catalogue.newest_seq()?;
        if whole {
            workspace.head_backup_id = Some(rewind.backup_id.clone());
        }
        // Another session's archive may go at any time, so its files are saved anew soon.
        workspace.saved_at_ms = if source.own && whole { now_ms } else { 0 };
        workspace.last_used_at_ms = now_ms;
        self.context.catalogue.put_workspace(&workspace)?;
        let mut heads = self.context.catalogue.heads_of(&rewind.sandbox_id)?;
        let dir = source.handle.dir.clone();
        heads.put(DirHead { backup_id: rewind.backup_id.clone(), dir });
        self.context.catalogue.set_heads(&rewind.sandbox_id, &heads)?;
        self.context.catalogue.forget_turn_of(&rewind.sandbox_id)?;
        self.context.catalogue.end_rewind(rewind.seq, RewindState::Done)?;
        let event = Event::WorkspaceRewound {
            sandbox_id: rewind.sandbox_id.clone(),
            backup_id: rewind.backup_id.clone(),
            safety_id: rewind.safety_id.clone(),
            ended_processes,
        };
        self.context.catalogue.add_event(now_ms, &event)
    }

    /// Ends the row if nothing was changed, or if the container is lost: the safety snapshot has
    /// its last files. After any other error, the alarm or the next call redoes the rewind.
    async fn note_unreplaced(&self, rewind: &Rewind, error: Error) -> Error {
        let lost = error.code == ErrorCode::WorkspaceLost;
        if lost || error.outcome == Outcome::None {
            return match self.context.catalogue.end_rewind(rewind.seq, RewindState::Undone) {
                Ok(()) if lost => error.with_hint(format!(
                    "the workspace was not rewound; its latest files are in snapshot {}",
                    rewind.safety_id
                )),
                Ok(()) => error,
                Err(second) => second,
            };
        }
        match self.context.ports.alarm.schedule_by(self.context.now_ms()).await {
            Ok(()) => error.with_hint(Next::AwaitRewind),
            Err(second) => second,
        }
    }
}
