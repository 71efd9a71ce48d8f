//! The bytes and blocks of an archive, read through the cache.

use crate::domain::error::{Error, Result};
use crate::domain::limits::{ARCHIVE_CHUNK_BYTES, ARCHIVE_PIECE_BYTES};
use crate::ports::bucket::ranges::Ranges;
use crate::squashfs::cache::{Block, Cache, Kind};
use crate::squashfs::compression::Compressor;
use crate::squashfs::damage::damaged;
use crate::squashfs::superblock::{SUPERBLOCK_BYTES, Superblock};
use crate::support::fifo_mutex::KeyedMutex;
use std::rc::Rc;

/// Size of a metadata block after decompression. Only the last block of a table is shorter.
pub(super) const METADATA_BLOCK_BYTES: usize = 8192;
const STORED_PLAIN: u16 = 0x8000;
const STORED_PLAIN_DATA: u32 = 0x0100_0000;

pub(super) struct Image {
    ranges: Rc<dyn Ranges>,
    cache: Rc<Cache>,
    key: Rc<str>,
    used_bytes: u64,
    /// The beginning of the tail, which is read in one piece.
    tail_start: u64,
    block_bytes: usize,
    compressor: Compressor,
    /// Locks on the pieces that are being read, by their beginning.
    reading: KeyedMutex<u64>,
}

/// The stored size of a block of data, and whether it is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredSize {
    pub len_bytes: usize,
    compressed: bool,
}

impl Image {
    /// An image whose last `tail_bytes` are read in one piece.
    pub(super) fn new(
        ranges: Rc<dyn Ranges>,
        cache: Rc<Cache>,
        key: &str,
        tail_bytes: u64,
    ) -> Self {
        let used_bytes = ranges.size_bytes();
        let tail_start = used_bytes.saturating_sub(tail_bytes);
        Self {
            ranges,
            cache,
            key: key.into(),
            used_bytes,
            tail_start,
            block_bytes: 0,
            compressor: Compressor::Gzip,
            reading: KeyedMutex::default(),
        }
    }

    pub(super) fn size_bytes(&self) -> u64 {
        self.ranges.size_bytes()
    }

    /// Applies the values of a checked superblock.
    pub(super) fn trust(&mut self, superblock: &Superblock) -> Result<()> {
        self.used_bytes = superblock.bytes_used;
        // In most archives, the metadata comes last. A small archive was read as a whole.
        if self.tail_start > 0 {
            self.tail_start = self.tail_start.max(superblock.inode_table);
        }
        self.block_bytes = usize::try_from(superblock.block_bytes)
            .map_err(|_error| damaged("its block size is not possible"))?;
        self.compressor = superblock.compressor;
        Ok(())
    }

    /// The superblock. For a small archive, this reads the whole archive.
    pub(super) async fn head(&self) -> Result<Vec<u8>> {
        let len_bytes = SUPERBLOCK_BYTES as u64;
        if self.size_bytes() < len_bytes {
            return Err(damaged(format!("it has only {} bytes", self.size_bytes())));
        }
        if self.tail_start == 0 {
            return self.bytes(0, SUPERBLOCK_BYTES).await;
        }
        if let Some(head) = self.cache.get(&self.key, Kind::Head, 0) {
            return Ok(head.bytes.clone());
        }
        let bytes = self.ranges.read(0, len_bytes).await?;
        let block = Block { bytes, next: len_bytes };
        Ok(self.cache.put(&self.key, Kind::Head, 0, block).bytes.clone())
    }

    /// Reads bytes. Uses the cache unless they are many.
    pub(super) async fn bytes(&self, at: u64, len_bytes: usize) -> Result<Vec<u8>> {
        let end = at.checked_add(len_bytes as u64).filter(|end| *end <= self.used_bytes);
        let Some(end) = end else {
            return Err(damaged(format!("it refers to byte {at}, past its end")));
        };
        if len_bytes as u64 > ARCHIVE_CHUNK_BYTES {
            return self.ranges.read(at, len_bytes as u64).await;
        }
        let mut bytes = Vec::with_capacity(len_bytes);
        let mut position = at;
        while position < end {
            let piece = self.piece(position, end).await?;
            let from = position - (piece.next - piece.bytes.len() as u64);
            let to = end.min(piece.next) - position + from;
            let part = usize::try_from(from).ok().zip(usize::try_from(to).ok());
            let part = part.and_then(|(from, to)| piece.bytes.get(from..to));
            bytes.extend_from_slice(part.ok_or_else(cut_short)?);
            position = end.min(piece.next);
        }
        Ok(bytes)
    }

