//! Write a whole file.

#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{Result, WorkspaceRef};
use crate::ports::sandbox::{Encoding, FileOptions};
use crate::session::Session;
use crate::session::files::Files;
use crate::session::parts::Placed;
use serde::{Deserialize, Serialize};

/// A file to write.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WriteFileRequest {
    /// Path under the workspace, e.g. src/main.py.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// The whole content.
    pub content: String,
    /// Encoding of content; base64 for bytes.
    #[serde(default)]
    pub encoding: Encoding,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

/// The answer to a write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct WrittenFile {
    /// Absolute path.
    pub path: String,
}

impl Session {
    /// Writes a file of a workspace, making its parent directories.
    ///
    /// # Errors
    /// `TOO_LARGE`; `INVALID_ARGUMENT` for a path outside the workspace.
    pub async fn write_file(&self, request: WriteFileRequest) -> Result<Placed<WrittenFile>> {
        Files::from(self).write_file(request).await
    }
}

impl Files<'_> {
    pub async fn write_file(&self, request: WriteFileRequest) -> Result<Placed<WrittenFile>> {
        let place = self
            .place_below_root(
                &self.context.require_open()?.writable()?,
                request.workspace.as_ref(),
                &request.path,
            )
            .await?;
        let options =
            FileOptions { encoding: Some(request.encoding), recursive: true, ..place.options() };
        place.sandbox().write_file(place.path.clone(), request.content, options).await?;
        Ok(place.answers(WrittenFile { path: place.path.to_string() }))
    }
}
