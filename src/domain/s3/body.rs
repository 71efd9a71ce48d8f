//! Length, framing and digests of bodies. A body is checked while it passes. Its last piece is held
//! back until all digests match: without that piece, nothing is stored.

use crate::domain::s3::checksum::{Algorithm, Digester, HEADERS};
use crate::domain::s3::chunked::Decoder;
use crate::domain::s3::error::{Code, Result, S3Error};
use crate::domain::s3::request::RequestHead;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

/// A digest and its algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// The algorithm of the digest.
    pub algorithm: Algorithm,
    /// The bytes of the digest.
    pub digest: Vec<u8>,
}

/// The length, framing and digests of a request's body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Payload {
    /// Length without framing.
    pub length_bytes: u64,
    /// Whether it has the framing `aws-chunked`.
    chunked: bool,
    /// The digest that the store checks.
    pub by_store: Option<Expected>,
    /// Digests that we check.
    expected: Vec<Expected>,
    /// The header and algorithm of the digest that follows the body.
    trailer: Option<(&'static str, Algorithm)>,
}

impl Payload {
    /// What a head says about its body. With `store_checks`, the store checks a digest, for free.
    ///
    /// # Errors
    /// `MissingContentLength`, `InvalidDigest`, `InvalidRequest`; `EntityTooLarge` above the limit.
    pub fn of(head: &RequestHead, store_checks: bool, max_bytes: u64) -> Result<Self> {
        let signed = head.header("x-amz-content-sha256").unwrap_or_default();
        let encoding = head.header("content-encoding").unwrap_or_default();
        let chunked = signed.starts_with("STREAMING-")
            || encoding.split(',').any(|name| name.trim().eq_ignore_ascii_case("aws-chunked"));
        let length = if chunked { "x-amz-decoded-content-length" } else { "content-length" };
        let length_bytes: u64 =
            head.header(length).and_then(|text| text.parse().ok()).ok_or_else(|| {
                S3Error::new(Code::MissingContentLength, format!("{length} is missing"))
            })?;
        if length_bytes > max_bytes {
            let message = format!("a single put or part has at most {max_bytes} bytes");
            return Err(S3Error::new(Code::EntityTooLarge, message));
        }
        let mut payload = Self { length_bytes, chunked, ..Self::default() };
        for (name, algorithm) in HEADERS {
            let Some(value) = head.header(name) else { continue };
            let expected = Expected { algorithm, digest: digest(name, algorithm, value)? };
            let strong = matches!(algorithm, Algorithm::Md5 | Algorithm::Sha1 | Algorithm::Sha256);
            if store_checks && strong && payload.by_store.is_none() {
                payload.by_store = Some(expected);
            } else {
                payload.expected.push(expected);
            }
        }
        // This hash is signed, but nothing here depends on signatures: it is just another digest.
        if let Some(digest) = of_hex(signed) {
            let expected = Expected { algorithm: Algorithm::Sha256, digest };
            if store_checks && payload.by_store.is_none() {
                payload.by_store = Some(expected);
            } else if payload.expected.is_empty() && payload.by_store.is_none() {
                payload.expected.push(expected);
            }
        }
        if let Some(named) = head.header("x-amz-trailer") {
            let known =
                HEADERS.into_iter().find(|(name, _)| named.trim().eq_ignore_ascii_case(name));
            payload.trailer = Some(known.ok_or_else(|| {
                S3Error::new(Code::InvalidRequest, "x-amz-trailer names no known digest")
            })?);
        }
        Ok(payload)
    }

    /// Whether we must read the body while it passes.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.chunked || !self.expected.is_empty() || self.trailer.is_some()
    }

    /// Starts reading the body.
    #[must_use]
    pub fn reader(&self) -> Reader {
        let trailer = self.trailer.iter().map(|(_, algorithm)| *algorithm);
        let algorithms = self.expected.iter().map(|expected| expected.algorithm).chain(trailer);
        Reader {
            decoder: self.chunked.then(Decoder::default),
            digesters: algorithms.map(Algorithm::digester).collect(),
            seen_bytes: 0,
            held: Vec::new(),
            payload: self.clone(),
        }
    }
}

