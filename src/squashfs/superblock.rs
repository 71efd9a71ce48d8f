//! The first 96 bytes, with the positions of everything else.

use crate::domain::error::Result;
use crate::squashfs::compression::Compressor;
use crate::squashfs::damage::{damaged, unsupported};
use crate::squashfs::metadata::{Fields, Position};

pub(super) const SUPERBLOCK_BYTES: usize = 96;
const MAGIC: u32 = u32::from_le_bytes(*b"hsqs");
/// The position of a table that the archive lacks.
const ABSENT: u64 = u64::MAX;

/// The beginnings of an archive's parts, as absolute offsets in bytes.
#[derive(Debug, Clone)]
pub(super) struct Superblock {
    pub inodes: u32,
    pub block_bytes: u32,
    pub fragments: u32,
    pub ids: u16,
    pub compressor: Compressor,
    pub root: Position,
    pub bytes_used: u64,
    pub id_table: u64,
    pub xattr_table: Option<u64>,
    pub inode_table: u64,
    pub directory_table: u64,
    pub fragment_table: u64,
}

impl Superblock {
    pub(super) fn parse(bytes: &[u8], size_bytes: u64) -> Result<Self> {
        let mut fields = Fields::new(bytes);
        if fields.u32()? != MAGIC {
            return Err(damaged("it does not begin as a SquashFS archive does"));
        }
        let inodes = fields.u32()?;
        let _made_at_secs = fields.u32()?;
        let block_bytes = fields.u32()?;
        let fragments = fields.u32()?;
        let compressor = fields.u16()?;
        let block_log = fields.u16()?;
        let _flags = fields.u16()?;
        let ids = fields.u16()?;
        let version = (fields.u16()?, fields.u16()?);
        let root = fields.u64()?;
        let bytes_used = fields.u64()?;
        let id_table = fields.u64()?;
        let xattr_table = fields.u64()?;
        let inode_table = fields.u64()?;
        let directory_table = fields.u64()?;
        let fragment_table = fields.u64()?;

        if version != (4, 0) {
            return Err(unsupported(format!(
                "it is SquashFS {}.{}, not 4.0",
                version.0, version.1
            )));
        }
        if !(12..=20).contains(&block_log) || block_bytes != 1 << block_log {
            return Err(damaged(format!("its block size of {block_bytes} bytes is not possible")));
        }
        if bytes_used > size_bytes {
            return Err(damaged(format!("it has {size_bytes} of its {bytes_used} bytes")));
        }
        let within = |at: u64| (SUPERBLOCK_BYTES as u64..bytes_used).contains(&at);
        let tables = [id_table, inode_table, directory_table];
        if !tables.into_iter().all(within) || inode_table > directory_table {
            return Err(damaged("a table lies outside of it"));
        }
        Ok(Self {
            inodes,
            block_bytes,
            fragments,
            ids,
            compressor: Compressor::of(compressor)?,
            root: Position::of_reference(inode_table, root)?,
            bytes_used,
            id_table,
            xattr_table: (xattr_table != ABSENT).then_some(xattr_table),
            inode_table,
            directory_table,
            fragment_table,
        })
    }
}
