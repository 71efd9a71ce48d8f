//! Describe the active workspace.

use crate::api::operation::tool::{ToolCall, ToolKind};
use crate::api::operations::inputs::NoArgs;
use crate::domain::error::Result;
use crate::session::WorkspaceView;

pub(crate) struct DescribeWorkspace;

impl ToolKind for DescribeWorkspace {
    type Input = NoArgs;
    type Output = WorkspaceView;

    const TOOL: &'static str = "workspace_describe";

    async fn call(call: ToolCall<'_>, _input: NoArgs) -> Result<WorkspaceView> {
        call.session.describe_workspace().await
    }
}
