//! List git checkpoints.

#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{Result, WorkspaceRef};
use crate::ports::sandbox::GitCheckpointList;
use crate::session::Session;
use crate::session::files::{Files, root_path};
use crate::session::parts::Placed;
use serde::Deserialize;

/// Which to list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ListGitCheckpointsRequest {
    /// Default: the root.
    #[serde(default = "root_path")]
    pub path: String,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl Session {
    /// Lists the git checkpoints of a directory of a workspace, newest first.
    ///
    /// # Errors
    /// `NOT_FOUND`; `UNSUPPORTED`; `INVALID_ARGUMENT` for a path outside the
    /// workspace.
    pub async fn list_git_checkpoints(
        &self,
        request: ListGitCheckpointsRequest,
    ) -> Result<Placed<GitCheckpointList>> {
        Files::from(self).list_git_checkpoints(request).await
    }
}

impl Files<'_> {
    pub async fn list_git_checkpoints(
        &self,
        request: ListGitCheckpointsRequest,
    ) -> Result<Placed<GitCheckpointList>> {
        let place = self.readable_place(request.workspace.as_ref(), &request.path).await?;
        let listed =
            place.sandbox().list_git_checkpoints(place.path.clone(), place.options()).await?;
        Ok(place.answers(listed))
    }
}
