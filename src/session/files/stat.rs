//! Look at a file, a directory or a symbolic link.

use crate::domain::error::Result;
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::snapshot::refs::WorkspaceRef;
use crate::ports::sandbox::FileStat;
use crate::session::Session;
use crate::session::active::Placed;
use crate::session::files::Files;
use serde::{Deserialize, Serialize};

/// What to look at.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StatRequest {
    /// Path under the workspace, e.g. src/main.py.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

/// What is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct StatView {
    /// Whole path.
    pub path: String,
    /// Its facts.
    #[serde(flatten)]
    pub stat: FileStat,
}

impl Session {
    /// Looks at what a path of a workspace is, at a symbolic link itself.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` for a path outside the workspace.
    pub async fn stat(&self, request: StatRequest) -> Result<Placed<StatView>> {
        Files::from(self).stat(request).await
    }
}

impl Files<'_> {
    pub async fn stat(&self, request: StatRequest) -> Result<Placed<StatView>> {
        let place = self
            .place(&self.context.require_open()?, request.workspace.as_ref(), &request.path)
            .await?;
        let stat = place.sandbox().stat(place.path.clone(), place.options()).await?;
        Ok(place.answers(StatView { path: place.path.to_string(), stat }))
    }
}