    /// The piece with the byte `at`. If it is not cached, reads it with the pieces after it: up to
    /// `end`, or a whole chunk if the piece before it was read, too, because the caller then reads
    /// in order.
    async fn piece(&self, at: u64, end: u64) -> Result<Rc<Block>> {
        let (start, next) = self.bounds(at);
        let cached = |start| self.cache.get(&self.key, Kind::Raw, start);
        if let Some(piece) = cached(start) {
            return Ok(piece);
        }
        let _reading = self.reading.lock(&start).await;
        if let Some(piece) = cached(start) {
            return Ok(piece);
        }
        let reads_on = start > 0 && cached(self.bounds(start - 1).0).is_some();
        let end = if reads_on { start + ARCHIVE_CHUNK_BYTES } else { end };
        let mut run_end = next;
        while run_end < end.min(self.tail_start) && cached(run_end).is_none() {
            run_end = self.bounds(run_end).1;
        }
        let bytes = self.ranges.read(start, run_end - start).await?;
        if bytes.len() as u64 != run_end - start {
            return Err(cut_short());
        }
        // All pieces except the last have the length of the first piece.
        let mut first = None;
        let mut start = start;
        for bytes in bytes.chunks(usize::try_from(next - start).unwrap_or(usize::MAX)) {
            let next = start + bytes.len() as u64;
            let block = Block { bytes: bytes.to_vec(), next };
            let piece = self.cache.put(&self.key, Kind::Raw, start, block);
            first.get_or_insert(piece);
            start = next;
        }
        first.ok_or_else(cut_short)
    }

    /// The beginning and end of the piece with the byte `at`: the tail, or an aligned piece before
    /// it.
    fn bounds(&self, at: u64) -> (u64, u64) {
        let tail = self.tail_start;
        if at >= tail {
            return (tail, self.size_bytes());
        }
        let start = at - at % ARCHIVE_PIECE_BYTES;
        (start, tail.min(start + ARCHIVE_PIECE_BYTES))
    }

    pub(super) async fn metadata(&self, at: u64) -> Result<Rc<Block>> {
        if let Some(block) = self.cache.get(&self.key, Kind::Metadata, at) {
            return Ok(block);
        }
        let (stored, len_bytes) = self.metadata_header(at).await?;
        let data = self.bytes(at + 2, len_bytes).await?;
        let bytes = if stored & STORED_PLAIN == 0 {
            self.compressor.decompress(&data, METADATA_BLOCK_BYTES)?
        } else {
            data
        };
        if bytes.is_empty() {
            return Err(damaged(format!("the metadata at byte {at} is empty")));
        }
        let next = at + 2 + len_bytes as u64;
        Ok(self.cache.put(&self.key, Kind::Metadata, at, Block { bytes, next }))
    }

    async fn metadata_header(&self, at: u64) -> Result<(u16, usize)> {
        let header = self.bytes(at, 2).await?;
        let stored = header.first_chunk().map_or(0, |bytes| u16::from_le_bytes(*bytes));
        let len_bytes = usize::from(stored & !STORED_PLAIN);
        if !(1..=METADATA_BLOCK_BYTES).contains(&len_bytes) {
            let text = format!("the metadata at byte {at} claims {len_bytes} bytes");
            return Err(damaged(text));
        }
        Ok((stored, len_bytes))
    }

    pub(super) async fn fragment(&self, at: u64, size: StoredSize) -> Result<Rc<Block>> {
        if let Some(block) = self.cache.get(&self.key, Kind::Fragment, at) {
            return Ok(block);
        }
        let stored = self.bytes(at, size.len_bytes).await?;
        let bytes = self.data(&stored, size)?;
        let next = at + size.len_bytes as u64;
        Ok(self.cache.put(&self.key, Kind::Fragment, at, Block { bytes, next }))
    }

    pub(super) fn data(&self, stored: &[u8], size: StoredSize) -> Result<Vec<u8>> {
        if size.compressed {
            self.compressor.decompress(stored, self.block_bytes)
        } else {
            Ok(stored.to_vec())
        }
    }

    pub(super) fn stored_size(&self, field: u32) -> Result<StoredSize> {
        let len_bytes = (field & !STORED_PLAIN_DATA) as usize;
        if len_bytes > self.block_bytes {
            return Err(damaged(format!("a block claims {len_bytes} bytes")));
        }
        Ok(StoredSize { len_bytes, compressed: field & STORED_PLAIN_DATA == 0 })
    }
}

fn cut_short() -> Error {
    damaged("it is shorter than it was")
}
