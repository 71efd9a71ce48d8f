//! Read a file.

use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::domain::session::scope::Scope;
use crate::ports::sandbox::files::ReadFileResult;
use crate::session::ReadFileRequest;
use serde_json::Value;

pub(crate) struct ReadFile;

impl ToolKind for ReadFile {
    type Input = ReadFileRequest;
    type Output = ReadFileResult;

    const TOOL: Tool = Tool {
        name: "workspace_read_file",
        title: "Read a file",
        module: Module::Fs,
        scope: Scope::Read,
        description: "Read one file of the current workspace, at most 2 MiB at once, or a part of it by lines \
                      (startLine, lineCount) or by bytes (offset, length). Over MCP a call returns at most 32768 bytes \
                      unless length says otherwise, and never more than 524288. For long files, find the line with \
                      workspace_grep and read a part. A part holds at most 262144 bytes unless length says otherwise; \
                      truncated says that the file goes on, and nextLine or nextOffset where. Text comes as it is; \
                      other content (not UTF-8, or with NUL bytes) comes as base64, as encoding says, with its \
                      mimeType. It changes nothing. Paths are relative to the workspace root and cannot leave it, not \
                      even through symlinks.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: ReadFileRequest) -> Result<ReadFileResult> {
        call.session.read_file(input).await
    }

    /// Renders the answer without copying the content.
    fn render(read: ReadFileResult) -> Result<Value> {
        read.into_value()
    }
}
