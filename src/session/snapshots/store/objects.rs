//! A snapshot's objects in R2.

use crate::domain::error::Result;
use crate::domain::ids::BackupId;
use crate::domain::limits::META_MAX_BYTES;
use crate::domain::snapshot::backup::{BackupMeta, data_key, meta_key};
use crate::ports::bucket::Bucket;

/// Reads the commit record of a backup, if it has one.
pub(crate) async fn read_meta(bucket: &dyn Bucket, id: &BackupId) -> Result<Option<BackupMeta>> {
    let bytes = bucket.get_small(&meta_key(id), META_MAX_BYTES).await?;
    bytes.map(|bytes| BackupMeta::parse(id, &bytes)).transpose()
}

/// Deletes `meta.json` first: it is the commit record, and an archive without
/// one is invisible. A crash between the two never leaves a backup that looks
/// whole.
pub(crate) async fn delete_objects(bucket: &dyn Bucket, id: &BackupId) -> Result<()> {
    bucket.delete(&meta_key(id)).await?;
    bucket.delete(&data_key(id)).await
}
