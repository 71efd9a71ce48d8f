//! Merges the changes that two trees made to a third one, path by path. All decisions come before
//! any write. The caller compares and merges contents.

use crate::domain::tree::changes::{Change, ChangeKind};
use crate::domain::tree::ignore::Ignored;
use crate::domain::tree::{TreeEntry, TreeKind, is_at_or_below};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Changes of one side, by path. A rename is a removal and an addition.
pub type Changes = BTreeMap<Vec<u8>, Change>;

/// The changes to make in our tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TreeMerge {
    /// Paths that get their side's entry.
    pub take: BTreeMap<Vec<u8>, TreeEntry>,
    /// Paths to remove. A directory must be empty by then.
    pub remove: BTreeSet<Vec<u8>>,
    /// Files whose contents must be merged, with their new entries, except for the sizes.
    pub texts: BTreeMap<Vec<u8>, TreeEntry>,
    /// Paths that only get new permissions or a new owner.
    pub access: BTreeMap<Vec<u8>, TreeEntry>,
    /// Paths that both sides changed in incompatible ways.
    pub conflicts: BTreeMap<Vec<u8>, Conflict>,
    /// Paths that stay ours: git repositories changed by both, ignored files in conflict, and paths
    /// that they replaced by a device, pipe or socket.
    pub kept: BTreeSet<Vec<u8>>,
}

/// Why a path can't be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Conflict {
    /// Both changed the same lines.
    Content,
    /// Both changed a file that is not text, or too large to merge.
    Binary,
    /// We removed what they changed.
    RemovedByUs,
    /// They removed what we changed.
    RemovedByThem,
    /// The path has different types.
    Type,
    /// A symbolic link has different targets.
    Link,
    /// Its permissions are different.
    Mode,
}

/// Merges two trees' changes. `is_same` compares a file that both sides changed.
#[must_use]
pub fn merge(
    ours: &Changes,
    theirs: &Changes,
    ignored: &Ignored,
    is_same: impl Fn(&[u8]) -> bool,
) -> TreeMerge {
    let mut merge = TreeMerge::default();
    let ours_in_git: BTreeSet<&[u8]> = ours.keys().filter_map(|path| git_of(path)).collect();
    for (path, change) in theirs {
        if let Some(git) = git_of(path).filter(|git| ours_in_git.contains(git)) {
            // A git repository is merged as a unit.
            merge.kept.insert(git.to_vec());
            continue;
        }
        // Devices, pipes and sockets are not taken.
        if change.new.as_ref().is_some_and(|entry| matches!(entry.kind, TreeKind::Other(_))) {
            merge.kept.insert(path.clone());
            continue;
        }
        match ours.get(path) {
            None => merge.follow(path, change),
            Some(our) => merge.combine(path, our, change, &is_same),
        }
    }
    merge.check_places(ours);
    merge.keep_ignored(ours, ignored);
    merge
}

/// The `.git` directory at or above a path.
fn git_of(path: &[u8]) -> Option<&[u8]> {
    let nothing = Ignored::default();
    nothing.outermost(path, true)
}

