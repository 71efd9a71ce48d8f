//! Find lines by pattern.

use crate::api::operation::tool::{ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::session::{FindLinesRequest, FoundLineList};

pub(crate) struct FindLines;

impl ToolKind for FindLines {
    type Input = FindLinesRequest;
    type Output = FoundLineList;

    const TOOL: &'static str = "workspace_grep";

    async fn call(call: ToolCall<'_>, input: FindLinesRequest) -> Result<FoundLineList> {
        call.session.find_lines(input).await
    }
}
