//! Find lines by pattern.

use crate::api::operation::{Module, Tool, ToolCall, ToolKind};
use crate::domain::text::readable::readable;
use crate::domain::{Result, Scope};
use crate::session::{FindLinesRequest, FoundLineList, Seen};
use serde_json::{Map, Value};

pub(crate) struct FindLines;

impl ToolKind for FindLines {
    type Input = FindLinesRequest;
    type Output = Seen<FoundLineList>;

    const TOOL: Tool = Tool {
        name: "workspace_grep",
        title: "Search in files",
        module: Module::Look,
        core: true,
        scope: Scope::Read,
        description: "Find the lines of files that match a regular expression (as ripgrep has it; one line at a time) \
                      or, with fixed, a literal text: in the active workspace or, with at, in a \
                      snapshot or another workspace. Use it before reading or editing. Searches \
                      everything below path, or the file that path names, but skips binary files, \
                      symbolic links below path and, unless includeIgnored is true, files in .git \
                      and, except in snapshots, those .gitignore names. Longer lines are cut at \
                      500 characters. In a snapshot, notSearched counts what was skipped. If \
                      nextCursor is there, the search is not complete: call again with it as \
                      cursor, or narrow the search.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: FindLinesRequest) -> Result<Seen<FoundLineList>> {
        call.session.find_lines(input).await
    }

    /// The lines in the format of grep.
    fn text(answer: &Value) -> String {
        let lines = answer.get("lines").and_then(Value::as_array).into_iter().flatten();
        let found: String = lines.map(printed).collect();
        let found = if found.is_empty() { "no lines\n".to_owned() } else { found };
        let facts = answer.as_object().into_iter().flatten().filter(|(name, _)| *name != "lines");
        let facts: Map<String, Value> =
            facts.map(|(name, value)| (name.clone(), value.clone())).collect();
        format!("{found}\n{}", readable(&facts.into(), &[]))
    }
}

/// `path:12:text` for a matching line, `path-13-text` for a context line.
fn printed(line: &Value) -> String {
    let field = |name: &str| line.get(name);
    let text = |name: &str| field(name).and_then(Value::as_str).unwrap_or_default();
    let mark = if field("matches").and_then(Value::as_bool) == Some(false) { '-' } else { ':' };
    let number = field("line").and_then(Value::as_u64).map(|number| format!("{number}{mark}"));
    format!("{}{mark}{}{}\n", text("path"), number.unwrap_or_default(), text("text"))
}
