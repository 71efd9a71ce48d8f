//! Read a file.

use crate::api::operation::{Module, Tool, ToolCall, ToolKind};
use crate::domain::json::render;
use crate::domain::{Result, Scope};
use crate::ports::sandbox::files::ReadFileResult;
use crate::session::{ReadFileRequest, Seen};
use serde_json::Value;

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
        description: "Read one file of the active workspace or, with at, of a snapshot or another workspace: at most \
                      2 MiB at once, or a part of it by lines (startLine, lineCount) or by bytes (offset, maxBytes). \
                      For long files, find the line with workspace_grep and read a part. truncated says that the \
                      file goes on, and nextLine or nextOffset where. Content that is not text comes as base64, as \
                      encoding says, with its mimeType. Paths are relative to the workspace root and cannot leave \
                      it, not even through symlinks.",
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
