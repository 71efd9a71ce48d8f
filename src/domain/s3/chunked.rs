//! The framing `aws-chunked`: a size before each chunk, an empty last chunk, then digests.

use crate::domain::s3::error::{Code, Result, S3Error};
use std::collections::BTreeMap;

/// For a size with a signature, or a digest.
const LINE_MAX_BYTES: usize = 1_024;
const TRAILERS_MAX: usize = 16;

enum State {
    Size,
    /// This many bytes of a chunk are left.
    Data(u64),
    /// At the line end after a chunk.
    End,
    /// After the last chunk.
    Trailer,
    Done,
}

/// Removes the framing, piece by piece.
pub struct Decoder {
    state: State,
    line: Vec<u8>,
    trailers: BTreeMap<String, String>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self { state: State::Size, line: Vec::new(), trailers: BTreeMap::new() }
    }
}

impl Decoder {
    /// Decodes the next bytes.
    ///
    /// # Errors
    /// `IncompleteBody` for bytes that are not in this framing.
    pub fn decode(&mut self, mut bytes: &[u8]) -> Result<Vec<u8>> {
        let mut decoded = Vec::with_capacity(bytes.len());
        while !bytes.is_empty() {
            if let State::Data(left) = self.state {
                let len = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
                let (data, rest) = bytes.split_at(len);
                decoded.extend_from_slice(data);
                bytes = rest;
                let left = left - data.len() as u64;
                self.state = if left == 0 { State::End } else { State::Data(left) };
                continue;
            }
            if matches!(self.state, State::Done) {
                return Err(broken("data follows its end"));
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let (line, rest) = bytes.split_at(end.map_or(bytes.len(), |end| end + 1));
            if self.line.len() + line.len() > LINE_MAX_BYTES {
                return Err(broken("a line of its framing is too long"));
            }
            self.line.extend_from_slice(line);
            bytes = rest;
            if end.is_some() {
                self.take_line()?;
            }
        }
        Ok(decoded)
    }

    fn take_line(&mut self) -> Result<()> {
        let line = std::mem::take(&mut self.line);
        let line = str::from_utf8(&line)
            .map_err(|error| broken("its framing is not text").with_cause(error.to_string()))?;
        let line = line.trim_end_matches(['\r', '\n']);
        self.state = match self.state {
            State::Size => {
                let size = line.split(';').next().unwrap_or_default().trim();
                let digits = !size.is_empty() && size.bytes().all(|b| b.is_ascii_hexdigit());
                let size = u64::from_str_radix(size, 16).ok().filter(|_| digits);
                match size.ok_or_else(|| broken("a chunk has no size"))? {
                    0 => State::Trailer,
                    size => State::Data(size),
                }
            }
            State::End if line.is_empty() => State::Size,
            State::Trailer if line.is_empty() => State::Done,
            State::Trailer => {
                let (name, value) = line
                    .split_once(':')
                    .ok_or_else(|| broken("a line after it is not a header"))?;
                if self.trailers.len() >= TRAILERS_MAX {
                    return Err(broken("too many lines follow it"));
                }
                self.trailers.insert(name.trim().to_lowercase(), value.trim().to_owned());
                State::Trailer
            }
            State::End | State::Data(_) | State::Done => {
                return Err(broken("a chunk is longer than its size"));
            }
        };
        Ok(())
    }

    /// The lines after the last chunk.
    ///
    /// # Errors
    /// `IncompleteBody` if the end is missing.
    pub fn finish(&mut self) -> Result<BTreeMap<String, String>> {
        // Some clients leave out the final empty line.
        let ended = matches!(self.state, State::Done | State::Trailer) && self.line.is_empty();
        if ended { Ok(std::mem::take(&mut self.trailers)) } else { Err(broken("it ends early")) }
    }
}

fn broken(why: &str) -> S3Error {
    S3Error::new(Code::IncompleteBody, format!("the body is not aws-chunked: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(pieces: &[&[u8]]) -> Result<(Vec<u8>, BTreeMap<String, String>)> {
        let (mut decoder, mut decoded) = (Decoder::default(), Vec::new());
        for piece in pieces {
            decoded.extend(decoder.decode(piece)?);
        }
        Ok((decoded, decoder.finish()?))
    }

    #[test]
    fn both_framings_of_clients_are_removed() {
        let signed = b"5;chunk-signature=ad80c730\r\nhello\r\n0;chunk-signature=b6c6ea\r\n\r\n";
        assert_eq!(decode(&[signed]).unwrap(), (b"hello".to_vec(), BTreeMap::new()));
        let unsigned = b"5\r\nhel\r\n\r\n1\r\n\n\r\n0\r\nx-amz-checksum-CRC32: abc==\r\n\r\n";
        let (decoded, trailers) = decode(&[unsigned]).unwrap();
        assert_eq!(decoded, b"hel\r\n\n");
        assert_eq!(trailers.get("x-amz-checksum-crc32").map(String::as_str), Some("abc=="));
        assert_eq!(decode(&[b"0\r\n"]).unwrap().0, b"");
    }

    #[test]
    fn other_framings_are_refused() {
        let long = [b"5;".as_slice(), &[b'x'; 2_000]].concat();
        for body in [
            b"".as_slice(),
            b"hello",
            b"5\r\nhel",
            b"5\r\nhello\r\n",
            b"5\r\nhello!\r\n0\r\n\r\n",
            b"+5\r\nhello\r\n0\r\n\r\n",
            b"-1\r\n",
            b"fffffffffffffffff\r\n",
            b"\r\n",
            b"0\r\n\r\nmore",
            b"0\r\nno header\r\n\r\n",
            b"0\r\nx-amz-checksum-crc32:abc",
            b"\xff\r\n",
            long.as_slice(),
        ] {
            let refused = decode(&[body]).map_err(|error| error.code);
            assert_eq!(refused, Err(Code::IncompleteBody), "{:?}", String::from_utf8_lossy(body));
        }
    }

    proptest! {
        #[test]
        fn pieces_decode_as_the_whole(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..20), 0..5),
            cut in 1_usize..9,
        ) {
            let mut body = Vec::new();
            for chunk in &chunks {
                body.extend(format!("{:X};chunk-signature=x\r\n", chunk.len()).bytes());
                body.extend(chunk);
                body.extend(b"\r\n");
            }
            body.extend(b"0\r\na:b\r\n\r\n");
            let pieces: Vec<&[u8]> = body.chunks(cut).collect();
            let (decoded, trailers) = decode(&pieces).unwrap();
            prop_assert_eq!(decoded, chunks.concat());
            prop_assert_eq!(trailers.len(), 1);
        }

        #[test]
        fn nothing_panics(body in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = decode(&[&body]);
        }
    }
}
