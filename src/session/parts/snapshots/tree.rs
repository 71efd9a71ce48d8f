//! The files of a snapshot, whatever format its archives have.

use crate::domain::Result;
use crate::domain::files::tar::TarExtras;
use crate::squashfs::{LayeredTree, Node, Walk};
use crate::tar_zst::{TarTree, TarWalk};

/// The files of an archive.
pub(crate) enum FileTree {
    /// A snapshot of ours, or a backup of `@cloudflare/sandbox` 0.12.
    Squashed(LayeredTree),
    /// A backup of Sandbox SDK 1.0.
    Tar(TarTree),
}

/// A walk through everything below a directory.
pub(crate) enum FileWalk<'a> {
    Squashed(Walk<'a>),
    Tar(TarWalk<'a>),
}

impl FileTree {
    pub(crate) const fn root(&self) -> &Node {
        match self {
            Self::Squashed(tree) => tree.root(),
            Self::Tar(tree) => tree.root(),
        }
    }

    /// Finds a path relative to the root. Follows no symlink.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for `..`; those of the archive.
    pub(crate) async fn find(&self, path: &[u8]) -> Result<Option<Node>> {
        match self {
            Self::Squashed(tree) => tree.find(path).await,
            Self::Tar(tree) => tree.find(path),
        }
    }

    /// Finds a name in a directory. A node that is not a directory has no entries.
    pub(crate) async fn child(&self, dir: &Node, name: &[u8]) -> Result<Option<Node>> {
        match self {
            Self::Squashed(tree) => tree.child(dir, name).await,
            Self::Tar(tree) => Ok(tree.child(dir, name)),
        }
    }

    /// Reads `len_bytes` of a file from `offset` on, fewer at its end.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if it is not a file; those of the archive.
    pub(crate) async fn read(&self, file: &Node, offset: u64, len_bytes: u64) -> Result<Vec<u8>> {
        match self {
            Self::Squashed(tree) => tree.read(file, offset, len_bytes).await,
            Self::Tar(tree) => tree.read(file, offset, len_bytes).await,
        }
    }

    /// What a tar archive says of a node besides its mode and time: its owner, and the extended
    /// attributes that snapshots keep. A hostile archive may hold other attributes.
    pub(crate) async fn extras(&self, node: &Node) -> Result<TarExtras> {
        let xattrs = match self {
            Self::Squashed(tree) => tree.xattrs(node).await?,
            Self::Tar(_) => Vec::new(),
        };
        let attributes = xattrs.into_iter().map(|xattr| (xattr.name, xattr.value));
        let attributes = attributes.filter(|(name, _)| {
            (name.starts_with(b"user.") || name == b"security.capability") && !name.contains(&0)
        });
        Ok(TarExtras { owner: (node.uid, node.gid), attributes: attributes.collect() })
    }

    /// Walks everything below a directory: depth first, each directory before its
    /// entries, entries in byte order of their names.
    pub(crate) fn walk(&self, dir: &Node) -> FileWalk<'_> {
        match self {
            Self::Squashed(tree) => FileWalk::Squashed(tree.walk(dir)),
            Self::Tar(tree) => FileWalk::Tar(tree.walk(dir)),
        }
    }

    /// The rest of a walk, after the path `after`, which need not exist. If that is a directory,
    /// its content comes next.
    pub(crate) async fn walk_after(&self, dir: &Node, after: &[u8]) -> Result<FileWalk<'_>> {
        Ok(match self {
            Self::Squashed(tree) => FileWalk::Squashed(tree.walk_after(dir, after).await?),
            Self::Tar(tree) => FileWalk::Tar(tree.walk_after(dir, after)),
        })
    }
}

impl FileWalk<'_> {
    /// Finds the next node, with its path relative to the walk's root.
    pub(crate) async fn next(&mut self) -> Result<Option<(Vec<u8>, Node)>> {
        match self {
            Self::Squashed(walk) => walk.next().await,
            Self::Tar(walk) => Ok(walk.next_found()),
        }
    }

    /// Passes over the directory that was found last.
    pub(crate) fn skip(&mut self) {
        match self {
            Self::Squashed(walk) => walk.skip(),
            Self::Tar(walk) => walk.skip(),
        }
    }
}
