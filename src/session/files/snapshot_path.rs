//! Paths in a snapshot. Symlinks are followed inside the archive only.

use crate::domain::{Error, ErrorCode, Next, Result};
use crate::ports::sandbox::FileType;
use crate::ports::sandbox::files::shown;
use crate::session::parts::OpenSnapshot;
use crate::squashfs::{Node, NodeKind};
use std::collections::VecDeque;

/// Symlinks that one path may lead through, as in Linux.
const SYMLINKS_MAX: usize = 40;

/// A node, and its path from the snapshot's root.
pub(crate) struct Found {
    pub path: Vec<u8>,
    pub node: Node,
}

impl OpenSnapshot {
    /// Finds a caller's path. A symlink at its end is followed.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` for a path or link that leads outside.
    pub(crate) async fn find(&self, named: &str) -> Result<Found> {
        self.walk_to(named, true).await
    }

    /// As [`Self::find`], but finds a symlink at the end of the path itself.
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
        // The directories on the way, from the root on.
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

    /// The part of an absolute path below the snapshot's root.
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
    /// Its path as text.
    pub(crate) fn shown(&self) -> String {
        shown(&self.path).0
    }

    /// The path of something below it, from the snapshot's root.
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
