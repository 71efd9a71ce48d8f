//! Packs a backup's files as a tar archive compressed with zstd, the backup format of the Sandbox
//! SDK 1.0. The packed file stays on the container's disk until it is read, or for an hour.

use crate::domain::error::{Error, ErrorCode, Next, Result};
use crate::domain::limits::TAR_TIMEOUT_MS;
use crate::domain::snapshot::gone;
use crate::ports::container::Upload;
use crate::ports::sandbox::{FlattenBackupOptions, PackedBackup, StorePackedOptions, StoredBackup};
use crate::ports::stream::Bytes;
use crate::sandbox::backup::Backup;
use crate::sandbox::backup::archive::parse_hex;
use crate::sandbox::backup::repack::Repack;
use crate::sandbox::scripts::{OWN_DIR, PACK, READ_PACKED, remove, script};
use crate::support::backup_objects::read_meta;

impl Backup<'_> {
    /// Uses the container's disk, and leaves the workspace's directories alone.
    pub(crate) async fn pack(
        &self,
        backup: StoredBackup,
        options: FlattenBackupOptions,
    ) -> Result<PackedBackup> {
        let running = self.backups.stoppable.begin(&backup.id);
        running.explain(self.pack_stoppable(backup, options).await)
    }

    async fn pack_stoppable(
        &self,
        backup: StoredBackup,
        options: FlattenBackupOptions,
    ) -> Result<PackedBackup> {
        let bucket = self.context.ports.buckets.open(&backup.binding)?;
        let _guard = self.backups.lock(&backup.id).await?;
        let meta = read_meta(bucket.as_ref(), &backup.id).await?;
        let meta = meta.ok_or_else(|| gone(&backup.id, "is not in R2"))?;
        let name = self.context.new_tag()?;
        let repack = Repack {
            script: PACK,
            arguments: &[&packed_path(&name)],
            failure: format!("snapshot {} could not be packed", backup.id),
        };
        let made = self.repack(repack, &backup, &meta, bucket.as_ref(), &options).await?;
        Ok(PackedBackup { name, size_bytes: made.size_bytes, sha256: made.sha256_hex() })
    }

    /// Streams a packed backup. Its file is removed once the stream begins. If the file is gone
    /// already, the stream breaks off.
    pub(crate) async fn stream_packed(
        &self,
        name: &str,
        options: &FlattenBackupOptions,
    ) -> Result<Bytes> {
        let packed = checked_path(name)?;
        self.container.require_disk(options.instance_id.as_ref()).await?;
        let group = format!("{packed}.group");
        let command = script(READ_PACKED, &[&packed, &group]);
        self.container.read_from(command, &group, TAR_TIMEOUT_MS, self.active_streams).await
    }

    /// Stores a packed backup in R2 by one put: after a crash, the object exists whole or not at
    /// all. Then removes the file from the disk.
    pub(crate) async fn upload_packed(
        &self,
        name: &str,
        options: &StorePackedOptions,
    ) -> Result<()> {
        let StorePackedOptions { binding, key, size_bytes, sha256, instance_id } = options;
        let path = checked_path(name)?;
        let sha256 =
            parse_hex(sha256).ok_or_else(|| Error::invalid("sha256", "must be 64 hex digits"))?;
        self.container.require_disk(instance_id.as_ref()).await?;
        let stored = if *size_bytes > self.context.sizes.single_put_max_bytes {
            let message = format!("the archive has {size_bytes} bytes, more than one put takes");
            Err(Error::new(ErrorCode::TooLarge, message).with_hint(Next::ExportInParts))
        } else {
            let upload = Upload { path: &path, binding, key, size_bytes: *size_bytes, sha256 };
            self.container.raw().upload(&upload).await
        };
        self.context.note_leftover(self.container.run(&remove(&[path])).await.err());
        match stored {
            Ok(()) => Ok(()),
            Err(error) => Err(self.container.explain(error).await),
        }
    }
}

fn checked_path(name: &str) -> Result<String> {
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(Error::invalid("name", "is not one that packBackup returned"));
    }
    Ok(packed_path(name))
}

fn packed_path(name: &str) -> String {
    format!("{OWN_DIR}/packed-{name}.tar.zst")
}