/// Reads a body while it passes.
pub struct Reader {
    payload: Payload,
    decoder: Option<Decoder>,
    /// Digests of `expected`, then the trailer's.
    digesters: Vec<Digester>,
    seen_bytes: u64,
    held: Vec<u8>,
}

impl Reader {
    /// Takes the next bytes, and returns content to pass on, which may be empty.
    ///
    /// # Errors
    /// `IncompleteBody` if the body is longer than declared, or malformed.
    pub fn take(&mut self, bytes: Vec<u8>) -> Result<Vec<u8>> {
        let content = match &mut self.decoder {
            Some(decoder) => decoder.decode(&bytes)?,
            None => bytes,
        };
        if content.is_empty() {
            return Ok(content);
        }
        self.seen_bytes = self.seen_bytes.saturating_add(content.len() as u64);
        if self.seen_bytes > self.payload.length_bytes {
            return Err(incomplete("longer"));
        }
        for digester in &mut self.digesters {
            digester.update(&content);
        }
        Ok(std::mem::replace(&mut self.held, content))
    }

    /// Checks the whole body, and returns the rest of the content.
    ///
    /// # Errors
    /// `IncompleteBody` if the body is shorter than declared; `BadDigest`, `InvalidDigest`.
    pub fn finish(&mut self) -> Result<Vec<u8>> {
        let trailers = self.decoder.as_mut().map(Decoder::finish).transpose()?.unwrap_or_default();
        if self.seen_bytes < self.payload.length_bytes {
            return Err(incomplete("shorter"));
        }
        let mut expected = self.payload.expected.clone();
        if let Some((name, algorithm)) = self.payload.trailer {
            let value = trailers.get(name).ok_or_else(|| {
                S3Error::new(Code::IncompleteBody, format!("{name} does not follow the body"))
            })?;
            expected.push(Expected { algorithm, digest: digest(name, algorithm, value)? });
        }
        let found = std::mem::take(&mut self.digesters);
        for (expected, found) in expected.iter().zip(found) {
            if expected.digest != found.finish() {
                return Err(bad_digest());
            }
        }
        Ok(std::mem::take(&mut self.held))
    }
}

/// The error for bytes that do not match their digest.
#[must_use]
pub fn bad_digest() -> S3Error {
    S3Error::new(Code::BadDigest, "the body does not match its digest")
}

fn incomplete(than: &str) -> S3Error {
    S3Error::new(Code::IncompleteBody, format!("the body is {than} than declared"))
}

fn digest(name: &str, algorithm: Algorithm, value: &str) -> Result<Vec<u8>> {
    let decoded = BASE64.decode(value).ok().filter(|digest| digest.len() == algorithm.length());
    decoded
        .ok_or_else(|| S3Error::new(Code::InvalidDigest, format!("{name} is not a valid digest")))
}

