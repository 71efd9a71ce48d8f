//! Open the archives of a snapshot that the caller may reach: its own, and those that it
//! is a layer on.

use crate::domain::limits::TAR_WORK_MAX_BYTES;
use crate::domain::snapshot::backup::archive_key;
use crate::domain::snapshot::chain::{Chain, Part};
use crate::domain::snapshot::gone;
use crate::domain::{
    AbsolutePath, BackupId, Error, ErrorCode, Result, SnapshotKind, SnapshotSelector,
};
use crate::ports::{Bucket, Ranges};
use crate::session::parts::snapshots::locate::check_unexpired;
use crate::session::parts::snapshots::sdk::{SdkBackup, not_imported};
use crate::session::parts::snapshots::source::{Found, Stored};
use crate::session::parts::snapshots::tree::FileTree;
use crate::session::parts::{Context, LoadedSession, Sources};
use crate::squashfs::{ArchiveSource, LayeredTree};
use crate::support::budget::Held;
use crate::tar_zst::{TarSource, TarTree, Work};
use async_trait::async_trait;
use std::rc::Rc;

/// How long the upload of a backup of Sandbox SDK 1.0 may have taken, in milliseconds. The
/// bucket says only when it ended, and files that changed since it began are compared whole.
const SDK_UPLOAD_MAX_MS: i64 = 60 * 60 * 1_000;

/// Opens archives of snapshots.
pub struct Archives {
    context: Rc<Context>,
    sources: Rc<Sources>,
}

/// Room for what one call reads of archives.
pub(crate) type ArchiveRoom = Rc<Room>;

/// Memory that is held for a call, and what it may still decompress.
pub(crate) struct Room {
    _held: Held,
    work: Work,
}

/// A snapshot whose archives are open, and room for what a call reads of them.
pub(crate) struct OpenSnapshot {
    pub id: BackupId,
    pub tree: FileTree,
    /// The directory that its files were in.
    pub dir: AbsolutePath,
    /// When the archive was begun, or a little earlier.
    pub created_at_ms: i64,
    /// SHA-256 of its archives, in the order in which they are applied. Empty if one of them is not
    /// known.
    pub sums: Vec<String>,
    _room: ArchiveRoom,
}

impl OpenSnapshot {
    /// How many archives, from the full one on, this snapshot and one with `sums` have in common.
    /// Equal nodes in these archives are the same file.
    pub(crate) fn shared_archives(&self, sums: &[String]) -> usize {
        self.sums.iter().zip(sums).take_while(|(one, other)| one == other).count()
    }
}

impl Archives {
    pub(crate) fn new(context: Rc<Context>, sources: Rc<Sources>) -> Self {
        Self { context, sources }
    }

    /// Waits until there is room for one call, which may open several archives in it.
    ///
    /// # Errors
    /// `RATE_LIMITED` while other calls read too much.
    pub(crate) async fn room(&self) -> Result<ArchiveRoom> {
        let ports = &self.context.ports;
        let held = ports.archives.hold(ports.clock.as_ref()).await?;
        Ok(Rc::new(Room { _held: held, work: Work::new(TAR_WORK_MAX_BYTES) }))
    }

    /// Opens the snapshot that `selector` names, also one that another session has published.
    ///
    /// # Errors
    /// As a restore of the snapshot; `INTEGRITY`; `UNSUPPORTED`.
    pub(crate) async fn open(
        &self,
        room: &ArchiveRoom,
        loaded: &LoadedSession,
        operation: &str,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
    ) -> Result<OpenSnapshot> {
        loaded.require_snapshots()?;
        match self.sources.find(loaded, operation, selector, allow_cross_session).await? {
            Found::Sdk(backup) => self.open_sdk_backup(room, loaded, selector, backup).await,
            found => self.open_stored(room, self.restorable(loaded, found)?).await,
        }
    }

    /// Opens a snapshot that was found, expired or not.
    ///
    /// # Errors
    /// `SNAPSHOT_GONE`; `INTEGRITY`; `UNSUPPORTED`.
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
        let (id, tree) = (handle.id, FileTree::Squashed(tree));
        Ok(OpenSnapshot { id, tree, dir, created_at_ms, sums, _room: room.clone() })
    }

    /// Opens what files of this session descend from, expired or not: a snapshot, or the backup of
    /// Sandbox SDK 1.0 that the session was opened from, which its first use imports.
    ///
    /// # Errors
    /// As [`Self::open_stored`].
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
        let binding = &loaded.config.backup_binding;
        match self.context.find_sdk_backup(binding, from, id).await? {
            Some(backup) => self.open_sdk_backup(room, loaded, from, backup).await,
            None => Err(gone),
        }
    }

    /// Opens a head if it has archives in common with `base`.
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

    /// Opens a backup of Sandbox SDK 1.0: decompresses it, unless that was done lately.
    async fn open_sdk_backup(
        &self,
        room: &ArchiveRoom,
        loaded: &LoadedSession,
        selector: &SnapshotSelector,
        SdkBackup { id, info }: SdkBackup,
    ) -> Result<OpenSnapshot> {
        let ports = &self.context.ports;
        let binding = &loaded.config.backup_binding;
        let dir = match selector {
            SnapshotSelector::Ref(named) => &named.payload.backup.dir,
            _ => &loaded.config.snapshot_dir,
        };
        let dir = AbsolutePath::parse("dir", dir.as_str())?;
        let key = self.context.sdk_key(&id);
        let source = TarSource {
            key: format!("{binding}/{key}/{}", info.etag),
            name: format!("backup {id}"),
            ranges: Rc::new(StoredArchive {
                bucket: ports.buckets.open(binding)?,
                key,
                id: id.clone(),
                of: id.clone(),
                size_bytes: info.size_bytes,
            }),
        };
        let (memory, work) = (ports.archives.tars(), room.work.clone());
        let tree = TarTree::open(source, memory, ports.clock.clone(), work).await?;
        let created_at_ms = info.uploaded_at_ms.saturating_sub(SDK_UPLOAD_MAX_MS);
        let tree = FileTree::Tar(tree);
        let sums = Vec::new();
        Ok(OpenSnapshot { id, tree, dir, created_at_ms, sums, _room: room.clone() })
    }

    /// Finds the snapshot that `selector` names, if it can be restored now.
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

/// The archives of a snapshot, in the order in which they are applied.
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

/// The archives of a chain, in the order in which they are applied, for the snapshot `of`.
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

/// An archive of the snapshot `id`, which is read for the snapshot `of`. Blocks in memory are
/// those of the same `version`.
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

/// An archive of the snapshot `of`.
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
