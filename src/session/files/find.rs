//! Find files by their names.

use crate::domain::limits::{LIST_FILES_DEFAULT_ENTRIES, LIST_FILES_MAX_ENTRIES};
use crate::domain::page::checked_limit;
use crate::domain::{Result, TreeSelector, WorkspaceRef};
use crate::ports::sandbox::{FoundPath, SearchOptions};
use crate::session::Session;
use crate::session::files::look::{Seen, Sight};
use crate::session::files::snapshot::SnapshotFiles;
use crate::session::files::{Files, next_cursor, root_path, skipped};
use crate::session::parts::Placed;
use serde::{Deserialize, Serialize};

/// Which files to find.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindFilesRequest {
    /// Glob, e.g. *.py or src/*.{ts,tsx}; ** matches any depth.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATTERN_MAX_BYTES)))]
    pub pattern: String,
    /// Directory under the workspace to search. Default: its root.
    #[serde(default = "root_path")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// Also find files in .git and files that .gitignore or .ignore names.
    #[serde(default)]
    pub include_ignored: bool,
    /// nextCursor of the previous answer.
    pub cursor: Option<String>,
    /// Maximum number of files.
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::LIST_FILES_MAX_ENTRIES), extend("default" = crate::domain::limits::LIST_FILES_DEFAULT_ENTRIES)))]
    pub limit: Option<usize>,
    /// Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
    /// Default: the active workspace.
    pub at: Option<TreeSelector>,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    pub allow_cross_session: bool,
}

/// A page of files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FoundFileList {
    /// Sorted by path; paths are relative to the workspace's root.
    pub files: Vec<FoundPath>,
    /// Cursor of the next page, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl Session {
    /// Finds files of a workspace or of a snapshot.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT`; `UNSUPPORTED` without ripgrep; the errors of a restore.
    pub async fn find_files(&self, request: FindFilesRequest) -> Result<Seen<FoundFileList>> {
        let files = Files::from(self);
        match files.context.sight(request.at.as_ref())? {
            Sight::Workspace(named) => files.find(named.as_ref(), request).await.map(Seen::from),
            Sight::Snapshot(snapshot) => SnapshotFiles::from(self).find(&snapshot, request).await,
        }
    }
}

impl Files<'_> {
    async fn find(
        &self,
        workspace: Option<&WorkspaceRef>,
        request: FindFilesRequest,
    ) -> Result<Placed<FoundFileList>> {
        let limit =
            checked_limit(request.limit, LIST_FILES_DEFAULT_ENTRIES, LIST_FILES_MAX_ENTRIES)?;
        let offset = skipped(request.cursor.as_deref())?;
        let place = self.readable_place(workspace, &request.path).await?;
        let options = SearchOptions {
            glob: Some(request.pattern),
            include_ignored: request.include_ignored,
            offset,
            limit: Some(limit),
            ..place.search_options()
        };
        let found = place.sandbox().glob(place.path.clone(), options).await?;
        let next_cursor = next_cursor(found.truncated, offset, found.files.len())?;
        let files = found.files.into_iter().map(|file| place.named_from_root(file)).collect();
        Ok(place.answers(FoundFileList { files, next_cursor }))
    }
}
