//! Check that R2 has a snapshot whole, and repair it or record its loss.

pub(crate) mod adopt;
pub(crate) mod lost;
pub(crate) mod record;
pub(crate) mod room;

use crate::domain::limits::{CLOCKS_DIFFER_MS, KNOWN_OBJECTS_LOOKED_FOR, LOSSES_BELIEVED};
use crate::domain::snapshot::backup::{archive_key, machine_key, meta_key};
use crate::domain::snapshot::chain::Chain;
use crate::domain::{
    BackupHandle, BackupId, Error, ErrorCode, Event, MachinePart, Result, Snapshot, SnapshotState,
};
use crate::ports::sandbox::SandboxApi;
use crate::ports::sandbox::backup::{RestoreBackupOptions, RestoreBackupResult};
use crate::ports::{Bucket, ObjectInfo};
use crate::session::parts::snapshots::store::record::record_of;
use crate::session::parts::{Context, InFlight};
use crate::support::fifo_mutex::KeyedMutex;
use futures::future::try_join_all;
use serde_json::json;
use std::rc::Rc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stored {
    Whole,
    /// The archive, with the recorded size and hash, but no `meta.json`.
    Unrecorded,
    /// As `Whole`, but the saved machine is gone. All files are there.
    WithoutMachine,
    /// Some object, but no archive that a new `meta.json` could describe.
    Broken,
    Nothing,
}

impl Stored {
    pub(crate) const fn is_lost(self) -> bool {
        matches!(self, Self::Broken | Self::Nothing)
    }

    /// Whether R2 lacks something that the catalogue does not know of yet.
    pub(crate) fn is_news(self, snapshot: &Snapshot) -> bool {
        let knows = snapshot.machine.as_ref().is_none_or(|machine| machine.lost);
        self.is_lost() || self == Self::WithoutMachine && !knows
    }
}

/// A snapshot's row and its objects in R2: this type changes the state of both.
pub struct SnapshotStore {
    pub(crate) context: Rc<Context>,
    pub(crate) in_flight: Rc<InFlight>,
    /// One writer at a time for each snapshot's `meta.json`.
    pub(crate) writing_record: KeyedMutex<BackupId>,
}

impl SnapshotStore {
    pub(crate) fn new(context: Rc<Context>, in_flight: Rc<InFlight>) -> Self {
        Self { context, in_flight, writing_record: KeyedMutex::default() }
    }

    /// Restores a backup. If R2 has lost only the snapshot's `meta.json`, writes it again first.
    pub(crate) async fn restore_stored(
        &self,
        sandbox: &dyn SandboxApi,
        handle: BackupHandle,
        options: RestoreBackupOptions,
    ) -> Result<RestoreBackupResult> {
        let gone = match sandbox.restore_backup(handle.clone(), options.clone()).await {
            Err(error) if error.code == ErrorCode::SnapshotGone => error,
            done => return done,
        };
        let Some(row) = self.context.catalogue.snapshot(&handle.id)? else { return Err(gone) };
        if row.state != SnapshotState::Ready || self.find_stored(&row).await? != Stored::Unrecorded
        {
            return Err(gone);
        }
        self.record_found(&row.id, Stored::Unrecorded).await?;
        sandbox.restore_backup(handle, options).await
    }

    pub(crate) async fn check_missing(&self, id: &BackupId, error: &Error) {
        if error.code != ErrorCode::SnapshotGone {
            return;
        }
        let checked = match self.context.require_snapshot(id) {
            Ok(row) if row.state == SnapshotState::Ready => self.check_stored(&row).await,
            Ok(_) => return,
            Err(error) => Err(error),
        };
        // If this check fails, the next sweep finds the loss.
        if let Err(error) = checked {
            self.context.warn("sweep", json!({ "code": error.code, "cause": error.cause }));
        }
    }

    pub(crate) async fn check_stored(&self, snapshot: &Snapshot) -> Result<()> {
        let stored = self.find_stored(snapshot).await?;
        if !stored.is_news(snapshot) {
            return self.record_found(&snapshot.id, stored).await;
        }
        let lost = self.lost_with(snapshot, stored).await?;
        if !self.is_loss_believed(snapshot, lost.len()).await? {
            return self.halt_sweep(&snapshot.binding, lost.len().max(1) as u64);
        }
        self.record_lost(&lost).await?;
        self.record_found(&snapshot.id, stored).await
    }

