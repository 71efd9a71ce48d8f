//! Find files by their names.

use crate::domain::error::Result;
use crate::domain::limits::{LIST_FILES_DEFAULT_ENTRIES, LIST_FILES_MAX_ENTRIES};
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::snapshot::refs::WorkspaceRef;
use crate::ports::sandbox::{FoundPath, SearchOptions};
use crate::session::Session;
use crate::session::active::Placed;
use crate::session::files::{Files, next_offset, root_path};
use serde::{Deserialize, Serialize};

/// Which files to find.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindFilesRequest {
    /// Glob, e.g. *.py or src/*.{ts,tsx}; ** is any depth.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATTERN_MAX_BYTES)))]
    pub pattern: String,
    /// Directory under the workspace to search. Default: its root.
    #[serde(default = "root_path")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// Also files in .git and those that .gitignore or .ignore name.
    #[serde(default)]
    pub include_ignored: bool,
    /// Files to skip: nextOffset of the previous answer.
    #[serde(default)]
    pub offset: u64,
    /// Maximum number of files.
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::LIST_FILES_MAX_ENTRIES), extend("default" = crate::domain::limits::LIST_FILES_DEFAULT_ENTRIES)))]
    pub limit: Option<usize>,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
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

impl Session {
    /// Finds files of a workspace.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` for a bad glob or a path outside the
    /// workspace; `UNSUPPORTED` if the image has no ripgrep.
    pub async fn find_files(&self, request: FindFilesRequest) -> Result<Placed<FoundFileList>> {
        Files::from(self).find_files(request).await
    }
}

impl Files<'_> {
    pub async fn find_files(&self, request: FindFilesRequest) -> Result<Placed<FoundFileList>> {
        let limit = crate::session::files::limit(
            request.limit,
            LIST_FILES_DEFAULT_ENTRIES,
            LIST_FILES_MAX_ENTRIES,
        )?;
        let place = self
            .place(&self.context.require_open()?, request.workspace.as_ref(), &request.path)
            .await?;
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
        Ok(place.answers(FoundFileList { files, truncated: found.truncated, next_offset }))
    }
}
