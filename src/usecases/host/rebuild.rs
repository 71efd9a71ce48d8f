//! Give a session whose object lost its storage its own snapshots back.

use super::access::read_meta;
use super::list::{ListProblem, backup_id_of};
use super::{Host, Opened};
use crate::domain::backup::{BACKUPS_PREFIX, BackupMeta, data_key};
use crate::domain::error::Error;
use crate::domain::error::{ErrorCode, Result};
use crate::domain::event::Event;
use crate::domain::ids::BackupId;
use crate::domain::limits::{META_READS_AT_ONCE, REBUILD_PAGE, SETTLE_AFTER_MS};
use crate::domain::page::{Cursor, page_size};
use crate::domain::snapshot::SnapshotState;
use crate::ports::bucket::Bucket;
use futures::stream::{self, StreamExt};
use serde::{Deserialize, Serialize};

/// What one page of a rebuild found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Rebuilt {
    /// Backups of the bucket that were looked at.
    pub examined: usize,
    /// This session's that are in its catalogue again.
    pub restored: Vec<BackupId>,
    /// In its catalogue already, in whatever state.
    pub known: usize,
    /// Of other sessions, or of none; left alone.
    pub foreign: usize,
    /// Archives without a commit record, and records without an archive; left alone.
    pub incomplete: usize,
    /// Backups whose record cannot be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ListProblem>,
    /// Where to go on; absent: the bucket has been walked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// What is made of one backup.
enum Found {
    Ours(Box<BackupMeta>),
    Foreign,
    Incomplete,
}

impl Host {
    /// Walks one page of the bucket and puts back into the catalogue what is
    /// this session's by `meta.json` and has no row. Again does nothing more.
    ///
    /// The session must have been opened again, which says in which bucket to look.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open; `INVALID_ARGUMENT` for a foreign cursor.
    pub async fn rebuild(&self, cursor: Option<&str>, limit: Option<u32>) -> Result<Rebuilt> {
        let known = self.known()?;
        let r2 = match cursor.map(Cursor::decode).transpose()? {
            None => None,
            Some(Cursor::Bucket { r2 }) => Some(r2),
            Some(_) => {
                return Err(Error::invalid("cursor", "is not one that a rebuild returned"));
            }
        };
        // What comes back may be due for retention, or have lost its name.
        self.ports.alarm.wake_by(self.now_ms() + SETTLE_AFTER_MS).await?;
        let bucket = self.ports.buckets.open(&known.config.backup_binding)?;
        let limit = page_size(limit, REBUILD_PAGE)?;
        let page = bucket.list_folders(BACKUPS_PREFIX, r2.as_deref(), limit).await?;
        let mut rebuilt = Rebuilt {
            next_cursor: page.cursor.map(|r2| Cursor::Bucket { r2 }.encode()).transpose()?,
            ..Rebuilt::default()
        };
        let ids: Vec<BackupId> =
            page.folders.iter().filter_map(|folder| backup_id_of(folder)).collect();
        rebuilt.examined = ids.len();
        let mut missing = Vec::new();
        for id in ids {
            if self.is_missing(&id)? {
                missing.push(id);
            } else {
                rebuilt.known += 1;
            }
        }
        let mut found = stream::iter(missing)
            .map(|id| async {
                let found = self.look_at(bucket.as_ref(), &id).await;
                (id, found)
            })
            .buffered(META_READS_AT_ONCE);
        while let Some((id, found)) = found.next().await {
            match found {
                Ok(Found::Ours(meta)) => {
                    // No await here: a row that is there by now stays.
                    if self.is_missing(&id)? {
                        self.put_back(&known, &meta)?;
                        rebuilt.restored.push(id);
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

    /// Whether the catalogue has nothing of it. What was lost counts as nothing;
    /// what was deleted does not, and what is being taken or deleted neither.
    fn is_missing(&self, id: &BackupId) -> Result<bool> {
        let row = self.catalogue.snapshot(id)?;
        Ok(row.is_none_or(|row| row.state == SnapshotState::Failed))
    }

    async fn look_at(&self, bucket: &dyn Bucket, id: &BackupId) -> Result<Found> {
        let Some(meta) = read_meta(bucket, id).await? else { return Ok(Found::Incomplete) };
        let ours = meta.snapshotter.as_ref().is_some_and(|ours| ours.session_id == self.session);
        if !ours {
            return Ok(Found::Foreign);
        }
        let archive = bucket.head(&data_key(id)).await?;
        if archive.is_none_or(|archive| archive.size_bytes != meta.size_bytes) {
            return Ok(Found::Incomplete);
        }
        Ok(Found::Ours(Box::new(meta)))
    }

    fn put_back(&self, known: &Opened, meta: &BackupMeta) -> Result<()> {
        // Of two with one name, the newer one has it.
        let holder = match &meta.name {
            Some(name) => self.catalogue.snapshot_named(name, self.now_ms())?,
            None => None,
        };
        let created_at_ms = meta.created_at_ms()?;
        let loses = holder.is_some_and(|holder| holder.created_at_ms >= created_at_ms);
        let binding = &known.config.backup_binding;
        self.catalogue.put_rebuilt_snapshot(meta, binding, !loses, self.now_ms())?;
        let event = Event::SnapshotRebuilt { backup_id: meta.id.clone() };
        self.catalogue.add_event(self.now_ms(), &event)
    }
}
