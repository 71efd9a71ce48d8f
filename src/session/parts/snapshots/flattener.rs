//! Make layers full, and shorten the chains of the layers above them.

use crate::domain::snapshot::backup::{data_key, held_key, layer_key, meta_key};
use crate::domain::snapshot::chain::Part;
use crate::domain::snapshot::gone;
use crate::domain::{
    BackupId, BackupMeta, Error, ErrorCode, Event, Outcome, Result, SandboxId, Snapshot,
    SnapshotKind, SnapshotState,
};
use crate::ports::Bucket;
use crate::ports::sandbox::{BackupProgress, FlattenedBackup, StoredBackup};
use crate::session::Abort;
use crate::session::parts::{CleanSandboxes, Context, InFlight, LoadedSession, SnapshotStore};
use crate::support::backup_objects::{change_record, read_meta};
use crate::support::fifo_mutex::KeyedMutex;
use serde_json::json;
use std::rc::Rc;

/// Makes snapshots full.
pub struct Flattener {
    context: Rc<Context>,
    in_flight: Rc<InFlight>,
    store: Rc<SnapshotStore>,
    clean: Rc<CleanSandboxes>,
    /// One call at a time for each snapshot.
    flattening: KeyedMutex<BackupId>,
}

impl Flattener {
    pub(crate) fn new(
        context: Rc<Context>,
        in_flight: Rc<InFlight>,
        store: Rc<SnapshotStore>,
        clean: Rc<CleanSandboxes>,
    ) -> Self {
        Self { context, in_flight, store, clean, flattening: KeyedMutex::default() }
    }

    /// Makes a ready snapshot full, in a clean sandbox.
    ///
    /// Order: alarm, clean sandbox, row in `flattening`, full archive (by the sandbox), comparison
    /// of both trees, `meta.json`, records of the layers above, rows of all these snapshots,
    /// archive of the layer. Until the rows change, all archives exist, so every record can be
    /// applied, old or new. After that, no record names the layer's archive. While the row is
    /// there, nothing becomes a layer on the snapshot, and neither it nor a layer above it is
    /// deleted. After `UNAVAILABLE`, the alarm finishes it.
    pub(crate) async fn flatten(
        &self,
        open: &LoadedSession,
        id: &BackupId,
        abort: &Abort,
    ) -> Result<()> {
        let _one = self.flattening.lock(id).await;
        self.settle_former(id).await?;
        if self.to_flatten(id)?.is_none() {
            return Ok(());
        }
        let clean = self.clean.begin(open).await?;
        // No await from these checks to the row.
        let begun = match self.to_flatten(id) {
            Ok(Some(begun)) => self.context.catalogue.add_flattening(id, &clean.id).map(|()| begun),
            Ok(None) => {
                self.clean.end(clean).await;
                return Ok(());
            }
            Err(error) => Err(error),
        };
        let (row, above) = match begun {
            Ok(begun) => begun,
            Err(error) => {
                self.clean.end(clean).await;
                return Err(error);
            }
        };
        let reading: Vec<_> = ids(&row, &above).map(|id| self.in_flight.read(id)).collect();
        let _working = self.in_flight.work_on(id.as_str());
        let backup = StoredBackup { id: id.clone(), binding: row.binding.clone() };
        let making = clean.sandbox.flatten_backup(backup, clean.options());
        let made = abort.or_stopped(clean.sandbox.as_ref(), id, making).await;
        self.clean.end(clean).await;
        let FlattenedBackup { size_bytes, sha256 } = match made {
            Ok(made) => made,
            Err(error) => {
                if error.outcome == Outcome::None {
                    self.context.catalogue.drop_flattening(id)?;
                }
                return Err(error);
            }
        };
        let full = Part { id: id.clone(), size_bytes, sha256 };
        let recorded = self.record_full(&row, &full).await;
        drop(reading);
        // Without the new record, this removes the full archive.
        match (self.finish(id).await, recorded) {
            (Ok(true), _) => Ok(()),
            (_, Err(error)) | (Err(error), Ok(())) => Err(error),
            (Ok(false), Ok(())) => Err(self.context.require_snapshot(id)?.gone()),
        }
    }

