//! Write a file.

use crate::api::operation::tool::{ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::session::{WriteFileRequest, WrittenFile};

pub(crate) struct WriteFile;

impl ToolKind for WriteFile {
    type Input = WriteFileRequest;
    type Output = WrittenFile;

    const TOOL: &'static str = "workspace_write_file";

    async fn call(call: ToolCall<'_>, input: WriteFileRequest) -> Result<WrittenFile> {
        call.session.write_file(input).await
    }
}
