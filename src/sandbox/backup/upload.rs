//! Bring an archive from the container's disk to R2.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::BackupId;
use crate::domain::limits::{MULTIPART_PART_BYTES, SINGLE_PUT_MAX_BYTES};
use crate::ports::bucket::Bucket;
use crate::ports::container::{Upload, UploadedPart};
use crate::sandbox::SandboxService;
use crate::sandbox::backup::archive::Archive;

/// When an archive goes up in parts, and how large they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferSizes {
    /// Largest archive sent as one put.
    pub single_put_max_bytes: u64,
    /// Size of a part; R2 wants at least 5 MiB.
    pub part_bytes: u64,
}

impl Default for TransferSizes {
    fn default() -> Self {
        Self { single_put_max_bytes: SINGLE_PUT_MAX_BYTES, part_bytes: MULTIPART_PART_BYTES }
    }
}

/// From where to where.
pub(crate) struct Destination<'a> {
    pub(crate) path: &'a str,
    pub(crate) binding: &'a str,
    pub(crate) key: &'a str,
    pub(crate) id: &'a BackupId,
}

impl SandboxService {
    /// Uploads an archive whose row has been written.
    pub(crate) async fn upload(
        &self,
        to: &Destination<'_>,
        bucket: &dyn Bucket,
        archive: &Archive,
    ) -> Result<()> {
        let upload = Upload {
            path: to.path,
            binding: to.binding,
            key: to.key,
            size_bytes: archive.size_bytes,
            sha256: archive.sha256,
        };
        let sent = if archive.size_bytes <= self.sizes.single_put_max_bytes {
            self.machine.container().upload(&upload).await
        } else {
            self.upload_in_parts(&upload, to.id, bucket).await
        };
        match sent {
            Ok(()) => Ok(()),
            Err(error) => Err(self.machine.explain(error).await),
        }
    }

    async fn upload_in_parts(
        &self,
        upload: &Upload<'_>,
        id: &BackupId,
        bucket: &dyn Bucket,
    ) -> Result<()> {
        let container = self.machine.container();
        let upload_id = container.create_multipart(upload.binding, upload.key).await?;
        // Before the first part, for R2 can't list uploads. One that is begun and
        // not recorded, by a crash just here, holds no bytes, and R2 ends it after 7 days.
        self.store.set_upload_id(id, &upload_id)?;
        let mut parts: Vec<UploadedPart> = Vec::new();
        let mut offset_bytes = 0;
        while offset_bytes < upload.size_bytes {
            let len_bytes = self.sizes.part_bytes.min(upload.size_bytes - offset_bytes);
            let number = u16::try_from(parts.len() + 1).map_err(|_too_many| {
                Error::new(ErrorCode::TooLarge, "the archive has more parts than R2 takes")
            })?;
            let part =
                container.upload_part(upload, &upload_id, number, offset_bytes, len_bytes).await?;
            parts.push(part);
            offset_bytes += len_bytes;
        }
        container.complete_multipart(upload, &upload_id, &parts).await?;
        // R2 checks no hash of an object made of parts. Its size is checked here,
        // its SHA-256 by each restore.
        let stored = bucket.head(upload.key).await?.map(|info| info.size_bytes);
        if stored == Some(upload.size_bytes) {
            return Ok(());
        }
        Err(Error::new(ErrorCode::BackupFailed, "R2 stored the archive in another size")
            .with_cause(format!("{stored:?} bytes instead of {}", upload.size_bytes)))
    }
}
