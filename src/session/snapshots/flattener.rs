//! Make layers full, and shorten the chains of the layers above them.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::ids::{BackupId, SandboxId};
use crate::domain::limits::RECOVER_AFTER_MS;
use crate::domain::session::event::Event;
use crate::domain::snapshot::backup::{SnapshotKind, held_key, layer_key, meta_key};
use crate::domain::snapshot::chain::Part;
use crate::domain::snapshot::{Snapshot, SnapshotState};
use crate::ports::bucket::Bucket;
use crate::ports::sandbox::{BackupProgress, FlattenBackupOptions, StoredBackup};
use crate::session::active::Active;
use crate::session::context::Context;
use crate::session::in_flight::InFlight;
use crate::session::snapshots::store::SnapshotStore;
use crate::support::backup_objects::{change_record, read_meta};
use crate::support::fifo_mutex::KeyedMutex;
use std::rc::Rc;

/// Makes snapshots full.
pub struct Flattener {
    context: Rc<Context>,
    in_flight: Rc<InFlight>,
    store: Rc<SnapshotStore>,
    /// One call at a time for each snapshot.
    flattening: KeyedMutex<BackupId>,
}

impl Flattener {
    pub(crate) fn new(
        context: Rc<Context>,
        in_flight: Rc<InFlight>,
        store: Rc<SnapshotStore>,
    ) -> Self {
        Self { context, in_flight, store, flattening: KeyedMutex::default() }
    }

    /// Makes a ready snapshot full, in the container of any workspace.
    ///
    /// Order: alarm, row in `flattening`, the full archive and `meta.json` (by the
    /// sandbox), the records of the layers above, the rows of all these snapshots, the
    /// archive of the layer. Before the rows change, all archives are there, and so every
    /// record can be applied, old or new. After that, no record names the layer's archive.
    /// While the row is there, nothing becomes a layer on the snapshot.
    ///
    /// # Errors
    /// `CONFLICT` while it or a layer above is being taken, deleted or read; those of the
    /// sandbox; `UNAVAILABLE` if the alarm has to finish it.
    pub(crate) async fn flatten(&self, active: &Active, id: &BackupId) -> Result<()> {
        let _one = self.flattening.lock(id).await;
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        // No await from these checks to the row.
        let row = self.context.require_snapshot(id)?;
        let above = self.layers_above(id)?;
        if let Some(changing) = std::iter::once(&row).chain(&above).find(|row| is_changing(row)) {
            return Err(changing_now(changing));
        }
        row.restorable(i64::MIN)?;
        if row.kind() == SnapshotKind::Full {
            return Ok(());
        }
        if self.is_read(&row, &above)? {
            return Err(read_now(id));
        }
        let reading: Vec<_> = ids(&row, &above).map(|id| self.in_flight.read(id)).collect();
        self.context.catalogue.add_flattening(id, &active.workspace.sandbox_id)?;
        let _working = self.in_flight.work_on(id.as_str());
        let backup = StoredBackup { id: id.clone(), binding: row.binding.clone() };
        let options = FlattenBackupOptions { instance_id: Some(active.instance.clone()) };
        if let Err(error) = active.sandbox.flatten_backup(backup, options).await {
            if error.outcome == Outcome::None {
                self.context.catalogue.drop_flattening(id)?;
            }
            return Err(error);
        }
        drop(reading);
        if self.finish(id).await? {
            return Ok(());
        }
        Err(self.context.require_snapshot(id)?.gone())
    }

    /// Finishes what a crash left. Returns how it ended, or None while the sandbox works
    /// on it.
    pub(crate) async fn recover(
        &self,
        id: &BackupId,
        sandbox: &SandboxId,
    ) -> Result<Option<&'static str>> {
        let _one = self.flattening.lock(id).await;
        let _working = self.in_flight.work_on(id.as_str());
        let sandbox = self.context.ports.sandboxes.get(sandbox)?;
        if sandbox.recover_backup(id.clone()).await? == BackupProgress::Running {
            return Ok(None);
        }
        Ok(Some(if self.finish(id).await? { "full" } else { "layer" }))
    }

    /// The ready snapshots that need the archive of `id`, or that of a deleted layer above
    /// it: once they are full, nothing does.
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

    /// All snapshots whose chains have `id`.
    fn layers_above(&self, id: &BackupId) -> Result<Vec<Snapshot>> {
        let (mut found, mut below): (Vec<Snapshot>, _) = (Vec::new(), vec![id.clone()]);
        while let Some(id) = below.pop() {
            let layers = self.context.catalogue.layers_on(&id)?;
            below.extend(layers.iter().map(|layer| layer.id.clone()));
            found.extend(layers);
        }
        Ok(found)
    }

    /// Does what is left once no sandbox works on it. Returns whether the snapshot is full.
    async fn finish(&self, id: &BackupId) -> Result<bool> {
        let row = self.context.require_snapshot(id)?;
        let bucket = self.context.ports.buckets.open(&row.binding)?;
        let is_layer = row.state == SnapshotState::Ready && row.kind() == SnapshotKind::Layer;
        if is_layer {
            self.apply(bucket.as_ref(), &row).await?;
        }
        let row = self.context.require_snapshot(id)?;
        let is_full = row.state == SnapshotState::Ready && row.kind() == SnapshotKind::Full;
        if is_full {
            bucket.delete(&layer_key(id)).await?;
        }
        self.context.catalogue.drop_flattening(id)?;
        self.store.release_held().await?;
        Ok(is_full)
    }

    /// If `meta.json` names a full archive, has the records and rows of all snapshots that
    /// need it say so.
    async fn apply(&self, bucket: &dyn Bucket, row: &Snapshot) -> Result<()> {
        let meta = read_meta(bucket, &row.id).await?;
        let full = meta.filter(|meta| meta.kind() == SnapshotKind::Full);
        let Some(full) = full.and_then(|meta| meta.part()) else { return Ok(()) };
        let above = self.layers_above(&row.id)?;
        // No delete of them begins meanwhile.
        let reading: Vec<_> = ids(row, &above).map(|id| self.in_flight.read(id)).collect();
        for layer in &above {
            self.rebase_record(bucket, layer, &full).await?;
        }
        drop(reading);
        // No await from these checks to the rows: who reads an old record now would not
        // find the layer's archive.
        if self.context.require_snapshot(&row.id)?.state != SnapshotState::Ready {
            return Ok(());
        }
        let now = self.layers_above(&row.id)?;
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
            SnapshotState::Ready => meta_key(&layer.id),
            _ => held_key(&layer.id),
        };
        let _guard = self.store.writing_record.lock(&layer.id).await;
        change_record(bucket, &key, &layer.id, |meta| meta.rebased(full)).await.map(drop)
    }

    /// Whether a call of this session or of another one reads one of these.
    fn is_read(&self, row: &Snapshot, above: &[Snapshot]) -> Result<bool> {
        let now_ms = self.context.now_ms();
        for id in ids(row, above) {
            if self.in_flight.is_being_read(id)?
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

/// Whether its record is being written or deleted.
const fn is_changing(row: &Snapshot) -> bool {
    matches!(row.state, SnapshotState::Pending | SnapshotState::Deleting)
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
        format!("snapshot {id} has a full archive, but it or a layer above it is being read as it was before"),
    )
    .with_outcome(Outcome::Unknown)
    .with_hint("nothing needs to be done: it is finished once nothing reads it")
}
