//! An open archive.

use crate::domain::error::{ErrorCode, Result};
use crate::domain::limits::{ARCHIVE_LAYER_TAIL_BYTES, ARCHIVE_TAIL_BYTES};
use crate::ports::bucket::ranges::Ranges;
use crate::squashfs::cache::Cache;
use crate::squashfs::image::Image;
use crate::squashfs::metadata::Position;
use crate::squashfs::superblock::Superblock;
use std::cell::Cell;
use std::rc::Rc;

/// The source of an archive's bytes.
pub struct ArchiveSource {
    /// The archive's bytes.
    pub ranges: Rc<dyn Ranges>,
    /// The archive's key in the cache. Two archives must not share a key.
    pub key: String,
    /// The archive's name in errors.
    pub name: String,
}

pub(super) struct Archive {
    pub image: Image,
    pub superblock: Superblock,
    /// Its position among the archives of its tree. The full archive has 0.
    pub layer: usize,
    name: String,
    /// The owner and the group that were read last. Most nodes have the same ones.
    pub last_owner: LastId,
    pub last_group: LastId,
    /// The last scan of a file's blocks. Files are usually read in order.
    pub last_scan: Cell<Option<Scan>>,
}

/// A block of a file, with its position and the position of its stored size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scan {
    /// The positions of the file's first block and of its list of block sizes.
    pub file: (u64, Position),
    pub block: u64,
    pub at: u64,
    pub size: Position,
}

/// An index into the table of ids, and the id at that index.
pub(super) type LastId = Cell<Option<(u16, u32)>>;

impl Archive {
    pub(super) async fn open(
        source: ArchiveSource,
        layer: usize,
        cache: Rc<Cache>,
    ) -> Result<Self> {
        let ArchiveSource { ranges, key, name } = source;
        // The tails of all archives of a tree fit into the cache together.
        let tail_bytes = if layer == 0 { ARCHIVE_TAIL_BYTES } else { ARCHIVE_LAYER_TAIL_BYTES };
        let mut image = Image::new(ranges, cache, &key, tail_bytes);
        let superblock = named(&name, read_superblock(&mut image).await)?;
        let (last_owner, last_group) = (LastId::default(), LastId::default());
        let last_scan = Cell::default();
        Ok(Self { image, superblock, layer, name, last_owner, last_group, last_scan })
    }

    /// Adds to an error which archive is damaged.
    pub(super) fn named<T>(&self, result: Result<T>) -> Result<T> {
        named(&self.name, result)
    }
}

async fn read_superblock(image: &mut Image) -> Result<Superblock> {
    let superblock = Superblock::parse(&image.head().await?, image.size_bytes())?;
    image.trust(&superblock)?;
    Ok(superblock)
}

fn named<T>(name: &str, result: Result<T>) -> Result<T> {
    result.map_err(|mut error| {
        if matches!(error.code, ErrorCode::Integrity | ErrorCode::Unsupported) {
            error.message = format!("{name}: {}", error.message);
        }
        error
    })
}
