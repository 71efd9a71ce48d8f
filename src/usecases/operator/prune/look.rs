//! What a bucket holds of each backup.

use super::ownerless::Orphan;
use crate::domain::backup::{BACKUPS_PREFIX, BackupMeta, data_key, meta_key};
use crate::domain::error::{ErrorCode, Result};
use crate::domain::ids::{BackupId, SessionId};
use crate::domain::limits::{META_MAX_BYTES, META_READS_AT_ONCE};
use crate::domain::prune::Ownerless;
use crate::ports::bucket::Bucket;
use futures::stream::{self, StreamExt};

/// What there is of one.
pub(super) enum Found {
    /// Its record names a session. If that does not know it, it is this orphan.
    Owned(SessionId, Orphan),
    /// Its record names none, or there is only an archive.
    Orphan(Orphan),
    /// Neither record nor archive.
    Nothing,
}

/// Looks at the backups of a page. A record that can't be read is that backup's
/// error; nothing is deleted that could not be looked at.
///
/// # Errors
/// `UNAVAILABLE` where R2 does not answer.
pub(super) async fn at_all(
    bucket: &dyn Bucket,
    folders: &[String],
) -> Result<Vec<(BackupId, Result<Found>)>> {
    let ids = folders.iter().filter_map(|folder| {
        let name = folder.strip_prefix(BACKUPS_PREFIX)?.strip_suffix('/')?;
        // What has another name is not a backup.
        BackupId::parse(name).ok()
    });
    let found: Vec<_> = stream::iter(ids)
        .map(|id| async {
            let found = at(bucket, &id).await;
            (id, found)
        })
        .buffered(META_READS_AT_ONCE)
        .collect()
        .await;
    let silent = found.iter().find_map(|(_, found)| match found {
        Err(error) if error.code == ErrorCode::Unavailable => Some(error.clone()),
        _ => None,
    });
    silent.map_or(Ok(found), Err)
}

async fn at(bucket: &dyn Bucket, id: &BackupId) -> Result<Found> {
    let Some(bytes) = bucket.get_small(&meta_key(id), META_MAX_BYTES).await? else {
        let archive = bucket.head(&data_key(id)).await?;
        return Ok(archive.map_or(Found::Nothing, |archive| {
            Found::Orphan(Orphan {
                id: id.clone(),
                kind: Ownerless::Incomplete,
                session: None,
                since_ms: archive.uploaded_at_ms,
                size_bytes: archive.size_bytes,
            })
        }));
    };
    let meta = BackupMeta::parse(id, &bytes)?;
    let orphan = Orphan {
        id: id.clone(),
        kind: Ownerless::Legacy,
        session: meta.snapshotter.as_ref().map(|ours| ours.session_id.clone()),
        since_ms: meta.created_at_ms()?,
        size_bytes: meta.size_bytes,
    };
    Ok(match orphan.session.clone() {
        Some(session) => Found::Owned(session, orphan),
        None => Found::Orphan(orphan),
    })
}
