//! What kind of content a file holds, by its first bytes, else by its name.

/// First bytes that tell a format.
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

/// Extensions of formats whose first bytes tell nothing, text above all.
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

/// The MIME type of a file called `name`. `head` is how it begins, where that
/// is known; text is what is UTF-8.
#[must_use]
pub fn mime_type(name: &str, head: Option<&[u8]>, is_text: bool) -> &'static str {
    let by_extension = name.rsplit_once('.').and_then(|(_, extension)| {
        let known = EXTENSIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension))?;
        Some(known.1)
    });
    let by_head = head.filter(|_| !is_text).and_then(of_head);
    // A name can say what text is about, but not make bytes out of it.
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
