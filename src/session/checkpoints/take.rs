//! Take a git checkpoint.

#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::snapshot::annotations::check_description;
use crate::domain::{GitCheckpointName, Result, WorkspaceRef};
use crate::ports::sandbox::{NewGitCheckpoint, TakenGitCheckpoint};
use crate::session::Session;
use crate::session::checkpoints::named_from_root;
use crate::session::files::{Files, root_path};
use crate::session::parts::Placed;
use serde::Deserialize;

/// What to take.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TakeGitCheckpointRequest {
    /// Name, e.g. before-refactor.
    pub name: GitCheckpointName,
    /// Description.
    #[serde(default)]
    #[cfg_attr(schemas, schemars(length(max = crate::domain::limits::SNAPSHOT_DESCRIPTION_MAX_CHARS), regex(pattern = crate::domain::patterns::TEXT_PATTERN)))]
    pub description: Option<String>,
    /// Replace one with this name; otherwise CONFLICT.
    #[serde(default)]
    pub replace: bool,
    /// Default: the root.
    #[serde(default = "root_path")]
    pub path: String,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl Session {
    /// Takes a git checkpoint of a directory of a workspace, in its git
    /// repository. Makes the repository if there is none.
    ///
    /// # Errors
    /// `CONFLICT` if the name is taken; `UNSUPPORTED` without git, or if the
    /// repository can't be used; `INVALID_ARGUMENT` for a path outside the
    /// workspace; `NOT_FOUND`.
    pub async fn take_git_checkpoint(
        &self,
        request: TakeGitCheckpointRequest,
    ) -> Result<Placed<TakenGitCheckpoint>> {
        Files::from(self).take_git_checkpoint(request).await
    }
}

impl Files<'_> {
    pub async fn take_git_checkpoint(
        &self,
        request: TakeGitCheckpointRequest,
    ) -> Result<Placed<TakenGitCheckpoint>> {
        let TakeGitCheckpointRequest { name, description, replace, path, workspace } = request;
        let description = description.unwrap_or_default();
        check_description(&description)?;
        let place = self.writable_place(workspace.as_ref(), &path).await?;
        let checkpoint = NewGitCheckpoint { name, description, replace };
        let sandbox = place.sandbox();
        let taken =
            sandbox.take_git_checkpoint(checkpoint, place.path.clone(), place.options()).await?;
        let nested = named_from_root(&place, taken.nested);
        Ok(place.answers(TakenGitCheckpoint { nested, ..taken }))
    }
}
