//! Archive a workspace's directory and record the snapshot. The file is long because the order of a
//! save's steps is read as a whole.

use crate::domain::limits::RECOVER_AFTER_MS;
use crate::domain::snapshot::backup::Ttl;
use crate::domain::snapshot::chain::Chain;
use crate::domain::{
    Annotations, BackupDir, BackupId, Cause, Error, ErrorCode, MachinePart, Outcome, Result,
    SandboxId, Snapshot, SnapshotState, SnapshotTrigger, Workspace,
};
use crate::ports::Bytes;
use crate::ports::random::random_bytes;
use crate::ports::sandbox::{
    BackupProvenance, CreateBackupOptions, ImportBackupOptions, KnownArchive, StoredBackup,
};
use crate::session::Abort;
use crate::session::catalogue::{NewSnapshot, ReadyFacts};
use crate::session::parts::snapshots::recover_saves::committed_facts;
use crate::session::parts::snapshots::store::{is_machine_stored, is_stored};
use crate::session::parts::{Active, Containers, Context, InFlight, LoadedSession, SnapshotStore};
use serde_json::json;
use std::rc::Rc;

#[derive(Default)]
pub(crate) struct Saving {
    pub annotations: Annotations,
    pub ttl: Ttl,
    /// Whether the use of the session renews the time to live.
    pub renews: bool,
    pub cause: Cause,
    /// The snapshot to reuse if the files have not changed since.
    pub unless_equal: Option<Snapshot>,
    /// The snapshot with the directory's last known files: the new one may become a layer on it.
    pub base: Option<Snapshot>,
    /// The backup that is restored into the directory right afterwards.
    pub prepare_restore: Option<StoredBackup>,
    pub occasion: Occasion,
    pub abort: Abort,
    /// The archive whose files are saved, instead of the directory's.
    pub import: Option<Importing>,
}

pub(crate) struct Importing {
    pub archive: Bytes,
    pub options: ImportBackupOptions,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Occasion {
    #[default]
    Call,
    /// The alarm saves, and holds up no call.
    Alarm,
}

pub(crate) enum Saved {
    Taken(Snapshot),
    /// An existing snapshot that the directory still equals. Nothing was uploaded.
    Unchanged(Snapshot),
}

impl Saved {
    pub(crate) const fn snapshot(&self) -> &Snapshot {
        match self {
            Self::Taken(snapshot) | Self::Unchanged(snapshot) => snapshot,
        }
    }
}

/// Takes snapshots: requested, automatic, and safety snapshots before a rewind.
pub struct Saver {
    pub(crate) context: Rc<Context>,
    pub(crate) in_flight: Rc<InFlight>,
    containers: Rc<Containers>,
    pub(crate) store: Rc<SnapshotStore>,
}

impl Saver {
    pub(crate) fn new(
        context: Rc<Context>,
        in_flight: Rc<InFlight>,
        containers: Rc<Containers>,
        store: Rc<SnapshotStore>,
    ) -> Self {
        Self { context, in_flight, containers, store }
    }

    /// Saves changed directories. Returns the snapshots that hold the files now.
    pub(crate) async fn autosave(
        &self,
        loaded: &LoadedSession,
        row: &Workspace,
        occasion: Occasion,
        abort: &Abort,
    ) -> Result<Vec<BackupId>> {
        let id = &row.sandbox_id;
        let sandbox = self.containers.configured_sandbox(id).await?;
        let Some(instance) = row.instance_id.clone() else {
            return Err(Error::internal(format!("workspace {id} has no disk to save")));
        };
        let active = Active::without_lock(sandbox, row.clone(), instance);
        let began_ms = self.context.now_ms();
        let mut held = Vec::new();
        for dir in loaded.config.saved_dirs.iter() {
            let head = self.comparable_head(&active, dir)?;
            let saved = self
                .save_automatically(loaded, &active, dir.clone(), head, occasion, abort)
                .await?;
            held.push(saved.snapshot().id.clone());
        }
        self.context.catalogue.set_saved_at(id, began_ms)?;
        Ok(held)
    }

