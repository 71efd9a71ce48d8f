//! Shows a part of a file as text or base64.

use crate::domain::error::{Error, Result};
use crate::domain::files::mime::{is_text, mime_type, whole_characters};
use crate::ports::sandbox::files::{Encoding, ReadFileResult, ReadRange};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

/// Bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where they begin in the file.
    pub offset: u64,
    /// Size of the whole file in bytes.
    pub size: u64,
}

impl Part {
    /// Shows the part that was read for `range` of `path`: text as text, other bytes as base64.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if text is wanted and the bytes are [not text](is_text).
    pub fn into_result(
        mut self,
        path: &str,
        range: Option<ReadRange>,
        wanted: Option<Encoding>,
    ) -> Result<ReadFileResult> {
        let lines = match range {
            Some(ReadRange::Lines { first, count, .. }) => Some((first, count)),
            _ => None,
        };
        if self.is_cut() && wanted != Some(Encoding::Base64) {
            if lines.is_some_and(|(_, count)| self.line_ends() < count) {
                self.drop_half_line();
            }
            self.drop_half_character();
        }
        let next_line = lines
            .filter(|_| self.is_cut() && self.bytes.ends_with(b"\n"))
            .map(|(first, _)| first + self.line_ends());
        let head = (self.offset == 0).then_some(self.bytes.as_slice());
        let is_text = is_text(&self.bytes);
        let mime = mime_type(path, head, is_text).to_owned();
        let (offset, size, end, truncated) = (self.offset, self.size, self.end(), self.is_cut());
        let (content, encoding) = encoded(path, self.bytes, is_text, wanted)?;
        Ok(ReadFileResult {
            content,
            encoding,
            size_bytes: size,
            offset,
            truncated,
            next_offset: truncated.then_some(end),
            next_line,
            mime_type: Some(mime),
        })
    }

    fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }

    fn is_cut(&self) -> bool {
        self.end() < self.size
    }

    fn line_ends(&self) -> u64 {
        self.bytes.iter().filter(|byte| **byte == b'\n').count() as u64
    }

    fn drop_half_character(&mut self) {
        match whole_characters(&self.bytes) {
            0 => {}
            whole => self.bytes.truncate(whole),
        }
    }

    /// Keeps the only line.
    fn drop_half_line(&mut self) {
        if let Some(end) = self.bytes.iter().rposition(|byte| *byte == b'\n') {
            self.bytes.truncate(end + 1);
        }
    }
}

fn encoded(
    path: &str,
    bytes: Vec<u8>,
    is_text: bool,
    wanted: Option<Encoding>,
) -> Result<(String, Encoding)> {
    let not_text = || Error::invalid("encoding", format!("{path} is not text; read it as base64"));
    match wanted {
        Some(Encoding::Utf8) if !is_text => Err(not_text()),
        None | Some(Encoding::Utf8) if is_text => {
            let text = String::from_utf8(bytes).map_err(|_bytes| not_text())?;
            Ok((text, Encoding::Utf8))
        }
        _ => Ok((BASE64.encode(bytes), Encoding::Base64)),
    }
}
