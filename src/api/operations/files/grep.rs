//! Find lines by pattern.

use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::domain::session::scope::Scope;
use crate::session::{FindLinesRequest, FoundLineList, Placed};

pub(crate) struct FindLines;

impl ToolKind for FindLines {
    type Input = FindLinesRequest;
    type Output = Placed<FoundLineList>;

    const TOOL: Tool = Tool {
        name: "workspace_grep",
        title: "Search in files",
        module: Module::Fs,
        scope: Scope::Read,
        description: "Find the lines of files of the active workspace that match a regular expression (as ripgrep \
                      has it; one line at a time) or, with fixed, a literal text. Use it before reading or editing. \
                      Searches everything below path, or the one file that path names, but no binary files, symbolic \
                      links below path or, unless includeIgnored is true, files in .git or named by .gitignore. \
                      Longer lines are cut at 500 characters. Next: workspace_read_file with startLine. If truncated, \
                      call again with nextOffset as offset, or narrow the search.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: FindLinesRequest) -> Result<Placed<FoundLineList>> {
        call.session.find_lines(input).await
    }
}
