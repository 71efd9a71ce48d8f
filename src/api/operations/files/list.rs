//! List a directory.

use crate::api::operation::tool::{ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::session::{ListFilesRequest, ListedFiles};

pub(crate) struct ListFiles;

impl ToolKind for ListFiles {
    type Input = ListFilesRequest;
    type Output = ListedFiles;

    const TOOL: &'static str = "workspace_ls";

    async fn call(call: ToolCall<'_>, input: ListFilesRequest) -> Result<ListedFiles> {
        call.session.list_files(input).await
    }
}
