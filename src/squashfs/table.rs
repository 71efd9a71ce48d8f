//! Tables of records of the same size: owners, fragments and sets of extended attributes. A list of
//! pointers leads to metadata blocks full of records.

use crate::domain::error::Result;
use crate::squashfs::damage::damaged;
use crate::squashfs::image::{Image, METADATA_BLOCK_BYTES};

/// A table's list of pointers, and the number of its records.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    pub name: &'static str,
    pub pointers: u64,
    pub count: u64,
}

impl Table {
    pub(super) async fn record<const N: usize>(self, image: &Image, index: u64) -> Result<[u8; N]> {
        let Self { name, pointers, count } = self;
        if index >= count {
            return Err(damaged(format!("it names {name} {index} of {count}")));
        }
        let at = index * N as u64;
        let block_bytes = METADATA_BLOCK_BYTES as u64;
        let pointer = pointers
            .checked_add(at / block_bytes * 8)
            .ok_or_else(|| damaged(format!("its table of {name}s lies outside of it")))?;
        let pointer = image.bytes(pointer, 8).await?;
        let block = pointer.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let block = image.metadata(block).await?;
        usize::try_from(at % block_bytes)
            .ok()
            .and_then(|offset| block.bytes.get(offset..)?.first_chunk().copied())
            .ok_or_else(|| damaged(format!("its table of {name}s is cut short")))
    }
}
