//! Check that R2 has a snapshot whole, and repair it or record its loss.

pub(crate) mod adopt;
pub(crate) mod record;
pub(crate) mod room;

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::BackupId;
use crate::domain::limits::KNOWN_OBJECTS_LOOKED_FOR;
use crate::domain::session::event::Event;
use crate::domain::snapshot::backup::machine::MachinePart;
use crate::domain::snapshot::backup::{BackupHandle, archive_key, machine_key, meta_key};
use crate::domain::snapshot::chain::Chain;
use crate::domain::snapshot::{Snapshot, SnapshotState};
use crate::ports::bucket::{Bucket, ObjectInfo};
use crate::ports::sandbox::SandboxApi;
use crate::ports::sandbox::backup::{RestoreBackupOptions, RestoreBackupResult};
use crate::session::context::Context;
use crate::session::in_flight::InFlight;
use crate::session::snapshots::store::record::record_of;
use crate::support::fifo_mutex::KeyedMutex;
use futures::future::try_join_all;
use serde_json::json;
use std::rc::Rc;

/// The objects that R2 has of a ready snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stored {
    /// The archive and `meta.json`.
    Whole,
    /// The archive, with the recorded size and hash, but no `meta.json`.
    Unrecorded,
    /// Some object, but no archive that a new `meta.json` could describe.
    Broken,
    /// Neither object.
    Nothing,
}

