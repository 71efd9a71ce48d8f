//! The header of an entry.

use crate::domain::error::Result;
use crate::tar_zst::damage::damaged;

pub(super) const BLOCK_BYTES: u64 = 512;
/// The position of the checksum. For the computation, it counts as spaces.
const CHECKSUM: std::ops::Range<usize> = 148..156;

/// The raw block before an entry's content.
pub(super) struct Header<'a> {
    block: &'a [u8],
    pub kind: u8,
    pub size_bytes: u64,
}

impl<'a> Header<'a> {
    /// Parses a block. None if it has only zeros, which end the archive.
    pub(super) fn parse(block: &'a [u8]) -> Result<Option<Self>> {
        if block.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        let mut header = Self { block, kind: 0, size_bytes: 0 };
        if header.number(CHECKSUM)? != header.checksum() {
            return Err(damaged("the checksum of a header differs"));
        }
        header.kind = header.field(156..157).first().copied().unwrap_or_default();
        header.size_bytes = header.number(124..136)?;
        Ok(Some(header))
    }

    /// The entry's path, with the prefix if the format has one.
    pub(super) fn path(&self) -> Vec<u8> {
        let name = self.text(0..100);
        let prefix = if self.field(257..263) == b"ustar\0" { self.text(345..500) } else { b"" };
        if prefix.is_empty() { name.to_vec() } else { [prefix, b"/", name].concat() }
    }

    /// The target of a link.
    pub(super) fn target(&self) -> Vec<u8> {
        self.text(157..257).to_vec()
    }

    pub(super) fn mode(&self) -> Result<u64> {
        self.number(100..108)
    }

    pub(super) fn uid(&self) -> Result<u64> {
        self.number(108..116)
    }

    pub(super) fn gid(&self) -> Result<u64> {
        self.number(116..124)
    }

    /// Modification time in seconds since the epoch. An earlier time counts as the epoch.
    pub(super) fn modified_at_secs(&self) -> Result<u64> {
        if self.field(136..137) == [0xff] { Ok(0) } else { self.number(136..148) }
    }

    pub(super) fn device(&self) -> Result<(u64, u64)> {
        Ok((self.number(329..337)?, self.number(337..345)?))
    }

    fn field(&self, range: std::ops::Range<usize>) -> &'a [u8] {
        self.block.get(range).unwrap_or_default()
    }

    /// A field up to its first NUL.
    fn text(&self, range: std::ops::Range<usize>) -> &'a [u8] {
        let field = self.field(range);
        field.split(|byte| *byte == 0).next().unwrap_or_default()
    }

    /// A number in octal digits. If the first bit is set, it is a large number in base 256.
    fn number(&self, range: std::ops::Range<usize>) -> Result<u64> {
        let field = self.field(range);
        let bad = || damaged("a header has a number that can't be read");
        if let Some((0x80, rest)) = field.split_first() {
            return rest
                .iter()
                .try_fold(0_u64, |number, byte| {
                    number.checked_mul(256)?.checked_add(u64::from(*byte))
                })
                .ok_or_else(bad);
        }
        let digits = field.split(|byte| *byte == 0).next().unwrap_or_default().trim_ascii();
        digits
            .iter()
            .try_fold(0_u64, |number, byte| {
                let digit = byte.checked_sub(b'0').filter(|digit| *digit < 8)?;
                number.checked_mul(8)?.checked_add(u64::from(digit))
            })
            .ok_or_else(bad)
    }

    fn checksum(&self) -> u64 {
        let bytes = self.block.iter().enumerate();
        bytes.map(|(at, byte)| u64::from(if CHECKSUM.contains(&at) { b' ' } else { *byte })).sum()
    }
}
