//! A file's content type, by its first bytes or else by its name.

/// One more control character than [`CONTROL_FEW`] is allowed per this many bytes.
const CONTROL_SHARE: usize = 16;
/// Control characters that every text may have.
const CONTROL_FEW: usize = 16;

const MAGIC: [(&[u8], &str); 14] = [
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"\xfd7zXZ\0", "application/x-xz"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
    (b"\x7fELF", "application/x-elf"),
    (b"\0asm", "application/wasm"),
    (b"OggS", "application/ogg"),
];

/// For files whose first bytes are unknown or identify nothing.
const EXTENSIONS: [(&str, &str); 16] = [
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("pdf", "application/pdf"),
    ("zip", "application/zip"),
    ("gz", "application/gzip"),
    ("json", "application/json"),
    ("html", "text/html"),
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("md", "text/markdown"),
    ("js", "text/javascript"),
    ("xml", "text/xml"),
];

/// Whether bytes are UTF-8 with few control characters, which take six bytes in JSON, and no NUL.
#[must_use]
pub fn is_text(bytes: &[u8]) -> bool {
    let is_control = |byte: &&u8| matches!(byte, 0..=7 | 11 | 14..=26 | 28..=31);
    !bytes.contains(&0)
        && bytes.iter().filter(is_control).count() <= bytes.len() / CONTROL_SHARE + CONTROL_FEW
        && std::str::from_utf8(bytes).is_ok()
}

/// Length of `bytes` without an incomplete last character.
#[must_use]
pub fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    }
}

/// The MIME type of a file by its `name`, its first bytes (`head`) and whether [`is_text`].
#[must_use]
pub fn mime_type(name: &str, head: Option<&[u8]>, is_text: bool) -> &'static str {
    let by_extension = name.rsplit_once('.').and_then(|(_, extension)| {
        let known = EXTENSIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension))?;
        Some(known.1)
    });
    let by_head = head.filter(|_| !is_text).and_then(of_head);
    // The extension can tell the kind of text, but can't turn text into a binary format.
    let textual = by_extension.filter(|mime| is_text == is_textual(mime));
    by_head.or(textual).unwrap_or(if is_text { "text/plain" } else { "application/octet-stream" })
}

fn of_head(head: &[u8]) -> Option<&'static str> {
    if head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP") {
        return Some("image/webp");
    }
    MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, mime)| *mime)
}

fn is_textual(mime: &str) -> bool {
    mime.starts_with("text/") || matches!(mime, "image/svg+xml" | "application/json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_json_would_blow_up_is_no_text() {
        for text in ["", "a", "\t\r\n\u{c}\u{8}\u{1b}[1mbold", "one\u{1}", "ä€"] {
            assert!(is_text(text.as_bytes()), "{text:?}");
        }
        assert!(is_text(&"\t\u{1b}".repeat(1_000).into_bytes()));
        for bytes in [&b"\0"[..], b"a\0b", b"\xff", &[1; 18], &[b'a', 31].repeat(100)] {
            assert!(!is_text(bytes), "{bytes:?}");
        }
    }

    #[test]
    fn bytes_tell_before_the_name_and_the_name_where_they_cannot() {
        for (name, head, is_text, expected) in [
            ("a.txt", Some(b"\x89PNG\r\n\x1a\nrest".as_slice()), false, "image/png"),
            ("a", Some(b"RIFF\x10\0\0\0WEBPVP8 ".as_slice()), false, "image/webp"),
            ("a.PNG", None, false, "image/png"),
            ("a.png", Some(b"not a picture".as_slice()), true, "text/plain"),
            ("a.svg", Some(b"<svg/>".as_slice()), true, "image/svg+xml"),
            ("a.json", Some(b"\xff\xfe".as_slice()), false, "application/octet-stream"),
            ("a.rs", Some(b"BM is how this text begins".as_slice()), true, "text/plain"),
            ("", Some(b"".as_slice()), true, "text/plain"),
        ] {
            assert_eq!(mime_type(name, head, is_text), expected, "{name}");
        }
    }
}
