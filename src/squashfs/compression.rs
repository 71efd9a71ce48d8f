//! Decompresses blocks.

use crate::domain::error::Result;
use crate::squashfs::damage::{damaged, unsupported};
use ruzstd::decoding::FrameDecoder;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compressor {
    Gzip,
    Lz4,
    Zstd,
}

impl Compressor {
    pub(super) fn of(id: u16) -> Result<Self> {
        match id {
            1 => Ok(Self::Gzip),
            5 => Ok(Self::Lz4),
            6 => Ok(Self::Zstd),
            2 => Err(unsupported("it is compressed with lzma")),
            3 => Err(unsupported("it is compressed with lzo")),
            4 => Err(unsupported("it is compressed with xz")),
            _ => Err(damaged(format!("it names an unknown compressor, {id}"))),
        }
    }

    /// Never allocates more than `max_bytes`, whatever size the block claims.
    pub(super) fn decompress(self, block: &[u8], max_bytes: usize) -> Result<Vec<u8>> {
        let failed = |cause: String| damaged("a block can't be decompressed").with_cause(cause);
        match self {
            Self::Gzip => miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(block, max_bytes)
                .map_err(|error| failed(error.to_string())),
            Self::Lz4 => {
                let mut bytes = vec![0; max_bytes];
                let len_bytes = lz4_flex::block::decompress_into(block, &mut bytes)
                    .map_err(|error| failed(error.to_string()))?;
                bytes.truncate(len_bytes);
                Ok(bytes)
            }
            Self::Zstd => {
                let mut bytes = vec![0; max_bytes];
                let mut decoder = FrameDecoder::new();
                decoder.set_max_window_size(max_bytes as u64);
                let len_bytes = decoder
                    .decode_all(block, &mut bytes)
                    .map_err(|error| failed(error.to_string()))?;
                bytes.truncate(len_bytes);
                Ok(bytes)
            }
        }
    }
}
