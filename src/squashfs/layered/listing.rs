//! Listings of directories that have parts in several archives.

use crate::domain::error::Result;
use crate::squashfs::directory::{Listing, Name};
use crate::squashfs::inode::DirectoryPlace;
use crate::squashfs::layered::LayeredTree;
use crate::squashfs::metadata::Position;

/// Reads the names of a directory in order, from all archives at once.
#[derive(Default)]
pub(super) struct MergedListing {
    /// The parts, the topmost first.
    parts: Vec<Part>,
}

/// An archive's part of a directory.
struct Part {
    layer: usize,
    inode: Position,
    listing: Listing,
    /// The next name, if it was read but not yet returned.
    next: Option<Name>,
}

impl Part {
    fn new(place: &DirectoryPlace, listing: Listing) -> Self {
        Self { layer: place.layer, inode: place.inode, listing, next: None }
    }

    fn is_same(&self, other: &Self) -> bool {
        (self.layer, self.inode) == (other.layer, other.inode)
    }
}

impl MergedListing {
    pub(super) fn new(places: &[DirectoryPlace]) -> Self {
        let parts = places.iter().map(|place| Part::new(place, Listing::new(place)));
        Self { parts: parts.collect() }
    }

    /// The listing after `name`, and the entries at that name in all archives, the topmost first.
    pub(super) async fn after(
        tree: &LayeredTree,
        places: &[DirectoryPlace],
        name: &[u8],
    ) -> Result<(Self, Vec<Name>)> {
        let (mut parts, mut names) = (Vec::new(), Vec::new());
        for place in places {
            let archive = tree.archive(place.layer)?;
            let mut listing = archive.named(archive.listing_near(place, name).await)?;
            names.extend(archive.named(listing.pass(archive, name).await)?);
            parts.push(Part::new(place, listing));
        }
        Ok((Self { parts }, names))
    }

    /// The entries at the next name in all archives, the topmost first.
    pub(super) async fn next(&mut self, tree: &LayeredTree) -> Result<Option<Vec<Name>>> {
        for part in &mut self.parts {
            if part.next.is_none() {
                let archive = tree.archive(part.layer)?;
                part.next = archive.named(part.listing.next(archive).await)?;
            }
        }
        let names = self.parts.iter().filter_map(|part| part.next.as_ref());
        let Some(first) = names.map(|name| &name.name).min().cloned() else { return Ok(None) };
        let parts = self.parts.iter_mut();
        Ok(Some(parts.filter_map(|part| part.next.take_if(|name| name.name == first)).collect()))
    }

    pub(super) fn release(&mut self) {
        for part in &mut self.parts {
            part.listing.release();
        }
    }

    /// Number of archives that have a part of the directory.
    pub(super) fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// Whether both have the part of some archive in common.
    pub(super) fn shares_part(&self, other: &Self) -> bool {
        self.parts.iter().any(|part| other.parts.iter().any(|other| part.is_same(other)))
    }
}
