//! List checkpoints.

use crate::domain::error::Result;
use crate::ports::sandbox::CheckpointList;
use crate::session::Session;
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
}

impl Session {
    /// Lists the checkpoints of a directory of the active workspace, newest first.
    ///
    /// # Errors
    /// `NOT_FOUND`; `UNSUPPORTED`; `INVALID_ARGUMENT` for a path outside the
    /// workspace.
    pub async fn list_checkpoints(
        &self,
        request: ListCheckpointsRequest,
    ) -> Result<CheckpointList> {
        Files::from(self).list_checkpoints(request).await
    }
}

impl Files<'_> {
    pub async fn list_checkpoints(
        &self,
        request: ListCheckpointsRequest,
    ) -> Result<CheckpointList> {
        let place = self.readable_place(&request.path).await?;
        place.sandbox().list_checkpoints(place.path.clone(), place.options()).await
    }
}
