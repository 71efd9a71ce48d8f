//! Remove a file or a directory.

#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{Result, WorkspaceRef};
use crate::ports::sandbox::FileOptions;
use crate::session::Session;
use crate::session::files::Files;
use crate::session::parts::Placed;
use serde::{Deserialize, Serialize};

/// What to remove.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RemoveRequest {
    /// Path under the workspace, e.g. src/old.py.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// Also a directory, with all its content.
    #[serde(default)]
    pub recursive: bool,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

/// What was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Removed {
    /// Absolute path that was removed.
    pub path: String,
}

impl Session {
    /// Removes a file of a workspace, or a symbolic link itself; with
    /// `recursive` a directory and all that is in it.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` for a directory without `recursive`, for
    /// the workspace itself, and for a path outside it.
    pub async fn remove(&self, request: RemoveRequest) -> Result<Placed<Removed>> {
        Files::from(self).remove(request).await
    }
}

impl Files<'_> {
    pub async fn remove(&self, request: RemoveRequest) -> Result<Placed<Removed>> {
        let place = self
            .place_below_root(
                &self.context.require_open()?.writable()?,
                request.workspace.as_ref(),
                &request.path,
            )
            .await?;
        let options = FileOptions { recursive: request.recursive, ..place.options() };
        place.sandbox().delete_file(place.path.clone(), options).await?;
        Ok(place.answers(Removed { path: place.path.to_string() }))
    }
}
