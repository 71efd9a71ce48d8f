//! The archives a workspace wakes from, and their order.

use crate::domain::ids::BackupId;
use crate::domain::snapshot::backup::BackupDir;
use serde::Deserialize;

/// An archive and the directory it captured.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Layer {
    /// The archive.
    pub backup_id: BackupId,
    /// Directory whose files it holds.
    pub dir: BackupDir,
}

/// The archives that together hold a workspace's last known files, in the order
/// in which a wake applies them. Usually just one: the head.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layers(Vec<Layer>);

impl Layers {
    /// Layers read from the store.
    #[must_use]
    pub const fn stored(layers: Vec<Layer>) -> Self {
        Self(layers)
    }

    /// Layers of a new workspace: the archive whose files it got, if any.
    #[must_use]
    pub fn of(given: Option<Layer>) -> Self {
        Self(given.into_iter().collect())
    }

    /// Adds an archive of files that the workspace has now. Drops the archives
    /// that it covers: they have no file that it lacks.
    pub fn put(&mut self, layer: Layer) {
        self.0.retain(|below| !layer.dir.covers(&below.dir));
        self.0.push(layer);
    }

    /// The layers, in the order in which a wake applies them.
    #[must_use]
    pub fn as_slice(&self) -> &[Layer] {
        &self.0
    }

    /// The last archive of exactly this directory.
    #[must_use]
    pub fn archive_of(&self, dir: &BackupDir) -> Option<&BackupId> {
        self.0.iter().rev().find(|layer| &layer.dir == dir).map(|layer| &layer.backup_id)
    }

    /// The layer of this archive.
    #[must_use]
    pub fn find(&self, id: &BackupId) -> Option<&Layer> {
        self.0.iter().find(|layer| &layer.backup_id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers(dirs: &[&str]) -> Vec<String> {
        let mut layers = Layers::default();
        for (dir, n) in dirs.iter().zip(1..) {
            let dir = BackupDir::parse(dir).unwrap();
            layers.put(Layer { backup_id: BackupId::from_random([n; 16]), dir });
        }
        layers.0.into_iter().map(|layer| layer.dir.as_str().to_owned()).collect()
    }

    #[test]
    fn an_archive_replaces_those_that_it_covers() {
        assert_eq!(layers(&["/workspace", "/workspace"]), ["/workspace"]);
        assert_eq!(layers(&["/workspace/sub", "/workspace"]), ["/workspace"]);
        assert_eq!(layers(&["/workspace", "/workspace/sub"]), ["/workspace", "/workspace/sub"]);
        assert_eq!(layers(&["/home", "/workspace"]), ["/home", "/workspace"]);
        assert_eq!(
            layers(&["/workspace", "/home", "/workspace/a", "/workspace/b", "/workspace/a"]),
            ["/workspace", "/home", "/workspace/b", "/workspace/a"],
        );
        assert_eq!(layers(&["/workspace/ab", "/workspace/a"]), ["/workspace/ab", "/workspace/a"]);
    }
}
