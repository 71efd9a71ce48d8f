//! Walks the buckets, one page of backups per call, and reads each backup's record.

use crate::domain::limits::{META_READS_AT_ONCE, PRUNE_PAGE};
use crate::domain::page::page_size;
use crate::domain::session::config::DEFAULT_BACKUP_BINDING;
use crate::domain::snapshot::backup::{BACKUPS_PREFIX, data_key, layer_key};
use crate::domain::snapshot::prune::Ownerless;
use crate::domain::{BackupId, Cursor, Error, ErrorCode, Result, SessionId};
use crate::operator::Operator;
use crate::operator::prune::Orphan;
use crate::ports::Bucket;
use crate::support::backup_objects::{read_held, read_meta};
use futures::stream::{self, StreamExt};
use std::rc::Rc;

pub(crate) struct Walked {
    /// R2 binding of the page's bucket.
    pub(crate) binding: String,
    pub(crate) bucket: Rc<dyn Bucket>,
    pub(crate) found: Vec<(BackupId, Result<Found>)>,
    /// The beginning of the next page. None if every bucket has been walked.
    pub(crate) next_cursor: Option<String>,
}

pub(crate) enum Found {
    /// The backup's record names this session. If the session does not know it, it is this orphan.
    Owned(SessionId, Orphan),
    /// The backup's record names no session, or only its archive exists.
    Orphan(Orphan),
    /// Neither a record nor an archive exists.
    Nothing,
}

/// Reads the backups of a page. An unreadable record is an error of its backup, so no caller
/// deletes the backup.
async fn at_all(bucket: &dyn Bucket, folders: &[String]) -> Result<Vec<(BackupId, Result<Found>)>> {
    let ids = folders.iter().filter_map(|folder| {
        let name = folder.strip_prefix(BACKUPS_PREFIX)?.strip_suffix('/')?;
        // A folder with another name is not a backup.
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
    let record = match read_meta(bucket, id).await? {
        Some(meta) => Some(meta),
        None => read_held(bucket, id).await?,
    };
    let Some(meta) = record else {
        let archive = match bucket.head(&data_key(id)).await? {
            Some(archive) => Some(archive),
            None => bucket.head(&layer_key(id)).await?,
        };
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

impl Operator {
    /// Reads one page of the buckets: the default bucket first, then those of the other bindings,
    /// each in key order.
    pub(crate) async fn walk(&self, limit: Option<u32>, cursor: Option<&str>) -> Result<Walked> {
        let limit = page_size(limit, PRUNE_PAGE)?;
        let (binding, r2) = self.place(cursor)?;
        let bucket = self.ports.buckets.open(&binding)?;
        let folders = bucket.list_folders(BACKUPS_PREFIX, r2.as_deref(), limit).await?;
        let found = at_all(bucket.as_ref(), &folders.folders).await?;
        let next_cursor = self.next_place(binding.clone(), folders.cursor)?;
        Ok(Walked { binding, bucket, found, next_cursor })
    }

    /// The bindings to walk, in order, without repetitions.
    fn bindings(&self) -> Vec<&str> {
        let mut bindings = vec![DEFAULT_BACKUP_BINDING];
        for binding in &self.backup_bindings {
            if !bindings.contains(&binding.as_str()) {
                bindings.push(binding);
            }
        }
        bindings
    }

    /// The place at which this call begins: a binding and R2's cursor.
    fn place(&self, cursor: Option<&str>) -> Result<(String, Option<String>)> {
        match cursor.map(Cursor::decode).transpose()? {
            None => Ok((DEFAULT_BACKUP_BINDING.to_owned(), None)),
            Some(Cursor::Buckets { binding, r2 })
                if self.bindings().contains(&binding.as_str()) =>
            {
                Ok((binding, r2))
            }
            Some(_) => Err(Error::invalid("cursor", "is not one that this walk returned")),
        }
    }

    /// The place at which the next call begins: further on in this bucket, or in the next bucket.
    fn next_place(&self, binding: String, r2: Option<String>) -> Result<Option<String>> {
        let next = match r2 {
            Some(r2) => Some(Cursor::Buckets { binding, r2: Some(r2) }),
            None => {
                let bindings = self.bindings().into_iter();
                let mut later = bindings.skip_while(|at| *at != binding).skip(1);
                later.next().map(|at| Cursor::Buckets { binding: at.to_owned(), r2: None })
            }
        };
        next.map(|cursor| cursor.encode()).transpose()
    }
}
