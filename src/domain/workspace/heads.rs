//! The archives from which a workspace wakes, in order.

use crate::domain::snapshot::flat_ids;
use crate::domain::{BackupDir, BackupId, WorkspaceRef};
use serde::{Deserialize, Serialize};

/// An archive, and the directory that it has.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct DirHead {
    /// The archive.
    pub backup_id: BackupId,
    /// The archive's directory.
    pub dir: BackupDir,
}

/// The archives with a workspace's last known files, in the order of a wake. Usually just the head.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Heads(Vec<DirHead>);

impl Heads {
    /// Heads read from the store.
    #[must_use]
    pub const fn stored(heads: Vec<DirHead>) -> Self {
        Self(heads)
    }

    /// Heads of a new workspace: the archive whose files it got, if any.
    #[must_use]
    pub fn of(given: Option<DirHead>) -> Self {
        Self(given.into_iter().collect())
    }

    /// Adds an archive of the present files. Drops those that it covers: it has all their files.
    pub fn put(&mut self, head: DirHead) {
        self.0.retain(|below| !head.dir.covers(&below.dir));
        self.0.push(head);
    }

    /// The heads, in the order of a wake.
    #[must_use]
    pub fn as_slice(&self) -> &[DirHead] {
        &self.0
    }

    /// The last archive of exactly this directory.
    #[must_use]
    pub fn archive_of(&self, dir: &BackupDir) -> Option<&BackupId> {
        self.0.iter().rev().find(|head| &head.dir == dir).map(|head| &head.backup_id)
    }

    /// The head with this archive.
    #[must_use]
    pub fn find(&self, id: &BackupId) -> Option<&DirHead> {
        self.0.iter().find(|head| &head.backup_id == id)
    }
}

/// What a workspace woke with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Woken {
    /// The workspace.
    #[serde(flatten, with = "flat_ids::placed_ref")]
    #[cfg_attr(schemas, schemars(with = "flat_ids::PlacedWithId"))]
    pub workspace: WorkspaceRef,
    /// The snapshot that its files came from, or null if it began empty.
    pub from_snapshot_id: Option<BackupId>,
    /// When that snapshot was taken, in RFC 3339, or null.
    pub saved_at: Option<String>,
    /// How old that snapshot was at the wake, in seconds, or null.
    pub age_seconds: Option<i64>,
    /// Where files that were already in the workspace's directory were moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_aside: Option<String>,
    /// The same as text.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads(dirs: &[&str]) -> Vec<String> {
        let mut heads = Heads::default();
        for (dir, n) in dirs.iter().zip(1..) {
            let dir = BackupDir::parse(dir).unwrap();
            heads.put(DirHead { backup_id: BackupId::from_random([n; 16]), dir });
        }
        heads.0.into_iter().map(|head| head.dir.as_str().to_owned()).collect()
    }

    #[test]
    fn an_archive_replaces_those_that_it_covers() {
        assert_eq!(heads(&["/workspace", "/workspace"]), ["/workspace"]);
        assert_eq!(heads(&["/workspace/sub", "/workspace"]), ["/workspace"]);
        assert_eq!(heads(&["/workspace", "/workspace/sub"]), ["/workspace", "/workspace/sub"]);
        assert_eq!(heads(&["/home", "/workspace"]), ["/home", "/workspace"]);
        assert_eq!(
            heads(&["/workspace", "/home", "/workspace/a", "/workspace/b", "/workspace/a"]),
            ["/workspace", "/home", "/workspace/b", "/workspace/a"],
        );
        assert_eq!(heads(&["/workspace/ab", "/workspace/a"]), ["/workspace/ab", "/workspace/a"]);
    }
}
