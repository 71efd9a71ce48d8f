//! Gives the backup of a layer a full archive.
//!
//! The order is: archive on the container's disk; row; the archive in R2; `meta.json`; close
//! the row. The layer stays, and so do the archives below it: until the host deletes them,
//! records that name them can be applied. A crash after the row leaves it to
//! [`crate::sandbox::backup::recover`].

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::ids::BackupId;
use crate::domain::snapshot::backup::{
    BackupMeta, Compression, SnapshotKind, archive_key, meta_key,
};
use crate::domain::snapshot::chain::Chain;
use crate::domain::snapshot::gone;
use crate::ports::bucket::Bucket;
use crate::ports::container::Output;
use crate::ports::log::{Level, LogLine};
use crate::ports::sandbox::{FlattenBackupOptions, StoredBackup};
use crate::sandbox::SandboxService;
use crate::sandbox::backup::archive::{ARCHIVE_LIMIT_MS, Archive, no_room, parse, tool_missing};
use crate::sandbox::backup::fetch::{archive_path, archives, check_archives, extract_arguments};
use crate::sandbox::backup::restore::at_work;
use crate::sandbox::backup::upload::Destination;
use crate::sandbox::scripts::{FLATTEN, OWN_DIR, complaint, remove, script, status};
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
        let made = self.archive_chain(&backup, &meta, options, bucket.as_ref(), &into).await;
        let archive = made.map_err(|error| error.with_outcome(Outcome::None))?;
        let stored = self.store_full(&backup, bucket.as_ref(), &archive, &into).await;
        let removed = self.machine.run(&remove(&[into])).await;
        self.note_leftover(removed.err());
        stored
    }

    /// Makes the full archive on the container's disk.
    async fn archive_chain(
        &self,
        backup: &StoredBackup,
        meta: &BackupMeta,
        options: FlattenBackupOptions,
        bucket: &dyn Bucket,
        into: &str,
    ) -> Result<Archive> {
        let archives = archives(meta);
        check_archives(bucket, &archives).await?;
        self.machine.require_disk(options.instance_id.as_ref()).await?;
        self.check_room(&archives).await?;
        // The script removes what is prepared.
        self.prepared.take();
        let path = archive_path(&self.new_tag()?);
        if let Err(error) = self.download_archives(&backup.binding, &archives, &path).await {
            return Err(self.machine.explain(error).await);
        }
        let chain = extract_arguments(&path, &archives);
        let mut arguments = vec![into, Compression::default().as_str()];
        arguments.extend(chain.iter().map(String::as_str));
        let mut command = script(FLATTEN, &arguments);
        command.kill_after_ms = Some(ARCHIVE_LIMIT_MS);
        let output = self.machine.run(&command).await?;
        if output.exit_code == 0 {
            let made = output.stdout.split(|byte| *byte == b'\n').rev().nth(1).unwrap_or_default();
            return parse(made);
        }
        // The script removes the archives, unless it was killed.
        self.discard(&path, &archives).await;
        Err(judge(&output, &backup.id, &archives))
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

fn judge(output: &Output, id: &BackupId, archives: &Chain) -> Error {
    let said = complaint(output);
    let stdout = String::from_utf8_lossy(&output.stdout);
    let position = stdout.lines().filter_map(at_work).next_back().unwrap_or_default();
    let at_work = archives.parts().get(position).map_or(id, |part| &part.id);
    match output.exit_code {
        status::CHECKSUM => Error::new(
            ErrorCode::Integrity,
            format!("the archive of backup {at_work} is not the one that was made: {said}"),
        ),
        status::TOOL_MISSING => tool_missing(said),
        status::BUSY => Error::new(ErrorCode::Unavailable, said),
        status::NO_ROOM => no_room(said),
        _ => Error::new(
            ErrorCode::BackupFailed,
            format!("the full archive of backup {id} could not be made: {said}"),
        ),
    }
}
