//! Makes a full archive for the backup of a layer, in this order: archive on the container's disk;
//! row; archive in R2; close the row. The host then compares both archives and changes the record.
//! After a crash that follows the row, [`crate::sandbox::parts::backups::recover`] cleans up.

use crate::domain::error::{Error, Outcome, Result};
use crate::domain::snapshot::backup::{SnapshotKind, archive_key};
use crate::domain::snapshot::gone;
use crate::ports::bucket::Bucket;
use crate::ports::sandbox::{FlattenBackupOptions, FlattenedBackup, StoredBackup};
use crate::sandbox::backup::Backup;
use crate::sandbox::backup::archive::Archive;
use crate::sandbox::backup::repack::Repack;
use crate::sandbox::backup::upload::Destination;
use crate::sandbox::scripts::{FLATTEN, OWN_DIR, remove};
use crate::support::backup_objects::read_meta;

impl Backup<'_> {
    /// Returns once R2 holds a full archive beside the layer's. The container's directories stay as
    /// they are. On an error with outcome `unknown`, a part of the archive may be left until
    /// `recover_backup` has run.
    pub(crate) async fn flatten(
        &self,
        backup: StoredBackup,
        options: FlattenBackupOptions,
    ) -> Result<FlattenedBackup> {
        let running = self.backups.stoppable.begin(&backup.id);
        running.explain(self.flatten_stoppable(backup, options).await)
    }

    async fn flatten_stoppable(
        &self,
        backup: StoredBackup,
        options: FlattenBackupOptions,
    ) -> Result<FlattenedBackup> {
        let bucket = self.context.ports.buckets.open(&backup.binding)?;
        let _making = self.backups.begin_making_again(&backup.id)?;
        let _guard = self.backups.lock(&backup.id).await?;
        let meta = read_meta(bucket.as_ref(), &backup.id).await?;
        let meta = meta.filter(|meta| meta.kind() == SnapshotKind::Layer);
        let meta = meta.ok_or_else(|| gone(&backup.id, "is not a layer in R2"))?;
        let into = format!("{OWN_DIR}/backup-{}.sqsh", backup.id);
        let repack = Repack {
            script: FLATTEN,
            arguments: &[&into],
            failure: format!("the full archive of backup {} could not be made", backup.id),
        };
        let made = self.repack(repack, &backup, &meta, bucket.as_ref(), &options).await;
        let archive = made.map_err(|error| error.with_outcome(Outcome::None))?;
        self.backups.stoppable.check(&backup.id)?;
        let stored = self.store_full(&backup, bucket.as_ref(), &archive, &into).await;
        let removed = self.container.run(&remove(&[into])).await;
        self.context.note_leftover(removed.err());
        stored?;
        Ok(FlattenedBackup { size_bytes: archive.size_bytes, sha256: archive.sha256_hex() })
    }

    async fn store_full(
        &self,
        backup: &StoredBackup,
        bucket: &dyn Bucket,
        archive: &Archive,
        path: &str,
    ) -> Result<()> {
        let StoredBackup { id, binding } = backup;
        self.context.store.begin_again(id, binding, SnapshotKind::Full, self.context.now_ms())?;
        let key = &archive_key(id, SnapshotKind::Full);
        let stored = self.upload(&Destination { path, binding, key, id }, bucket, archive).await;
        let rows = self.context.store.unfinished()?;
        let Some(row) = rows.iter().find(|row| row.id == *id) else {
            return Err(Error::internal("the row of a backup is gone"));
        };
        let error = match stored {
            Ok(()) => return self.context.store.close(id, self.context.now_ms()),
            Err(error) => error,
        };
        match self.backups.sweep(row).await {
            Ok(false) => Err(error.with_outcome(Outcome::None)),
            Ok(true) => Err(error.with_outcome(Outcome::Unknown)),
            Err(second) => {
                self.backups.note_not_undone(id, &second);
                Err(error.with_outcome(Outcome::Unknown))
            }
        }
    }
}