    /// Reuses `head` if nothing has changed since.
    pub(crate) async fn save_automatically(
        &self,
        loaded: &LoadedSession,
        active: &Active,
        dir: BackupDir,
        head: Option<Snapshot>,
        occasion: Occasion,
        abort: &Abort,
    ) -> Result<Saved> {
        let id = &active.workspace.sandbox_id;
        let saving = Saving {
            ttl: self.context.retention_policy(loaded)?.ttl,
            cause: SnapshotTrigger::Auto.into(),
            base: head.clone(),
            unless_equal: head,
            occasion,
            abort: abort.clone(),
            ..Saving::default()
        };
        let last_check = |_: &BackupId| {
            self.context.unpaused(id)?;
            if occasion == Occasion::Alarm && self.context.catalogue.running_rewind(id)?.is_some() {
                let message = format!("workspace {id} is being rewound");
                return Err(Error::new(ErrorCode::Conflict, message));
            }
            Ok(())
        };
        let binding = &loaded.config.backup_binding;
        self.save(binding, active, &dir, saving, last_check).await
    }

    /// Archives a directory of a workspace. Returns only once R2 holds both objects.
    ///
    /// Order: alarm, `pending` row, archive and `meta.json` (by the sandbox), `ready` row. After a
    /// crash that follows the first row, recovery finishes the save or cleans up. `last_check` runs
    /// right before that row, with no await in between.
    pub(crate) async fn save(
        &self,
        binding: &str,
        active: &Active,
        dir: &BackupDir,
        saving: Saving,
        last_check: impl FnOnce(&BackupId) -> Result<()>,
    ) -> Result<Saved> {
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        let id = BackupId::from_random(random_bytes(self.context.ports.random.as_ref())?);
        last_check(&id)?;
        let parent_id = match saving.import {
            // Imported files come from no snapshot.
            Some(_) => None,
            None => self.parent_of(&active.workspace.sandbox_id, dir)?,
        };
        let known = saving.unless_equal.as_ref().or(saving.base.as_ref());
        let saved_by = match saving.occasion {
            Occasion::Call => saving.abort.call_name(),
            Occasion::Alarm => Some("autosave".to_owned()),
        };
        let new = NewSnapshot {
            id: id.clone(),
            binding: binding.to_owned(),
            origin_sandbox_id: active.workspace.sandbox_id.clone(),
            dir: dir.clone(),
            annotations: saving.annotations,
            cause: Cause { saved_by, ..saving.cause },
            chain: self.chain_on(saving.base.as_ref(), binding)?,
            machine: self.sharable_machine(known, binding)?,
            parent_id,
            created_at_ms: self.context.now_ms(),
            ttl: saving.ttl,
            renews: saving.renews,
        };
        self.context.catalogue.add_pending_snapshot(&new)?;
        let _working = self.in_flight.work_on(id.as_str());
        let by_alarm = saving.occasion == Occasion::Alarm;
        let _by_alarm = by_alarm.then(|| self.in_flight.by_alarm.begin(id.to_string()));
        let (next, abort) = (saving.prepare_restore, saving.abort);
        let saved = match self.without_lost_base(new.clone()).await {
            Err(error) => Err(error.with_outcome(Outcome::None)),
            Ok(new) => {
                let taking = async {
                    // From here on the sandbox knows the backup, and can end it.
                    abort.check()?;
                    match saving.unless_equal {
                        Some(loaded) => self.take_unless_equal(active, &new, loaded, next).await,
                        None => self
                            .take(active, &new, None, next, saving.import)
                            .await
                            .map(|facts| Made::New(Box::new(facts))),
                    }
                };
                abort.or_stopped(active.sandbox.as_ref(), &id, taking).await
            }
        };
        // No await from here on: callers rely on it. The alarm that was set
        // above deletes archives that this snapshot no longer needs below it.
        match saved {
            Ok(Made::New(facts)) => {
                let now_ms = self.context.now_ms();
                self.store.record_ready(&new.id, &facts, now_ms).map(Saved::Taken)
            }
            Ok(Made::Equal(loaded)) => {
                // No await since the comparison. No archive begun earlier may become the head
                // of these files; the equal snapshot is the head, whatever its trigger.
                let began = self.context.require_snapshot(&id)?.seq;
                self.store.advance(&loaded, &new.origin_sandbox_id, began)?;
                self.context.catalogue.drop_pending_snapshot(&id)?;
                Ok(Saved::Unchanged(*loaded))
            }
            Err(error) => Err(self.record_failure(&new.id, error).await),
        }
    }

