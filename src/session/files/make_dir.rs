//! Make a directory.

use crate::domain::error::Result;
use crate::ports::sandbox::FileOptions;
use crate::session::Session;
use crate::session::files::Files;
use serde::{Deserialize, Serialize};

/// A directory to make.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MakeDirRequest {
    /// Directory under the workspace, e.g. src/new.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct MadeDir {
    /// Whole path.
    pub path: String,
}

impl Session {
    /// Makes a directory of the active workspace, and its parents. One that is
    /// there already is left as it is.
    ///
    /// # Errors
    /// `CONFLICT` if something else has that path; `INVALID_ARGUMENT` for a path
    /// outside the workspace.
    pub async fn make_dir(&self, request: MakeDirRequest) -> Result<MadeDir> {
        Files::from(self).make_dir(request).await
    }
}

impl Files<'_> {
    pub async fn make_dir(&self, request: MakeDirRequest) -> Result<MadeDir> {
        let place = self.place(&self.context.require_open()?.writable()?, &request.path).await?;
        let options = FileOptions { recursive: true, ..place.options() };
        place.sandbox().mkdir(place.path.clone(), options).await?;
        Ok(MadeDir { path: place.path.into() })
    }
}
