//! Look into snapshots: their archives are read in the bucket, without a container.

use crate::domain::time::rfc3339;
use crate::domain::{Cursor, Error, ErrorCode, Next, Result, SnapshotSelector};
use crate::ports::sandbox::files::shown;
use crate::ports::sandbox::{FileStat, FileType};
use crate::session::Session;
use crate::session::files::{Seen, StatView, root_path};
use crate::session::parts::{Archives, Context, OpenSnapshot};
use crate::squashfs::{Node, NodeKind};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

parts!(SnapshotFiles { context: Context, archives: Archives });

impl SnapshotFiles<'_> {
    pub(super) async fn open(
        &self,
        operation: &'static str,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
    ) -> Result<OpenSnapshot> {
        let loaded = self.context.load()?;
        let room = self.archives.room().await?;
        self.archives.open(&room, &loaded, operation, selector, allow_cross_session).await
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TreeCursor {
    /// The entry's path, below the directory that is listed.
    pub path: Vec<u8>,
    /// The last line shown of the file. None: all of it has been searched.
    pub line: Option<u64>,
}

impl TreeCursor {
    pub(crate) fn encode(self) -> Result<String> {
        Cursor::Tree { after: BASE64.encode(self.path), line: self.line }.encode()
    }

    pub(crate) fn decode(text: &str) -> Result<Self> {
        let foreign = || Error::invalid("cursor", "belongs to another list");
        match Cursor::decode(text)? {
            Cursor::Tree { after, line } => {
                Ok(Self { path: BASE64.decode(after).map_err(|_error| foreign())?, line })
            }
            _ => Err(foreign()),
        }
    }
}

/// Symlinks that one path may lead through, as in Linux.
const SYMLINKS_MAX: usize = 40;

pub(crate) struct Found {
    pub path: Vec<u8>,
    pub node: Node,
}

impl OpenSnapshot {
    /// Finds a caller's path, unless it leads outside. A symlink at its end is followed.
    pub(crate) async fn find(&self, named: &str) -> Result<Found> {
        self.walk_to(named, true).await
    }

    /// As [`Self::find`], but does not follow a symlink at the end.
    pub(crate) async fn find_itself(&self, named: &str) -> Result<Found> {
        self.walk_to(named, false).await
    }

    async fn walk_to(&self, named: &str, follow_last: bool) -> Result<Found> {
        let outside = || {
            Error::invalid(
                "path",
                format!("{named} leads outside the snapshot's root {}", self.dir),
            )
        };
        let resolved = self.dir.resolve("path", named)?;
        let mut names = split(self.below_root(resolved.as_str().as_bytes()).ok_or_else(outside)?);
        let mut links = 0;
        let mut trail = vec![Found { path: Vec::new(), node: self.tree.root().clone() }];
        while let Some(name) = names.pop_front() {
            if name == b".." {
                trail.pop();
            }
            let Some(dir) = trail.last() else { return Err(outside()) };
            if name == b".." {
                continue;
            }
            let found = self.tree.child(&dir.node, &name).await?;
            let Some(node) = found else {
                return Err(Error::new(
                    ErrorCode::NotFound,
                    format!("{named} does not exist in this snapshot"),
                )
                .with_hint(Next::ListDirectoryAbove));
            };
            let separator: &[u8] = if dir.path.is_empty() { b"" } else { b"/" };
            let path = [dir.path.as_slice(), separator, &name].concat();
            let NodeKind::Symlink { target } = &node.kind else {
                trail.push(Found { path, node });
                continue;
            };
            if names.is_empty() && !follow_last {
                return Ok(Found { path, node });
            }
            links += 1;
            if links > SYMLINKS_MAX {
                return Err(Error::invalid(
                    "path",
                    format!("{named} leads through too many links"),
                ));
            }
            if target.starts_with(b"/") {
                trail.truncate(1);
                let below = self.below_root(target).ok_or_else(outside)?;
                names = split(below).into_iter().chain(names).collect();
            } else {
                names = split(target).into_iter().chain(names).collect();
            }
        }
        trail.pop().ok_or_else(outside)
    }

    fn below_root<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        let rest = path.strip_prefix(self.dir.as_str().as_bytes())?;
        (rest.is_empty() || rest.starts_with(b"/")).then_some(rest)
    }
}

fn split(path: &[u8]) -> VecDeque<Vec<u8>> {
    path.split(|byte| *byte == b'/')
        .filter(|name| !name.is_empty() && *name != b".")
        .map(<[u8]>::to_vec)
        .collect()
}

impl Found {
    pub(crate) fn shown(&self) -> String {
        shown(&self.path).0
    }

    pub(crate) fn below(&self, path: &[u8]) -> Vec<u8> {
        if self.path.is_empty() || path.is_empty() {
            return [self.path.as_slice(), path].concat();
        }
        [&self.path, b"/".as_slice(), path].concat()
    }
}

pub(crate) fn file_type(node: &Node) -> FileType {
    match node.kind {
        NodeKind::File { .. } => FileType::File,
        NodeKind::Directory => FileType::Directory,
        NodeKind::Symlink { .. } => FileType::Symlink,
        _ => FileType::Other,
    }
}

/// Size of a file, or of a symlink's target; otherwise 0.
pub(crate) fn size_bytes(node: &Node) -> u64 {
    match &node.kind {
        NodeKind::File { size_bytes } => *size_bytes,
        NodeKind::Symlink { target } => target.len() as u64,
        _ => 0,
    }
}

/// A path in a snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SnapshotPath {
    /// The snapshot: its ref, its id, or its name in this session.
    pub r#ref: SnapshotSelector,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    pub allow_cross_session: bool,
    /// Path under the snapshot's root. Default: the root.
    #[serde(default = "root_path")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
}

impl Session {
    /// Reads what a path of a snapshot is. Does not follow a symlink. Starts no container.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT`; the errors of a restore.
    pub async fn stat_snapshot_file(&self, request: SnapshotPath) -> Result<StatView> {
        Ok(SnapshotFiles::from(self).stat(request).await?.answer)
    }
}

impl SnapshotFiles<'_> {
    pub(crate) async fn stat(&self, request: SnapshotPath) -> Result<Seen<StatView>> {
        let SnapshotPath { r#ref, allow_cross_session, path } = request;
        let snapshot = self.open("statFile", &r#ref, allow_cross_session).await?;
        let found = snapshot.find_itself(&path).await?;
        let path = if found.path.is_empty() {
            snapshot.dir.to_string()
        } else {
            format!("{}/{}", snapshot.dir, found.shown())
        };
        let view = StatView { path, stat: stat_of(&found.node) };
        Ok(Seen::archived(snapshot.id.clone(), view))
    }
}

fn stat_of(node: &Node) -> FileStat {
    let (target, target_base64) = match &node.kind {
        NodeKind::Symlink { target } => {
            let (target, base64) = shown(target);
            (Some(target), base64)
        }
        _ => (None, None),
    };
    FileStat {
        r#type: file_type(node),
        size_bytes: size_bytes(node),
        modified_at: modified_at(node),
        mode: mode(node),
        uid: node.uid,
        gid: node.gid,
        target,
        target_base64,
    }
}

/// An archive keeps whole seconds.
pub(crate) fn modified_at(node: &Node) -> String {
    rfc3339(i64::from(node.modified_at_secs) * 1_000)
}

pub(crate) fn mode(node: &Node) -> String {
    format!("{:o}", node.mode)
}
