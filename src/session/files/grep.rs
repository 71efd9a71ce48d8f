//! Find lines in files.

use crate::domain::limits::{GREP_DEFAULT_LINES, GREP_MAX_LINES};
use crate::domain::page::checked_limit;
use crate::domain::{Result, TreeSelector, WorkspaceRef};
use crate::ports::sandbox::{FoundLine, GrepOptions, SearchOptions};
use crate::session::Session;
use crate::session::files::look::{Seen, Sight};
use crate::session::files::snapshot::SnapshotFiles;
use crate::session::files::snapshot_grep::{NotSearched, SearchSnapshot, SearchedSnapshot};
use crate::session::files::{Files, next_cursor, root_path, skipped};
use crate::session::parts::Placed;
use serde::{Deserialize, Serialize};

/// Which lines to find.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindLinesRequest {
    /// Regular expression, e.g. fn \w+_file, or, with fixed, the literal text.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATTERN_MAX_BYTES)))]
    pub pattern: String,
    /// Directory or file under the workspace. Default: its root.
    #[serde(default = "root_path")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// Treat pattern as literal text.
    #[serde(default)]
    pub fixed: bool,
    /// Ignore case.
    #[serde(default)]
    pub ignore_case: bool,
    /// Only files whose paths match, as in workspace_glob, e.g. *.py.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATTERN_MAX_BYTES)))]
    pub glob: Option<String>,
    /// Lines to show before and after each match.
    #[serde(default)]
    #[cfg_attr(schemas, schemars(range(max = crate::domain::limits::GREP_CONTEXT_MAX_LINES)))]
    pub context: u32,
    /// Also find files in .git and files that .gitignore or .ignore names.
    #[serde(default)]
    pub include_ignored: bool,
    /// nextCursor of the previous answer.
    pub cursor: Option<String>,
    /// Maximum number of lines.
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::GREP_MAX_LINES), extend("default" = crate::domain::limits::GREP_DEFAULT_LINES)))]
    pub limit: Option<usize>,
    /// Snapshot or workspace to look in: a name or id, turn:3, latest, head or workspace:ID.
    /// Default: the active workspace.
    pub at: Option<TreeSelector>,
    /// Also reach other sessions' snapshots; each such call is recorded.
    #[serde(default)]
    pub allow_cross_session: bool,
}

/// A page of lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FoundLineList {
    /// Sorted by path and line; paths are relative to the workspace's root.
    pub lines: Vec<FoundLine>,
    /// Cursor of the next page, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// In a snapshot: counts of what this page skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_searched: Option<NotSearched>,
}

impl From<SearchedSnapshot> for FoundLineList {
    fn from(page: SearchedSnapshot) -> Self {
        let SearchedSnapshot { lines, not_searched, next_cursor, .. } = page;
        Self { lines, next_cursor, not_searched: Some(not_searched) }
    }
}

impl Session {
    /// Finds lines in files of a workspace or of a snapshot.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT`; `UNSUPPORTED` without ripgrep; the errors of a restore.
    pub async fn find_lines(&self, request: FindLinesRequest) -> Result<Seen<FoundLineList>> {
        let files = Files::from(self);
        match files.context.sight(request.at.as_ref())? {
            Sight::Workspace(named) => files.grep(named.as_ref(), request).await.map(Seen::from),
            Sight::Snapshot(r#ref) => {
                let request = SearchSnapshot {
                    r#ref,
                    allow_cross_session: request.allow_cross_session,
                    pattern: request.pattern,
                    path: request.path,
                    fixed: request.fixed,
                    ignore_case: request.ignore_case,
                    glob: request.glob,
                    context: request.context,
                    include_ignored: request.include_ignored,
                    limit: request.limit,
                    cursor: request.cursor,
                };
                let found = SnapshotFiles::from(self).grep(request).await?;
                Ok(found.map(FoundLineList::from))
            }
        }
    }
}

impl Files<'_> {
    async fn grep(
        &self,
        workspace: Option<&WorkspaceRef>,
        request: FindLinesRequest,
    ) -> Result<Placed<FoundLineList>> {
        let limit = checked_limit(request.limit, GREP_DEFAULT_LINES, GREP_MAX_LINES)?;
        let offset = skipped(request.cursor.as_deref())?;
        let place = self.readable_place(workspace, &request.path).await?;
        let options = GrepOptions {
            pattern: request.pattern,
            fixed: request.fixed,
            ignore_case: request.ignore_case,
            context: request.context,
            search: SearchOptions {
                glob: request.glob,
                include_ignored: request.include_ignored,
                offset,
                limit: Some(limit),
                ..place.search_options()
            },
        };
        let found = place.sandbox().grep(place.path.clone(), options).await?;
        let next_cursor = next_cursor(found.truncated, offset, found.lines.len())?;
        let lines = found
            .lines
            .into_iter()
            .map(|line| FoundLine { file: place.named_from_root(line.file), ..line })
            .collect();
        Ok(place.answers(FoundLineList { lines, next_cursor, not_searched: None }))
    }
}
