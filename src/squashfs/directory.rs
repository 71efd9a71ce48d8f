//! Reads listings of directories.

use crate::domain::error::Result;
use crate::squashfs::archive::Archive;
use crate::squashfs::damage::damaged;
use crate::squashfs::image::METADATA_BLOCK_BYTES;
use crate::squashfs::inode::{DirectoryPlace, Node, Place};
use crate::squashfs::metadata::{Cursor, Fields, Position};

const RUN_MAX_ENTRIES: u32 = 256;
const NAME_MAX_BYTES: usize = 256;

/// A name in a directory, and its node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name: any bytes except `/` and NUL.
    pub name: Vec<u8>,
    /// The node with this name.
    pub node: Node,
}

/// A name in an archive's part of a directory, and the position of its inode.
pub(super) struct Name {
    pub layer: usize,
    pub name: Vec<u8>,
    at: Position,
    kind: u16,
    inode: u32,
}

/// Reads the names in an archive's part of a directory, in order.
#[derive(Debug, Clone)]
pub(super) struct Listing {
    cursor: Cursor,
    left_bytes: u32,
    /// The remaining entries of the run under one header. Their inodes are in the same block.
    run: Run,
    last: Vec<u8>,
}

#[derive(Debug, Clone, Default)]
struct Run {
    left: u32,
    block: u32,
    inode: u32,
}

impl Listing {
    pub(super) fn new(place: &DirectoryPlace) -> Self {
        Self {
            cursor: Cursor::new(place.listing),
            left_bytes: place.len_bytes,
            run: Run::default(),
            last: Vec::new(),
        }
    }

    /// Drops data that it can read again.
    pub(super) fn release(&mut self) {
        self.cursor.release();
    }

    pub(super) async fn next(&mut self, archive: &Archive) -> Result<Option<Name>> {
        if self.run.left == 0 {
            if self.left_bytes == 0 {
                return Ok(None);
            }
            let header: [u8; 12] = self.take(archive).await?;
            let mut fields = Fields::new(&header);
            let (before_last, block, inode) = (fields.u32()?, fields.u32()?, fields.u32()?);
            if before_last >= RUN_MAX_ENTRIES {
                return Err(damaged("a directory's header claims too many entries"));
            }
            self.run = Run { left: before_last + 1, block, inode };
        }
        self.run.left -= 1;
        let entry: [u8; 8] = self.take(archive).await?;
        let mut fields = Fields::new(&entry);
        let (offset, delta) = (fields.u16()?, fields.i16()?);
        let (kind, before_last) = (fields.u16()?, fields.u16()?);
        let name = self.take_name(archive, usize::from(before_last) + 1).await?;
        if self.last >= name {
            return Err(damaged("a directory's names are not in order"));
        }
        self.last.clone_from(&name);
        let at =
            Position::new(archive.superblock.inode_table, self.run.block.into(), offset.into());
        let inode = self.run.inode.wrapping_add_signed(delta.into());
        Ok(Some(Name { layer: archive.layer, name, at: at?, kind, inode }))
    }

    /// Reads past all names before `wanted`. Returns `wanted` if it exists.
    pub(super) async fn pass(&mut self, archive: &Archive, wanted: &[u8]) -> Result<Option<Name>> {
        loop {
            let before = self.clone();
            match self.next(archive).await? {
                Some(name) if name.name.as_slice() < wanted => {}
                Some(name) if name.name.as_slice() == wanted => return Ok(Some(name)),
                _ => {
                    *self = before;
                    return Ok(None);
                }
            }
        }
    }

    async fn take<const N: usize>(&mut self, archive: &Archive) -> Result<[u8; N]> {
        self.count(N)?;
        self.cursor.take(&archive.image).await
    }

    async fn take_name(&mut self, archive: &Archive, len_bytes: usize) -> Result<Vec<u8>> {
        if len_bytes > NAME_MAX_BYTES {
            return Err(damaged(format!("a name claims {len_bytes} bytes")));
        }
        self.count(len_bytes)?;
        let name = self.cursor.take_vec(&archive.image, len_bytes).await?;
        if name == b"." || name == b".." || name.iter().any(|byte| matches!(byte, 0 | b'/')) {
            return Err(damaged("a directory has a name that no file can have"));
        }
        Ok(name)
    }

    fn count(&mut self, len_bytes: usize) -> Result<()> {
        self.left_bytes = u32::try_from(len_bytes)
            .ok()
            .and_then(|len_bytes| self.left_bytes.checked_sub(len_bytes))
            .ok_or_else(|| damaged("a directory's entries do not end where it ends"))?;
        Ok(())
    }
}

impl Archive {
    pub(super) async fn root(&self) -> Result<Node> {
        let root = self.node(self.superblock.root).await?;
        match root.place {
            Place::Directory(_) => Ok(root),
            _ => Err(damaged("its root is not a directory")),
        }
    }

    pub(super) async fn entry(&self, name: Name) -> Result<Entry> {
        let node = self.node(name.at).await?;
        if node.inode != name.inode || node.kind_id() != name.kind {
            return Err(damaged(format!("a directory names another inode {}", name.inode)));
        }
        Ok(Entry { name: name.name, node })
    }

    /// The listing of a directory, from some position at or before `name`.
    pub(super) async fn listing_near(
        &self,
        place: &DirectoryPlace,
        name: &[u8],
    ) -> Result<Listing> {
        let mut listing = Listing::new(place);
        let mut index = Cursor::new(place.index);
        for _ in 0..place.index_entries {
            let entry: [u8; 12] = index.take(&self.image).await?;
            let mut fields = Fields::new(&entry);
            let (start, block) = (fields.u32()?, fields.u32()?);
            let len_bytes = fields.u32()? as usize + 1;
            if len_bytes > NAME_MAX_BYTES {
                return Err(damaged(format!("a name claims {len_bytes} bytes")));
            }
            if index.take_vec(&self.image, len_bytes).await?.as_slice() > name {
                break;
            }
            let left_bytes = place.len_bytes.checked_sub(start);
            let offset =
                (place.listing.offset as u64 + u64::from(start)) % METADATA_BLOCK_BYTES as u64;
            let at = Position::new(self.superblock.directory_table, block.into(), offset)?;
            listing = Listing {
                cursor: Cursor::new(at),
                left_bytes: left_bytes
                    .ok_or_else(|| damaged("a directory's index leads past its end"))?,
                run: Run::default(),
                last: Vec::new(),
            };
        }
        Ok(listing)
    }
}
