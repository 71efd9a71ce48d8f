//! Export a directory of a workspace as a tar archive, and import one.

use crate::domain::limits::UPLOAD_PART_MAX_BYTES;
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{Error, ErrorCode, PartNumber, Result, UploadId, WorkspaceRef};
use crate::ports::Bytes;
use crate::ports::sandbox::{ImportedTar, UploadPart, UploadedArchive};
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
    /// Streams the tree below a directory as a tar archive. A stream that ends is whole.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT`; `UNSUPPORTED` if the image lacks support.
    pub async fn export_tar(&self, request: ArchiveRequest) -> Result<Bytes> {
        let files = Files::from(self);
        let place = files.readable_place(request.workspace.as_ref(), &request.path).await?;
        place.sandbox().export_tar(place.path.clone(), place.options()).await
    }

    /// Puts the files of a tar archive into a directory, all or none.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`; `TOO_LARGE`; `CONFLICT` if an existing file is in its way; `FORBIDDEN`.
    pub async fn import_tar(
        &self,
        request: ArchiveRequest,
        archive: Bytes,
    ) -> Result<Placed<ImportedTar>> {
        let files = Files::from(self);
        let place = files.writable_place(request.workspace.as_ref(), &request.path).await?;
        let imported =
            place.sandbox().import_tar(archive, place.path.clone(), place.options()).await?;
        Ok(place.answers(imported))
    }
}

// Uploads in parts: a proxy may refuse a body as large as the archive. The parts are on the
// container's disk, and lost with it. The end of the upload therefore reports missing parts.

/// The end of an upload: its parts, and where their files go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FinishUpload {
    /// Number of parts, 1 to 1,000.
    pub parts: PartNumber,
    /// SHA-256 of the whole archive, 64 lowercase hex digits. An archive with
    /// another hash is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Directory, relative to the workspace. Default: its root.
    #[serde(default = "root_path")]
    pub path: String,
    /// A workspace's id. Default: the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

/// A part that is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoredPart {
    /// Its number.
    pub part: PartNumber,
    /// Size in bytes.
    pub size_bytes: u64,
}

/// An upload whose parts are gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AbortedUpload {
    /// Always true.
    pub aborted: bool,
}

impl Session {
    /// Stores a part of an archive. Storing it again replaces it.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`; `TOO_LARGE`; `UNAVAILABLE` if it did not arrive whole; `FORBIDDEN`.
    pub async fn store_part(
        &self,
        workspace: Option<&WorkspaceRef>,
        part: UploadPart,
        content: Bytes,
    ) -> Result<Placed<StoredPart>> {
        let files = Files::from(self);
        if part.size_bytes == 0 {
            return Err(Error::invalid("part", "is empty"));
        }
        if part.size_bytes > UPLOAD_PART_MAX_BYTES {
            let message = format!("the part is larger than {UPLOAD_PART_MAX_BYTES} bytes");
            return Err(Error::new(ErrorCode::TooLarge, message).with_hint("send smaller parts"));
        }
        let place = files.writable_place(workspace, &root_path()).await?;
        let stored = StoredPart { part: part.part, size_bytes: part.size_bytes };
        place.sandbox().store_part(content, part, place.path.clone(), place.options()).await?;
        Ok(place.answers(stored))
    }

    /// Puts the files of an uploaded archive into a directory, all or none. On failure, parts stay.
    ///
    /// # Errors
    /// As [`Self::import_tar`]; `CONFLICT` with the missing parts.
    pub async fn finish_upload(
        &self,
        upload: UploadId,
        request: FinishUpload,
    ) -> Result<Placed<ImportedTar>> {
        let files = Files::from(self);
        let FinishUpload { parts, sha256, path, workspace } = request;
        if let Some(sum) = &sha256
            && !(sum.len() == 64 && sum.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
        {
            return Err(Error::invalid("sha256", "must be 64 lowercase hex digits"));
        }
        let place = files.writable_place(workspace.as_ref(), &path).await?;
        let archive = UploadedArchive { upload, parts, sha256 };
        let imported =
            place.sandbox().import_upload(archive, place.path.clone(), place.options()).await?;
        Ok(place.answers(imported))
    }

    /// Removes the parts of an upload. Repeating it succeeds.
    ///
    /// # Errors
    /// `UNAVAILABLE` while it is being imported.
    pub async fn abort_upload(
        &self,
        workspace: Option<&WorkspaceRef>,
        upload: UploadId,
    ) -> Result<Placed<AbortedUpload>> {
        let files = Files::from(self);
        let place = files.writable_place(workspace, &root_path()).await?;
        place.sandbox().drop_upload(upload, place.path.clone(), place.options()).await?;
        Ok(place.answers(AbortedUpload { aborted: true }))
    }
}
