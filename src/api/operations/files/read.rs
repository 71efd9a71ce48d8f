//! Read a file.

use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::domain::json::render;
use crate::domain::session::scope::Scope;
use crate::ports::sandbox::files::ReadFileResult;
use crate::session::{Placed, ReadFileRequest};
use serde_json::Value;

pub(crate) struct ReadFile;

impl ToolKind for ReadFile {
    type Input = ReadFileRequest;
    type Output = Placed<ReadFileResult>;

    const TOOL: Tool = Tool {
        name: "workspace_read_file",
        title: "Read a file",
        module: Module::Fs,
        scope: Scope::Read,
        description: "Read one file of the active workspace, at most 2 MiB at once, or a part of it by lines \
                      (startLine, lineCount) or by bytes (offset, length). For long files, find the line with \
                      workspace_grep and read a part. truncated says that the file goes on, and nextLine or \
                      nextOffset where. Content that is not text comes as base64, as encoding says, with its \
                      mimeType. Paths are relative to the workspace root and cannot leave it, not even through \
                      symlinks.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: ReadFileRequest) -> Result<Placed<ReadFileResult>> {
        call.session.read_file(input).await
    }

    /// Renders the answer without copying the content.
    fn render(read: Placed<ReadFileResult>) -> Result<Value> {
        let Placed { answer, workspace } = read;
        let mut value = answer.into_value()?;
        if let Some(fields) = value.as_object_mut() {
            fields.insert("workspace".to_owned(), render(&workspace)?);
        }
        Ok(value)
    }
}
