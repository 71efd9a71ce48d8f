//! Walks a tree.

use crate::domain::error::Result;
use crate::domain::limits::{ARCHIVE_WALK_OPEN_MAX, ARCHIVE_WALK_REMOVED_MAX, PATH_MAX_BYTES};
use crate::squashfs::damage::{damaged, unsupported};
use crate::squashfs::directory::Entry;
use crate::squashfs::inode::{Node, Place};
use crate::squashfs::layered::LayeredTree;
use crate::squashfs::layered::listing::MergedListing;

/// A walk through everything below a directory.
pub struct Walk<'a> {
    tree: &'a LayeredTree,
    /// The directories from the walk's root down to the current one.
    dirs: Vec<Dir>,
    /// The directory that was found last, if it has not been entered yet.
    found: Option<Dir>,
    path: Vec<u8>,
    entered: u64,
    /// How many paths of layers were removals.
    removed: usize,
}

struct Dir {
    listing: MergedListing,
    path_bytes: usize,
}

impl Dir {
    /// None if the node is not a directory.
    fn of(node: &Node, path_bytes: usize) -> Option<Self> {
        match &node.place {
            Place::Directory(places) => {
                Some(Self { listing: MergedListing::new(places), path_bytes })
            }
            _ => None,
        }
    }
}

impl LayeredTree {
    /// Walks everything below a directory: depth first, each directory before its entries, entries
    /// in byte order of their names.
    #[must_use]
    pub fn walk(&self, dir: &Node) -> Walk<'_> {
        let (dirs, found) = (Vec::new(), Dir::of(dir, 0));
        Walk { tree: self, dirs, found, path: Vec::new(), entered: 0, removed: 0 }
    }

    /// The rest of a [`walk`](Self::walk) after the path `after`, which need not exist. Does not
    /// read long directories from their beginning.
    pub async fn walk_after(&self, dir: &Node, after: &[u8]) -> Result<Walk<'_>> {
        let mut walk = self.walk(dir);
        let mut node = dir.clone();
        for name in after.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
            if walk.found.is_none() {
                break;
            }
            walk.enter()?;
            let Some(dir) = walk.dirs.last_mut() else { break };
            let (listing, names) = self.listing_after(&node, name).await?;
            dir.listing = listing;
            let Some(entry) = self.entry(names).await? else { break };
            node = entry.node;
            walk.arrive(name, &node)?;
        }
        Ok(walk)
    }
}

impl Walk<'_> {
    /// Finds the next node, with its path relative to the walk's root.
    ///
    /// # Errors
    /// `INTEGRITY` if directories form a loop. `UNSUPPORTED` for a path above the limit.
    pub async fn next(&mut self) -> Result<Option<(Vec<u8>, Node)>> {
        self.enter()?;
        loop {
            let Some(dir) = self.dirs.last_mut() else { return Ok(None) };
            let Some(names) = dir.listing.next(self.tree).await? else {
                self.dirs.pop();
                continue;
            };
            let Some(Entry { name, node }) = self.tree.entry(names).await? else {
                self.removed += 1;
                if self.removed > ARCHIVE_WALK_REMOVED_MAX {
                    let text =
                        format!("its layers remove more than {ARCHIVE_WALK_REMOVED_MAX} paths");
                    return Err(unsupported(text));
                }
                continue;
            };
            self.arrive(&name, &node)?;
            return Ok(Some((self.path.clone(), node)));
        }
    }

    fn arrive(&mut self, name: &[u8], node: &Node) -> Result<()> {
        self.path.truncate(self.dirs.last().map_or(0, |dir| dir.path_bytes));
        if !self.path.is_empty() {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(name);
        if self.path.len() > PATH_MAX_BYTES {
            return Err(unsupported(format!("a path is longer than {PATH_MAX_BYTES} bytes")));
        }
        self.found = Dir::of(node, self.path.len());
        Ok(())
    }

    /// Skips the contents of the directory that [`Walk::next`] found last.
    pub fn skip(&mut self) {
        self.found = None;
    }

    fn enter(&mut self) -> Result<()> {
        let Some(dir) = self.found.take() else { return Ok(()) };
        if self.dirs.iter().any(|above| above.listing.shares_part(&dir.listing)) {
            return Err(damaged("a directory contains itself"));
        }
        // Each directory has only one name. A tree whose directories are entered more often was
        // made to keep a walk busy.
        if self.entered > self.tree.inode_count() {
            return Err(damaged("it has more directories than inodes"));
        }
        self.entered = self.entered.saturating_add(1);
        if let Some(above) = self.dirs.last_mut() {
            above.listing.release();
        }
        self.dirs.push(dir);
        if self.dirs.iter().map(|dir| dir.listing.part_count()).sum::<usize>()
            > ARCHIVE_WALK_OPEN_MAX
        {
            return Err(unsupported("its layers have too many directories in each other"));
        }
        Ok(())
    }
}
