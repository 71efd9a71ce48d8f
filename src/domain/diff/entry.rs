//! Writes one file's entry of a patch.

use super::patch::{File, PatchOptions, Written};
use super::text::{is_binary, unified};
use crate::domain::text::utf8::hex;
use miniz_oxide::deflate::compress_to_vec_zlib;
use sha1::{Digest, Sha1};

const NO_ID: &str = "0000000000000000000000000000000000000000";
/// For unknown content. Without ids, git would skip the entry; it refuses a truncated id.
const UNKNOWN_ID: &str = "0000000";
const NO_FILE: &[u8] = b"/dev/null";

#[derive(Debug, Clone, Copy)]
pub(super) enum Entry<'a> {
    Added(File<'a>),
    Deleted(File<'a>),
    /// Both are files, or both are symlinks. With different paths, their contents are equal.
    Changed(File<'a>, File<'a>),
}

impl<'a> Entry<'a> {
    const fn before(self) -> Option<File<'a>> {
        match self {
            Self::Added(_) => None,
            Self::Deleted(old) | Self::Changed(old, _) => Some(old),
        }
    }

    const fn after(self) -> Option<File<'a>> {
        match self {
            Self::Deleted(_) => None,
            Self::Added(new) | Self::Changed(_, new) => Some(new),
        }
    }

    /// Should write at most `room` bytes.
    pub fn write(self, to: &mut Vec<u8>, options: PatchOptions, room: usize) -> Written {
        let (Self::Added(old) | Self::Deleted(old) | Self::Changed(old, _)) = self;
        let new = self.after().unwrap_or(old);
        let paths = [old, new];
        if paths.iter().any(|file| is_refused(file.path, file.is_symlink())) {
            return Written::Refused;
        }
        let names = [quoted(b"a/", old.path), quoted(b"b/", new.path)];
        line(to, &[b"diff --git ", &names[0], b" ", &names[1]]);
        self.write_header(to);
        let shown = [
            self.before().map_or(NO_FILE, |_| &names[0]),
            self.after().map_or(NO_FILE, |_| &names[1]),
        ];
        self.write_content(to, shown, options, room)
    }

    fn write_header(self, to: &mut Vec<u8>) {
        match self {
            Self::Added(new) => line(to, &[b"new file mode ", new.mode.as_str().as_bytes()]),
            Self::Deleted(old) => line(to, &[b"deleted file mode ", old.mode.as_str().as_bytes()]),
            Self::Changed(old, new) => {
                if old.mode != new.mode {
                    line(to, &[b"old mode ", old.mode.as_str().as_bytes()]);
                    line(to, &[b"new mode ", new.mode.as_str().as_bytes()]);
                }
                if old.path != new.path {
                    line(to, &[b"similarity index 100%"]);
                    line(to, &[b"rename from ", &quoted(b"", old.path)]);
                    line(to, &[b"rename to ", &quoted(b"", new.path)]);
                }
            }
        }
    }

    fn write_content(
        self,
        to: &mut Vec<u8>,
        names: [&[u8]; 2],
        options: PatchOptions,
        room: usize,
    ) -> Written {
        let content = |file: Option<File<'a>>| file.map_or(Some(&[][..]), |file| file.content);
        let (Some(before), Some(after)) = (content(self.before()), content(self.after())) else {
            self.write_index(to);
            return write_differ(to, names);
        };
        if matches!(self, Self::Changed(..)) && before == after {
            return Written::Whole;
        }
        self.write_index(to);
        if is_binary(before) || is_binary(after) {
            if before.len().max(after.len()) > options.binary_max_bytes {
                return write_differ(to, names);
            }
            write(to, before, after);
            return Written::Whole;
        }
        if before == after {
            // Both are an empty file.
            return Written::Whole;
        }
        for (sign, name) in [b"--- ", b"+++ "].into_iter().zip(names) {
            // Without a tab, other programs end the name at a space.
            let tab: &[u8] = if name.contains(&b' ') { b"\t" } else { b"" };
            line(to, &[sign, name, tab]);
        }
        let hunks = unified(before, after, options.context, room.saturating_sub(to.len()));
        to.extend(hunks.text);
        if hunks.truncated { Written::NoRoom } else { Written::Whole }
    }

    fn write_index(self, to: &mut Vec<u8>) {
        let id = |file: Option<File<'a>>| match file.map(|file| file.content) {
            None => NO_ID.to_owned(),
            Some(None) => UNKNOWN_ID.to_owned(),
            Some(Some(content)) => blob_id(content),
        };
        let (old, new) = (id(self.before()), id(self.after()));
        let mode = match self {
            Self::Changed(old, new) if old.mode == new.mode => format!(" {}", old.mode.as_str()),
            _ => String::new(),
        };
        line(to, &[format!("index {old}..{new}{mode}").as_bytes()]);
    }
}

fn write_differ(to: &mut Vec<u8>, [old, new]: [&[u8]; 2]) -> Written {
    line(to, &[b"Binary files ", old, b" and ", new, b" differ"]);
    Written::WithoutContent
}

fn line(to: &mut Vec<u8>, parts: &[&[u8]]) {
    to.extend(parts.iter().copied().flatten());
    to.push(b'\n');
}

fn blob_id(content: &[u8]) -> String {
    let hash = Sha1::new().chain_update(format!("blob {}\0", content.len())).chain_update(content);
    hex(&hash.finalize())
}

/// Whether `git apply` refuses the path: it leads outside, or a file system takes it for `.git`.
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

/// Whether Windows may open `name` as `known`: it ignores case, and dots and spaces at the end.
fn is_spelt(name: &[u8], known: &[u8]) -> bool {
    let Some((start, end)) = name.split_at_checked(known.len()) else { return false };
    let end = end.iter().find(|byte| !matches!(byte, b'.' | b' '));
    start.eq_ignore_ascii_case(known) && matches!(end, None | Some(b':' | b'\\'))
}

/// The path after `prefix`, quoted if it has quotes, backslashes, control or non-ASCII characters.
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

const LEVEL: u8 = 6;
const LINE_BYTES: usize = 52;
const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// Writes both contents, so that the patch can be reversed.
pub(super) fn write(to: &mut Vec<u8>, before: &[u8], after: &[u8]) {
    to.extend(b"GIT binary patch\n");
    for content in [after, before] {
        to.extend(format!("literal {}\n", content.len()).bytes());
        for bytes in compress_to_vec_zlib(content, LEVEL).chunks(LINE_BYTES) {
            write_line(to, bytes);
        }
        to.push(b'\n');
    }
}

/// Writes the count of bytes as a letter, then each four bytes as five digits.
fn write_line(to: &mut Vec<u8>, bytes: &[u8]) {
    let letter = (b'A'..=b'Z').chain(b'a'..=b'z').nth(bytes.len().saturating_sub(1));
    to.extend(letter);
    for four in bytes.chunks(4) {
        let mut number = 0;
        for at in 0..4 {
            number = number << 8 | u32::from(four.get(at).copied().unwrap_or_default());
        }
        let digits = [85 * 85 * 85 * 85, 85 * 85 * 85, 85 * 85, 85, 1]
            .map(|unit: u32| DIGITS.get((number / unit % 85) as usize).copied());
        to.extend(digits.into_iter().flatten());
    }
    to.push(b'\n');
}
