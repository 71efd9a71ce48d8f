//! Compare files with a git checkpoint.

use crate::domain::Result;
use crate::ports::sandbox::GitCheckpointDiff;
use crate::session::Session;
use crate::session::checkpoints::{GitCheckpointTarget, named_from_root};
use crate::session::files::Files;
use crate::session::parts::Placed;

impl Session {
    /// Compares files of a workspace with a git checkpoint. Paths in the diff
    /// begin at the git checkpoint's directory.
    ///
    /// # Errors
    /// `NOT_FOUND`; `UNSUPPORTED`; `INVALID_ARGUMENT` for a path outside the
    /// workspace.
    pub async fn diff_git_checkpoint(
        &self,
        target: GitCheckpointTarget,
    ) -> Result<Placed<GitCheckpointDiff>> {
        Files::from(self).diff_git_checkpoint(target).await
    }
}

impl Files<'_> {
    pub async fn diff_git_checkpoint(
        &self,
        target: GitCheckpointTarget,
    ) -> Result<Placed<GitCheckpointDiff>> {
        let place = self.readable_place(target.workspace.as_ref(), &target.path).await?;
        let sandbox = place.sandbox();
        let diff =
            sandbox.diff_git_checkpoint(target.name, place.path.clone(), place.options()).await?;
        let nested = named_from_root(&place, diff.nested);
        Ok(place.answers(GitCheckpointDiff { nested, ..diff }))
    }
}
