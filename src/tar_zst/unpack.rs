//! Decompresses an archive piece by piece.

use crate::domain::error::Result;
use crate::domain::limits::{TAR_PIECE_BYTES, TAR_WINDOW_MAX_BYTES, TAR_WINDOW_USUAL_BYTES};
use crate::ports::bucket::ranges::Ranges;
use crate::tar_zst::damage::{damaged, unsupported};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::cell::Cell;
use std::io::Read;
use std::rc::Rc;

/// More than a whole block with its header, and than the header and the checksum of a frame.
const BLOCK_MAX_BYTES: usize = 128 * 1024 + 32;
/// How many decompressed bytes are returned at once.
const CHUNK_BYTES: usize = 128 * 1024;
/// Length of the header of a frame that has to be skipped.
const SKIPPED_HEADER_BYTES: usize = 8;

/// How many bytes a call may still decompress. Clones share this number.
#[derive(Clone)]
pub struct Work {
    left_bytes: Rc<Cell<u64>>,
}

impl Work {
    /// Work for one call.
    #[must_use]
    pub fn new(max_bytes: u64) -> Self {
        Self { left_bytes: Rc::new(Cell::new(max_bytes)) }
    }

    fn spend(&self, bytes: usize) -> Result<()> {
        let left = self.left_bytes.get().checked_sub(bytes as u64).ok_or_else(|| {
            unsupported(
                "the call reads so many places in it that it would be decompressed too often",
            )
        })?;
        self.left_bytes.set(left);
        Ok(())
    }
}

/// Decompresses the bytes of an archive in order. It keeps its position, but not the source that it
/// reads from.
pub(super) struct Unpacker {
    decoder: FrameDecoder,
    /// The largest window of all frames so far.
    window_bytes: u64,
    in_frame: bool,
    /// Input that was read. The part from `taken` on is not decompressed yet.
    input: Vec<u8>,
    taken: usize,
    /// The position of the next read.
    next: u64,
    /// Decompressed bytes. The part from `used` to `filled` is not used yet.
    chunk: Vec<u8>,
    used: usize,
    filled: usize,
    /// How many decompressed bytes were used.
    at: u64,
}

impl Unpacker {
    pub(super) fn new() -> Self {
        Self {
            decoder: FrameDecoder::new(),
            window_bytes: 0,
            in_frame: false,
            input: Vec::new(),
            taken: 0,
            next: 0,
            chunk: vec![0; CHUNK_BYTES],
            used: 0,
            filled: 0,
            at: 0,
        }
    }

    /// The position in the decompressed bytes.
    pub(super) const fn at(&self) -> u64 {
        self.at
    }

    /// About how many bytes the unpacker takes. The decoder doubles its window.
    pub(super) fn held_bytes(&self) -> u64 {
        2 * self.window_bytes + (self.input.capacity() + self.chunk.len()) as u64
    }

    /// The next bytes. Empty at the end.
    pub(super) async fn peek(&mut self, ranges: &dyn Ranges, work: &Work) -> Result<&[u8]> {
        while self.used == self.filled {
            let read = self.decoder.read(&mut self.chunk);
            self.filled =
                read.map_err(|error| broken(&FrameDecoderError::FailedToDrainDecodebuffer(error)))?;
            self.used = 0;
            if self.filled > 0 {
                work.spend(self.filled)?;
            } else if self.in_frame && self.decoder.is_finished() {
                self.end_frame()?;
            } else if self.in_frame {
                self.block(ranges).await?;
            } else if !self.begin_frame(ranges).await? {
                break;
            }
        }
        Ok(self.chunk.get(self.used..self.filled).unwrap_or_default())
    }

    /// Skips bytes that [`Self::peek`] returned.
    pub(super) fn pass(&mut self, bytes: usize) {
        self.used = self.filled.min(self.used.saturating_add(bytes));
        self.at = self.at.saturating_add(bytes as u64);
    }

