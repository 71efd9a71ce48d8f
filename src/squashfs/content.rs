//! Reads contents of files.

use crate::domain::error::{Error, Result};
use crate::domain::limits::ARCHIVE_BLOCKS_SCANNED_MAX;
use crate::squashfs::archive::{Archive, Scan};
use crate::squashfs::damage::{damaged, unsupported};
use crate::squashfs::image::StoredSize;
use crate::squashfs::inode::{FilePlace, Node, Place};
use crate::squashfs::metadata::{Cursor, Fields};
use crate::squashfs::table::Table;

impl Archive {
    /// Reads `len_bytes` of a file from `offset` on, or fewer at the file's end. Reads the blocks
    /// with these bytes in one piece. `UNSUPPORTED` for bytes too far from the file's beginning.
    pub(super) async fn read(&self, file: &Node, offset: u64, len_bytes: u64) -> Result<Vec<u8>> {
        let Place::File(place) = &file.place else {
            return Err(Error::invalid("path", "is not a file"));
        };
        let end = place.size_bytes.min(offset.saturating_add(len_bytes));
        if offset >= end {
            return Ok(Vec::new());
        }
        let block_bytes = u64::from(self.superblock.block_bytes);
        let first = offset / block_bytes;
        let blocks = self.block_count(place);
        let mut bytes =
            self.read_blocks(place, first..blocks.min((end - 1) / block_bytes + 1)).await?;
        if end > blocks * block_bytes {
            let fragment =
                place.fragment.ok_or_else(|| damaged("a file's last block is missing"))?;
            bytes.extend(self.fragment(fragment, place.size_bytes % block_bytes).await?);
        }
        let start = first * block_bytes;
        let range = usize::try_from(offset - start).ok().zip(usize::try_from(end - start).ok());
        let (from, to) = range.ok_or_else(|| damaged("a file is too large"))?;
        bytes.truncate(to);
        bytes.drain(..from.min(bytes.len()));
        Ok(bytes)
    }

    /// The number of a file's own blocks. The file's end may be in a fragment instead.
    fn block_count(&self, place: &FilePlace) -> u64 {
        let block_bytes = u64::from(self.superblock.block_bytes);
        match place.fragment {
            Some(_) => place.size_bytes / block_bytes,
            None => place.size_bytes.div_ceil(block_bytes),
        }
    }

    async fn read_blocks(
        &self,
        place: &FilePlace,
        blocks: std::ops::Range<u64>,
    ) -> Result<Vec<u8>> {
        if blocks.is_empty() {
            return Ok(Vec::new());
        }
        if blocks.end > ARCHIVE_BLOCKS_SCANNED_MAX {
            return Err(unsupported(format!(
                "the bytes lie beyond the file's first {ARCHIVE_BLOCKS_SCANNED_MAX} blocks"
            )));
        }
        // Without this, a file that is read in order would be scanned from its beginning each time.
        let file = (place.start, place.sizes);
        let begun = self.last_scan.get();
        let begun = begun.filter(|scan| scan.file == file && scan.block <= blocks.start);
        let (from, mut at, size) =
            begun.map_or((0, place.start, place.sizes), |scan| (scan.block, scan.at, scan.size));
        let mut cursor = Cursor::new(size);
        let mut sizes = Vec::new();
        for block in from..blocks.end {
            if block == blocks.start {
                self.last_scan.set(Some(Scan { file, block, at, size: cursor.position() }));
            }
            let field = u32::from_le_bytes(cursor.take(&self.image).await?);
            let size = self.image.stored_size(field)?;
            if block < blocks.start {
                at = at.saturating_add(size.len_bytes as u64);
            } else {
                sizes.push(size);
            }
        }
        let stored_bytes = sizes.iter().map(|size| size.len_bytes).sum();
        let stored = self.image.bytes(at, stored_bytes).await?;
        self.decompress(place, blocks.start, &sizes, &stored)
    }

    /// Decompresses adjacent blocks of a file. `first` is the number of the first one.
    fn decompress(
        &self,
        place: &FilePlace,
        first: u64,
        sizes: &[StoredSize],
        mut stored: &[u8],
    ) -> Result<Vec<u8>> {
        let block_bytes = u64::from(self.superblock.block_bytes);
        let mut bytes = Vec::new();
        for (number, size) in (first..).zip(sizes) {
            let wanted = block_bytes.min(place.size_bytes - number * block_bytes) as usize;
            let (block, rest) = stored
                .split_at_checked(size.len_bytes)
                .ok_or_else(|| damaged("it is shorter than it was"))?;
            stored = rest;
            if block.is_empty() {
                bytes.resize(bytes.len() + wanted, 0);
                continue;
            }
            let block = self.image.data(block, *size)?;
            if block.len() != wanted {
                let text = format!("a file's block has {} of {wanted} bytes", block.len());
                return Err(damaged(text));
            }
            bytes.extend(block);
        }
        Ok(bytes)
    }

    async fn fragment(&self, (index, offset): (u32, u32), len_bytes: u64) -> Result<Vec<u8>> {
        let Self { superblock, image, .. } = self;
        let table = Table {
            name: "fragment",
            pointers: superblock.fragment_table,
            count: superblock.fragments.into(),
        };
        let record: [u8; 16] = table.record(image, index.into()).await?;
        let mut fields = Fields::new(&record);
        let (at, size) = (fields.u64()?, image.stored_size(fields.u32()?)?);
        let block = image.fragment(at, size).await?;
        let from = offset as usize;
        usize::try_from(len_bytes)
            .ok()
            .and_then(|len_bytes| block.bytes.get(from..from.checked_add(len_bytes)?))
            .map(<[u8]>::to_vec)
            .ok_or_else(|| damaged(format!("fragment {index} is shorter than a file's end in it")))
    }
}
