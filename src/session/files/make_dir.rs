//! Make a directory.

#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{Result, WorkspaceRef};
use crate::ports::sandbox::FileOptions;
use crate::session::Session;
use crate::session::files::Files;
use crate::session::parts::Placed;
use serde::{Deserialize, Serialize};

/// A directory to make.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MakeDirRequest {
    /// Directory under the workspace, e.g. src/new.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

/// The directory that exists now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct MadeDir {
    /// Absolute path.
    pub path: String,
}

impl Session {
    /// Makes a directory of a workspace, and its parents. A directory that
    /// exists is left as it is.
    ///
    /// # Errors
    /// `CONFLICT` if something else has that path; `INVALID_ARGUMENT` for a path
    /// outside the workspace.
    pub async fn make_dir(&self, request: MakeDirRequest) -> Result<Placed<MadeDir>> {
        Files::from(self).make_dir(request).await
    }
}

impl Files<'_> {
    pub async fn make_dir(&self, request: MakeDirRequest) -> Result<Placed<MadeDir>> {
        let place = self
            .place(
                &self.context.require_open()?.writable()?,
                request.workspace.as_ref(),
                &request.path,
            )
            .await?;
        let options = FileOptions { recursive: true, ..place.options() };
        place.sandbox().mkdir(place.path.clone(), options).await?;
        Ok(place.answers(MadeDir { path: place.path.to_string() }))
    }
}
