//! List a directory.

use crate::domain::limits::{LIST_FILES_DEFAULT_ENTRIES, LIST_FILES_MAX_ENTRIES};
use crate::domain::page::checked_limit;
use crate::domain::{Result, TreeSelector, WorkspaceRef};
use crate::ports::sandbox::{FileOptions, FileType, FoundPath};
use crate::session::Session;
use crate::session::files::look::{Seen, Sight};
use crate::session::files::snapshot::SnapshotFiles;
use crate::session::files::snapshot_list::ListSnapshotFiles;
use crate::session::files::{Files, next_cursor, root_path, skipped};
use crate::session::parts::Placed;
use serde::{Deserialize, Serialize};

/// A directory to list.
#[derive(Debug, Clone, PartialEq, Deserialize)]
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
    /// Also list names that begin with a dot.
    #[serde(default = "yes")]
    pub include_hidden: bool,
    /// nextCursor of the previous answer.
    pub cursor: Option<String>,
    /// Maximum number of entries.
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::LIST_FILES_MAX_ENTRIES), extend("default" = crate::domain::limits::LIST_FILES_DEFAULT_ENTRIES)))]
    pub limit: Option<usize>,
    /// Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
    /// Default: the active workspace.
    pub at: Option<TreeSelector>,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    pub allow_cross_session: bool,
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
    pub size_bytes: u64,
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
    /// By path. Directories of a snapshot have size 0.
    pub entries: Vec<ListedEntry>,
    /// Cursor of the next page, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl Session {
    /// Lists a directory of a workspace or of a snapshot.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT`; the errors of a restore.
    pub async fn list_files(&self, request: ListFilesRequest) -> Result<Seen<ListedFiles>> {
        let files = Files::from(self);
        match files.context.sight(request.at.as_ref())? {
            Sight::Workspace(named) => files.list(named.as_ref(), request).await.map(Seen::from),
            Sight::Snapshot(r#ref) => {
                let request = ListSnapshotFiles {
                    r#ref,
                    allow_cross_session: request.allow_cross_session,
                    path: request.path,
                    recursive: request.recursive,
                    include_hidden: request.include_hidden,
                    glob: None,
                    limit: request.limit,
                    cursor: request.cursor,
                };
                SnapshotFiles::from(self).list(request).await
            }
        }
    }
}

impl Files<'_> {
    async fn list(
        &self,
        workspace: Option<&WorkspaceRef>,
        request: ListFilesRequest,
    ) -> Result<Placed<ListedFiles>> {
        let limit =
            checked_limit(request.limit, LIST_FILES_DEFAULT_ENTRIES, LIST_FILES_MAX_ENTRIES)?;
        let offset = skipped(request.cursor.as_deref())?;
        let place = self.readable_place(workspace, &request.path).await?;
        let options = FileOptions {
            recursive: request.recursive,
            include_hidden: request.include_hidden,
            offset,
            limit: Some(limit),
            ..place.options()
        };
        let listed = place.sandbox().list_files(place.path.clone(), options).await?;
        let next_cursor = next_cursor(listed.truncated, offset, listed.files.len())?;
        let entries = listed
            .files
            .into_iter()
            .map(|file| ListedEntry {
                path: place.named_from_root(FoundPath {
                    path: file.relative_path,
                    path_base64: file.relative_path_base64,
                }),
                r#type: file.r#type,
                size_bytes: file.size_bytes,
                modified_at: file.modified_at,
                mode: file.mode,
            })
            .collect();
        Ok(place.answers(ListedFiles { entries, next_cursor }))
    }
}
