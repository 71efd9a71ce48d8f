//! A backup's objects in R2.

use crate::domain::limits::META_MAX_BYTES;
use crate::domain::snapshot::backup::{data_key, held_key, layer_key, machine_key, meta_key};
use crate::domain::{BackupId, BackupMeta, Error, ErrorCode, Result};
use crate::ports::Bucket;
use futures::future::try_join_all;

pub(crate) async fn read_meta(bucket: &dyn Bucket, id: &BackupId) -> Result<Option<BackupMeta>> {
    let bytes = bucket.get_small(&meta_key(id), META_MAX_BYTES).await?;
    bytes.map(|bytes| BackupMeta::parse(id, &bytes)).transpose()
}

/// The record of a deleted backup whose archive layers still need.
pub(crate) async fn read_held(bucket: &dyn Bucket, id: &BackupId) -> Result<Option<BackupMeta>> {
    let bytes = bucket.get_small(&held_key(id), META_MAX_BYTES).await?;
    bytes.map(|bytes| BackupMeta::parse(id, &bytes)).transpose()
}

/// While other writers change the same record.
const ATTEMPTS: u32 = 3;

/// Changes `meta.json` or the record that replaced it, if it exists, and returns the new one. A
/// write replaces only the version that was read.
pub(crate) async fn change_record(
    bucket: &dyn Bucket,
    key: &str,
    id: &BackupId,
    change: impl Fn(BackupMeta) -> BackupMeta,
) -> Result<Option<BackupMeta>> {
    for _attempt in 0..ATTEMPTS {
        let Some(found) = bucket.get_small_tagged(key, META_MAX_BYTES).await? else {
            return Ok(None);
        };
        let meta = BackupMeta::parse(id, &found.bytes)?;
        let changed = change(meta.clone());
        if changed == meta {
            return Ok(Some(meta));
        }
        match bucket.replace_small(key, &found.etag, changed.to_bytes()?).await {
            Ok(()) => return Ok(Some(changed)),
            Err(error) if error.code == ErrorCode::Conflict => {}
            Err(error) => return Err(error),
        }
    }
    Err(Error::new(ErrorCode::Unavailable, "the snapshot's record keeps changing"))
}

/// Hides a backup, but keeps its archive. Writes the new record before it deletes `meta.json`,
/// because a sweep deletes an archive that has neither.
pub(crate) async fn hide_objects(bucket: &dyn Bucket, meta: &BackupMeta) -> Result<()> {
    match bucket.create_small(&held_key(&meta.id), meta.to_bytes()?).await {
        Err(error) if error.code != ErrorCode::Conflict => return Err(error),
        // An earlier attempt has written the record.
        _ => {}
    }
    bucket.delete(&meta_key(&meta.id)).await
}

/// Deletes a backup's objects, `meta.json` first: an archive without this commit record is
/// invisible, so a crash never leaves a backup that looks complete.
pub(crate) async fn delete_objects(bucket: &dyn Bucket, id: &BackupId) -> Result<()> {
    bucket.delete(&meta_key(id)).await?;
    let keys = [data_key(id), layer_key(id), machine_key(id), held_key(id)];
    try_join_all(keys.iter().map(|key| bucket.delete(key))).await.map(drop)
}