fn of_hex(text: &str) -> Option<Vec<u8>> {
    let is_hex = text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    if is_hex { (0..64).step_by(2).map(byte).collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRC32_OF_HELLO: &str = "NhCmhg==";
    const MD5_OF_HELLO: &str = "XUFAKrxLKna5cZ2REBfFkg==";
    const SHA256_OF_HELLO: &str =
        "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

    fn payload(headers: &[(&str, &str)], store_checks: bool) -> Result<Payload> {
        let head = RequestHead::new("PUT", "/b/k", "", headers.iter().copied());
        Payload::of(&head, store_checks, 100)
    }

    fn read(headers: &[(&str, &str)], pieces: &[&[u8]]) -> (Vec<u8>, Option<Code>) {
        let mut reader = payload(headers, false).unwrap().reader();
        let mut passed = Vec::new();
        for piece in pieces {
            match reader.take(piece.to_vec()) {
                Ok(bytes) => passed.extend(bytes),
                Err(error) => return (passed, Some(error.code)),
            }
        }
        match reader.finish() {
            Ok(bytes) => passed.extend(bytes),
            Err(error) => return (passed, Some(error.code)),
        }
        (passed, None)
    }

    #[test]
    fn a_right_body_passes_and_a_wrong_one_lacks_its_last_piece() {
        let length = ("content-length", "5");
        for right in [
            ("x-amz-checksum-crc32", CRC32_OF_HELLO),
            ("content-md5", MD5_OF_HELLO),
            ("x-amz-content-sha256", SHA256_OF_HELLO),
        ] {
            let headers = [length, right];
            assert_eq!(read(&headers, &[b"he", b"llo"]), (b"hello".to_vec(), None), "{right:?}");
            let wrong = read(&headers, &[b"he", b"llO"]);
            assert_eq!(wrong, (b"he".to_vec(), Some(Code::BadDigest)), "{right:?}");
        }
        let headers = [length, ("x-amz-checksum-crc32", CRC32_OF_HELLO)];
        assert_eq!(read(&headers, &[b"hell"]).1, Some(Code::IncompleteBody));
        assert_eq!(read(&headers, &[b"hello", b"!"]), (vec![], Some(Code::IncompleteBody)));
    }

    #[test]
    fn a_digest_may_follow_the_body() {
        let headers = [
            ("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"),
            ("x-amz-decoded-content-length", "5"),
            ("content-length", "60"),
            ("x-amz-trailer", "x-amz-checksum-crc32"),
        ];
        let body = |crc: &str| format!("5\r\nhello\r\n0\r\nx-amz-checksum-crc32:{crc}\r\n\r\n");
        let right = body(CRC32_OF_HELLO);
        assert_eq!(read(&headers, &[right.as_bytes()]), (b"hello".to_vec(), None));
        assert_eq!(read(&headers, &[body("AAAAAA==").as_bytes()]), (vec![], Some(Code::BadDigest)));
        assert_eq!(read(&headers, &[body("x").as_bytes()]), (vec![], Some(Code::InvalidDigest)));
        let none = read(&headers, &[b"5\r\nhello\r\n0\r\n\r\n"]);
        assert_eq!(none, (vec![], Some(Code::IncompleteBody)));
    }

    #[test]
    fn the_store_checks_one_strong_digest() {
        let length = ("content-length", "5");
        let sha = ("x-amz-content-sha256", SHA256_OF_HELLO);
        let plain = payload(&[length, sha], true).unwrap();
        assert!(!plain.is_read());
        assert_eq!(plain.by_store.map(|by| by.algorithm), Some(Algorithm::Sha256));
        let md5 = payload(&[length, sha, ("content-md5", MD5_OF_HELLO)], true).unwrap();
        assert!(!md5.is_read());
        assert_eq!(md5.by_store.map(|by| by.algorithm), Some(Algorithm::Md5));
        let crc = payload(&[length, sha, ("x-amz-checksum-crc32", CRC32_OF_HELLO)], true).unwrap();
        assert!(crc.is_read() && crc.by_store.is_some());
        assert!(
            !payload(&[length, ("x-amz-content-sha256", "UNSIGNED-PAYLOAD")], true)
                .unwrap()
                .is_read()
        );
    }

    #[test]
    fn bodies_that_say_nothing_right_are_refused() {
        let code = |headers: &[(&str, &str)]| payload(headers, true).unwrap_err().code;
        assert_eq!(code(&[]), Code::MissingContentLength);
        assert_eq!(code(&[("content-length", "-1")]), Code::MissingContentLength);
        assert_eq!(code(&[("content-length", "101")]), Code::EntityTooLarge);
        let chunked = ("x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
        assert_eq!(code(&[chunked, ("content-length", "5")]), Code::MissingContentLength);
        let length = ("content-length", "5");
        assert_eq!(code(&[length, ("content-md5", "abc")]), Code::InvalidDigest);
        assert_eq!(code(&[length, ("x-amz-checksum-crc32", MD5_OF_HELLO)]), Code::InvalidDigest);
        assert_eq!(code(&[length, ("x-amz-trailer", "x-other")]), Code::InvalidRequest);
    }
}
