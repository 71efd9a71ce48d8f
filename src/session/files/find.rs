//! Find files by their names.

use crate::domain::error::Result;
use crate::domain::limits::{LIST_FILES_DEFAULT_ENTRIES, LIST_FILES_MAX_ENTRIES};
use crate::ports::sandbox::{FoundPath, SearchOptions};
use crate::session::files::{Files, next_offset, root_path};
use serde::{Deserialize, Serialize};

/// Which files to find.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindFilesRequest {
    /// Glob, in the manner of `.gitignore`.
    pub pattern: String,
    /// Directory under the workspace. Default: its root.
    #[serde(default = "root_path")]
    pub path: String,
    /// Also what ignore files name, and `.git`.
    #[serde(default)]
    pub include_ignored: bool,
    /// Files to pass over.
    #[serde(default)]
    pub offset: u64,
    /// Files at most.
    pub limit: Option<usize>,
}

/// A page of files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FoundFileList {
    /// By path, from the workspace's root.
    pub files: Vec<FoundPath>,
    /// Whether there are more.
    pub truncated: bool,
    /// `offset` of those.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
}

impl Files<'_> {
    /// Finds files of the active workspace.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` for a bad glob or a path outside the
    /// workspace; `UNSUPPORTED` if the image has no ripgrep.
    pub async fn find_files(&self, request: FindFilesRequest) -> Result<FoundFileList> {
        let limit = crate::session::files::limit(
            request.limit,
            LIST_FILES_DEFAULT_ENTRIES,
            LIST_FILES_MAX_ENTRIES,
        )?;
        let place = self.place(&self.context.require_open()?, &request.path).await?;
        let options = SearchOptions {
            glob: Some(request.pattern),
            include_ignored: request.include_ignored,
            offset: request.offset,
            limit,
            ..place.search_options()
        };
        let found = place.sandbox().glob(place.path.clone(), options).await?;
        let next_offset = next_offset(found.truncated, request.offset, found.files.len());
        let files = found.files.into_iter().map(|file| place.named_from_root(file)).collect();
        Ok(FoundFileList { files, truncated: found.truncated, next_offset })
    }
}
