//! Uploads an archive from the container's disk to R2.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::BackupId;
use crate::ports::bucket::Bucket;
use crate::ports::container::{Offer, Upload, UploadedPart};
use crate::sandbox::backup::Backup;
use crate::sandbox::backup::archive::Archive;

/// A file on the container's disk, and its place in R2.
pub(crate) struct Destination<'a> {
    pub(crate) path: &'a str,
    pub(crate) binding: &'a str,
    pub(crate) key: &'a str,
    pub(crate) id: &'a BackupId,
}

impl Destination<'_> {
    fn upload_of(&self, archive: &Archive) -> Upload<'_> {
        Upload {
            path: self.path,
            binding: self.binding,
            key: self.key,
            size_bytes: archive.size_bytes,
            sha256: archive.sha256,
        }
    }
}

impl Backup<'_> {
    /// Uploads an archive whose row has been written.
    pub(crate) async fn upload(
        &self,
        to: &Destination<'_>,
        bucket: &dyn Bucket,
        archive: &Archive,
    ) -> Result<()> {
        let upload = to.upload_of(archive);
        let sent = if archive.size_bytes <= self.context.sizes.single_put_max_bytes {
            self.container.raw().upload(&upload).await
        } else {
            self.upload_in_parts(&upload, to.id, bucket).await
        };
        match sent {
            Ok(()) => Ok(()),
            Err(error) => Err(self.container.explain(error).await),
        }
    }

    /// Uploads an archive that a command offers, whose row has been written. Returns the command's
    /// notes, and whether the archive may still be on the container's disk.
    pub(crate) async fn upload_offered(
        &self,
        to: &Destination<'_>,
        bucket: &dyn Bucket,
        archive: &Archive,
        offer: Box<dyn Offer>,
    ) -> Result<(Vec<u8>, bool)> {
        let upload = to.upload_of(archive);
        let is_small = archive.size_bytes <= self.context.sizes.single_put_max_bytes;
        let sent = if is_small {
            offer.upload(&upload).await
        } else {
            match offer.keep().await {
                Ok(notes) => self.upload_in_parts(&upload, to.id, bucket).await.map(|()| notes),
                Err(error) => Err(error),
            }
        };
        match sent {
            Ok(notes) => Ok((notes, !is_small)),
            Err(error) => Err(self.container.explain(error).await),
        }
    }

    async fn upload_in_parts(
        &self,
        upload: &Upload<'_>,
        id: &BackupId,
        bucket: &dyn Bucket,
    ) -> Result<()> {
        let container = self.container.raw();
        let upload_id = container.create_multipart(upload.binding, upload.key).await?;
        // Recorded before the first part, because R2's binding can't list uploads. If we crash
        // right here, the unrecorded upload holds no bytes, and R2 ends it after 7 days.
        self.context.store.set_upload_id(id, &upload_id)?;
        let mut parts: Vec<UploadedPart> = Vec::new();
        let mut offset_bytes = 0;
        while offset_bytes < upload.size_bytes {
            let len_bytes = self.context.sizes.part_bytes.min(upload.size_bytes - offset_bytes);
            let number = u16::try_from(parts.len() + 1).map_err(|_too_many| {
                Error::new(ErrorCode::TooLarge, "the archive has more parts than R2 takes")
            })?;
            let part =
                container.upload_part(upload, &upload_id, number, offset_bytes, len_bytes).await?;
            parts.push(part);
            offset_bytes += len_bytes;
        }
        container.complete_multipart(upload, &upload_id, &parts).await?;
        // R2 checks no hash of a multipart object. We check its size; each restore checks its
        // SHA-256.
        let stored = bucket.head(upload.key).await?.map(|info| info.size_bytes);
        if stored == Some(upload.size_bytes) {
            return Ok(());
        }
        Err(Error::new(ErrorCode::BackupFailed, "R2 stored the archive in another size")
            .with_cause(format!("{stored:?} bytes instead of {}", upload.size_bytes)))
    }
}
