//! Delete a checkpoint.

use crate::domain::error::Result;
use crate::session::Session;
use crate::session::active::Placed;
use crate::session::checkpoints::CheckpointTarget;
use crate::session::files::Files;
use serde::{Deserialize, Serialize};

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct DeletedCheckpoint {
    /// True; also if there was none.
    pub deleted: bool,
}

impl Session {
    /// Deletes a checkpoint. Its files stay. Repeating it changes nothing.
    ///
    /// # Errors
    /// `UNSUPPORTED`; `INVALID_ARGUMENT` for a path outside the workspace.
    pub async fn delete_checkpoint(
        &self,
        target: CheckpointTarget,
    ) -> Result<Placed<DeletedCheckpoint>> {
        Files::from(self).delete_checkpoint(target).await
    }
}

impl Files<'_> {
    pub async fn delete_checkpoint(
        &self,
        target: CheckpointTarget,
    ) -> Result<Placed<DeletedCheckpoint>> {
        let place = self.writable_place(target.workspace.as_ref(), &target.path).await?;
        let sandbox = place.sandbox();
        sandbox.delete_checkpoint(target.name, place.path.clone(), place.options()).await?;
        Ok(place.answers(DeletedCheckpoint { deleted: true }))
    }
}