    /// The last archive that the directory equalled, else the snapshot that its files came from.
    fn parent_of(&self, id: &SandboxId, dir: &BackupDir) -> Result<Option<BackupId>> {
        if let Some(previous) = self.context.catalogue.heads_of(id)?.archive_of(dir) {
            return Ok(Some(previous.clone()));
        }
        let workspace = self.context.catalogue.workspace(id)?;
        Ok(workspace.and_then(|row| row.head_backup_id.or(row.from_backup_id)))
    }

    /// The head of `dir`, if its hash and size are known, so that files can be compared with it.
    pub(crate) fn comparable_head(
        &self,
        active: &Active,
        dir: &BackupDir,
    ) -> Result<Option<Snapshot>> {
        let heads = self.context.catalogue.heads_of(&active.workspace.sandbox_id)?;
        let head = match heads.archive_of(dir) {
            Some(id) => self.context.catalogue.snapshot(id)?,
            None => None,
        };
        Ok(head.filter(|head| {
            head.state == SnapshotState::Ready && head.sha256.is_some() && head.size_bytes.is_some()
        }))
    }

    /// The chain of a layer on `base`, if one can be put there. No await from here to the pending
    /// row, which keeps the base's archive from being deleted.
    fn chain_on(&self, base: Option<&Snapshot>, binding: &str) -> Result<Chain> {
        let Some(base) = base else { return Ok(Chain::NONE) };
        // The base may have been deleted since it was found.
        let base = self.context.catalogue.snapshot(&base.id)?;
        let base =
            base.filter(|base| base.state == SnapshotState::Ready && base.binding == binding);
        let part = base.as_ref().and_then(Snapshot::part);
        let (Some(base), Some(part)) = (base, part) else { return Ok(Chain::NONE) };
        let chain = base.chain.with(part);
        let mut flattening = self.context.catalogue.flattening()?.into_iter();
        let changes = flattening.any(|row| chain.needs(&row.snapshot_id));
        Ok(if chain.room_bytes().is_some() && !changes { chain } else { Chain::NONE })
    }

    /// The machine to share with `known`, the workspace's last snapshot. No await from here to the
    /// pending row, which keeps the archive from being deleted.
    fn sharable_machine(
        &self,
        known: Option<&Snapshot>,
        binding: &str,
    ) -> Result<Option<MachinePart>> {
        if self.context.load()?.config.machine.is_none() {
            return Ok(None);
        }
        let Some(known) = known else { return Ok(None) };
        let known = self.context.catalogue.snapshot(&known.id)?;
        let known =
            known.filter(|known| known.state == SnapshotState::Ready && known.binding == binding);
        Ok(known.and_then(|known| known.machine).filter(|machine| !machine.lost))
    }

    /// If R2 lacks an archive below the layer, or the machine, all is archived anew.
    async fn without_lost_base(&self, new: NewSnapshot) -> Result<NewSnapshot> {
        let bucket = self.context.ports.buckets.open(&new.binding)?;
        let is_whole = is_stored(bucket.as_ref(), &new.chain).await?
            && is_machine_stored(bucket.as_ref(), new.machine.as_ref()).await?;
        if is_whole {
            return Ok(new);
        }
        self.context.warn("snapshot.base_lost", json!({ "backupId": new.id }));
        Ok(NewSnapshot { chain: Chain::NONE, machine: None, ..new })
    }

