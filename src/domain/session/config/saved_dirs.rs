//! Which directories are saved.

use crate::domain::BackupDir;

/// Directories that are saved automatically.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedDirs {
    /// `workspaceDir`, or `snapshotDir` if it contains `workspaceDir`. An archive that covers this
    /// directory is a workspace's head.
    pub main: BackupDir,
    /// `snapshotDir`, if neither directory contains the other.
    pub beside: Option<BackupDir>,
}

impl SavedDirs {
    pub(super) fn of(workspace_dir: BackupDir, snapshot_dir: &BackupDir) -> Self {
        if snapshot_dir.covers(&workspace_dir) {
            return Self { main: snapshot_dir.clone(), beside: None };
        }
        let beside = (!workspace_dir.covers(snapshot_dir)).then(|| snapshot_dir.clone());
        Self { main: workspace_dir, beside }
    }

    /// All saved directories.
    pub fn iter(&self) -> impl Iterator<Item = &BackupDir> {
        std::iter::once(&self.main).chain(&self.beside)
    }

    /// Whether an archive of `dir` includes all saved directories.
    #[must_use]
    pub fn are_in(&self, dir: &BackupDir) -> bool {
        self.iter().all(|saved| dir.covers(saved))
    }

    /// Whether `dir` is in a saved directory.
    #[must_use]
    pub fn hold(&self, dir: &BackupDir) -> bool {
        self.iter().any(|saved| saved.covers(dir))
    }
}
