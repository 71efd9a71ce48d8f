//! Find the snapshot that trees have in common.

use crate::domain::{BackupId, ErrorCode, Result, SandboxId};
use crate::session::parts::{ArchiveRoom, LoadedSession};
use crate::session::trees::Trees;
use crate::session::trees::tree::Tree;

/// How far back ancestors are looked for, in snapshots.
const ANCESTORS_MAX: usize = 1_000;

impl Trees<'_> {
    /// The snapshots that a workspace's files descend from, the nearest first.
    pub(crate) fn ancestors_of_workspace(
        &self,
        loaded: &LoadedSession,
        id: &SandboxId,
    ) -> Result<Vec<BackupId>> {
        let workspace = self.context.usable(id)?;
        let heads = self.context.catalogue.heads_of(id)?;
        let head = heads.archive_of(&loaded.config.saved_dirs.main).cloned();
        let mut ancestors = self.ancestors_of_snapshot(head)?;
        if let Some(from) = workspace.from_backup_id
            && !ancestors.contains(&from)
        {
            ancestors.extend(self.ancestors_of_snapshot(Some(from))?);
        }
        Ok(ancestors)
    }

    /// A snapshot and those that its files descend from, the nearest first.
    pub(crate) fn ancestors_of_snapshot(&self, id: Option<BackupId>) -> Result<Vec<BackupId>> {
        let mut ancestors: Vec<BackupId> = Vec::new();
        let mut next = id;
        while let Some(id) = next.filter(|id| !ancestors.contains(id)) {
            // Another session's snapshot has no row here.
            next = self.context.catalogue.snapshot(&id)?.and_then(|row| row.parent_id);
            ancestors.push(id);
            if ancestors.len() == ANCESTORS_MAX {
                break;
            }
        }
        Ok(ancestors)
    }

    /// The nearest snapshot that is in all of `lines` and can be read. An older snapshot serves as
    /// well, because all sides have the changes in between. Empty if there is none.
    pub(crate) async fn open_common_ancestor(
        &self,
        room: &ArchiveRoom,
        loaded: &LoadedSession,
        lines: &[Vec<BackupId>],
    ) -> Result<Tree> {
        let Some((first, others)) = lines.split_first() else {
            return Ok(Tree::Empty { sandbox_id: None });
        };
        for id in first.iter().filter(|id| others.iter().all(|line| line.contains(id))) {
            match self.open_by_id(room, loaded, id).await {
                Ok(snapshot) => return Ok(Tree::Archive { snapshot, sandbox_id: None }),
                Err(error) if error.code == ErrorCode::SnapshotGone => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Tree::Empty { sandbox_id: None })
    }
}
