//! Turns differences in metadata into changes that matter to readers.

use crate::domain::tree::ignore::Ignored;
use crate::domain::tree::{Difference, TreeEntry, TreeKind, by_walk};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// SHA-256 of contents, by path.
pub type Hashes = BTreeMap<Vec<u8>, [u8; 32]>;

/// What happened to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// A file has other content.
    Modified,
    /// A file has another path, and the same content.
    Renamed,
    /// It is of another type.
    Type,
    /// A symbolic link has another target.
    Link,
    /// Only its permissions differ.
    Mode,
    /// Only its owner differs.
    Owner,
}

/// A change of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The kind of change.
    pub kind: ChangeKind,
    /// Path in the second tree, or of a removed file in the first.
    pub path: Vec<u8>,
    /// A renamed file's path in the first tree.
    pub from: Option<Vec<u8>>,
    /// The entry in the first tree.
    pub old: Option<TreeEntry>,
    /// The entry in the second tree.
    pub new: Option<TreeEntry>,
    /// Whether the content was not compared, and may be the same.
    pub is_uncertain: bool,
}

impl Change {
    /// Path in the first tree.
    #[must_use]
    pub fn old_path(&self) -> &[u8] {
        self.from.as_deref().unwrap_or(&self.path)
    }
}

/// Number of changes of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ChangeCounts {
    /// New paths.
    pub added: u64,
    /// Paths that are gone.
    pub removed: u64,
    /// Files with other content, links with other targets, paths of another type.
    pub modified: u64,
    /// Files with another path.
    pub renamed: u64,
    /// Paths that differ only in permissions or owner.
    pub access: u64,
}

impl ChangeCounts {
    /// Counts a change.
    pub fn count(&mut self, kind: ChangeKind) {
        *match kind {
            ChangeKind::Added => &mut self.added,
            ChangeKind::Removed => &mut self.removed,
            ChangeKind::Modified | ChangeKind::Type | ChangeKind::Link => &mut self.modified,
            ChangeKind::Renamed => &mut self.renamed,
            ChangeKind::Mode | ChangeKind::Owner => &mut self.access,
        } += 1;
    }

    /// Adds other counts to these.
    pub fn add(&mut self, other: Self) {
        self.added += other.added;
        self.removed += other.removed;
        self.modified += other.modified;
        self.renamed += other.renamed;
        self.access += other.access;
    }

    /// The sum of all counts.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.added + self.removed + self.modified + self.renamed + self.access
    }
}

/// Removes ignored differences. Returns their counts by the outermost ignored path.
pub fn set_aside(
    differences: &mut Vec<Difference>,
    ignored: &Ignored,
) -> BTreeMap<Vec<u8>, ChangeCounts> {
    let mut counts: BTreeMap<Vec<u8>, ChangeCounts> = BTreeMap::new();
    differences.retain(|difference| {
        let entry = difference.new.as_ref().or(difference.old.as_ref());
        let is_directory = entry.is_some_and(TreeEntry::is_directory);
        let Some(place) = ignored.outermost(&difference.path, is_directory) else { return true };
        let counts = counts.entry(place.to_vec()).or_default();
        // A directory's content is counted instead of the directory.
        if let Some(kind) = kind_by_metadata(difference).filter(|_| !is_directory) {
            counts.count(kind);
        }
        false
    });
    counts.retain(|_, counts| counts.total() > 0);
    counts
}

fn kind_by_metadata(difference: &Difference) -> Option<ChangeKind> {
    match (&difference.old, &difference.new) {
        (None, None) => None,
        (None, Some(_)) => Some(ChangeKind::Added),
        (Some(_), None) => Some(ChangeKind::Removed),
        (Some(old), Some(new)) if !old.kind.is_same_type(&new.kind) => Some(ChangeKind::Type),
        (Some(old), Some(new)) => match (&old.kind, &new.kind) {
            (TreeKind::Symlink { target: one }, TreeKind::Symlink { target: other })
                if one != other =>
            {
                Some(ChangeKind::Link)
            }
            (
                TreeKind::File { size_bytes: one, modified_at_secs: one_time },
                TreeKind::File { size_bytes: other, modified_at_secs: other_time },
            ) if one != other || one_time.is_none() || one_time != other_time => {
                Some(ChangeKind::Modified)
            }
            _ if old.mode != new.mode => Some(ChangeKind::Mode),
            _ if old.has_same_access(new) => None,
            _ => Some(ChangeKind::Owner),
        },
    }
}

