//! Rebuild the snapshots of a session whose object lost its storage.

use crate::domain::limits::{META_READS_AT_ONCE, REBUILD_PAGE, RECOVER_AFTER_MS};
use crate::domain::page::page_size;
use crate::domain::snapshot::backup::{BACKUPS_PREFIX, archive_key};
use crate::domain::snapshot::rebuild::ListProblem;
use crate::domain::{
    BackupId, BackupMeta, Cursor, Error, ErrorCode, Event, RebuildOwn, Rebuilt, Result,
    SnapshotState,
};
use crate::ports::Bucket;
use crate::session::Session;
use crate::session::parts::{Context, SnapshotStore};
use crate::session::snapshots::list::backup_id_of;
use crate::support::backup_objects::{read_held, read_meta};
use futures::stream;
use futures::stream::StreamExt;

enum Found {
    /// By its record, a snapshot of this session in this state.
    Ours(Box<BackupMeta>, SnapshotState),
    Foreign,
    Incomplete,
}

parts!(Rebuild { context: Context, store: SnapshotStore });

impl Session {
    /// Puts back each backup on one page of the bucket that is this session's by `meta.json` and
    /// has no row. The session must have been opened again: its configuration names the bucket.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open; `INVALID_ARGUMENT` for another list's cursor.
    pub async fn rebuild(&self, cursor: Option<&str>, limit: Option<u32>) -> Result<Rebuilt> {
        let parts = Rebuild::from(self);
        let loaded = parts.context.load()?;
        let r2 = match cursor.map(Cursor::decode).transpose()? {
            None => None,
            Some(Cursor::Bucket { r2 }) => Some(r2),
            Some(_) => {
                return Err(Error::invalid("cursor", "is not one that a rebuild returned"));
            }
        };
        let binding = &loaded.config.backup_binding;
        let bucket = parts.context.ports.buckets.open(binding)?;
        let limit = page_size(limit, REBUILD_PAGE)?;
        let page = bucket.list_folders(BACKUPS_PREFIX, r2.as_deref(), limit).await?;
        let ids = page.folders.iter().filter_map(|folder| backup_id_of(folder)).collect();
        let next_cursor = page.cursor.map(|r2| Cursor::Bucket { r2 }.encode()).transpose()?;
        Ok(Rebuilt { next_cursor, ..parts.put_all_back(bucket.as_ref(), binding, ids).await? })
    }

    /// As [`Self::rebuild`], for the requested backups in the session's bucket.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open: an operator opens it with its policy first.
    pub async fn rebuild_own(&self, request: RebuildOwn) -> Result<Rebuilt> {
        let rebuild = Rebuild::from(self);
        let loaded = rebuild.context.load()?;
        let RebuildOwn { binding, ids } = request;
        if binding != loaded.config.backup_binding {
            let count = ids.len();
            return Ok(Rebuilt { examined: count, foreign: count, ..Rebuilt::default() });
        }
        let bucket = rebuild.context.ports.buckets.open(&binding)?;
        rebuild.put_all_back(bucket.as_ref(), &binding, ids).await
    }
}

impl Rebuild<'_> {
    async fn put_all_back(
        &self,
        bucket: &dyn Bucket,
        binding: &str,
        ids: Vec<BackupId>,
    ) -> Result<Rebuilt> {
        let mut rebuilt = Rebuilt { examined: ids.len(), ..Rebuilt::default() };
        let mut missing = Vec::new();
        for id in ids {
            match self.context.catalogue.snapshot(&id)? {
                Some(row) if row.state == SnapshotState::Lost => {
                    if self.store.recheck_lost(&row).await? {
                        rebuilt.restored.push(id);
                    } else {
                        rebuilt.incomplete += 1;
                    }
                }
                _ if self.is_missing(&id)? => missing.push(id),
                _ => rebuilt.known += 1,
            }
        }
        if missing.is_empty() {
            return Ok(rebuilt);
        }
        // A rebuilt snapshot may be due for retention, or have lost its name.
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        let mut found = stream::iter(missing)
            .map(|id| async {
                let found = self.look_at(bucket, &id).await;
                (id, found)
            })
            .buffered(META_READS_AT_ONCE);
        while let Some((id, found)) = found.next().await {
            match found {
                Ok(Found::Ours(meta, state)) => {
                    // No await here: an existing row stays.
                    if self.is_missing(&id)? {
                        self.put_back(binding, &meta, state)?;
                        if state == SnapshotState::Ready {
                            rebuilt.restored.push(id);
                        } else {
                            rebuilt.known += 1;
                        }
                    } else {
                        rebuilt.known += 1;
                    }
                }
                Ok(Found::Foreign) => rebuilt.foreign += 1,
                Ok(Found::Incomplete) => rebuilt.incomplete += 1,
                Err(error) if error.code == ErrorCode::Unavailable => return Err(error),
                Err(error) => {
                    rebuilt.problems.push(ListProblem { id, error: error.to_wire().error });
                }
            }
        }
        Ok(rebuilt)
    }

    /// Failed snapshots count as missing; pending and deleted ones, and those being deleted, don't.
    fn is_missing(&self, id: &BackupId) -> Result<bool> {
        let row = self.context.catalogue.snapshot(id)?;
        Ok(row.is_none_or(|row| row.state == SnapshotState::Failed))
    }

    async fn look_at(&self, bucket: &dyn Bucket, id: &BackupId) -> Result<Found> {
        let (meta, state) = match read_meta(bucket, id).await? {
            Some(meta) => (meta, SnapshotState::Ready),
            None => match read_held(bucket, id).await? {
                Some(held) => (held, SnapshotState::Released),
                None => return Ok(Found::Incomplete),
            },
        };
        let ours =
            meta.snapshotter.as_ref().is_some_and(|ours| ours.session_id == self.context.session);
        if !ours {
            return Ok(Found::Foreign);
        }
        let archive = bucket.head(&archive_key(id, meta.kind())).await?;
        if archive.is_none_or(|archive| archive.size_bytes != meta.size_bytes) {
            return Ok(Found::Incomplete);
        }
        Ok(Found::Ours(Box::new(meta), state))
    }

    fn put_back(&self, binding: &str, meta: &BackupMeta, state: SnapshotState) -> Result<()> {
        let now_ms = self.context.now_ms();
        if state == SnapshotState::Released {
            return self
                .context
                .catalogue
                .put_rebuilt_snapshot(meta, state, binding, false, now_ms);
        }
        // If two snapshots have one name, the newer one keeps it.
        let holder = match &meta.name {
            Some(name) => self.context.catalogue.snapshot_named(name, self.context.now_ms())?,
            None => None,
        };
        let created_at_ms = meta.created_at_ms()?;
        let loses = holder.is_some_and(|holder| holder.created_at_ms >= created_at_ms);
        self.context.catalogue.put_rebuilt_snapshot(meta, state, binding, !loses, now_ms)?;
        let event = Event::SnapshotRebuilt { backup_id: meta.id.clone() };
        self.context.catalogue.add_event(now_ms, &event)
    }
}
