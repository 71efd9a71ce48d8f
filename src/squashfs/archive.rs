//! An open archive.

use crate::domain::error::Result;
use crate::ports::ranges::Ranges;
use crate::squashfs::cache::Cache;
use crate::squashfs::image::Image;
use crate::squashfs::superblock::Superblock;
use std::cell::Cell;
use std::rc::Rc;

/// An open archive.
pub struct Archive {
    pub(super) image: Image,
    pub(super) superblock: Superblock,
    /// The owner and the group that were read last. Most nodes have the same.
    pub(super) last_owner: LastId,
    pub(super) last_group: LastId,
}

/// An index into the table of ids, and the id there.
pub(super) type LastId = Cell<Option<(u16, u32)>>;

impl Archive {
    /// Opens an archive. `key` names its bytes in the cache: two archives must not
    /// share one.
    ///
    /// # Errors
    /// `INTEGRITY` if it is none, or damaged. `UNSUPPORTED` for its compressor or
    /// version.
    pub async fn open(ranges: Rc<dyn Ranges>, cache: Rc<Cache>, key: &str) -> Result<Self> {
        let mut image = Image::new(ranges, cache, key);
        let superblock = Superblock::parse(&image.head().await?, image.size_bytes())?;
        image.trust(&superblock)?;
        let (last_owner, last_group) = (LastId::default(), LastId::default());
        Ok(Self { image, superblock, last_owner, last_group })
    }
}
