//! Delete a git checkpoint.

use crate::domain::Result;
use crate::session::Session;
use crate::session::checkpoints::GitCheckpointTarget;
use crate::session::files::Files;
use crate::session::parts::Placed;
use serde::{Deserialize, Serialize};

/// The answer to the deletion of a git checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeletedGitCheckpoint {
    /// Always true, even if there was none.
    pub deleted: bool,
    /// Bytes that only this git checkpoint had. They stay in the repository, and in snapshots,
    /// until git removes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_bytes: Option<u64>,
    /// How to remove these bytes, if more than 1 MB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Fewer bytes than this need no hint.
const HELD_NOTICED_BYTES: u64 = 1_000_000;

impl Session {
    /// Deletes a git checkpoint. Its files stay. Repeating it changes nothing.
    ///
    /// # Errors
    /// `UNSUPPORTED`; `INVALID_ARGUMENT` for a path outside the workspace.
    pub async fn delete_git_checkpoint(
        &self,
        target: GitCheckpointTarget,
    ) -> Result<Placed<DeletedGitCheckpoint>> {
        Files::from(self).delete_git_checkpoint(target).await
    }
}

impl Files<'_> {
    pub async fn delete_git_checkpoint(
        &self,
        target: GitCheckpointTarget,
    ) -> Result<Placed<DeletedGitCheckpoint>> {
        let place = self.writable_place(target.workspace.as_ref(), &target.path).await?;
        let sandbox = place.sandbox();
        let held_bytes =
            sandbox.delete_git_checkpoint(target.name, place.path.clone(), place.options()).await?;
        let hint = held_bytes.filter(|bytes| *bytes > HELD_NOTICED_BYTES).map(|bytes| {
            format!(
                "the repository, and each snapshot of it, still has the git checkpoint's {bytes} bytes; git gc --prune=now in {} removes them, with all else that no branch, tag, stash or reflog names",
                place.path
            )
        });
        Ok(place.answers(DeletedGitCheckpoint { deleted: true, held_bytes, hint }))
    }
}