impl Stored {
    pub(crate) const fn is_lost(self) -> bool {
        matches!(self, Self::Broken | Self::Nothing)
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

    /// Restores a backup. If R2 has lost only the `meta.json` of this session's
    /// snapshot, writes it again first.
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

    /// If a restore found a snapshot missing, checks R2 and records the loss.
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

    /// Checks whether R2 has a snapshot whole, and records or repairs a loss.
    pub(crate) async fn check_stored(&self, snapshot: &Snapshot) -> Result<()> {
        let stored = self.find_stored(snapshot).await?;
        if stored.is_lost() && !self.is_loss_believed(snapshot, stored).await? {
            return self.halt_sweep(&snapshot.binding, 1);
        }
        self.record_found(&snapshot.id, stored).await
    }

    pub(crate) async fn find_stored(&self, snapshot: &Snapshot) -> Result<Stored> {
        let id = &snapshot.id;
        let bucket = self.context.ports.buckets.open(&snapshot.binding)?;
        let meta = bucket.head(&meta_key(id)).await?;
        let archive = bucket.head(&archive_key(id, snapshot.kind())).await?;
        let lacks_part = archive.is_some()
            && !(is_stored(bucket.as_ref(), &snapshot.chain).await?
                && is_machine_stored(bucket.as_ref(), snapshot.machine.as_ref()).await?);
        Ok(match (meta, archive) {
            // A layer without what lies below it is worth nothing, and no half is restored.
            (_, Some(_)) if lacks_part => Stored::Broken,
            (Some(_), Some(archive)) => {
                if Some(archive.size_bytes) != snapshot.size_bytes {
                    let fields = json!({
                        "backupId": id, "sizeBytes": snapshot.size_bytes,
                        "foundBytes": archive.size_bytes,
                    });
                    self.context.warn("snapshot.damaged", fields);
                }
                Stored::Whole
            }
            (None, Some(archive)) if is_archive_of(snapshot, &archive) => Stored::Unrecorded,
            (None, None) => Stored::Nothing,
            _ => Stored::Broken,
        })
    }

    /// Whether to believe that one snapshot is lost, rather than that the binding
    /// names another bucket.
    pub(crate) async fn is_loss_believed(&self, lost: &Snapshot, stored: Stored) -> Result<bool> {
        let binding = &lost.binding;
        if self.context.catalogue.halted_sweeps()?.iter().any(|halted| &halted.binding == binding) {
            return Ok(false);
        }
        self.is_same_bucket(lost, stored).await
    }

    /// Whether the bucket holds an object that it also held when the lost snapshot
    /// was last seen in it. Later objects prove nothing: they would be in another
    /// bucket, too.
    pub(crate) async fn is_same_bucket(&self, lost: &Snapshot, stored: Stored) -> Result<bool> {
        if stored == Stored::Broken {
            return Ok(true);
        }
        let bucket = self.context.ports.buckets.open(&lost.binding)?;
        for row in self.context.catalogue.stored_beside(lost, KNOWN_OBJECTS_LOOKED_FOR)? {
            if bucket.head(&archive_key(&row.id, row.kind())).await?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Records the check of a snapshot: whole, repaired, or lost.
    pub(crate) async fn record_found(&self, id: &BackupId, stored: Stored) -> Result<()> {
        // No await from here to the record: a snapshot being deleted is missing for a reason.
        let row = self.context.require_snapshot(id)?;
        if row.state != SnapshotState::Ready {
            return Ok(());
        }
        match stored {
            Stored::Whole => self.context.catalogue.set_checked(id, self.context.now_ms()),
            Stored::Unrecorded => {
                let _guard = self.writing_record.lock(id).await;
                self.write_record(id).await
            }
            Stored::Broken | Stored::Nothing => self.record_lost(&row).await,
        }
    }

    /// Writes the lost `meta.json` of a snapshot whose archive is intact. The
    /// caller has locked the record.
    pub(crate) async fn write_record(&self, id: &BackupId) -> Result<()> {
        // The write would undo a delete between this check and the write. Reading the
        // snapshot makes deletes refuse until then.
        let _reading = self.in_flight.read(id);
        let row = self.context.require_snapshot(id)?;
        if row.state != SnapshotState::Ready {
            return Ok(());
        }
        let bucket = self.context.ports.buckets.open(&row.binding)?;
        let bytes = record_of(&row, &self.context.session).to_bytes()?;
        match bucket.create_small(&meta_key(id), bytes).await {
            Ok(()) => {}
            // Another writer has put it back.
            Err(error) if error.code == ErrorCode::Conflict => return Ok(()),
            Err(error) => return Err(error),
        }
        let now_ms = self.context.now_ms();
        self.context.catalogue.set_synced(&row)?;
        self.context.catalogue.set_checked(id, now_ms)?;
        self.context.warn("snapshot.repaired", json!({ "backupId": id }));
        self.context.catalogue.add_event(now_ms, &Event::SnapshotRepaired { backup_id: id.clone() })
    }

    /// Stops recording losses in a bucket that lacks too much to be believed.
    pub(crate) fn halt_sweep(&self, binding: &str, missing: u64) -> Result<()> {
        let now_ms = self.context.now_ms();
        if self.context.catalogue.halt_sweep(binding, missing, now_ms)? {
            let event = Event::SweepHalted { binding: binding.to_owned(), missing };
            self.context.catalogue.add_event(now_ms, &event)?;
        }
        self.context.warn("sweep.halted", json!({ "binding": binding, "missing": missing }));
        Ok(())
    }

    /// Records losses again: the bucket has what it should, or lacks little enough
    /// to be believed.
    pub(crate) fn resume_sweep(&self, binding: &str) -> Result<()> {
        if self.context.catalogue.resume_sweep(binding)? {
            let event = Event::SweepResumed { binding: binding.to_owned() };
            self.context.catalogue.add_event(self.context.now_ms(), &event)?;
        }
        Ok(())
    }
}

/// Whether the bucket has all archives of a chain.
pub(crate) async fn is_stored(bucket: &dyn Bucket, chain: &Chain) -> Result<bool> {
    let heads = chain.archives().map(async |(part, kind)| -> Result<bool> {
        let found = bucket.head(&archive_key(&part.id, kind)).await?;
        Ok(found.is_some_and(|found| found.size_bytes == part.size_bytes))
    });
    let found = try_join_all(heads).await?;
    Ok(found.into_iter().all(|is_there| is_there))
}

/// Whether the bucket has the archive of a machine, if there is one.
pub(crate) async fn is_machine_stored(
    bucket: &dyn Bucket,
    machine: Option<&MachinePart>,
) -> Result<bool> {
    let Some(machine) = machine else { return Ok(true) };
    let found = bucket.head(&machine_key(&machine.id)).await?;
    Ok(found.is_some_and(|found| found.size_bytes == machine.size_bytes))
}

/// Whether an archive without `meta.json` is this snapshot's. R2 has no hash of an
/// archive uploaded in parts: then only the size is compared, and each restore
/// checks the hash.
fn is_archive_of(snapshot: &Snapshot, archive: &ObjectInfo) -> bool {
    let same_hash = match (&snapshot.sha256, &archive.sha256) {
        (Some(recorded), Some(found)) => recorded == found,
        _ => true,
    };
    Some(archive.size_bytes) == snapshot.size_bytes && same_hash
}

/// The refusal to change a snapshot while its bucket seems to have lost all.
pub(crate) fn halted(binding: &str) -> Error {
    Error::new(
        ErrorCode::Unavailable,
        format!("the bucket of {binding} lacks objects that it should hold; nothing is changed until they are back"),
    )
    .with_hint("check that the binding names the right bucket")
}
