//! Packs a backup's files as a tar archive compressed with zstd, as the Sandbox SDK 1.0 keeps
//! its backups.
//!
//! The container extracts the backup in a directory of its own, so no directory of the
//! workspace is touched. The packed file stays on its disk until it is read, or for an hour.

use crate::domain::error::{Error, ErrorCode, Next, Result};
use crate::domain::limits::TAR_TIMEOUT_MS;
use crate::domain::snapshot::gone;
use crate::ports::container::{Command, Upload};
use crate::ports::sandbox::{FlattenBackupOptions, PackedBackup, StorePackedOptions, StoredBackup};
use crate::ports::stream::Bytes;
use crate::sandbox::SandboxService;
use crate::sandbox::backup::archive::parse_hex;
use crate::sandbox::backup::repack::Repack;
use crate::sandbox::exec::run::BACKSTOP_MS;
use crate::sandbox::scripts::{OWN_DIR, PACK, READ_PACKED, STOP, remove, script};
use crate::support::backup_objects::read_meta;

impl SandboxService {
    /// Packs a backup. Uses the container's disk, and leaves its directories alone.
    ///
    /// # Errors
    /// `SNAPSHOT_GONE`, `INTEGRITY`, `UNSUPPORTED`, `BACKUP_FAILED`; `WORKSPACE_LOST` if the
    /// disk is not the expected one.
    pub(crate) async fn pack(
        &self,
        backup: StoredBackup,
        options: FlattenBackupOptions,
    ) -> Result<PackedBackup> {
        let running = self.stoppable.begin(&backup.id);
        running.explain(self.pack_stoppable(backup, options).await)
    }

    async fn pack_stoppable(
        &self,
        backup: StoredBackup,
        options: FlattenBackupOptions,
    ) -> Result<PackedBackup> {
        let bucket = self.ports.buckets.open(&backup.binding)?;
        let _guard = self.stoppable.wait(&backup.id, self.mutex.lock()).await?;
        self.recover().await;
        let meta = read_meta(bucket.as_ref(), &backup.id).await?;
        let meta = meta.ok_or_else(|| gone(&backup.id, "is not in R2"))?;
        let name = self.new_tag()?;
        let repack = Repack {
            script: PACK,
            arguments: &[&packed_path(&name)],
            failure: format!("snapshot {} could not be packed", backup.id),
        };
        let made = self.repack(repack, &backup, &meta, bucket.as_ref(), &options).await?;
        Ok(PackedBackup { name, size_bytes: made.size_bytes, sha256: made.sha256_hex() })
    }

    /// Streams a packed backup. Its file is gone once the stream has begun.
    ///
    /// # Errors
    /// `WORKSPACE_LOST` if the disk is not the expected one. The stream breaks off if the file
    /// is gone.
    pub(crate) async fn stream_packed(
        &self,
        name: &str,
        options: &FlattenBackupOptions,
    ) -> Result<Bytes> {
        let packed = checked_path(name)?;
        self.machine.require_disk(options.instance_id.as_ref()).await?;
        let group = format!("{packed}.group");
        // `timeout` leads a process group, which is ended as a whole.
        let seconds = (TAR_TIMEOUT_MS / 1_000).to_string();
        let mut command: Command = script(READ_PACKED, &[&packed, &group]);
        command.argv.splice(0..0, ["timeout", "--kill-after=5", &seconds].map(str::to_owned));
        let limit_ms = i64::try_from(TAR_TIMEOUT_MS + BACKSTOP_MS).unwrap_or(i64::MAX);
        let active = self.active_streams.begin(self.ports.clock.now_ms().saturating_add(limit_ms));
        let stop = script(STOP, &[&group]);
        match self.machine.container().read_from(&command, stop, Box::new(active)).await {
            Ok(bytes) => Ok(bytes),
            Err(error) => Err(self.machine.explain(error).await),
        }
    }

    /// Stores a packed backup in R2 by one put: after a crash, the object exists whole or not at
    /// all. Its file is then gone from the disk.
    ///
    /// # Errors
    /// `TOO_LARGE` past what one put takes; `WORKSPACE_LOST` if the disk is not the expected
    /// one; `BACKUP_FAILED`; `UNAVAILABLE`.
    pub(crate) async fn upload_packed(
        &self,
        name: &str,
        options: &StorePackedOptions,
    ) -> Result<()> {
        let StorePackedOptions { binding, key, size_bytes, sha256, instance_id } = options;
        let path = checked_path(name)?;
        let sha256 =
            parse_hex(sha256).ok_or_else(|| Error::invalid("sha256", "must be 64 hex digits"))?;
        self.machine.require_disk(instance_id.as_ref()).await?;
        let stored = if *size_bytes > self.sizes.single_put_max_bytes {
            let message = format!("the archive has {size_bytes} bytes, more than one put takes");
            Err(Error::new(ErrorCode::TooLarge, message).with_hint(Next::ExportInParts))
        } else {
            let upload = Upload { path: &path, binding, key, size_bytes: *size_bytes, sha256 };
            self.machine.container().upload(&upload).await
        };
        self.note_leftover(self.machine.run(&remove(&[path])).await.err());
        match stored {
            Ok(()) => Ok(()),
            Err(error) => Err(self.machine.explain(error).await),
        }
    }
}

/// The path of a packed backup that a caller names.
fn checked_path(name: &str) -> Result<String> {
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(Error::invalid("name", "is not one that packBackup returned"));
    }
    Ok(packed_path(name))
}

fn packed_path(name: &str) -> String {
    format!("{OWN_DIR}/packed-{name}.tar.zst")
}