impl TreeMerge {
    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.take.is_empty()
            && self.remove.is_empty()
            && self.texts.is_empty()
            && self.access.is_empty()
            && self.conflicts.is_empty()
    }

    /// Takes a change that only they made.
    fn follow(&mut self, path: &[u8], change: &Change) {
        let path = path.to_vec();
        match (&change.new, change.kind) {
            (None, _) => drop(self.remove.insert(path)),
            (Some(new), ChangeKind::Mode | ChangeKind::Owner) => {
                self.access.insert(path, new.clone());
            }
            (Some(new), ChangeKind::Type) => {
                self.remove.insert(path.clone());
                self.take.insert(path, new.clone());
            }
            (Some(new), _) => drop(self.take.insert(path, new.clone())),
        }
    }

    fn combine(
        &mut self,
        path: &[u8],
        our: &Change,
        their: &Change,
        is_same: impl Fn(&[u8]) -> bool,
    ) {
        let path = path.to_vec();
        let is_directory =
            |entry: &Option<TreeEntry>| entry.as_ref().is_some_and(TreeEntry::is_directory);
        let (ours, theirs) = match (&our.new, &their.new) {
            (None, None) => return,
            (None, Some(theirs)) => {
                // A removed directory comes back if they put something into it.
                if !(theirs.is_directory() && is_directory(&their.old)) {
                    self.conflicts.insert(path, Conflict::RemovedByUs);
                }
                return;
            }
            (Some(ours), None) => {
                if !(ours.is_directory() && is_directory(&our.old)) {
                    self.conflicts.insert(path, Conflict::RemovedByThem);
                }
                return;
            }
            (Some(ours), Some(theirs)) => (ours, theirs),
        };
        if !ours.kind.is_same_type(&theirs.kind) {
            self.conflicts.insert(path, Conflict::Type);
            return;
        }
        let Some(merged) = access(our.old.as_ref(), ours, theirs) else {
            self.conflicts.insert(path, Conflict::Mode);
            return;
        };
        match (&ours.kind, &theirs.kind) {
            (TreeKind::Symlink { target: one }, TreeKind::Symlink { target: other }) => {
                if one != other {
                    self.conflicts.insert(path, Conflict::Link);
                }
            }
            (TreeKind::File { .. }, TreeKind::File { .. }) if !is_same(&path) => {
                let is_access =
                    |change: &Change| matches!(change.kind, ChangeKind::Mode | ChangeKind::Owner);
                if is_access(our) {
                    let kind = theirs.kind.clone();
                    self.take.insert(path, TreeEntry { kind, ..merged });
                } else if !is_access(their) {
                    self.texts.insert(path, merged);
                } else if !merged.has_same_access(ours) {
                    self.access.insert(path, merged);
                }
            }
            _ if merged.has_same_access(ours) => {}
            _ => drop(self.access.insert(path, merged)),
        }
    }

    /// Adds the parents of taken paths, and finds entries of ours that block taken paths.
    fn check_places(&mut self, ours: &Changes) {
        let mut directories: BTreeMap<Vec<u8>, TreeEntry> = BTreeMap::new();
        let mut blocked: Vec<Vec<u8>> = Vec::new();
        for (path, entry) in &self.take {
            for dir in dirs_above(path) {
                match ours.get(dir).map(|change| (&change.old, &change.new)) {
                    // We removed a directory into which they put something.
                    Some((Some(old), None)) if old.is_directory() => {
                        directories.insert(dir.to_vec(), old.clone());
                    }
                    Some((_, Some(new))) if !new.is_directory() => blocked.push(path.clone()),
                    _ => {}
                }
            }
            // They replaced a directory into which we put something.
            let fills = |(other, change): (&Vec<u8>, &Change)| {
                change.new.is_some() && other != path && is_at_or_below(other, path)
            };
            if !entry.is_directory()
                && ours
                    .range(path.clone()..)
                    .take_while(|(other, _)| other.starts_with(path))
                    .any(fills)
            {
                blocked.push(path.clone());
            }
        }
        for path in blocked {
            self.take.remove(&path);
            self.remove.remove(&path);
            self.conflicts.insert(path, Conflict::Type);
        }
        for (path, entry) in directories {
            self.take.entry(path).or_insert(entry);
        }
    }

    /// Programs generate ignored files, so a conflict about them must not stop a merge: ours stay.
    fn keep_ignored(&mut self, ours: &Changes, ignored: &Ignored) {
        let texts = self.texts.keys().map(|path| (path, true));
        let conflicts = self.conflicts.keys().map(|path| (path, false));
        let is_ignored = |path: &[u8]| {
            let entry =
                ours.get(path).and_then(|change| change.new.as_ref().or(change.old.as_ref()));
            ignored.outermost(path, entry.is_some_and(TreeEntry::is_directory)).is_some()
        };
        let kept: Vec<Vec<u8>> = texts
            .chain(conflicts)
            .filter(|(path, _)| is_ignored(path))
            .map(|(path, _)| path.clone())
            .collect();
        for path in kept {
            self.texts.remove(&path);
            self.conflicts.remove(&path);
            self.kept.insert(path);
        }
    }
}

/// The outermost first.
fn dirs_above(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    ends.filter_map(|end| path.get(..end))
}

/// Our entry with merged permissions and owner. None if both changed the permissions differently.
fn access(base: Option<&TreeEntry>, ours: &TreeEntry, theirs: &TreeEntry) -> Option<TreeEntry> {
    let (base_mode, base_owner) =
        base.map_or((None, None), |base| (Some(base.mode), Some((base.uid, base.gid))));
    let mode = match (ours.mode, theirs.mode) {
        (ours, theirs) if ours == theirs || base_mode == Some(theirs) => ours,
        (ours, theirs) if base_mode == Some(ours) => theirs,
        // Both added the entry: it gets only the permissions that both give.
        (ours, theirs) if base_mode.is_none() => ours & theirs,
        _ => return None,
    };
    // If both sides changed the owner, ours stays.
    let is_theirs = base_owner == Some((ours.uid, ours.gid));
    let (uid, gid) = if is_theirs { (theirs.uid, theirs.gid) } else { (ours.uid, ours.gid) };
    Some(TreeEntry { kind: ours.kind.clone(), mode, uid, gid })
}

#[cfg(test)]
mod tests;