/// The files of the first and second tree whose contents decide what changed. With `renames`,
/// includes those that may be one file under two paths.
#[must_use]
pub fn to_hash(differences: &[Difference], renames: bool) -> (Vec<&Difference>, Vec<&Difference>) {
    let size = |entry: &Option<TreeEntry>| entry.as_ref().and_then(TreeEntry::file_bytes);
    let is_doubtful = |difference: &&Difference| {
        kind_by_metadata(difference) == Some(ChangeKind::Modified)
            && size(&difference.old) == size(&difference.new)
    };
    let doubtful: Vec<&Difference> = differences.iter().filter(is_doubtful).collect();
    let (mut old, mut new) = (doubtful.clone(), doubtful);
    if renames {
        let sizes = |of: fn(&Difference) -> &Option<TreeEntry>, other: fn(&Difference) -> bool| {
            let files = differences.iter().filter(|difference| other(difference));
            files.filter_map(|d| size(of(d)).filter(|size| *size > 0)).collect::<BTreeSet<u64>>()
        };
        let removed = sizes(|d| &d.old, |d| d.new.is_none());
        let added = sizes(|d| &d.new, |d| d.old.is_none());
        let on_both_sides = |entry: &Option<TreeEntry>| {
            size(entry).is_some_and(|size| removed.contains(&size) && added.contains(&size))
        };
        old.extend(differences.iter().filter(|d| d.new.is_none() && on_both_sides(&d.old)));
        new.extend(differences.iter().filter(|d| d.old.is_none() && on_both_sides(&d.new)));
    }
    (old, new)
}

/// The changes, by hashes of the files of [`to_hash`]. Without a hash, a file was not compared.
#[must_use]
pub fn changes(differences: Vec<Difference>, old: &Hashes, new: &Hashes) -> Vec<Change> {
    let mut sources = rename_sources(&differences, old);
    let mut changes: Vec<Change> = Vec::with_capacity(differences.len());
    let mut renamed: BTreeSet<Vec<u8>> = BTreeSet::new();
    for difference in differences {
        let Some(mut kind) = kind_by_metadata(&difference) else { continue };
        let Difference { path, old: old_entry, new: new_entry } = difference;
        let size = |entry: &Option<TreeEntry>| entry.as_ref().and_then(TreeEntry::file_bytes);
        let mut change =
            Change { kind, path, from: None, old: old_entry, new: new_entry, is_uncertain: false };
        if kind == ChangeKind::Modified && size(&change.old) == size(&change.new) {
            match (old.get(&change.path), new.get(&change.path)) {
                (Some(one), Some(other)) if one == other => match access_change(&change) {
                    Some(access) => kind = access,
                    None => continue,
                },
                (Some(_), Some(_)) => {}
                _ => change.is_uncertain = true,
            }
        }
        if kind == ChangeKind::Added
            && let Some(hash) = new.get(&change.path)
            && let Some((from, entry)) = sources.get_mut(hash).and_then(Vec::pop)
        {
            renamed.insert(from.clone());
            (change.from, change.old) = (Some(from), Some(entry));
            kind = ChangeKind::Renamed;
        }
        changes.push(Change { kind, ..change });
    }
    changes.retain(|change| change.kind != ChangeKind::Removed || !renamed.contains(&change.path));
    changes
}

fn access_change(change: &Change) -> Option<ChangeKind> {
    let (old, new) = (change.old.as_ref()?, change.new.as_ref()?);
    if old.mode != new.mode {
        return Some(ChangeKind::Mode);
    }
    (!old.has_same_access(new)).then_some(ChangeKind::Owner)
}

type Source = (Vec<u8>, TreeEntry);

/// Removed files by hash, in reverse order.
fn rename_sources(differences: &[Difference], old: &Hashes) -> BTreeMap<[u8; 32], Vec<Source>> {
    let mut sources: BTreeMap<[u8; 32], Vec<Source>> = BTreeMap::new();
    for difference in differences.iter().rev().filter(|difference| difference.new.is_none()) {
        if let (Some(hash), Some(entry)) = (old.get(&difference.path), &difference.old) {
            sources.entry(*hash).or_default().push((difference.path.clone(), entry.clone()));
        }
    }
    sources
}

