//! Restore a git checkpoint.

use crate::domain::Result;
use crate::ports::sandbox::{ChangedPath, RestoredGitCheckpoint};
use crate::session::Session;
use crate::session::checkpoints::{GitCheckpointTarget, named_from_root};
use crate::session::files::Files;
use crate::session::parts::Placed;

impl Session {
    /// Restores the files of a git checkpoint in place. Removes files added since. Ignored files
    /// stay.
    ///
    /// # Errors
    /// `NOT_FOUND`; `CONFLICT` if an ignored file is in the way: nothing has
    /// changed; `UNSUPPORTED`; `INVALID_ARGUMENT` for a path outside the workspace.
    pub async fn restore_git_checkpoint(
        &self,
        target: GitCheckpointTarget,
    ) -> Result<Placed<RestoredGitCheckpoint>> {
        Files::from(self).restore_git_checkpoint(target).await
    }
}

impl Files<'_> {
    pub async fn restore_git_checkpoint(
        &self,
        target: GitCheckpointTarget,
    ) -> Result<Placed<RestoredGitCheckpoint>> {
        let place = self.writable_place(target.workspace.as_ref(), &target.path).await?;
        let sandbox = place.sandbox();
        let restored = sandbox
            .restore_git_checkpoint(target.name, place.path.clone(), place.options())
            .await?;
        let named = |changed: ChangedPath| ChangedPath {
            path: place.named_from_root(changed.path),
            ..changed
        };
        Ok(place.answers(RestoredGitCheckpoint {
            changes: restored.changes.into_iter().map(named).collect(),
            nested: named_from_root(&place, restored.nested),
            ..restored
        }))
    }
}
