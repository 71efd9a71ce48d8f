//! Find files by pattern.

use crate::api::operation::tool::{ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::session::{FindFilesRequest, FoundFileList};

pub(crate) struct FindFiles;

impl ToolKind for FindFiles {
    type Input = FindFilesRequest;
    type Output = FoundFileList;

    const TOOL: &'static str = "workspace_glob";

    async fn call(call: ToolCall<'_>, input: FindFilesRequest) -> Result<FoundFileList> {
        call.session.find_files(input).await
    }
}
