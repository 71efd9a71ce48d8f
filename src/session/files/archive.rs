//! Export a directory of a workspace as a tar archive, and import one.

#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{Result, WorkspaceRef};
use crate::ports::Bytes;
use crate::ports::sandbox::ImportedTar;
use crate::session::Session;
use crate::session::files::{Files, root_path};
use crate::session::parts::Placed;
use serde::{Deserialize, Serialize};

/// The directory whose tree it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ArchiveRequest {
    /// Path under the workspace. Default: its root.
    #[serde(default = "root_path")]
    pub path: String,
    /// A workspace's id. Default: the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl Session {
    /// The tree below a directory as a tar archive. A stream that ends is whole.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` if it is not a directory, or outside the
    /// workspace; `UNSUPPORTED` if the image lacks support.
    pub async fn export_tar(&self, request: ArchiveRequest) -> Result<Bytes> {
        Files::from(self).export_tar(request).await
    }

    /// Puts the files of a tar archive into a directory, all or none.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a refused or broken archive; `TOO_LARGE`; `CONFLICT`
    /// if an existing file is in its way; `FORBIDDEN` in a read-only session.
    pub async fn import_tar(
        &self,
        request: ArchiveRequest,
        archive: Bytes,
    ) -> Result<Placed<ImportedTar>> {
        Files::from(self).import_tar(request, archive).await
    }
}

impl Files<'_> {
    pub async fn export_tar(&self, request: ArchiveRequest) -> Result<Bytes> {
        let place = self
            .place(&self.context.require_open()?, request.workspace.as_ref(), &request.path)
            .await?;
        place.sandbox().export_tar(place.path.clone(), place.options()).await
    }

    pub async fn import_tar(
        &self,
        request: ArchiveRequest,
        archive: Bytes,
    ) -> Result<Placed<ImportedTar>> {
        let place = self
            .place(
                &self.context.require_open()?.writable()?,
                request.workspace.as_ref(),
                &request.path,
            )
            .await?;
        let imported =
            place.sandbox().import_tar(archive, place.path.clone(), place.options()).await?;
        Ok(place.answers(imported))
    }
}
