//! Find lines in files.

use crate::domain::error::Result;
use crate::domain::limits::{GREP_DEFAULT_LINES, GREP_MAX_LINES};
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::snapshot::refs::WorkspaceRef;
use crate::ports::sandbox::{FoundLine, GrepOptions, SearchOptions};
use crate::session::Session;
use crate::session::active::Placed;
use crate::session::files::{Files, next_offset, root_path};
use serde::{Deserialize, Serialize};

/// Which lines to find.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindLinesRequest {
    /// Regular expression, e.g. fn \w+_file, or with fixed the text itself.
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATTERN_MAX_BYTES)))]
    pub pattern: String,
    /// Directory or file under the workspace. Default: its root.
    #[serde(default = "root_path")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = crate::domain::limits::PATH_MAX_BYTES)))]
    pub path: String,
    /// pattern is literal text.
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
    /// Also files in .git and those that .gitignore or .ignore name.
    #[serde(default)]
    pub include_ignored: bool,
    /// Lines to skip: nextOffset of the previous answer.
    #[serde(default)]
    pub offset: u64,
    /// Maximum number of lines.
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::GREP_MAX_LINES), extend("default" = crate::domain::limits::GREP_DEFAULT_LINES)))]
    pub limit: Option<usize>,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

/// A page of lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FoundLineList {
    /// By path, from the workspace's root, then by line.
    pub lines: Vec<FoundLine>,
    /// Whether there are more.
    pub truncated: bool,
    /// `offset` of those.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
}

impl Session {
    /// Finds lines in files of a workspace.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` for a bad pattern or a path outside the
    /// workspace; `UNSUPPORTED` if the image has no ripgrep.
    pub async fn find_lines(&self, request: FindLinesRequest) -> Result<Placed<FoundLineList>> {
        Files::from(self).find_lines(request).await
    }
}

impl Files<'_> {
    pub async fn find_lines(&self, request: FindLinesRequest) -> Result<Placed<FoundLineList>> {
        let limit =
            crate::session::files::limit(request.limit, GREP_DEFAULT_LINES, GREP_MAX_LINES)?;
        let place = self
            .place(&self.context.require_open()?, request.workspace.as_ref(), &request.path)
            .await?;
        let options = GrepOptions {
            pattern: request.pattern,
            fixed: request.fixed,
            ignore_case: request.ignore_case,
            context: request.context,
            search: SearchOptions {
                glob: request.glob,
                include_ignored: request.include_ignored,
                offset: request.offset,
                limit,
                ..place.search_options()
            },
        };
        let found = place.sandbox().grep(place.path.clone(), options).await?;
        let next_offset = next_offset(found.truncated, request.offset, found.lines.len());
        let lines = found
            .lines
            .into_iter()
            .map(|line| FoundLine { file: place.named_from_root(line.file), ..line })
            .collect();
        Ok(place.answers(FoundLineList { lines, truncated: found.truncated, next_offset }))
    }
}
