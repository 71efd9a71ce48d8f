//! Paths in patches.

/// Whether `git apply` refuses patches with this path, because it leads out of the directory or
/// into a `.git` directory, as some file system may spell that name.
#[must_use]
pub fn is_refused(path: &[u8], is_symlink: bool) -> bool {
    path.contains(&0)
        || path.split(|byte| *byte == b'/').any(|name| {
            matches!(name, b"" | b"." | b"..")
                || is_spelt(name, b".git")
                || is_spelt(name, b"git~1")
                || (is_symlink && is_spelt(name, b".gitmodules"))
        })
}

/// Whether Windows may open a file of this name as `known`: it ignores case, and dots and spaces at
/// the end.
fn is_spelt(name: &[u8], known: &[u8]) -> bool {
    let Some((start, end)) = name.split_at_checked(known.len()) else { return false };
    let end = end.iter().find(|byte| !matches!(byte, b'.' | b' '));
    start.eq_ignore_ascii_case(known) && matches!(end, None | Some(b':' | b'\\'))
}

/// The path after `prefix`. In quotes if it has quotes, backslashes, control characters or bytes
/// that are not ASCII.
#[must_use]
pub fn quoted(prefix: &[u8], path: &[u8]) -> Vec<u8> {
    let mut text = prefix.to_vec();
    for byte in path {
        match byte {
            b'"' | b'\\' => text.extend([b'\\', *byte]),
            0x07 => text.extend(b"\\a"),
            0x08 => text.extend(b"\\b"),
            b'\t' => text.extend(b"\\t"),
            b'\n' => text.extend(b"\\n"),
            0x0b => text.extend(b"\\v"),
            0x0c => text.extend(b"\\f"),
            b'\r' => text.extend(b"\\r"),
            b' '..=b'~' => text.push(*byte),
            _ => text.extend(format!("\\{byte:03o}").bytes()),
        }
    }
    if text.len() > prefix.len() + path.len() {
        text.insert(0, b'"');
        text.push(b'"');
    }
    text
}
