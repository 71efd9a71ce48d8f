//! Splits what a script sends into lines of bounded length.

use crate::domain::Result;
use crate::ports::Bytes;

/// What a script sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line, without its end.
    Whole(Vec<u8>),
    /// A line that is too long.
    TooLong,
    /// The script sends no more.
    End,
}

pub(super) struct Lines {
    stream: Bytes,
    pending: Vec<u8>,
    /// How many bytes of `pending` are known to have no end of line.
    searched: usize,
    max_bytes: usize,
}

impl Lines {
    pub(super) const fn of(stream: Bytes, max_bytes: usize) -> Self {
        Self { stream, pending: Vec::new(), searched: 0, max_bytes }
    }

    /// The next line. Dropping the future loses nothing.
    ///
    /// # Errors
    /// Those of the stream.
    pub(super) async fn next(&mut self) -> Result<Line> {
        loop {
            if let Some(line) = self.take() {
                return Ok(line);
            }
            match self.stream.next().await? {
                Some(chunk) => self.pending.extend(chunk),
                None => return Ok(Line::End),
            }
        }
    }

    fn take(&mut self) -> Option<Line> {
        let unsearched = self.pending.get(self.searched..).unwrap_or_default();
        let Some(position) = unsearched.iter().position(|byte| *byte == b'\n') else {
            self.searched = self.pending.len();
            return (self.searched > self.max_bytes).then_some(Line::TooLong);
        };
        let end = self.searched + position;
        if end > self.max_bytes {
            return Some(Line::TooLong);
        }
        self.searched = 0;
        let rest = self.pending.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.pending, rest);
        line.truncate(end);
        Some(Line::Whole(line))
    }

    /// Ends the sender.
    pub(super) async fn cancel(&mut self) {
        self.stream.cancel().await;
    }
}