    /// An interrupted flatten may still put or remove an archive, perhaps in another sandbox.
    async fn settle_former(&self, id: &BackupId) -> Result<()> {
        let former = self.context.catalogue.flattening()?;
        let Some(former) = former.into_iter().find(|row| row.snapshot_id == *id) else {
            return Ok(());
        };
        match self.settle(id, &former.sandbox_id).await? {
            Some(_) => Ok(()),
            None => Err(Error::new(
                ErrorCode::Conflict,
                format!("snapshot {id} is being flattened by an earlier call"),
            )
            .with_hint("call again in a few seconds")),
        }
    }

    /// The layer that may become full now, and the layers above it. None: the snapshot is full.
    fn to_flatten(&self, id: &BackupId) -> Result<Option<(Snapshot, Vec<Snapshot>)>> {
        let row = self.context.require_snapshot(id)?;
        let above = self.context.catalogue.layers_above(id)?;
        if let Some(changing) = std::iter::once(&row).chain(&above).find(|row| is_changing(row)) {
            return Err(changing_now(changing));
        }
        row.restorable(i64::MIN)?;
        if row.kind() == SnapshotKind::Full {
            return Ok(None);
        }
        for id in ids(&row, &above) {
            // Also refused if a snapshot below or above it is becoming full.
            if self.context.catalogue.is_flattening(id)? {
                return Err(read_now(&row.id));
            }
        }
        if self.is_read(&row, &above)? {
            return Err(read_now(id));
        }
        Ok(Some((row, above)))
    }

    /// Makes the record name the full archive, if that has exactly the files of the layer.
    async fn record_full(&self, row: &Snapshot, full: &Part) -> Result<()> {
        let part = row.part().ok_or_else(|| Error::internal("a ready snapshot has no hash"))?;
        let archives = row.chain.clone().with(part);
        let trees = &self.context.ports.trees;
        if let Some(path) = trees.first_difference(&row.binding, &archives, full).await? {
            let fields = json!({ "backupId": row.id });
            self.context.warn("snapshot.flattened_otherwise", fields);
            return Err(other_files(&row.id, &path));
        }
        let bucket = self.context.ports.buckets.open(&row.binding)?;
        let _guard = self.store.writing_record.lock(&row.id).await;
        let becomes_full = |meta: BackupMeta| meta.flattened(full.size_bytes, full.sha256.clone());
        let changed =
            change_record(bucket.as_ref(), &meta_key(&row.id), &row.id, becomes_full).await?;
        changed.map(drop).ok_or_else(|| gone(&row.id, "is not in R2"))
    }

