//! Copy files of a snapshot into a workspace.

use crate::domain::files::tar::{self, TarKind};
use crate::domain::limits::{ARCHIVE_CHUNK_BYTES, ARCHIVE_COPY_PATHS_MAX};
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{Error, Result, SnapshotSelector, WorkspaceRef};
use crate::ports::sandbox::ImportedTar;
use crate::ports::{ByteStream, Bytes};
use crate::session::Session;
use crate::session::files::snapshot::Found;
use crate::session::files::snapshot::SnapshotFiles;
use crate::session::files::{ArchiveRequest, root_path};
use crate::session::parts::{OpenSnapshot, Placed};
use crate::squashfs::{FileId, Node, NodeKind};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

const READ_AT_ONCE: usize = 500;
/// Files with several names that are remembered. Further ones are copied once for each name.
const LINKED_FILES_MAX: usize = 10_000;

/// What to copy from a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CopyFromSnapshot {
    /// The snapshot: its ref, its id, or its name in this session.
    pub r#ref: SnapshotSelector,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    pub allow_cross_session: bool,
    /// Files and directories under the snapshot's root, 1 to 100.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::ARCHIVE_COPY_PATHS_MAX)))]
    pub paths: Vec<String>,
    /// Directory of the workspace that receives them; they keep their paths from the snapshot's
    /// root. Default: the workspace's root.
    #[serde(default = "root_path")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub to: String,
    /// A workspace's id. Default: the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

/// What was copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CopiedFiles {
    /// What was written.
    #[serde(flatten)]
    pub written: ImportedTar,
    /// Sockets, pipes and devices, which are not copied.
    pub skipped: u64,
}

/// Endings that the other files of an SQLite database add to its name.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];
const SQLITE: &[u8] = b"SQLite format 3";

impl Session {
    /// Copies files and directories of a snapshot into a workspace, all or none.
    ///
    /// # Errors
    /// `NOT_FOUND`; `CONFLICT` if a directory and something else have the same name; `FORBIDDEN`.
    pub async fn copy_from_snapshot(
        &self,
        request: CopyFromSnapshot,
    ) -> Result<Placed<CopiedFiles>> {
        self.context.require_open()?.writable()?;
        let CopyFromSnapshot { r#ref, allow_cross_session, paths, to, workspace } = request;
        let tree = SnapshotFiles::from(self).tree(&r#ref, allow_cross_session, &paths).await?;
        let progress = tree.progress.clone();
        let import = self.import_tar(ArchiveRequest { path: to, workspace }, Box::new(tree)).await;
        let progress = progress.take();
        match (import, progress.failure) {
            // The workspace knows only that the stream broke off.
            (Err(_), Some(failure)) => Err(failure),
            (written, _) => {
                let skipped = progress.skipped;
                Ok(written?.map(|written| CopiedFiles { written, skipped }))
            }
        }
    }
}

impl SnapshotFiles<'_> {
    async fn tree(
        &self,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
        paths: &[String],
    ) -> Result<TarOfTree> {
        if !(1..=ARCHIVE_COPY_PATHS_MAX).contains(&paths.len()) {
            let problem = format!("must be 1 to {ARCHIVE_COPY_PATHS_MAX} paths");
            return Err(Error::invalid("paths", problem));
        }
        let snapshot = self.open("copyFromSnapshot", selector, allow_cross_session).await?;
        let mut roots = VecDeque::new();
        for path in paths {
            let found = snapshot.find_itself(path).await?;
            for more in files_of_database(&snapshot, &found).await? {
                if !roots.iter().any(|root: &Found| root.path == more.path) {
                    roots.push_back(more);
                }
            }
            if !roots.iter().any(|root: &Found| root.path == found.path) {
                roots.push_back(found);
            }
        }
        Ok(TarOfTree {
            snapshot,
            roots,
            dir: None,
            found: VecDeque::new(),
            file: None,
            linked: BTreeMap::new(),
            is_ended: false,
            progress: Rc::default(),
        })
    }
}

/// The other files of the SQLite database that a file belongs to: it is incomplete without them.
async fn files_of_database(snapshot: &OpenSnapshot, found: &Found) -> Result<Vec<Found>> {
    let base = COMPANIONS.iter().find_map(|name| found.path.strip_suffix(name.as_bytes()));
    let base = base.unwrap_or(&found.path).to_vec();
    let mut files = Vec::new();
    for name in COMPANIONS.iter().copied().chain([""]) {
        let path = [base.as_slice(), name.as_bytes()].concat();
        if let Some(node) = snapshot.tree.find(&path).await?
            && matches!(node.kind, NodeKind::File { .. })
        {
            files.push(Found { path, node });
        }
    }
    let is_database = match files.last() {
        Some(Found { path, node }) if *path == base && files.len() > 1 => {
            snapshot.tree.read(node, 0, SQLITE.len() as u64).await? == SQLITE
        }
        _ => false,
    };
    Ok(if is_database { files } else { Vec::new() })
}

#[derive(Default)]
struct Progress {
    skipped: u64,
    failure: Option<Error>,
}

struct TarOfTree {
    snapshot: OpenSnapshot,
    roots: VecDeque<Found>,
    /// The directory that is being copied, and the last path that was read in it.
    dir: Option<(Found, Vec<u8>)>,
    found: VecDeque<Found>,
    file: Option<(Node, u64)>,
    linked: BTreeMap<FileId, Vec<u8>>,
    is_ended: bool,
    progress: Rc<RefCell<Progress>>,
}

impl TarOfTree {
    async fn produce(&mut self) -> Result<Option<Vec<u8>>> {
        if let Some((file, at)) = self.file.take() {
            return self.content(file, at).await.map(Some);
        }
        while let Some(found) = self.next_found().await? {
            if let Some(header) = self.header(found).await? {
                return Ok(Some(header));
            }
        }
        let end = (!self.is_ended).then(tar::end);
        self.is_ended = true;
        Ok(end)
    }

