//! Remove a file or directory.

use crate::api::operation::tool::{ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::session::{RemoveRequest, Removed};

pub(crate) struct Remove;

impl ToolKind for Remove {
    type Input = RemoveRequest;
    type Output = Removed;

    const TOOL: &'static str = "workspace_rm";

    async fn call(call: ToolCall<'_>, input: RemoveRequest) -> Result<Removed> {
        call.session.remove(input).await
    }
}
