//! Trees of files, and the differences between two.

pub mod changes;
pub mod ignore;
pub mod record;

use std::cmp::Ordering;

/// An entry at a path of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// The entry's type.
    pub kind: TreeKind,
    /// Permission bits.
    pub mode: u32,
    /// User id of the owner.
    pub uid: u32,
    /// Group id of the owner.
    pub gid: u32,
}

/// An entry's type and its attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeKind {
    /// A regular file.
    File {
        /// The size in bytes.
        size_bytes: u64,
        /// When the content last changed, in whole seconds. None if only the content can tell.
        modified_at_secs: Option<i64>,
    },
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink {
        /// Its target.
        target: Vec<u8>,
    },
    /// A device, pipe or socket: `find`'s letter.
    Other(u8),
}

impl TreeKind {
    /// Whether both entries have the same type.
    #[must_use]
    pub fn is_same_type(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Other(one), Self::Other(other)) => one == other,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

impl TreeEntry {
    /// Whether this is a directory.
    #[must_use]
    pub const fn is_directory(&self) -> bool {
        matches!(self.kind, TreeKind::Directory)
    }

    /// Size of a file.
    #[must_use]
    pub const fn file_bytes(&self) -> Option<u64> {
        match self.kind {
            TreeKind::File { size_bytes, .. } => Some(size_bytes),
            _ => None,
        }
    }

    /// Whether permissions and owner are the same.
    #[must_use]
    pub const fn has_same_access(&self, other: &Self) -> bool {
        self.mode == other.mode && self.uid == other.uid && self.gid == other.gid
    }
}

/// A path at which the metadata of two trees differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Path from the root of both trees.
    pub path: Vec<u8>,
    /// The entry in the first tree.
    pub old: Option<TreeEntry>,
    /// The entry in the second tree.
    pub new: Option<TreeEntry>,
}

impl Difference {
    /// The same difference, from the second tree to the first.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { path: self.path, old: self.new, new: self.old }
    }
}

/// Orders paths as a walk: a directory, its content, its next sibling.
#[must_use]
pub fn by_walk(one: &[u8], other: &[u8]) -> Ordering {
    let names = |path| <[u8]>::split(path, |byte: &u8| *byte == b'/');
    names(one).cmp(names(other))
}

/// Whether `path` is `dir` or below it.
#[must_use]
pub fn is_at_or_below(path: &[u8], dir: &[u8]) -> bool {
    match path.strip_prefix(dir) {
        Some(rest) => dir.is_empty() || rest.is_empty() || rest.starts_with(b"/"),
        None => false,
    }
}

/// The differences between two trees, given those to a third one, each list as [`by_walk`].
#[must_use]
pub fn between(base_to_one: Vec<Difference>, base_to_other: Vec<Difference>) -> Vec<Difference> {
    let (mut ones, mut others) =
        (base_to_one.into_iter().peekable(), base_to_other.into_iter().peekable());
    let mut differences = Vec::new();
    loop {
        let order = match (ones.peek(), others.peek()) {
            (None, None) => return differences,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => by_walk(&one.path, &other.path),
        };
        let one = if order.is_le() { ones.next() } else { None };
        let other = if order.is_ge() { others.next() } else { None };
        match (one, other) {
            // The other tree equals the base.
            (Some(one), None) => differences.push(one.reversed()),
            (None, Some(other)) => differences.push(other),
            (Some(one), Some(other)) => {
                let (mut old, mut new) = (one.new, other.new);
                // Both changed it, perhaps in the same second: only the contents can tell.
                let is_doubtful = forget_time(&mut old) && forget_time(&mut new);
                if is_doubtful || old != new {
                    differences.push(Difference { path: one.path, old, new });
                }
            }
            (None, None) => {}
        }
    }
}

/// Returns whether it is a file.
fn forget_time(entry: &mut Option<TreeEntry>) -> bool {
    match entry {
        Some(TreeEntry { kind: TreeKind::File { modified_at_secs, .. }, .. }) => {
            *modified_at_secs = None;
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(size_bytes: u64) -> Option<TreeEntry> {
        let kind = TreeKind::File { size_bytes, modified_at_secs: Some(1) };
        Some(TreeEntry { kind, mode: 0o644, uid: 0, gid: 0 })
    }

    fn difference(path: &str, old: Option<TreeEntry>, new: Option<TreeEntry>) -> Difference {
        Difference { path: path.as_bytes().to_vec(), old, new }
    }

    #[test]
    fn a_directory_comes_before_its_content_and_its_next_sibling_after() {
        let mut paths = ["a.txt", "a/b", "a", "a/b.c", "a/b/c", "b", ""];
        paths.sort_by(|one, other| by_walk(one.as_bytes(), other.as_bytes()));
        assert_eq!(paths, ["", "a", "a/b", "a/b/c", "a/b.c", "a.txt", "b"]);
        assert!(is_at_or_below(b"a/b", b"a") && is_at_or_below(b"a", b"a"));
        assert!(!is_at_or_below(b"a.txt", b"a") && is_at_or_below(b"a", b""));
    }

    #[test]
    fn differences_to_a_third_tree_give_those_between_two() {
        let one = vec![
            difference("a", file(1), file(2)),
            difference("b", file(1), None),
            difference("d", None, file(9)),
            difference("e", file(1), None),
        ];
        let other = vec![
            difference("a", file(1), file(3)),
            difference("c", None, file(4)),
            difference("d", None, file(9)),
            difference("e", file(1), None),
        ];
        let timeless = |size_bytes| {
            let mut entry = file(size_bytes);
            forget_time(&mut entry);
            entry
        };
        assert_eq!(
            between(one, other),
            [
                difference("a", timeless(2), timeless(3)),
                difference("b", None, file(1)),
                difference("c", None, file(4)),
                difference("d", timeless(9), timeless(9)),
            ]
        );
    }
}