    async fn next_found(&mut self) -> Result<Option<Found>> {
        loop {
            if let Some(found) = self.found.pop_front() {
                return Ok(Some(found));
            }
            if let Some((dir, last)) = self.dir.take() {
                self.read_on(dir, last).await?;
                continue;
            }
            let Some(root) = self.roots.pop_front() else { return Ok(None) };
            if matches!(root.node.kind, NodeKind::Directory) {
                let dir = Found { path: root.path.clone(), node: root.node.clone() };
                self.dir = Some((dir, Vec::new()));
            }
            if !root.path.is_empty() {
                return Ok(Some(root));
            }
        }
    }

    async fn read_on(&mut self, dir: Found, last: Vec<u8>) -> Result<()> {
        let mut walk = self.snapshot.tree.walk_after(&dir.node, &last).await?;
        let mut last = None;
        for _ in 0..READ_AT_ONCE {
            let Some((path, node)) = walk.next().await? else {
                last = None;
                break;
            };
            self.found.push_back(Found { path: dir.below(&path), node });
            last = Some(path);
        }
        self.dir = last.map(|last| (dir, last));
        Ok(())
    }

    async fn header(&mut self, Found { path, node }: Found) -> Result<Option<Vec<u8>>> {
        let kind = match &node.kind {
            NodeKind::Directory => TarKind::Directory,
            NodeKind::Symlink { target } => TarKind::Symlink { target },
            NodeKind::File { size_bytes } => match self.linked.get(&node.file_id()) {
                Some(target) => TarKind::HardLink { target },
                None => TarKind::File { size_bytes: *size_bytes },
            },
            _ => {
                self.progress.borrow_mut().skipped += 1;
                return Ok(None);
            }
        };
        // The importing container reports what it does not keep.
        let extras = self.snapshot.extras(&node).await?;
        let time = node.modified_at_secs;
        let header = tar::header_with(&path, kind, node.mode, time, &extras)?;
        if let TarKind::File { size_bytes } = kind {
            if node.links > 1 && self.linked.len() < LINKED_FILES_MAX {
                self.linked.insert(node.file_id(), path);
            }
            if size_bytes > 0 {
                self.file = Some((node, 0));
            }
        }
        Ok(Some(header))
    }

    async fn content(&mut self, file: Node, at: u64) -> Result<Vec<u8>> {
        let NodeKind::File { size_bytes } = file.kind else { return Ok(Vec::new()) };
        let mut bytes = self.snapshot.tree.read(&file, at, ARCHIVE_CHUNK_BYTES).await?;
        let at = at + bytes.len() as u64;
        if at < size_bytes {
            self.file = Some((file, at));
        } else {
            bytes.extend(tar::padding(size_bytes));
        }
        Ok(bytes)
    }
}

#[async_trait(?Send)]
impl ByteStream for TarOfTree {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let next = self.produce().await;
        if let Err(failure) = &next {
            self.progress.borrow_mut().failure = Some(failure.clone());
        }
        next
    }

    async fn cancel(&mut self) {}

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}