    /// The ready snapshots lost with one: itself, and the layers above the first missing archive,
    /// if R2 lacks what they need. Snapshots that share only its machine are not lost.
    pub(crate) async fn lost_with(
        &self,
        snapshot: &Snapshot,
        stored: Stored,
    ) -> Result<Vec<Snapshot>> {
        if !stored.is_lost() {
            return Ok(Vec::new());
        }
        let bucket = self.context.ports.buckets.open(&snapshot.binding)?;
        let missing = first_missing(bucket.as_ref(), &snapshot.chain).await?;
        let missing = missing.unwrap_or_else(|| snapshot.id.clone());
        let mut with = self.context.catalogue.layers_above(&missing)?;
        with.extend(self.context.catalogue.snapshot(&missing)?);
        let mut lost = vec![snapshot.clone()];
        with.retain(|row| row.state == SnapshotState::Ready && row.id != snapshot.id);
        for row in with {
            if self.find_stored(&row).await?.is_lost() {
                lost.push(row);
            }
        }
        Ok(lost)
    }

    pub(crate) async fn find_stored(&self, snapshot: &Snapshot) -> Result<Stored> {
        let id = &snapshot.id;
        let bucket = self.context.ports.buckets.open(&snapshot.binding)?;
        let meta = bucket.head(&meta_key(id)).await?;
        let archive = bucket.head(&archive_key(id, snapshot.kind())).await?;
        let lacks_part = archive.is_some() && !is_stored(bucket.as_ref(), &snapshot.chain).await?;
        Ok(match (meta, archive) {
            // A layer is useless without the archives below it: nothing is restored in part.
            (_, Some(_)) if lacks_part => Stored::Broken,
            (Some(_), Some(archive)) => {
                if Some(archive.size_bytes) != snapshot.size_bytes {
                    let fields = json!({
                        "backupId": id, "sizeBytes": snapshot.size_bytes,
                        "foundBytes": archive.size_bytes,
                    });
                    self.context.warn("snapshot.damaged", fields);
                }
                match is_machine_stored(bucket.as_ref(), snapshot.machine.as_ref()).await? {
                    true => Stored::Whole,
                    false => Stored::WithoutMachine,
                }
            }
            (None, Some(archive)) if is_archive_of(snapshot, &archive) => Stored::Unrecorded,
            (None, None) => Stored::Nothing,
            _ => Stored::Broken,
        })
    }

    /// False if the binding probably names another bucket.
    pub(crate) async fn is_loss_believed(&self, lost: &Snapshot, count: usize) -> Result<bool> {
        let halted = self.is_halted(&lost.binding)?;
        Ok(!halted && count <= LOSSES_BELIEVED && self.is_same_bucket(lost).await?)
    }

    pub(crate) fn is_halted(&self, binding: &str) -> Result<bool> {
        let halted = self.context.catalogue.halted_sweeps()?;
        Ok(halted.iter().any(|halted| halted.binding == binding))
    }

