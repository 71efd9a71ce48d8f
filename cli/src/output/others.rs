//! Writes untrusted files and output of programs: escaped on a terminal, otherwise unchanged.

use super::escape;
use std::io::{self, Write};

/// A writer of untrusted text. Flush it at the end.
pub struct Others<W> {
    to: W,
    is_escaped: bool,
    /// The beginning of a character whose other bytes have not come yet.
    begun: Vec<u8>,
}

impl<W: Write> Others<W> {
    /// A writer to `to`.
    pub const fn new(to: W, is_escaped: bool) -> Self {
        Self { to, is_escaped, begun: Vec::new() }
    }

    /// Writes an incomplete character that is left at the end, and flushes.
    pub fn finish(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.begun);
        self.to.write_all(escape::block(&String::from_utf8_lossy(&rest)).as_bytes())?;
        self.to.flush()
    }
}

impl<W: Write> Write for Others<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_escaped {
            return self.to.write(bytes);
        }
        self.begun.extend_from_slice(bytes);
        let mut text = String::new();
        for piece in self.begun.utf8_chunks() {
            text.push_str(piece.valid());
            if !piece.invalid().is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        // An incomplete character can only be at the end, and has at most 3 bytes.
        let rest = std::str::from_utf8(&self.begun).err().and_then(|_| incomplete(&self.begun));
        if rest.is_some() {
            text.pop();
        }
        self.begun = rest.unwrap_or_default();
        self.to.write_all(escape::block(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

fn incomplete(bytes: &[u8]) -> Option<Vec<u8>> {
    let last = bytes.utf8_chunks().last()?;
    let rest = last.invalid();
    let is_begun = std::str::from_utf8(rest).err()?.error_len().is_none();
    (is_begun && !rest.is_empty()).then(|| rest.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[&[u8]], is_escaped: bool) -> Vec<u8> {
        let mut to = Vec::new();
        let mut others = Others::new(&mut to, is_escaped);
        for piece in pieces {
            others.write_all(piece).unwrap();
        }
        others.finish().unwrap();
        to
    }

    #[test]
    fn a_terminal_gets_it_escaped_and_a_pipe_as_it_is() {
        let hostile: &[&[u8]] = &[b"a\x1b]0;x\x07\tb\n", b"\xe2", b"\x82", b"\xacc\xffd\xc3"];
        let escaped = "a\\u{1b}]0;x\\u{7}\tb\n€c\u{fffd}d\u{fffd}";
        assert_eq!(String::from_utf8(shown(hostile, true)).unwrap(), escaped);
        assert_eq!(shown(hostile, false), hostile.concat());
        // A C1 control character in two pieces.
        assert_eq!(shown(&[b"\xc2", b"\x9b2J"], true), b"\\u{9b}2J");
    }
}
