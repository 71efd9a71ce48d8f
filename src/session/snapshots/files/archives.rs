//! Open the archive of a snapshot that the caller may reach.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::BackupId;
use crate::domain::snapshot::backup::{BackupDir, data_key};
use crate::domain::snapshot::gone;
use crate::domain::snapshot::refs::SnapshotSelector;
use crate::ports::bucket::Bucket;
use crate::ports::ranges::Ranges;
use crate::session::context::Context;
use crate::session::leases::Leases;
use crate::session::loaded_session::LoadedSession;
use crate::session::snapshots::locate::{Target, check_unexpired};
use crate::session::snapshots::source::Head;
use crate::squashfs::Archive;
use crate::support::budget::Held;
use async_trait::async_trait;
use std::rc::Rc;

/// Opens archives of snapshots.
pub struct Archives {
    context: Rc<Context>,
    leases: Rc<Leases>,
}

/// Room for what one call reads of archives.
pub(crate) type ArchiveRoom = Rc<Held>;

/// A snapshot whose archive is open, and room for what a call reads of it.
pub(crate) struct OpenSnapshot {
    pub id: BackupId,
    pub archive: Archive,
    /// Where its files were.
    pub dir: AbsolutePath,
    /// When the archive was begun, or a little earlier.
    pub created_at_ms: i64,
    _room: ArchiveRoom,
}

/// Where an archive is.
struct Stored {
    id: BackupId,
    binding: String,
    dir: BackupDir,
    size_bytes: u64,
    created_at_ms: i64,
}

impl Archives {
    pub(crate) fn new(context: Rc<Context>, leases: Rc<Leases>) -> Self {
        Self { context, leases }
    }

    /// Waits for the room of one call, which may open several archives in it.
    ///
    /// # Errors
    /// `RATE_LIMITED` while other calls read too much.
    pub(crate) async fn room(&self) -> Result<ArchiveRoom> {
        let ports = &self.context.ports;
        ports.archives.hold(ports.clock.as_ref()).await.map(Rc::new)
    }

    /// Opens the snapshot that `selector` names, one that another session has
    /// published too.
    ///
    /// # Errors
    /// As a restore of it; `INTEGRITY`; `UNSUPPORTED`.
    pub(crate) async fn open(
        &self,
        room: &ArchiveRoom,
        loaded: &LoadedSession,
        operation: &str,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
    ) -> Result<OpenSnapshot> {
        loaded.require_snapshots()?;
        let stored = self.find(loaded, operation, selector, allow_cross_session).await?;
        self.open_stored(room, stored).await
    }

    /// Opens what a workspace would wake from.
    ///
    /// # Errors
    /// `SNAPSHOT_GONE`; `INTEGRITY`; `UNSUPPORTED`.
    pub(crate) async fn open_head(&self, room: &ArchiveRoom, head: Head) -> Result<OpenSnapshot> {
        let Head { handle, binding, created_at_ms } = head;
        let own = self.context.catalogue.snapshot(&handle.id)?;
        let stored = match own.and_then(|snapshot| snapshot.size_bytes) {
            Some(size_bytes) => {
                Stored { id: handle.id, binding, dir: handle.dir, size_bytes, created_at_ms }
            }
            None => self.foreign(binding, handle.id, handle.dir, created_at_ms).await?,
        };
        self.open_stored(room, stored).await
    }

    async fn open_stored(&self, room: &ArchiveRoom, stored: Stored) -> Result<OpenSnapshot> {
        let ports = &self.context.ports;
        let key = format!("{}/{}/{}", stored.binding, stored.id, stored.size_bytes);
        let ranges = Rc::new(StoredArchive {
            bucket: ports.buckets.open(&stored.binding)?,
            id: stored.id.clone(),
            size_bytes: stored.size_bytes,
        });
        let dir = AbsolutePath::parse("dir", stored.dir.as_str())?;
        let archive = Archive::open(ranges, ports.archives.cache(), &key).await?;
        let Stored { id, created_at_ms, .. } = stored;
        Ok(OpenSnapshot { id, archive, dir, created_at_ms, _room: room.clone() })
    }

    async fn find(
        &self,
        loaded: &LoadedSession,
        operation: &str,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
    ) -> Result<Stored> {
        let binding = loaded.config.backup_binding.clone();
        if !allow_cross_session && self.context.is_foreign(selector)? {
            let meta = self.leases.find_published(&binding, selector).await?;
            check_unexpired(&meta, self.context.now_ms())?;
            let created_at_ms = meta.created_at_ms()?;
            return self.foreign(binding, meta.id, meta.dir, created_at_ms).await;
        }
        match self.context.locate(loaded, selector, allow_cross_session)? {
            Target::Own(snapshot) => {
                let handle = snapshot.restorable(self.context.now_ms())?.clone();
                let size_bytes = snapshot.size_bytes.ok_or_else(|| {
                    Error::internal(format!("ready snapshot {} has no size", snapshot.id))
                })?;
                Ok(Stored {
                    id: handle.id,
                    binding: snapshot.binding,
                    dir: handle.dir,
                    size_bytes,
                    created_at_ms: snapshot.created_at_ms,
                })
            }
            Target::Foreign(id) => {
                let meta = self.context.cross_to(loaded, operation, selector, &id).await?;
                let meta = meta.ok_or_else(|| gone(&id, "is not in the bucket"))?;
                check_unexpired(&meta, self.context.now_ms())?;
                let created_at_ms = meta.created_at_ms()?;
                self.foreign(binding, meta.id, meta.dir, created_at_ms).await
            }
        }
    }

    /// Another's archive, of the size that the bucket says.
    async fn foreign(
        &self,
        binding: String,
        id: BackupId,
        dir: BackupDir,
        created_at_ms: i64,
    ) -> Result<Stored> {
        let bucket = self.context.ports.buckets.open(&binding)?;
        let info = bucket.head(&data_key(&id)).await?;
        let info = info.ok_or_else(|| gone(&id, "has no archive in the bucket"))?;
        Ok(Stored { id, binding, dir, size_bytes: info.size_bytes, created_at_ms })
    }
}

struct StoredArchive {
    bucket: Rc<dyn Bucket>,
    id: BackupId,
    size_bytes: u64,
}

#[async_trait(?Send)]
impl Ranges for StoredArchive {
    fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    async fn read(&self, offset: u64, len_bytes: u64) -> Result<Vec<u8>> {
        let bytes = self.bucket.read_range(&data_key(&self.id), offset, len_bytes).await?;
        let bytes = bytes.ok_or_else(|| gone(&self.id, "is no longer in the bucket"))?;
        if bytes.len() as u64 == len_bytes {
            return Ok(bytes);
        }
        let text = format!("the archive of snapshot {} is shorter than recorded", self.id);
        Err(Error::new(ErrorCode::Integrity, text))
    }
}
