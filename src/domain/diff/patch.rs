//! Writes patches for `git apply`. Binary files need git's full ids, so all files have them.

use super::entry::Entry;

/// A file's mode in git.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileMode {
    /// A file.
    Regular,
    /// A file that can be executed.
    Executable,
    /// A symlink. Its content is its target.
    Symlink,
}

impl FileMode {
    /// The mode of a file with these permissions.
    #[must_use]
    pub const fn of_file(permissions: u32) -> Self {
        if permissions & 0o100 == 0 { Self::Regular } else { Self::Executable }
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Regular => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
        }
    }
}

/// A file or symlink on one side of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct File<'a> {
    /// The file's path, without a leading slash.
    pub path: &'a [u8],
    /// The file's mode.
    pub mode: FileMode,
    /// The whole content, or a symlink's target. None if it is too large to read.
    pub content: Option<&'a [u8]>,
}

impl File<'_> {
    pub(super) fn is_symlink(&self) -> bool {
        self.mode == FileMode::Symlink
    }
}

/// A file's change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileChange<'a> {
    /// The file is new.
    Added(File<'a>),
    /// The file is gone.
    Deleted(File<'a>),
    /// The file has another path, mode or content.
    Changed(File<'a>, File<'a>),
}

/// Options for writing a patch.
#[derive(Debug, Clone, Copy)]
pub struct PatchOptions {
    /// Lines of context around changes, at most
    /// [`CONTEXT_MAX_LINES`](super::text::CONTEXT_MAX_LINES).
    pub context: usize,
    /// Maximum bytes of the patch.
    pub max_bytes: usize,
    /// Maximum bytes of a binary file's content in the patch.
    pub binary_max_bytes: usize,
}

/// How a change was written, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Written {
    /// The patch has the whole change.
    Whole,
    /// Says only that the files differ: binary or too large ones. `git apply` refuses it.
    WithoutContent,
    /// Left out, because `git apply` refuses patches with such a path.
    Refused,
    /// Left out, because the patch would be too large.
    NoRoom,
}

/// A patch. Changes are added in the order of their paths.
#[derive(Debug)]
pub struct Patch {
    options: PatchOptions,
    bytes: Vec<u8>,
}

impl Patch {
    /// A patch without changes.
    #[must_use]
    pub const fn new(options: PatchOptions) -> Self {
        Self { options, bytes: Vec::new() }
    }

    /// Adds the whole change, or nothing of it.
    pub fn add(&mut self, change: FileChange<'_>) -> Written {
        let len = self.bytes.len();
        let written = match change {
            FileChange::Added(new) => self.write(Entry::Added(new)),
            FileChange::Deleted(old) => self.write(Entry::Deleted(old)),
            FileChange::Changed(old, new) if old == new && old.content.is_some() => Written::Whole,
            FileChange::Changed(old, new) if is_one_entry(old, new) => {
                self.write(Entry::Changed(old, new))
            }
            FileChange::Changed(old, new) => {
                let deleted = self.write(Entry::Deleted(old));
                deleted.max(self.write(Entry::Added(new)))
            }
        };
        if written >= Written::Refused {
            self.bytes.truncate(len);
        }
        written
    }

    /// The patch.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn write(&mut self, entry: Entry<'_>) -> Written {
        let room = self.options.max_bytes.saturating_sub(self.bytes.len());
        let mut bytes = Vec::new();
        let written = entry.write(&mut bytes, self.options, room);
        if bytes.len() > room {
            return Written::NoRoom;
        }
        self.bytes.append(&mut bytes);
        written
    }
}

/// Git writes two entries for a file that becomes a symlink, or is renamed and edited.
fn is_one_entry(old: File<'_>, new: File<'_>) -> bool {
    let same_content = old.content.is_some() && old.content == new.content;
    old.is_symlink() == new.is_symlink() && (old.path == new.path || same_content)
}
