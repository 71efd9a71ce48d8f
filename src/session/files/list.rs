//! List a directory.

use crate::domain::error::Result;
use crate::domain::limits::{LIST_FILES_DEFAULT_ENTRIES, LIST_FILES_MAX_ENTRIES};
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::snapshot::refs::WorkspaceRef;
use crate::ports::sandbox::{FileOptions, FileType, FoundPath};
use crate::session::Session;
use crate::session::active::Placed;
use crate::session::files::{Files, next_offset, root_path};
use serde::{Deserialize, Serialize};

/// A directory to list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListFilesRequest {
    /// Directory under the workspace. Default: its root.
    #[serde(default = "root_path")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// Also list its directories' contents.
    #[serde(default)]
    pub recursive: bool,
    /// Also names that begin with a dot.
    #[serde(default = "yes")]
    pub include_hidden: bool,
    /// Entries to skip: nextOffset of the previous answer.
    #[serde(default)]
    pub offset: u64,
    /// Maximum number of entries.
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::LIST_FILES_MAX_ENTRIES), extend("default" = crate::domain::limits::LIST_FILES_DEFAULT_ENTRIES)))]
    pub limit: Option<usize>,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

pub(crate) const fn yes() -> bool {
    true
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListedEntry {
    /// From the workspace's root.
    #[serde(flatten)]
    pub path: FoundPath,
    /// Type.
    pub r#type: FileType,
    /// Size in bytes.
    pub size: u64,
    /// RFC 3339.
    pub modified_at: String,
    /// Permission bits in octal.
    pub mode: String,
}

/// A page of entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListedFiles {
    /// By path.
    pub entries: Vec<ListedEntry>,
    /// Whether there are more.
    pub truncated: bool,
    /// `offset` of those.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
}

impl Session {
    /// Lists a directory of a workspace.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` if it is not a directory, or outside the
    /// workspace.
    pub async fn list_files(&self, request: ListFilesRequest) -> Result<Placed<ListedFiles>> {
        Files::from(self).list_files(request).await
    }
}

impl Files<'_> {
    pub async fn list_files(&self, request: ListFilesRequest) -> Result<Placed<ListedFiles>> {
        let limit = crate::session::files::limit(
            request.limit,
            LIST_FILES_DEFAULT_ENTRIES,
            LIST_FILES_MAX_ENTRIES,
        )?;
        let place = self
            .place(&self.context.require_open()?, request.workspace.as_ref(), &request.path)
            .await?;
        let options = FileOptions {
            recursive: request.recursive,
            include_hidden: request.include_hidden,
            offset: request.offset,
            limit,
            ..place.options()
        };
        let listed = place.sandbox().list_files(place.path.clone(), options).await?;
        let next_offset = next_offset(listed.truncated, request.offset, listed.files.len());
        let entries = listed
            .files
            .into_iter()
            .map(|file| ListedEntry {
                path: place.named_from_root(FoundPath {
                    path: file.relative_path,
                    path_base64: file.relative_path_base64,
                }),
                r#type: file.r#type,
                size: file.size,
                modified_at: file.modified_at,
                mode: file.mode,
            })
            .collect();
        Ok(place.answers(ListedFiles { entries, truncated: listed.truncated, next_offset }))
    }
}
