//! A position in a stream of metadata blocks, and a reader of fields.

use crate::domain::error::Result;
use crate::squashfs::cache::Block;
use crate::squashfs::damage::damaged;
use crate::squashfs::image::{Image, METADATA_BLOCK_BYTES};
use std::rc::Rc;

/// The beginning of a metadata block, and an offset in the decompressed block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub block: u64,
    pub offset: usize,
}

impl Position {
    /// A position in the table that begins at `table`.
    pub(super) fn new(table: u64, block: u64, offset: u64) -> Result<Self> {
        let block = table.checked_add(block).ok_or_else(outside)?;
        match usize::try_from(offset) {
            Ok(offset) if offset < METADATA_BLOCK_BYTES => Ok(Self { block, offset }),
            _ => Err(outside()),
        }
    }

    /// A position from a reference: 48 bits for the block, 16 for the offset.
    pub(super) fn of_reference(table: u64, reference: u64) -> Result<Self> {
        Self::new(table, reference >> 16, reference & 0xFFFF)
    }
}

fn outside() -> crate::domain::error::Error {
    damaged("a reference leads outside of it")
}

#[derive(Debug, Clone)]
pub(super) struct Cursor {
    at: Position,
    block: Option<Rc<Block>>,
}

impl Cursor {
    pub(super) fn new(at: Position) -> Self {
        Self { at, block: None }
    }

    pub(super) fn position(&self) -> Position {
        self.at
    }

    /// Drops the current block. Reading loads it again.
    pub(super) fn release(&mut self) {
        self.block = None;
    }

    pub(super) async fn take<const N: usize>(&mut self, image: &Image) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(image, &mut bytes).await?;
        Ok(bytes)
    }

    pub(super) async fn take_vec(&mut self, image: &Image, len_bytes: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; len_bytes];
        self.fill(image, &mut bytes).await?;
        Ok(bytes)
    }

    async fn fill(&mut self, image: &Image, mut out: &mut [u8]) -> Result<()> {
        while !out.is_empty() {
            let block = match &self.block {
                Some(block) => block.clone(),
                None => image.metadata(self.at.block).await?,
            };
            let rest = block.bytes.get(self.at.offset..).unwrap_or_default();
            if rest.is_empty() {
                self.enter_next(&block)?;
                continue;
            }
            let len_bytes = rest.len().min(out.len());
            let (now, later) = out.split_at_mut(len_bytes);
            now.copy_from_slice(rest.get(..len_bytes).unwrap_or_default());
            out = later;
            self.at.offset += len_bytes;
            self.block = Some(block);
        }
        Ok(())
    }

    fn enter_next(&mut self, block: &Block) -> Result<()> {
        if block.bytes.len() != METADATA_BLOCK_BYTES || self.at.offset != METADATA_BLOCK_BYTES {
            return Err(damaged(format!("its metadata ends at byte {}", block.next)));
        }
        self.at = Position { block: block.next, offset: 0 };
        self.block = None;
        Ok(())
    }
}

/// Little-endian fields of a record.
pub(super) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (field, rest) =
            self.0.split_first_chunk().ok_or_else(|| damaged("a record is cut short"))?;
        self.0 = rest;
        Ok(*field)
    }

    pub(super) fn u16(&mut self) -> Result<u16> {
        self.take().map(u16::from_le_bytes)
    }

    pub(super) fn i16(&mut self) -> Result<i16> {
        self.take().map(i16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        self.take().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64> {
        self.take().map(u64::from_le_bytes)
    }
}
