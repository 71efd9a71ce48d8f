//! Where the next page of a snapshot's files begins.

use crate::domain::{Cursor, Error, Result};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

/// The last entry of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TreeCursor {
    /// The entry's path, below the directory that is listed.
    pub path: Vec<u8>,
    /// The last line that was shown of the file. None: all of it has been
    /// searched.
    pub line: Option<u64>,
}

impl TreeCursor {
    pub(crate) fn encode(self) -> Result<String> {
        Cursor::Tree { after: BASE64.encode(self.path), line: self.line }.encode()
    }

    /// # Errors
    /// `INVALID_ARGUMENT` for another list's cursor.
    pub(crate) fn decode(text: &str) -> Result<Self> {
        let foreign = || Error::invalid("cursor", "belongs to another list");
        match Cursor::decode(text)? {
            Cursor::Tree { after, line } => {
                Ok(Self { path: BASE64.decode(after).map_err(|_error| foreign())?, line })
            }
            _ => Err(foreign()),
        }
    }
}