    /// Finishes what a crash left, and returns how it ended. None while the sandbox works on it.
    pub(crate) async fn recover(
        &self,
        id: &BackupId,
        sandbox: &SandboxId,
    ) -> Result<Option<&'static str>> {
        let _one = self.flattening.lock(id).await;
        self.settle(id, sandbox).await
    }

    async fn settle(&self, id: &BackupId, sandbox: &SandboxId) -> Result<Option<&'static str>> {
        let _working = self.in_flight.work_on(id.as_str());
        let sandbox = self.context.ports.sandboxes.get(sandbox)?;
        if sandbox.recover_backup(id.clone()).await? == BackupProgress::Running {
            return Ok(None);
        }
        Ok(Some(if self.finish(id).await? { "full" } else { "layer" }))
    }

    /// The ready snapshots that need the archive of `id`, or of a deleted layer above it. Once they
    /// are full, nothing needs it.
    pub(crate) fn standing_on(&self, id: &BackupId) -> Result<Vec<Snapshot>> {
        let (mut found, mut below) = (Vec::new(), vec![id.clone()]);
        while let Some(id) = below.pop() {
            for layer in self.context.catalogue.layers_on(&id)? {
                if matches!(layer.state, SnapshotState::Held | SnapshotState::Released) {
                    below.push(layer.id);
                } else {
                    found.push(layer);
                }
            }
        }
        Ok(found)
    }

    async fn finish(&self, id: &BackupId) -> Result<bool> {
        let row = self.context.require_snapshot(id)?;
        let bucket = self.context.ports.buckets.open(&row.binding)?;
        if row.kind() == SnapshotKind::Layer {
            let meta = read_meta(bucket.as_ref(), id).await?;
            match meta.filter(|meta| meta.kind() == SnapshotKind::Full) {
                Some(meta) => self.apply(bucket.as_ref(), &row, &meta).await?,
                // The record still names the layer: nothing has proven the full archive.
                None => bucket.delete(&data_key(id)).await?,
            }
        }
        let row = self.context.require_snapshot(id)?;
        let is_full = has_archives(&row) && row.kind() == SnapshotKind::Full;
        if is_full {
            bucket.delete(&layer_key(id)).await?;
        }
        self.context.catalogue.drop_flattening(id)?;
        self.store.release_held().await?;
        Ok(is_full)
    }

    /// Writes the full archive of `meta` into the records and rows of all snapshots that need it.
    async fn apply(&self, bucket: &dyn Bucket, row: &Snapshot, meta: &BackupMeta) -> Result<()> {
        let Some(full) = meta.part() else { return Ok(()) };
        let above = self.context.catalogue.layers_above(&row.id)?;
        for layer in &above {
            self.rebase_record(bucket, layer, &full).await?;
        }
        // No await from these checks to the rows: a call in between could read an old record, and
        // not find the layer's archive. The row in `flattening` prevents deletes meanwhile.
        if !has_archives(&self.context.require_snapshot(&row.id)?) {
            return Ok(());
        }
        let now = self.context.catalogue.layers_above(&row.id)?;
        let are_known = ids(row, &now).eq(ids(row, &above));
        if !are_known || now.iter().any(is_changing) || self.is_read(row, &now)? {
            return Err(read_since(&row.id));
        }
        self.context.catalogue.set_full(&full, &now)?;
        let event =
            Event::SnapshotFlattened { backup_id: row.id.clone(), size_bytes: full.size_bytes };
        self.context.catalogue.add_event(self.context.now_ms(), &event)
    }

    async fn rebase_record(
        &self,
        bucket: &dyn Bucket,
        layer: &Snapshot,
        full: &Part,
    ) -> Result<()> {
        let key = match layer.state {
            SnapshotState::Held | SnapshotState::Released => held_key(&layer.id),
            _ => meta_key(&layer.id),
        };
        let _guard = self.store.writing_record.lock(&layer.id).await;
        change_record(bucket, &key, &layer.id, |meta| meta.rebased(full)).await.map(drop)
    }

    fn is_read(&self, row: &Snapshot, above: &[Snapshot]) -> Result<bool> {
        let now_ms = self.context.now_ms();
        for id in ids(row, above) {
            if self.in_flight.is_source(id)?
                || self.context.catalogue.is_lent_to_read(id, now_ms)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn ids<'a>(row: &'a Snapshot, above: &'a [Snapshot]) -> impl Iterator<Item = &'a BackupId> {
    std::iter::once(&row.id).chain(above.iter().map(|layer| &layer.id))
}

/// Whether R2 has archives that the row names, or had them before it lost one.
const fn has_archives(row: &Snapshot) -> bool {
    matches!(row.state, SnapshotState::Ready | SnapshotState::Lost)
}

const fn is_changing(row: &Snapshot) -> bool {
    matches!(row.state, SnapshotState::Pending | SnapshotState::Deleting)
}

fn other_files(id: &BackupId, path: &str) -> Error {
    let message = format!("the full archive of snapshot {id} would differ from it: {path}");
    Error::new(ErrorCode::Integrity, message).with_outcome(Outcome::None).with_hint(
        "the snapshot is as it was; restore it into a workspace, and take a full snapshot of that",
    )
}

fn changing_now(row: &Snapshot) -> Error {
    let what = if row.state == SnapshotState::Pending { "taken" } else { "deleted" };
    let message = format!("snapshot {} is being {what}", row.id);
    Error::new(ErrorCode::Conflict, message).with_hint("call again in a few seconds")
}

fn read_now(id: &BackupId) -> Error {
    let message = format!("snapshot {id}, or a layer above it, is being read");
    Error::new(ErrorCode::Conflict, message).with_hint("call again once the restore has ended")
}

fn read_since(id: &BackupId) -> Error {
    Error::new(
        ErrorCode::Unavailable,
        format!("snapshot {id} has a full archive, but it or a layer above it is still being read in its old form"),
    )
    .with_outcome(Outcome::Unknown)
    .with_hint("nothing needs to be done: flattening finishes by itself once nothing reads the old form")
}