    async fn take_unless_equal(
        &self,
        active: &Active,
        new: &NewSnapshot,
        loaded: Snapshot,
        prepare_restore: Option<StoredBackup>,
    ) -> Result<Made> {
        // Keeps the snapshot from being deleted until the comparison ends.
        let _reading = self.in_flight.read(&loaded.id);
        let archive = match (&loaded.sha256, loaded.size_bytes) {
            (Some(sha256), Some(size_bytes)) => KnownArchive {
                id: loaded.id.clone(),
                size_bytes,
                sha256: sha256.clone(),
                chain: loaded.chain.clone(),
            },
            _ => {
                return self
                    .take(active, new, None, prepare_restore, None)
                    .await
                    .map(|facts| Made::New(Box::new(facts)));
            }
        };
        let facts = self.take(active, new, Some(archive), prepare_restore.clone(), None).await;
        match facts {
            Ok(facts) if facts.handle.id == loaded.id => Ok(Made::Equal(Box::new(loaded))),
            // The bucket no longer has the snapshot that the files equal.
            Err(error) if error.code == ErrorCode::SnapshotGone => {
                self.store.check_stored(&loaded).await?;
                let new = NewSnapshot { chain: Chain::NONE, machine: None, ..new.clone() };
                self.take(active, &new, None, prepare_restore, None)
                    .await
                    .map(|facts| Made::New(Box::new(facts)))
            }
            facts => facts.map(|facts| Made::New(Box::new(facts))),
        }
    }

    /// Makes the sandbox create the backup, and checks R2 before trusting it.
    async fn take(
        &self,
        active: &Active,
        new: &NewSnapshot,
        unless_equal: Option<KnownArchive>,
        prepare_restore: Option<StoredBackup>,
        import: Option<Importing>,
    ) -> Result<ReadyFacts> {
        let bucket = self.context.ports.buckets.open(&new.binding)?;
        let known_id = unless_equal.as_ref().map(|loaded| loaded.id.clone());
        let options = CreateBackupOptions {
            dir: new.dir.clone(),
            name: new.annotations.name.clone(),
            ttl: new.ttl,
            id: Some(new.id.clone()),
            snapshotter: Some(BackupProvenance {
                session_id: self.context.session.clone(),
                origin_sandbox_id: new.origin_sandbox_id.clone(),
                parent_id: new.parent_id.clone(),
                binding: new.binding.clone(),
                cause: new.cause.clone(),
                annotations: new.annotations.clone(),
                renews: new.renews,
            }),
            unless_equal,
            base: new.chain.clone(),
            known_machine: new.machine.clone(),
            prepare_restore,
            instance_id: Some(active.instance.clone()),
        };
        let handle = match import {
            Some(Importing { archive, options: import }) => {
                active.sandbox.import_backup(archive, import, options).await?
            }
            None => active.sandbox.create_backup(options).await?,
        };
        let equal = known_id.is_some_and(|loaded| loaded == handle.id);
        if !equal && handle.id != new.id {
            return Err(Error::internal(format!(
                "the sandbox reported backup {} where {} was to be made",
                handle.id, new.id
            )));
        }
        committed_facts(bucket.as_ref(), handle).await?.ok_or_else(|| {
            if equal {
                return Error::new(ErrorCode::SnapshotGone, "the equal snapshot is gone");
            }
            let message = "the sandbox reported a backup that R2 does not hold";
            Error::new(ErrorCode::BackupFailed, message)
        })
    }

    /// After an error that may have left something, the row stays `pending`, for the alarm.
    async fn record_failure(&self, id: &BackupId, error: Error) -> Error {
        if error.outcome == Outcome::None {
            return match self.store.record_failed(id, error.code) {
                Ok(()) => error,
                Err(second) => second,
            };
        }
        let scheduled = self.context.ports.alarm.schedule_by(self.context.now_ms()).await;
        let error = error.with_hint(
            "list snapshots in a moment: it appears there if it was completed, and is cleaned up if not",
        );
        match scheduled {
            Ok(()) => error,
            Err(second) => second,
        }
    }
}

enum Made {
    New(Box<ReadyFacts>),
    Equal(Box<Snapshot>),
}
