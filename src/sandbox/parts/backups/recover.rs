//! Reports the state of a backup, and cleans up one that a crash interrupted.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::BackupId;
use crate::domain::snapshot::backup::{SnapshotKind, archive_key, machine_key};
use crate::ports::bucket::Bucket;
use crate::ports::log::{Level, LogLine};
use crate::ports::sandbox::BackupProgress;
use crate::sandbox::parts::backups::Backups;
use crate::sandbox::store::{Intent, Unfinished};
use crate::support::backup_objects::{read_held, read_meta};
use serde_json::json;

impl Backups {
    /// Returns whether a backup is being made. If not, makes sure that it never will be.
    /// `UNAVAILABLE` if R2 holds parts of it that could not be removed now.
    pub(crate) async fn recover_one(&self, id: BackupId) -> Result<BackupProgress> {
        if self.is_making(&id) {
            return Ok(BackupProgress::Running);
        }
        // No await since the check, and `begin_making` refuses an id that has a row in any state.
        // So the backup can begin neither in between nor later.
        match self.context.store.unfinished()?.into_iter().find(|row| row.id == id) {
            Some(row) => drop(self.sweep(&row).await?),
            None => self.context.store.close(&id, self.context.now_ms())?,
        }
        self.recover().await;
        Ok(BackupProgress::Ended)
    }

    /// Cleans up backups that an earlier object left unfinished: once per object, and again as long
    /// as it fails.
    pub(crate) async fn recover(&self) {
        if self.recovered.replace(true) {
            return;
        }
        if let Err(error) = self.sweep_all().await {
            self.recovered.set(false);
            self.context.ports.log.write(LogLine::new(
                Level::Warn,
                "sandbox.recover",
                json!({ "code": error.code, "cause": error.cause }),
            ));
        }
    }

    /// Logs that a failed backup could not be cleaned up. Its row stays, so the next
    /// [`Self::recover`] tries again.
    pub(crate) fn note_not_undone(&self, id: &BackupId, error: &Error) {
        self.recovered.set(false);
        self.context.ports.log.write(LogLine::new(
            Level::Warn,
            "sandbox.undo",
            json!({ "backup": id, "code": error.code, "cause": error.cause }),
        ));
    }

    async fn sweep_all(&self) -> Result<()> {
        for row in self.context.store.unfinished()? {
            if !self.is_making(&row.id) {
                self.sweep(&row).await?;
            }
        }
        Ok(())
    }

    /// Removes the written parts of a backup, unless it was committed. Returns whether it was.
    /// Closes its row last, because the row names what R2 may hold. The object that wrote the parts
    /// is gone, and its requests with it, so no part appears after the check. Two sweeps at once
    /// have the effect of one.
    pub(crate) async fn sweep(&self, row: &Unfinished) -> Result<bool> {
        let bucket = self.context.ports.buckets.open(&row.binding)?;
        let record = match read_meta(bucket.as_ref(), &row.id).await {
            // A backup that was deleted while others need a part of it was committed, too.
            Ok(None) => read_held(bucket.as_ref(), &row.id).await,
            read => read,
        };
        let committed = match record {
            // A layer that was to become full still has its own record. A layer that has become
            // full since was committed before.
            Ok(Some(meta)) => row.kind == SnapshotKind::Layer || meta.kind() == row.kind,
            Ok(None) => {
                // Other snapshots may share the machine of an older backup.
                if row.state == Intent::Writing {
                    bucket.delete(&machine_key(&row.id)).await?;
                }
                false
            }
            // This record can't be read. The backup that it describes may need the archive.
            Err(error) if matches!(error.code, ErrorCode::Integrity | ErrorCode::Unsupported) => {
                true
            }
            Err(error) => return Err(error),
        };
        if !committed {
            self.remove_archive(bucket.as_ref(), row).await?;
        }
        self.context.store.close(&row.id, self.context.now_ms())?;
        self.context.ports.log.write(LogLine::new(
            Level::Info,
            "sandbox.sweep",
            json!({ "backup": row.id, "committed": committed }),
        ));
        Ok(committed)
    }

    pub(crate) async fn remove_archive(&self, bucket: &dyn Bucket, row: &Unfinished) -> Result<()> {
        let key = archive_key(&row.id, row.kind);
        if let Some(upload_id) = &row.upload_id {
            bucket.abort_multipart(&key, upload_id).await?;
        }
        bucket.delete(&key).await
    }
}
