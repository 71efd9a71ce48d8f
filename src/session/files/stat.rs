//! Look at a file, a directory or a symbolic link.

use crate::domain::error::Result;
use crate::ports::sandbox::FileStat;
use crate::session::Session;
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
    /// Looks at what a path of the active workspace is, at a symbolic link itself.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` for a path outside the workspace.
    pub async fn stat(&self, request: StatRequest) -> Result<StatView> {
        Files::from(self).stat(request).await
    }
}

impl Files<'_> {
    pub async fn stat(&self, request: StatRequest) -> Result<StatView> {
        let place = self.place(&self.context.require_open()?, &request.path).await?;
        let stat = place.sandbox().stat(place.path.clone(), place.options()).await?;
        Ok(StatView { path: place.path.into(), stat })
    }
}
