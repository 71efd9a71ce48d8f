//! Read a file.

use crate::api::operation::tool::{ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::ports::sandbox::files::ReadFileResult;
use crate::session::ReadFileRequest;
use serde_json::Value;

pub(crate) struct ReadFile;

impl ToolKind for ReadFile {
    type Input = ReadFileRequest;
    type Output = ReadFileResult;

    const TOOL: &'static str = "workspace_read_file";

    async fn call(call: ToolCall<'_>, input: ReadFileRequest) -> Result<ReadFileResult> {
        call.session.read_file(input).await
    }

    /// Without a copy of the content.
    fn render(read: ReadFileResult) -> Result<Value> {
        read.into_value()
    }
}
