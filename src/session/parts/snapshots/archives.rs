//! Open the archives of a snapshot that the caller may reach: its own, and those below it.

use crate::domain::files::tar::TarExtras;
use crate::domain::snapshot::backup::archive_key;
use crate::domain::snapshot::chain::{Chain, Part};
use crate::domain::snapshot::gone;
use crate::domain::{
    AbsolutePath, BackupId, Error, ErrorCode, Result, SnapshotKind, SnapshotSelector,
};
use crate::ports::{Bucket, Ranges};
use crate::session::parts::snapshots::locate::check_unexpired;
use crate::session::parts::snapshots::sdk::not_imported;
use crate::session::parts::snapshots::source::{Found, Stored};
use crate::session::parts::{Context, LoadedSession, Sources};
use crate::squashfs::{ArchiveSource, LayeredTree, Node};
use crate::support::budget::Held;
use async_trait::async_trait;
use std::rc::Rc;

/// Opens archives of snapshots.
pub struct Archives {
    context: Rc<Context>,
    sources: Rc<Sources>,
}

pub(crate) type ArchiveRoom = Rc<Held>;

pub(crate) struct OpenSnapshot {
    pub id: BackupId,
    pub tree: LayeredTree,
    /// The directory that its files were in.
    pub dir: AbsolutePath,
    /// When the archive was begun, or a little earlier.
    pub created_at_ms: i64,
    /// SHA-256 of its archives, in the order in which they are applied. Empty if one is unknown.
    pub sums: Vec<String>,
    _room: ArchiveRoom,
}

impl OpenSnapshot {
    /// Only attributes that snapshots keep: a hostile archive may hold others.
    pub(crate) async fn extras(&self, node: &Node) -> Result<TarExtras> {
        let attributes = self.tree.xattrs(node).await?.into_iter();
        let attributes = attributes.map(|xattr| (xattr.name, xattr.value)).filter(|(name, _)| {
            (name.starts_with(b"user.") || name == b"security.capability") && !name.contains(&0)
        });
        Ok(TarExtras { owner: (node.uid, node.gid), attributes: attributes.collect() })
    }

    /// Counts archives shared with `sums`, from the full one on. Equal nodes in them are one file.
    pub(crate) fn shared_archives(&self, sums: &[String]) -> usize {
        self.sums.iter().zip(sums).take_while(|(one, other)| one == other).count()
    }
}

impl Archives {
    pub(crate) fn new(context: Rc<Context>, sources: Rc<Sources>) -> Self {
        Self { context, sources }
    }

    pub(crate) async fn room(&self) -> Result<ArchiveRoom> {
        let ports = &self.context.ports;
        Ok(Rc::new(ports.archives.hold(ports.clock.as_ref()).await?))
    }

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

    /// Opens a snapshot that was found, expired or not.
    pub(crate) async fn open_stored(
        &self,
        room: &ArchiveRoom,
        stored: Stored,
    ) -> Result<OpenSnapshot> {
        let ports = &self.context.ports;
        let bucket = ports.buckets.open(&stored.binding)?;
        let dir = AbsolutePath::parse("dir", stored.handle.dir.as_str())?;
        let tree = LayeredTree::open(sources(&bucket, &stored), &ports.archives.cache()).await?;
        let sums = stored.sums().unwrap_or_default();
        let Stored { handle, created_at_ms, .. } = stored;
        Ok(OpenSnapshot { id: handle.id, tree, dir, created_at_ms, sums, _room: room.clone() })
    }

    /// Opens a head, expired or not. A backup of Sandbox SDK 1.0 that the session was opened from
    /// is `UNSUPPORTED` until its first use imports it.
    pub(crate) async fn open_by_id(
        &self,
        room: &ArchiveRoom,
        loaded: &LoadedSession,
        id: &BackupId,
    ) -> Result<OpenSnapshot> {
        let gone = match self.sources.find_head(loaded, id).await {
            Ok(stored) => return self.open_stored(room, stored).await,
            Err(error) if error.code == ErrorCode::SnapshotGone => error,
            Err(error) => return Err(error),
        };
        let from = loaded.row.config.from.as_ref().filter(|from| from.backup_id() == Some(id));
        let Some(from) = from else { return Err(gone) };
        match self.context.find_sdk_backup(&loaded.config.backup_binding, from, id).await? {
            Some(backup) => Err(not_imported(&backup.id)),
            None => Err(gone),
        }
    }

