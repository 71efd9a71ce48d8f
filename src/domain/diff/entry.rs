//! Writes one file's entry of a patch.

use super::binary;
use super::patch::{File, PatchOptions, Written};
use super::path::{is_refused, quoted};
use super::text::{is_binary, unified};
use crate::domain::text::hex::hex;
use sha1::{Digest, Sha1};

/// Git's id for a missing file.
const NO_ID: &str = "0000000000000000000000000000000000000000";
/// Replaces the id of unknown content. Without ids, git would skip the entry; with a truncated id,
/// it refuses the patch.
const UNKNOWN_ID: &str = "0000000";
/// Git's name for a missing file.
const NO_FILE: &[u8] = b"/dev/null";

/// A change at a path, or a rename.
#[derive(Debug, Clone, Copy)]
pub(super) enum Entry<'a> {
    Added(File<'a>),
    Deleted(File<'a>),
    /// Both are files, or both are symlinks. If their paths differ, their contents
    /// are equal.
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

    /// Writes the entry, which should take at most `room` bytes.
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

    /// Writes modes, and the paths of a rename.
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

    /// Writes ids and the change of the content.
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
            binary::write(to, before, after);
            return Written::Whole;
        }
        if before == after {
            // Both are an empty file.
            return Written::Whole;
        }
        for (sign, name) in [b"--- ", b"+++ "].into_iter().zip(names) {
            // Other programs take a space as the end of a name, unless a tab follows.
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

/// Git's id for a content.
fn blob_id(content: &[u8]) -> String {
    let hash = Sha1::new().chain_update(format!("blob {}\0", content.len())).chain_update(content);
    hex(&hash.finalize())
}