/// Sorts as [`by_walk`]. All functions here need this order.
pub fn sort(differences: &mut [Difference]) {
    differences.sort_by(|one, other| by_walk(&one.path, &other.path));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(size_bytes: u64, secs: i64) -> TreeEntry {
        let kind = TreeKind::File { size_bytes, modified_at_secs: Some(secs) };
        TreeEntry { kind, mode: 0o644, uid: 0, gid: 0 }
    }

    fn link(target: &str) -> TreeEntry {
        let kind = TreeKind::Symlink { target: target.as_bytes().to_vec() };
        TreeEntry { kind, mode: 0o777, uid: 0, gid: 0 }
    }

    fn directory() -> TreeEntry {
        TreeEntry { kind: TreeKind::Directory, mode: 0o755, uid: 0, gid: 0 }
    }

    fn difference(path: &str, old: Option<TreeEntry>, new: Option<TreeEntry>) -> Difference {
        Difference { path: path.as_bytes().to_vec(), old, new }
    }

    fn hashes(of: &[(&str, u8)]) -> Hashes {
        of.iter().map(|(path, hash)| (path.as_bytes().to_vec(), [*hash; 32])).collect()
    }

    fn told(changes: &[Change]) -> Vec<(ChangeKind, String)> {
        let path = |change: &Change| String::from_utf8(change.path.clone()).unwrap();
        changes.iter().map(|change| (change.kind, path(change))).collect()
    }

    #[test]
    fn each_kind_of_change_is_told() {
        let executable = TreeEntry { mode: 0o755, ..file(3, 5) };
        let owned = TreeEntry { uid: 7, ..file(3, 5) };
        let differences = vec![
            difference("added", None, Some(directory())),
            difference("grown", Some(file(3, 5)), Some(file(4, 5))),
            difference("link", Some(link("a")), Some(link("b"))),
            difference("mode", Some(file(3, 5)), Some(executable.clone())),
            difference("owner", Some(file(3, 5)), Some(owned)),
            difference("removed", Some(file(3, 5)), None),
            difference("rewritten", Some(file(3, 5)), Some(file(3, 6))),
            difference("touched", Some(file(3, 5)), Some(file(3, 6))),
            difference("touched-mode", Some(file(3, 5)), Some(TreeEntry { ..executable })),
            difference("type", Some(file(3, 5)), Some(link("a"))),
            difference("unread", Some(file(3, 5)), Some(file(3, 6))),
        ];
        let (old, new) = to_hash(&differences, false);
        let doubtful: Vec<&[u8]> = old.iter().map(|d| d.path.as_slice()).collect();
        assert_eq!(doubtful, [&b"rewritten"[..], b"touched", b"unread"]);
        assert_eq!(old, new);
        let changes = changes(
            differences,
            &hashes(&[("rewritten", 1), ("touched", 2)]),
            &hashes(&[("rewritten", 3), ("touched", 2)]),
        );
        assert_eq!(
            told(&changes),
            [
                (ChangeKind::Added, "added"),
                (ChangeKind::Modified, "grown"),
                (ChangeKind::Link, "link"),
                (ChangeKind::Mode, "mode"),
                (ChangeKind::Owner, "owner"),
                (ChangeKind::Removed, "removed"),
                (ChangeKind::Modified, "rewritten"),
                (ChangeKind::Mode, "touched-mode"),
                (ChangeKind::Type, "type"),
                (ChangeKind::Modified, "unread"),
            ]
            .map(|(kind, path)| (kind, path.to_owned()))
        );
        let uncertain: Vec<&Change> = changes.iter().filter(|change| change.is_uncertain).collect();
        assert_eq!(uncertain.len(), 1, "{uncertain:?}");
    }

    #[test]
    fn a_rename_pairs_equal_contents_once() {
        let differences = vec![
            difference("a", Some(file(3, 5)), None),
            difference("b", Some(file(3, 5)), None),
            difference("c", Some(file(4, 5)), None),
            difference("empty", Some(file(0, 5)), None),
            difference("x", None, Some(file(3, 9))),
            difference("y", None, Some(file(3, 9))),
            difference("z", None, Some(file(3, 9))),
            difference("zero", None, Some(file(0, 9))),
        ];
        let (old, new) = to_hash(&differences, true);
        assert_eq!((old.len(), new.len()), (2, 3), "only sizes that are on both sides");
        let same = hashes(&[("a", 1), ("b", 1), ("x", 1), ("y", 2), ("z", 1)]);
        let changes = changes(differences, &same, &same);
        let renames: Vec<(&[u8], Option<&[u8]>)> = changes
            .iter()
            .filter(|change| change.kind == ChangeKind::Renamed)
            .map(|change| (change.path.as_slice(), change.from.as_deref()))
            .collect();
        assert_eq!(renames, [(&b"x"[..], Some(&b"a"[..])), (b"z", Some(b"b"))]);
        let rest: Vec<_> =
            told(&changes).into_iter().filter(|(kind, _)| *kind != ChangeKind::Renamed).collect();
        assert_eq!(
            rest,
            [
                (ChangeKind::Removed, "c"),
                (ChangeKind::Removed, "empty"),
                (ChangeKind::Added, "y"),
                (ChangeKind::Added, "zero")
            ]
            .map(|(kind, path)| (kind, path.to_owned()))
        );
    }

    #[test]
    fn what_is_ignored_is_only_counted() {
        let mut ignored = Ignored::default();
        ignored.add(b"", b"target/\n");
        let mut differences = vec![
            difference(".git", None, Some(directory())),
            difference(".git/HEAD", None, Some(file(3, 5))),
            difference("src", Some(directory()), Some(directory())),
            difference("target/a", Some(file(3, 5)), None),
            difference("target/b", Some(file(3, 5)), Some(file(4, 5))),
        ];
        let counts = set_aside(&mut differences, &ignored);
        assert_eq!(differences.len(), 1);
        assert_eq!(
            counts.get(&b".git"[..]),
            Some(&ChangeCounts { added: 1, ..ChangeCounts::default() })
        );
        let target = ChangeCounts { removed: 1, modified: 1, ..ChangeCounts::default() };
        assert_eq!(counts.get(&b"target"[..]), Some(&target));
    }
}
