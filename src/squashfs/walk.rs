//! Walks a tree.

use crate::domain::error::Result;
use crate::domain::limits::PATH_MAX_BYTES;
use crate::squashfs::archive::Archive;
use crate::squashfs::damage::{damaged, unsupported};
use crate::squashfs::directory::{Entry, Listing};
use crate::squashfs::inode::{Node, Place};
use crate::squashfs::metadata::Position;

/// A walk through everything below a directory.
pub struct Walk<'a> {
    archive: &'a Archive,
    /// The directories from the walk's root down to the present one.
    dirs: Vec<Dir>,
    /// The directory that was found last, not yet entered.
    found: Option<Dir>,
    path: Vec<u8>,
    entered: u32,
}

struct Dir {
    listing: Listing,
    /// Where its inode is, unless it is the walk's root.
    at: Option<Position>,
    /// Length of its path.
    path_bytes: usize,
}

impl Archive {
    /// Walks everything below a directory: depth first, each directory before its
    /// entries, entries in byte order of their names.
    #[must_use]
    pub fn walk(&self, dir: &Node) -> Walk<'_> {
        let root = match &dir.place {
            Place::Directory(place) => {
                Some(Dir { listing: Listing::new(place), at: None, path_bytes: 0 })
            }
            _ => None,
        };
        Walk { archive: self, dirs: Vec::new(), found: root, path: Vec::new(), entered: 0 }
    }

    /// The rest of a [`walk`](Self::walk) that has come to `after`, which need not
    /// exist. Long directories are not read from their beginning.
    pub async fn walk_after(&self, dir: &Node, after: &[u8]) -> Result<Walk<'_>> {
        let mut walk = self.walk(dir);
        let mut node = dir.clone();
        for name in after.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
            if walk.found.is_none() {
                break;
            }
            walk.enter()?;
            let Some(dir) = walk.dirs.last_mut() else { break };
            dir.listing = self.listing_near(&node, name).await?;
            let Some(found) = dir.listing.pass(self, name).await? else { break };
            let at = found.at;
            node = self.entry(found).await?.node;
            walk.arrive(name, at, &node)?;
        }
        Ok(walk)
    }
}

impl Walk<'_> {
    /// Finds the next node, with its path relative to the walk's root.
    ///
    /// # Errors
    /// `INTEGRITY` if directories form a loop. `UNSUPPORTED` past the longest path.
    pub async fn next(&mut self) -> Result<Option<(Vec<u8>, Node)>> {
        self.enter()?;
        loop {
            let Some(dir) = self.dirs.last_mut() else { return Ok(None) };
            let Some(name) = dir.listing.next(self.archive).await? else {
                self.dirs.pop();
                continue;
            };
            let at = name.at;
            let Entry { name, node } = self.archive.entry(name).await?;
            self.arrive(&name, at, &node)?;
            return Ok(Some((self.path.clone(), node)));
        }
    }

    /// Takes note of a node of the present directory.
    fn arrive(&mut self, name: &[u8], at: Position, node: &Node) -> Result<()> {
        self.path.truncate(self.dirs.last().map_or(0, |dir| dir.path_bytes));
        if !self.path.is_empty() {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(name);
        if self.path.len() > PATH_MAX_BYTES {
            return Err(unsupported(format!("a path is longer than {PATH_MAX_BYTES} bytes")));
        }
        if let Place::Directory(place) = &node.place {
            let path_bytes = self.path.len();
            self.found = Some(Dir { listing: Listing::new(place), at: Some(at), path_bytes });
        }
        Ok(())
    }

    /// Passes over the directory that [`Walk::next`] found last.
    pub fn skip(&mut self) {
        self.found = None;
    }

    fn enter(&mut self) -> Result<()> {
        let Some(dir) = self.found.take() else { return Ok(()) };
        if self.dirs.iter().any(|above| above.at.is_some() && above.at == dir.at) {
            return Err(damaged("a directory contains itself"));
        }
        // Each directory has one name, so a tree that is entered more often is
        // shaped to keep a walk busy.
        if self.entered > self.archive.superblock.inodes {
            return Err(damaged("it has more directories than inodes"));
        }
        self.entered = self.entered.saturating_add(1);
        if let Some(above) = self.dirs.last_mut() {
            above.listing.release();
        }
        self.dirs.push(dir);
        Ok(())
    }
}
