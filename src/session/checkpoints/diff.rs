//! Compare files with a checkpoint.

use crate::domain::error::Result;
use crate::ports::sandbox::CheckpointDiff;
use crate::session::Session;
use crate::session::active::Placed;
use crate::session::checkpoints::{CheckpointTarget, named_from_root};
use crate::session::files::Files;

impl Session {
    /// Compares files of a workspace with a checkpoint. Paths in the diff
    /// begin at the checkpoint's directory.
    ///
    /// # Errors
    /// `NOT_FOUND`; `UNSUPPORTED`; `INVALID_ARGUMENT` for a path outside the
    /// workspace.
    pub async fn diff_checkpoint(
        &self,
        target: CheckpointTarget,
    ) -> Result<Placed<CheckpointDiff>> {
        Files::from(self).diff_checkpoint(target).await
    }
}

impl Files<'_> {
    pub async fn diff_checkpoint(
        &self,
        target: CheckpointTarget,
    ) -> Result<Placed<CheckpointDiff>> {
        let place = self.readable_place(target.workspace.as_ref(), &target.path).await?;
        let sandbox = place.sandbox();
        let diff =
            sandbox.diff_checkpoint(target.name, place.path.clone(), place.options()).await?;
        let nested = named_from_root(&place, diff.nested);
        Ok(place.answers(CheckpointDiff { nested, ..diff }))
    }
}
