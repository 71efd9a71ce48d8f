//! An open archive.

use crate::domain::error::Result;
use crate::ports::ranges::Ranges;
use crate::squashfs::cache::Cache;
use crate::squashfs::image::Image;
use crate::squashfs::superblock::Superblock;
use std::rc::Rc;

/// An open archive.
pub struct Archive {
    pub(super) image: Image,
    pub(super) superblock: Superblock,
}

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
        Ok(Self { image, superblock })
    }
}
