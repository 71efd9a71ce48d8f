//! Messages between a terminal and its viewer: one WebSocket message is one frame.

use crate::domain::arguments::read;
use crate::domain::limits::{
    TERMINAL_KEPT_BYTES, TERMINAL_MESSAGE_MAX_BYTES, TERMINAL_SIDE_DEFAULT, TERMINAL_SIDE_MAX,
};
use crate::domain::{Error, ErrorBody, ErrorCode, Result, TerminalId};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The kind and the length.
const HEAD_BYTES: usize = 5;
const BYTES: u8 = b'b';
const TEXT: u8 = b't';

/// The size of a terminal, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TerminalSize {
    /// Columns, 1 to 1000.
    pub cols: u16,
    /// Rows, 1 to 1000.
    pub rows: u16,
}

impl Default for TerminalSize {
    fn default() -> Self {
        let (cols, rows) = TERMINAL_SIDE_DEFAULT;
        Self { cols, rows }
    }
}

impl TerminalSize {
    /// Checks the size's limits.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`.
    pub fn check(self) -> Result<()> {
        for (field, side) in [("cols", self.cols), ("rows", self.rows)] {
            if !(1..=TERMINAL_SIDE_MAX).contains(&side) {
                return Err(Error::invalid(field, format!("must be 1 to {TERMINAL_SIDE_MAX}")));
            }
        }
        Ok(())
    }
}

/// One message of a terminal or its viewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// Typed or printed bytes. Without bytes, it only shows that the other end is there.
    Bytes(Vec<u8>),
    /// A [`ViewerMessage`] or a [`ServerMessage`], as JSON.
    Text(String),
}

impl Frame {
    /// The frame as part of a stream.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (kind, content) = match self {
            Self::Bytes(bytes) => (BYTES, bytes.as_slice()),
            Self::Text(text) => (TEXT, text.as_bytes()),
        };
        let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
        let mut bytes = Vec::with_capacity(HEAD_BYTES + content.len());
        bytes.push(kind);
        bytes.extend(length.to_be_bytes());
        bytes.extend(content);
        bytes
    }

    /// A message to the viewer.
    ///
    /// # Errors
    /// `INTERNAL` if it can't be encoded as JSON.
    pub fn message(message: &ServerMessage) -> Result<Self> {
        let text = serde_json::to_string(message);
        text.map(Self::Text).map_err(|error| Error::internal(error.to_string()))
    }
}

/// Reads frames from pieces of a stream.
#[derive(Debug, Default)]
pub struct FrameReader {
    unread: Vec<u8>,
}

impl FrameReader {
    /// Adds a piece and returns the frames that are now complete.
    ///
    /// # Errors
    /// `TOO_LARGE` above the limit; `INVALID_ARGUMENT` for an unknown kind.
    pub fn read(&mut self, piece: &[u8]) -> Result<Vec<Frame>> {
        self.unread.extend(piece);
        let mut frames = Vec::new();
        while let Some((head, rest)) = self.unread.split_first_chunk::<HEAD_BYTES>() {
            let [kind, length @ ..] = *head;
            let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
            if length > TERMINAL_MESSAGE_MAX_BYTES {
                return Err(too_large());
            }
            let Some(content) = rest.get(..length) else { break };
            frames.push(match kind {
                BYTES => Frame::Bytes(content.to_vec()),
                TEXT => Frame::Text(String::from_utf8_lossy(content).into_owned()),
                _ => return Err(Error::invalid("message", "has an unknown kind")),
            });
            self.unread.drain(..HEAD_BYTES + length);
        }
        Ok(frames)
    }
}

/// The error for a message that is too large.
#[must_use]
pub fn too_large() -> Error {
    let message = format!("a message is larger than {TERMINAL_MESSAGE_MAX_BYTES} bytes");
    Error::new(ErrorCode::TooLarge, message).with_hint("send what is typed in smaller messages")
}

/// A message of a viewer, sent as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ViewerMessage {
    /// The viewer's size has changed.
    Resize(TerminalSize),
    /// How many printed bytes the viewer has processed. The terminal sends at most 1 MiB more.
    Received(u64),
}

impl ViewerMessage {
    /// Parses a message.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`.
    pub fn parse(text: &str) -> Result<Self> {
        let value =
            serde_json::from_str(text).map_err(|_| Error::invalid("message", "is not JSON"))?;
        let message: Self = read("message", value)?;
        if let Self::Resize(size) = message {
            size.check()?;
        }
        Ok(message)
    }
}

/// A message to a viewer, sent as text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ServerMessage {
    /// The first message.
    Started {
        /// Id for reconnecting to the same shell.
        terminal: TerminalId,
        /// Whether this is the shell that the viewer named. Its last output follows.
        resumed: bool,
    },
    /// This many bytes are left out: the terminal printed faster than the viewer read.
    Omitted(u64),
    /// The last message: the shell has ended.
    #[serde(rename_all = "camelCase")]
    Exited {
        /// The shell's exit code.
        exit_code: i32,
    },
    /// The last message: why the connection ends.
    Error(ErrorBody),
}