    /// Exactly this many next bytes.
    pub(super) async fn take(
        &mut self,
        ranges: &dyn Ranges,
        work: &Work,
        len_bytes: u64,
    ) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut left = usize::try_from(len_bytes).map_err(|_| damaged("an entry is too large"))?;
        while left > 0 {
            let peeked = self.peek(ranges, work).await?;
            let some = peeked.get(..peeked.len().min(left)).unwrap_or_default();
            if some.is_empty() {
                return Err(ends_early());
            }
            let len_bytes = some.len();
            bytes.extend_from_slice(some);
            self.pass(len_bytes);
            left -= len_bytes;
        }
        Ok(bytes)
    }

    /// Skips bytes.
    pub(super) async fn skip(
        &mut self,
        ranges: &dyn Ranges,
        work: &Work,
        len_bytes: u64,
    ) -> Result<()> {
        let mut left = len_bytes;
        while left > 0 {
            let peeked = self.peek(ranges, work).await?.len();
            if peeked == 0 {
                return Err(ends_early());
            }
            let some = usize::try_from(left).unwrap_or(usize::MAX).min(peeked);
            self.pass(some);
            left -= some as u64;
        }
        Ok(())
    }

    /// Begins the next frame. Returns false if there is none.
    async fn begin_frame(&mut self, ranges: &dyn Ranges) -> Result<bool> {
        self.refill(ranges).await?;
        let mut rest = self.input.get(self.taken..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(false);
        }
        let len_bytes = rest.len();
        // A frame's header says how much memory it needs. Most frames need little.
        self.decoder.set_max_window_size(TAR_WINDOW_USUAL_BYTES);
        let mut begun = self.decoder.reset(&mut rest);
        let mut window_bytes = TAR_WINDOW_USUAL_BYTES;
        if let Err(FrameDecoderError::WindowSizeTooBig { requested, .. }) = begun {
            if requested > TAR_WINDOW_MAX_BYTES {
                return Err(unsupported(format!(
                    "decompressing it needs a window of {requested} bytes; at most {TAR_WINDOW_MAX_BYTES} are allowed"
                )));
            }
            window_bytes = requested;
            self.decoder.set_max_window_size(TAR_WINDOW_MAX_BYTES);
            rest = self.input.get(self.taken..).unwrap_or_default();
            begun = self.decoder.reset(&mut rest);
        }
        match begun {
            Ok(()) => {
                self.taken += len_bytes - rest.len();
                self.window_bytes = self.window_bytes.max(window_bytes);
                self.in_frame = true;
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => self.skip_frame(ranges, u64::from(length))?,
            Err(FrameDecoderError::DictNotProvided { .. }) => {
                return Err(unsupported("it is compressed with a dictionary"));
            }
            Err(error) => return Err(broken(&error)),
        }
        Ok(true)
    }

    fn skip_frame(&mut self, ranges: &dyn Ranges, len_bytes: u64) -> Result<()> {
        self.taken += SKIPPED_HEADER_BYTES;
        let held = (self.input.len() - self.taken.min(self.input.len())) as u64;
        if len_bytes <= held {
            self.taken += usize::try_from(len_bytes).unwrap_or_default();
            return Ok(());
        }
        self.next = self.next.saturating_add(len_bytes - held);
        self.taken = self.input.len();
        if self.next > ranges.size_bytes() { Err(cut_off()) } else { Ok(()) }
    }

    async fn block(&mut self, ranges: &dyn Ranges) -> Result<()> {
        self.refill(ranges).await?;
        let mut rest = self.input.get(self.taken..).unwrap_or_default();
        if rest.is_empty() {
            return Err(cut_off());
        }
        let len_bytes = rest.len();
        self.decoder
            .decode_blocks(&mut rest, BlockDecodingStrategy::UptoBlocks(1))
            .map_err(|error| broken(&error))?;
        self.taken += len_bytes - rest.len();
        Ok(())
    }

    fn end_frame(&mut self) -> Result<()> {
        self.in_frame = false;
        match self.decoder.get_checksum_from_data() {
            Some(sum) if Some(sum) != self.decoder.get_calculated_checksum() => {
                Err(damaged("a checksum of its zstd data differs"))
            }
            _ => Ok(()),
        }
    }

    /// Reads until a whole block has arrived, or the archive ends.
    async fn refill(&mut self, ranges: &dyn Ranges) -> Result<()> {
        while self.input.len() - self.taken < BLOCK_MAX_BYTES && self.next < ranges.size_bytes() {
            let len_bytes = TAR_PIECE_BYTES.min(ranges.size_bytes() - self.next);
            let piece = ranges.read(self.next, len_bytes).await?;
            self.next += len_bytes;
            self.input.drain(..self.taken);
            self.taken = 0;
            self.input.extend_from_slice(&piece);
        }
        Ok(())
    }
}

fn broken(error: &FrameDecoderError) -> crate::domain::error::Error {
    damaged("its zstd data can't be decompressed").with_cause(error.to_string())
}

fn cut_off() -> crate::domain::error::Error {
    damaged("its zstd data is cut off")
}

pub(super) fn ends_early() -> crate::domain::error::Error {
    damaged("it is cut off")
}