    /// Whether the bucket still has an object from before the lost snapshot was last seen whole.
    /// Later objects prove nothing: another bucket, or a copy in progress, would have them, too.
    pub(crate) async fn is_same_bucket(&self, lost: &Snapshot) -> Result<bool> {
        let seen_ms = self.context.catalogue.checked_at_ms(&lost.id)? + CLOCKS_DIFFER_MS;
        let bucket = self.context.ports.buckets.open(&lost.binding)?;
        let own = [meta_key(&lost.id), archive_key(&lost.id, lost.kind())];
        let beside = self.context.catalogue.stored_beside(lost, KNOWN_OBJECTS_LOOKED_FOR)?;
        let beside = beside.iter().map(|row| archive_key(&row.id, row.kind()));
        for key in own.into_iter().chain(beside) {
            let found = bucket.head(&key).await?;
            if found.is_some_and(|found| found.uploaded_at_ms <= seen_ms) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) async fn record_found(&self, id: &BackupId, stored: Stored) -> Result<()> {
        // No await from here to the record: a snapshot being deleted is missing for a reason.
        let row = self.context.require_snapshot(id)?;
        if row.state != SnapshotState::Ready {
            return Ok(());
        }
        match stored {
            Stored::Whole | Stored::WithoutMachine => {
                self.context.catalogue.set_checked(id, self.context.now_ms())?;
                self.record_machine(&row, stored).await
            }
            Stored::Unrecorded => {
                let _guard = self.writing_record.lock(id).await;
                self.write_record(id).await
            }
            // Recorded together with all snapshots that are lost with it.
            Stored::Broken | Stored::Nothing => Ok(()),
        }
    }

    async fn record_machine(&self, row: &Snapshot, stored: Stored) -> Result<()> {
        let lost = stored == Stored::WithoutMachine;
        let Some(machine) = row.machine.as_ref().filter(|machine| machine.lost != lost) else {
            return Ok(());
        };
        self.context.catalogue.set_machine_lost(&row.id, lost)?;
        let what = if lost { "snapshot.machine_lost" } else { "snapshot.machine_found" };
        self.context.warn(what, json!({ "backupId": row.id, "machineId": machine.id }));
        if lost && self.context.catalogue.heads()?.contains(&row.id) {
            // For a running workspace, only its disk still has the machine.
            self.context.catalogue.set_unsaved(&row.id)?;
            self.context.ports.alarm.schedule_by(self.context.now_ms()).await?;
        }
        Ok(())
    }

    /// Writes the lost `meta.json` of an intact archive. The caller has locked the record.
    pub(crate) async fn write_record(&self, id: &BackupId) -> Result<()> {
        // The write would undo a delete in between. This mark makes deletes refuse until then.
        let _reading = self.in_flight.read(id);
        let row = self.context.require_snapshot(id)?;
        if row.state != SnapshotState::Ready {
            return Ok(());
        }
        let bucket = self.context.ports.buckets.open(&row.binding)?;
        let bytes = record_of(&row, &self.context.session).to_bytes()?;
        match bucket.create_small(&meta_key(id), bytes).await {
            Ok(()) => {}
            // Another writer has put the record back.
            Err(error) if error.code == ErrorCode::Conflict => return Ok(()),
            Err(error) => return Err(error),
        }
        let now_ms = self.context.now_ms();
        self.context.catalogue.set_synced(&row)?;
        self.context.catalogue.set_checked(id, now_ms)?;
        self.context.warn("snapshot.repaired", json!({ "backupId": id }));
        self.context.catalogue.add_event(now_ms, &Event::SnapshotRepaired { backup_id: id.clone() })
    }

    pub(crate) fn halt_sweep(&self, binding: &str, missing: u64) -> Result<()> {
        let now_ms = self.context.now_ms();
        if self.context.catalogue.halt_sweep(binding, missing, now_ms)? {
            let event = Event::SweepHalted { binding: binding.to_owned(), missing };
            self.context.catalogue.add_event(now_ms, &event)?;
        }
        self.context.warn("sweep.halted", json!({ "binding": binding, "missing": missing }));
        Ok(())
    }

    /// The bucket has its objects again, or lacks so few that it is probably the right one.
    pub(crate) fn resume_sweep(&self, binding: &str) -> Result<()> {
        if self.context.catalogue.resume_sweep(binding)? {
            let event = Event::SweepResumed { binding: binding.to_owned() };
            self.context.catalogue.add_event(self.context.now_ms(), &event)?;
        }
        Ok(())
    }
}

pub(crate) async fn is_stored(bucket: &dyn Bucket, chain: &Chain) -> Result<bool> {
    Ok(first_missing(bucket, chain).await?.is_none())
}

async fn first_missing(bucket: &dyn Bucket, chain: &Chain) -> Result<Option<BackupId>> {
    let looks = chain.archives().map(async |(part, kind)| -> Result<Option<BackupId>> {
        let found = bucket.head(&archive_key(&part.id, kind)).await?;
        let is_there = found.is_some_and(|found| found.size_bytes == part.size_bytes);
        Ok((!is_there).then(|| part.id.clone()))
    });
    Ok(try_join_all(looks).await?.into_iter().flatten().next())
}

/// True for a snapshot without a machine.
pub(crate) async fn is_machine_stored(
    bucket: &dyn Bucket,
    machine: Option<&MachinePart>,
) -> Result<bool> {
    let Some(machine) = machine else { return Ok(true) };
    let found = bucket.head(&machine_key(&machine.id)).await?;
    Ok(found.is_some_and(|found| found.size_bytes == machine.size_bytes))
}

/// Whether an archive without `meta.json` is this snapshot's. R2 has no hash of an archive uploaded
/// in parts: then only sizes are compared, and each restore checks the hash.
fn is_archive_of(snapshot: &Snapshot, archive: &ObjectInfo) -> bool {
    let same_hash = match (&snapshot.sha256, &archive.sha256) {
        (Some(recorded), Some(found)) => recorded == found,
        _ => true,
    };
    Some(archive.size_bytes) == snapshot.size_bytes && same_hash
}

pub(crate) fn halted(binding: &str) -> Error {
    Error::new(
        ErrorCode::Unavailable,
        format!("the bucket of {binding} lacks objects that it should hold; nothing is changed until they are back"),
    )
    .with_hint("check that the binding names the right bucket")
}