    /// Opens a head if it shares archives with `base`.
    pub(crate) async fn open_related(
        &self,
        room: &ArchiveRoom,
        loaded: &LoadedSession,
        id: &BackupId,
        base: &OpenSnapshot,
    ) -> Option<OpenSnapshot> {
        let stored = self.sources.find_head(loaded, id).await.ok()?;
        match stored.sums() {
            Some(sums) if base.shared_archives(&sums) > 0 => {
                self.open_stored(room, stored).await.ok()
            }
            _ => None,
        }
    }

    pub(crate) async fn find(
        &self,
        loaded: &LoadedSession,
        operation: &str,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
    ) -> Result<Stored> {
        let found = self.sources.find(loaded, operation, selector, allow_cross_session).await?;
        self.restorable(loaded, found)
    }

    fn restorable(&self, loaded: &LoadedSession, found: Found) -> Result<Stored> {
        let now_ms = self.context.now_ms();
        match found {
            Found::Own(snapshot) => {
                let handle = snapshot.restorable(now_ms)?.clone();
                Stored::own(*snapshot, handle)
            }
            Found::Published(meta) | Found::Crossed(meta) => {
                check_unexpired(&meta, now_ms)?;
                Stored::foreign(&meta, loaded.config.backup_binding.clone())
            }
            Found::Sdk(backup) => Err(not_imported(&backup.id)),
        }
    }
}

/// In the order in which they are applied.
fn sources(bucket: &Rc<dyn Bucket>, stored: &Stored) -> Vec<ArchiveSource> {
    let of = &stored.handle.id;
    let kind = if stored.chain.is_empty() { SnapshotKind::Full } else { SnapshotKind::Layer };
    let below = stored.chain.archives().map(|(part, kind)| (&part.id, part.size_bytes, kind));
    let archives = below.chain([(of, stored.size_bytes, kind)]);
    let source = |(id, size_bytes, kind)| {
        let key = archive_key(id, kind);
        source(bucket, &stored.binding, (id, of), key, size_bytes, &size_bytes.to_string())
    };
    archives.map(source).collect()
}

/// In the order in which they are applied, for the snapshot `of`.
pub(crate) fn sources_of(
    bucket: &Rc<dyn Bucket>,
    binding: &str,
    of: &BackupId,
    archives: &Chain,
) -> Vec<ArchiveSource> {
    let source = |(part, kind): (&Part, SnapshotKind)| {
        let Part { id, size_bytes, .. } = part;
        let key = archive_key(id, kind);
        source(bucket, binding, (id, of), key, *size_bytes, &size_bytes.to_string())
    };
    archives.archives().map(source).collect()
}

/// An archive of the snapshot `id`, read for the snapshot `of`. `version` is part of its cache key.
pub(crate) fn source(
    bucket: &Rc<dyn Bucket>,
    binding: &str,
    (id, of): (&BackupId, &BackupId),
    key: String,
    size_bytes: u64,
    version: &str,
) -> ArchiveSource {
    let (bucket, of) = (bucket.clone(), of.clone());
    ArchiveSource {
        key: format!("{binding}/{key}/{version}"),
        name: format!("snapshot {id}"),
        ranges: Rc::new(StoredArchive { bucket, key, id: id.clone(), of, size_bytes }),
    }
}

struct StoredArchive {
    bucket: Rc<dyn Bucket>,
    key: String,
    id: BackupId,
    of: BackupId,
    size_bytes: u64,
}

impl StoredArchive {
    fn missing(&self) -> Error {
        if self.id == self.of {
            return gone(&self.of, "is no longer in the bucket");
        }
        let why =
            format!("needs the archive of snapshot {}, which is no longer in the bucket", self.id);
        gone(&self.of, &why)
    }
}

#[async_trait(?Send)]
impl Ranges for StoredArchive {
    fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    async fn read(&self, offset: u64, len_bytes: u64) -> Result<Vec<u8>> {
        let shorter = || Error::new(ErrorCode::Integrity, "the archive is shorter than recorded");
        match self.bucket.read_range(&self.key, offset, len_bytes).await {
            Ok(Some(bytes)) if bytes.len() as u64 == len_bytes => Ok(bytes),
            Ok(Some(_)) => Err(shorter()),
            Ok(None) => Err(self.missing()),
            // R2 refuses a range that begins past the object's end.
            Err(error) => match self.bucket.head(&self.key).await? {
                Some(info) if info.size_bytes < self.size_bytes => Err(shorter()),
                _ => Err(error),
            },
        }
    }
}
