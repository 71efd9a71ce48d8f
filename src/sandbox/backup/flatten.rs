//! Gives the backup of a layer a full archive.
//!
//! The order is: archive on the container's disk; row; the archive in R2; `meta.json`; close
//! the row. The layer stays, and so do the archives below it: until the host deletes them,
//! records that name them can be applied. A crash after the row leaves it to
//! [`crate::sandbox::backup::recover`].

use crate::domain::error::{Error, Outcome, Result};
use crate::domain::snapshot::backup::{
    BackupMeta, Compression, SnapshotKind, archive_key, meta_key,
};
use crate::domain::snapshot::gone;
use crate::ports::bucket::Bucket;
use crate::ports::log::{Level, LogLine};
use crate::ports::sandbox::{FlattenBackupOptions, StoredBackup};
use crate::sandbox::SandboxService;
use crate::sandbox::backup::archive::Archive;
use crate::sandbox::backup::repack::Repack;
use crate::sandbox::backup::upload::Destination;
use crate::sandbox::scripts::{FLATTEN, OWN_DIR, remove};
use crate::support::backup_objects::{change_record, read_meta};
use serde_json::json;

impl SandboxService {
    /// Returns once `meta.json` names a full archive. Does nothing if it does already. Uses
    /// the container's disk, and leaves its directories alone.
    ///
    /// # Errors
    /// `SNAPSHOT_GONE`, `INTEGRITY`, `UNSUPPORTED`, `BACKUP_FAILED`; `WORKSPACE_LOST` if the
    /// disk is not the expected one. With outcome `none`, the backup is as it was. With
    /// `unknown`, it may be full, or a part of the archive may be left until
    /// `recover_backup` has run.
    pub(crate) async fn flatten(
        &self,
        backup: StoredBackup,
        options: FlattenBackupOptions,
    ) -> Result<()> {
        let bucket = self.ports.buckets.open(&backup.binding)?;
        let _making = self.begin_making_again(&backup.id)?;
        let _guard = self.mutex.lock().await;
        self.recover().await;
        let meta = read_meta(bucket.as_ref(), &backup.id).await?;
        let meta = meta.ok_or_else(|| gone(&backup.id, "is not in R2"))?;
        if meta.kind() == SnapshotKind::Full {
            return Ok(());
        }
        let into = format!("{OWN_DIR}/backup-{}.sqsh", backup.id);
        let repack = Repack {
            script: FLATTEN,
            arguments: &[&into, Compression::default().as_str()],
            failure: format!("the full archive of backup {} could not be made", backup.id),
        };
        let made = self.repack(repack, &backup, &meta, bucket.as_ref(), &options).await;
        let archive = made.map_err(|error| error.with_outcome(Outcome::None))?;
        let stored = self.store_full(&backup, bucket.as_ref(), &archive, &into).await;
        let removed = self.machine.run(&remove(&[into])).await;
        self.note_leftover(removed.err());
        stored
    }

    /// Writes the row, the archive and the new record, or none of them.
    async fn store_full(
        &self,
        backup: &StoredBackup,
        bucket: &dyn Bucket,
        archive: &Archive,
        path: &str,
    ) -> Result<()> {
        let StoredBackup { id, binding } = backup;
        self.store.begin_again(id, binding, SnapshotKind::Full, self.ports.clock.now_ms())?;
        let key = &archive_key(id, SnapshotKind::Full);
        let stored = async {
            self.upload(&Destination { path, binding, key, id }, bucket, archive).await?;
            let (size_bytes, sha256) = (archive.size_bytes, archive.sha256_hex());
            let becomes_full = |meta: BackupMeta| meta.flattened(size_bytes, sha256.clone());
            let changed = change_record(bucket, &meta_key(id), id, becomes_full).await?;
            changed.map(drop).ok_or_else(|| gone(id, "is not in R2"))
        };
        let stored: Result<()> = stored.await;
        let rows = self.store.unfinished()?;
        let Some(row) = rows.iter().find(|row| row.id == *id) else {
            return Err(Error::internal("the row of a backup is gone"));
        };
        let error = match stored {
            Ok(()) => return self.store.close(id, self.ports.clock.now_ms()),
            Err(error) => error,
        };
        match self.sweep(row).await {
            Ok(true) => Err(error.with_outcome(Outcome::Unknown)),
            Ok(false) => Err(error.with_outcome(Outcome::None)),
            Err(second) => {
                // The row stays, so the next `recover` tries again.
                self.recovered.set(false);
                self.ports.log.write(LogLine::new(
                    Level::Warn,
                    "sandbox.undo",
                    json!({ "backup": id, "code": second.code, "cause": second.cause }),
                ));
                Err(error.with_outcome(Outcome::Unknown))
            }
        }
    }
}
