//! Edit a file.

use crate::api::operation::tool::{ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::session::{EditFileRequest, EditedFile};

pub(crate) struct EditFile;

impl ToolKind for EditFile {
    type Input = EditFileRequest;
    type Output = EditedFile;

    const TOOL: &'static str = "workspace_edit_file";

    async fn call(call: ToolCall<'_>, input: EditFileRequest) -> Result<EditedFile> {
        call.session.edit_file(input).await
    }
}
