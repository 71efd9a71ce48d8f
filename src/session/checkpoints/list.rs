//! List checkpoints.

use crate::domain::error::Result;
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::snapshot::refs::WorkspaceRef;
use crate::ports::sandbox::CheckpointList;
use crate::session::Session;
use crate::session::active::Placed;
use crate::session::files::{Files, root_path};
use serde::Deserialize;

/// Which to list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ListCheckpointsRequest {
    /// Default: the root.
    #[serde(default = "root_path")]
    pub path: String,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl Session {
    /// Lists the checkpoints of a directory of a workspace, newest first.
    ///
    /// # Errors
    /// `NOT_FOUND`; `UNSUPPORTED`; `INVALID_ARGUMENT` for a path outside the
    /// workspace.
    pub async fn list_checkpoints(
        &self,
        request: ListCheckpointsRequest,
    ) -> Result<Placed<CheckpointList>> {
        Files::from(self).list_checkpoints(request).await
    }
}

impl Files<'_> {
    pub async fn list_checkpoints(
        &self,
        request: ListCheckpointsRequest,
    ) -> Result<Placed<CheckpointList>> {
        let place = self.readable_place(request.workspace.as_ref(), &request.path).await?;
        let listed = place.sandbox().list_checkpoints(place.path.clone(), place.options()).await?;
        Ok(place.answers(listed))
    }
}
