//! The objects of a backup in R2.

use crate::domain::error::{ErrorCode, Result};
use crate::domain::ids::BackupId;
use crate::domain::limits::META_MAX_BYTES;
use crate::domain::snapshot::backup::{BackupMeta, data_key, held_key, layer_key, meta_key};
use crate::ports::bucket::Bucket;

/// Reads the commit record of a backup, if it has one.
pub(crate) async fn read_meta(bucket: &dyn Bucket, id: &BackupId) -> Result<Option<BackupMeta>> {
    let bytes = bucket.get_small(&meta_key(id), META_MAX_BYTES).await?;
    bytes.map(|bytes| BackupMeta::parse(id, &bytes)).transpose()
}

/// Reads the record of a backup that was deleted while layers need its archive.
pub(crate) async fn read_held(bucket: &dyn Bucket, id: &BackupId) -> Result<Option<BackupMeta>> {
    let bytes = bucket.get_small(&held_key(id), META_MAX_BYTES).await?;
    bytes.map(|bytes| BackupMeta::parse(id, &bytes)).transpose()
}

/// Hides a backup, and keeps its archive. Writes the new record before it deletes
/// `meta.json`: an archive without either is swept.
pub(crate) async fn hide_objects(bucket: &dyn Bucket, meta: &BackupMeta) -> Result<()> {
    match bucket.create_small(&held_key(&meta.id), meta.to_bytes()?).await {
        Err(error) if error.code != ErrorCode::Conflict => return Err(error),
        // An earlier attempt has written it.
        _ => {}
    }
    bucket.delete(&meta_key(&meta.id)).await
}

/// Deletes `meta.json` first: it is the commit record, and an archive without
/// one is invisible. A crash between the two never leaves a backup that looks
/// whole.
pub(crate) async fn delete_objects(bucket: &dyn Bucket, id: &BackupId) -> Result<()> {
    bucket.delete(&meta_key(id)).await?;
    let (data, layer, held) = (data_key(id), layer_key(id), held_key(id));
    futures::try_join!(bucket.delete(&data), bucket.delete(&layer), bucket.delete(&held))?;
    Ok(())
}