/// The last bytes that a terminal printed.
#[derive(Debug, Default)]
pub struct Printed {
    kept: VecDeque<u8>,
    end: u64,
}

impl Printed {
    /// Adds bytes and drops the oldest above the limit.
    pub fn push(&mut self, bytes: &[u8]) {
        self.end += bytes.len() as u64;
        self.kept.extend(bytes);
        let surplus = self.kept.len().saturating_sub(TERMINAL_KEPT_BYTES);
        self.kept.drain(..surplus);
    }

    /// How many bytes were printed in total.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// At most `max` bytes from a position on, and how many bytes before them were dropped.
    #[must_use]
    pub fn from(&self, position: u64, max: usize) -> (u64, Vec<u8>) {
        let begin = self.end - self.kept.len() as u64;
        let omitted = begin.saturating_sub(position);
        let at = usize::try_from(position.saturating_sub(begin)).unwrap_or(usize::MAX);
        (omitted, self.kept.iter().skip(at).take(max).copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn viewers_say_few_things() {
        let size = TerminalSize { cols: 100, rows: 30 };
        assert_eq!(
            ViewerMessage::parse(r#"{"resize":{"cols":100,"rows":30}}"#),
            Ok(ViewerMessage::Resize(size))
        );
        assert_eq!(ViewerMessage::parse(r#"{"received":7}"#), Ok(ViewerMessage::Received(7)));
        for bad in [
            "",
            "{}",
            "[]",
            r#"{"resize":{"cols":0,"rows":30}}"#,
            r#"{"resize":{"cols":1001,"rows":30}}"#,
            r#"{"resize":{"cols":70000,"rows":30}}"#,
            r#"{"resize":{"cols":80,"rows":24,"x":1}}"#,
            r#"{"received":-1}"#,
            r#"{"exited":{"exitCode":0}}"#,
        ] {
            let error = ViewerMessage::parse(bad).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument, "{bad}");
        }
    }

    #[test]
    fn messages_to_viewers_are_as_published() {
        let text = |message: ServerMessage| match Frame::message(&message).unwrap() {
            Frame::Text(text) => text,
            Frame::Bytes(_) => unreachable!(),
        };
        assert_eq!(text(ServerMessage::Exited { exit_code: 7 }), r#"{"exited":{"exitCode":7}}"#);
        assert_eq!(text(ServerMessage::Omitted(9)), r#"{"omitted":9}"#);
        let terminal = TerminalId::from_random([0; 16]);
        assert_eq!(
            text(ServerMessage::Started { terminal, resumed: false }),
            r#"{"started":{"terminal":"00000000000000000000000000","resumed":false}}"#
        );
    }

    #[test]
    fn frames_are_bounded_and_of_known_kinds() {
        let mut long = vec![BYTES];
        long.extend(u32::MAX.to_be_bytes());
        assert_eq!(FrameReader::default().read(&long).unwrap_err().code, ErrorCode::TooLarge);
        let odd = [b'x', 0, 0, 0, 0];
        let error = FrameReader::default().read(&odd).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
    }

    fn frame() -> impl Strategy<Value = Frame> {
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..40).prop_map(Frame::Bytes),
            ".{0,20}".prop_map(Frame::Text),
        ]
    }

    proptest! {
        #[test]
        fn frames_survive_any_cut(
            frames in prop::collection::vec(frame(), 0..8),
            piece in 1..20_usize,
        ) {
            let sent: Vec<u8> = frames.iter().flat_map(Frame::to_bytes).collect();
            let mut reader = FrameReader::default();
            let mut read = Vec::new();
            for piece in sent.chunks(piece) {
                read.extend(reader.read(piece).unwrap());
            }
            prop_assert_eq!(read, frames);
        }

        #[test]
        fn what_was_printed_is_read_in_order(
            pieces in prop::collection::vec((1..TERMINAL_KEPT_BYTES, any::<bool>()), 1..8),
        ) {
            let (mut printed, mut all, mut position) = (Printed::default(), Vec::new(), 0_u64);
            for (length, reads) in pieces {
                let piece: Vec<u8> = (0..length).map(|at| (all.len() + at) as u8).collect();
                printed.push(&piece);
                all.extend(piece);
                if reads {
                    let (omitted, bytes) = printed.from(position, 100);
                    position += omitted;
                    let at = usize::try_from(position).unwrap();
                    prop_assert_eq!(&bytes, &all[at..(at + 100).min(all.len())]);
                    position += bytes.len() as u64;
                }
            }
            prop_assert_eq!(printed.end(), all.len() as u64);
        }
    }
}
