//! A tree of one full archive with layers on it, read as if it were one archive.
//!
//! A layer's entry replaces the path in the archives below. Only a directory over a directory is
//! merged: it has the children of both, and the attributes of the upper one. A character device 0:0
//! in a layer is a whiteout, as in overlayfs, and removes the path, if there is one.
//!
//! `trusted.overlay.opaque` is ignored: it is an attribute that the directory has in the workspace,
//! where it may belong to a user's overlay. A layer has a whiteout for each removed child instead.

mod listing;
pub(super) mod walk;

use crate::domain::error::{Error, Result};
use crate::domain::limits::ARCHIVES_OPENED_AT_ONCE;
use crate::squashfs::archive::{Archive, ArchiveSource};
use crate::squashfs::cache::Cache;
use crate::squashfs::directory::{Entry, Name};
use crate::squashfs::inode::{Node, Place};
use crate::squashfs::layered::listing::MergedListing;
use crate::squashfs::xattr::Xattr;
use futures::{StreamExt, TryStreamExt, stream};
use std::rc::Rc;

/// The tree of one full archive and the layers on it.
pub struct LayeredTree {
    /// The archives, in the order in which they are applied.
    archives: Vec<Archive>,
    root: Node,
}

impl LayeredTree {
    /// Opens the archives of a tree: the full archive first, then the layers in order.
    ///
    /// # Errors
    /// `INTEGRITY` for a damaged archive, `UNSUPPORTED` for its compressor or version.
    pub async fn open(sources: Vec<ArchiveSource>, cache: &Rc<Cache>) -> Result<Self> {
        let opening = sources.into_iter().enumerate().map(async |(layer, source)| {
            let archive = Archive::open(source, layer, cache.clone()).await?;
            let root = archive.named(archive.root().await)?;
            Ok::<_, Error>((archive, root))
        });
        let opened: Vec<(Archive, Node)> =
            stream::iter(opening).buffered(ARCHIVES_OPENED_AT_ONCE).try_collect().await?;
        let (archives, roots): (Vec<Archive>, Vec<Node>) = opened.into_iter().unzip();
        let mut roots = roots.into_iter().rev();
        let mut root = roots.next().ok_or_else(|| Error::internal("a tree needs an archive"))?;
        if let Place::Directory(places) = &mut root.place {
            for Node { place, .. } in roots {
                if let Place::Directory(below) = place {
                    places.extend(below);
                }
            }
        }
        Ok(Self { archives, root })
    }

    /// The root directory.
    #[must_use]
    pub const fn root(&self) -> &Node {
        &self.root
    }

    /// Finds a path relative to the root, with `/` between names. Does not follow symlinks.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for `..`.
    pub async fn find(&self, path: &[u8]) -> Result<Option<Node>> {
        let mut node = self.root.clone();
        for name in path.split(|byte| *byte == b'/') {
            match name {
                b"" | b"." => continue,
                b".." => return Err(Error::invalid("path", "must not contain ..")),
                _ => {}
            }
            let Some(child) = self.child(&node, name).await? else { return Ok(None) };
            node = child;
        }
        Ok(Some(node))
    }

    /// Finds a name in a directory. None for any other node.
    pub async fn child(&self, dir: &Node, wanted: &[u8]) -> Result<Option<Node>> {
        let (_, names) = self.listing_after(dir, wanted).await?;
        Ok(self.entry(names).await?.map(|entry| entry.node))
    }

    /// Lists at most `limit` entries of a directory after the name `after`, in byte order. Does not
    /// read a long directory from its beginning.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if it is not a directory.
    pub async fn entries(
        &self,
        dir: &Node,
        after: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<Entry>> {
        if !matches!(dir.place, Place::Directory(_)) {
            return Err(Error::invalid("path", "is not a directory"));
        }
        let (mut listing, _) = self.listing_after(dir, after.unwrap_or_default()).await?;
        let mut entries = Vec::new();
        while entries.len() < limit
            && let Some(names) = listing.next(self).await?
        {
            entries.extend(self.entry(names).await?);
        }
        Ok(entries)
    }

    /// Reads `len_bytes` of a file from `offset` on, or fewer at the file's end.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if it is not a file, `UNSUPPORTED` for bytes too far from its beginning.
    pub async fn read(&self, file: &Node, offset: u64, len_bytes: u64) -> Result<Vec<u8>> {
        let archive = self.archive(file.layer)?;
        archive.named(archive.read(file, offset, len_bytes).await)
    }

    /// Reads a node's extended attributes, in their stored order.
    pub async fn xattrs(&self, node: &Node) -> Result<Vec<Xattr>> {
        let archive = self.archive(node.layer)?;
        archive.named(archive.xattrs(node).await)
    }

    /// The tree's entry at a name, from the entries of all archives, the topmost first. None if it
    /// is removed.
    async fn entry(&self, names: Vec<Name>) -> Result<Option<Entry>> {
        let mut names = names.into_iter();
        let Some(name) = names.next() else { return Ok(None) };
        let mut top = self.entry_of(name).await?;
        if top.node.is_whiteout() {
            return Ok(None);
        }
        if let Place::Directory(places) = &mut top.node.place {
            for name in names {
                match self.entry_of(name).await?.node.place {
                    Place::Directory(below) => places.extend(below),
                    // This entry hides the archives below it, also from a directory above.
                    _ => break,
                }
            }
        }
        Ok(Some(top))
    }

    async fn entry_of(&self, name: Name) -> Result<Entry> {
        let archive = self.archive(name.layer)?;
        archive.named(archive.entry(name).await)
    }

    /// The listing of a directory after a name, and the entries of all archives at that name.
    async fn listing_after(&self, dir: &Node, name: &[u8]) -> Result<(MergedListing, Vec<Name>)> {
        match &dir.place {
            Place::Directory(places) => MergedListing::after(self, places, name).await,
            _ => Ok((MergedListing::default(), Vec::new())),
        }
    }

    fn inode_count(&self) -> u64 {
        self.archives.iter().map(|archive| u64::from(archive.superblock.inodes)).sum()
    }

    fn archive(&self, layer: usize) -> Result<&Archive> {
        let archive = self.archives.get(layer);
        archive.ok_or_else(|| Error::internal("a node is of another tree"))
    }
}
