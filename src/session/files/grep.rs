//! Find lines in files.

use crate::domain::error::Result;
use crate::domain::limits::{GREP_DEFAULT_LINES, GREP_MAX_LINES};
use crate::ports::sandbox::{FoundLine, GrepOptions, SearchOptions};
use crate::session::files::{Files, next_offset, root_path};
use serde::{Deserialize, Serialize};

/// Which lines to find.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindLinesRequest {
    /// Regular expression, or fixed text.
    pub pattern: String,
    /// Directory or file under the workspace. Default: its root.
    #[serde(default = "root_path")]
    pub path: String,
    /// `pattern` is text, not an expression.
    #[serde(default)]
    pub fixed: bool,
    /// Upper and lower case are the same.
    #[serde(default)]
    pub ignore_case: bool,
    /// Only files that match.
    pub glob: Option<String>,
    /// Lines to show around each match.
    #[serde(default)]
    pub context: u32,
    /// Also what ignore files name, and `.git`.
    #[serde(default)]
    pub include_ignored: bool,
    /// Lines to pass over.
    #[serde(default)]
    pub offset: u64,
    /// Lines at most.
    pub limit: Option<usize>,
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

impl Files<'_> {
    /// Finds lines in files of the active workspace.
    ///
    /// # Errors
    /// `NOT_FOUND`; `INVALID_ARGUMENT` for a bad pattern or a path outside the
    /// workspace; `UNSUPPORTED` if the image has no ripgrep.
    pub async fn find_lines(&self, request: FindLinesRequest) -> Result<FoundLineList> {
        let limit =
            crate::session::files::limit(request.limit, GREP_DEFAULT_LINES, GREP_MAX_LINES)?;
        let place = self.place(&self.context.require_open()?, &request.path).await?;
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
        Ok(FoundLineList { lines, truncated: found.truncated, next_offset })
    }
}
