//! Read a file.

use crate::api::operation::{Module, Tool, ToolCall, ToolEntry, ToolKind};
use crate::domain::json::render;
use crate::domain::text::readable::readable;
use crate::domain::{Result, Scope};
use crate::ports::sandbox::files::ReadFileResult;
use crate::session::{
    FindFilesRequest, FindLinesRequest, FoundFileList, FoundLineList, ListFilesRequest,
    ListedFiles, ReadFileRequest, Seen, StatRequest, StatView,
};
use serde_json::{Map, Value};

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of::<ReadFile>(),
    ToolEntry::of::<ListFiles>(),
    ToolEntry::of::<FindFiles>(),
    ToolEntry::of::<FindLines>(),
    ToolEntry::of::<Stat>(),
];

pub(crate) struct ReadFile;

impl ToolKind for ReadFile {
    type Input = ReadFileRequest;
    type Output = Seen<ReadFileResult>;

    const TEXTS: &'static [&'static str] = &["content"];

    const TOOL: Tool = Tool {
        name: "workspace_read_file",
        title: "Read a file",
        module: Module::Look,
        core: true,
        scope: Scope::Read,
        description: "Read one file of the active workspace or, with at, of a snapshot or another \
                      workspace: at most 2 MiB at once, or a part of it by lines (startLine, \
                      lineCount) or by bytes (offset, maxBytes). For long files, find the line \
                      with workspace_grep and read a part. If truncated is true, continue at \
                      nextLine or nextOffset. Binary content comes as base64 (see encoding), with \
                      its mimeType. Paths are relative to the workspace root and cannot leave it, \
                      not even through symlinks.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: ReadFileRequest) -> Result<Seen<ReadFileResult>> {
        call.session.read_file(input).await
    }

    /// Renders the answer without copying the content.
    fn render(read: Seen<ReadFileResult>) -> Result<Value> {
        let Seen { answer, workspace, snapshot_id } = read;
        let mut value = answer.into_value()?;
        if let Some(fields) = value.as_object_mut() {
            if let Some(id) = workspace {
                fields.insert("workspaceId".to_owned(), render(&id)?);
            }
            if let Some(id) = snapshot_id {
                fields.insert("snapshotId".to_owned(), render(&id)?);
            }
        }
        Ok(value)
    }
}

/// List a directory.
pub(crate) struct ListFiles;

impl ToolKind for ListFiles {
    type Input = ListFilesRequest;
    type Output = Seen<ListedFiles>;

    const TOOL: Tool = Tool {
        name: "workspace_ls",
        title: "List a directory",
        module: Module::Look,
        scope: Scope::Read,
        description: "List a directory of the active workspace or, with at, of a snapshot or \
                      another workspace: path, type, size, time and mode of each entry, sorted by \
                      path. To find files by name use workspace_glob. Symbolic links are not \
                      followed. If the answer has nextCursor, call again with it as cursor.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: ListFilesRequest) -> Result<Seen<ListedFiles>> {
        call.session.list_files(input).await
    }
}

/// Look at a file.
pub(crate) struct Stat;

impl ToolKind for Stat {
    type Input = StatRequest;
    type Output = Seen<StatView>;

    const TOOL: Tool = Tool {
        name: "workspace_stat",
        title: "Look at a file",
        module: Module::Look,
        scope: Scope::Read,
        description: "Show the type, size, time, mode and owner of a path of the active workspace \
                      or, with at, of a snapshot or another workspace; for a symbolic link (not \
                      followed), also its target. Use it to check whether a path exists (NOT_FOUND \
                      if not) or how large it is.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: StatRequest) -> Result<Seen<StatView>> {
        call.session.stat(input).await
    }
}

/// Find files by pattern.
pub(crate) struct FindFiles;

impl ToolKind for FindFiles {
    type Input = FindFilesRequest;
    type Output = Seen<FoundFileList>;

    const TOOL: Tool = Tool {
        name: "workspace_glob",
        title: "Find files by name",
        module: Module::Look,
        core: true,
        scope: Scope::Read,
        description: "Find files whose paths match a pattern, sorted by path, in the active \
                      workspace or, with at, in a snapshot or another workspace. A pattern without \
                      / matches names at any depth (*.py); a pattern with / is relative to path \
                      (src/*.rs, or src/** for everything below src); {a,b} matches either. Skips \
                      directories, symbolic links and, unless includeIgnored is true, files in \
                      .git and (not in snapshots) ignored files. If the answer has nextCursor, \
                      call again with it as cursor.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: FindFilesRequest) -> Result<Seen<FoundFileList>> {
        call.session.find_files(input).await
    }
}

/// Find lines by pattern.
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
        description: "Find lines in files that match a regular expression (ripgrep's syntax, one \
                      line at a time) or, with fixed, literal text, in the active workspace or, \
                      with at, in a snapshot or another workspace. Use it before reading or \
                      editing. Searches everything below path, or the file at path, but skips \
                      binary files, symbolic links below path and, unless includeIgnored is true, \
                      files in .git and (not in snapshots) ignored files. Longer lines are cut at \
                      500 characters. In a snapshot, notSearched counts skipped files. If the \
                      answer has nextCursor, the search is incomplete: call again with it as \
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
