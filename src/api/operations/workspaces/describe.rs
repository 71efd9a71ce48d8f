//! Describe the active workspace.

use crate::api::operation::{Module, NoArgs, Tool, ToolCall, ToolKind};
use crate::domain::{Result, Scope};
use crate::session::WorkspaceView;

pub(crate) struct DescribeWorkspace;

impl ToolKind for DescribeWorkspace {
    type Input = NoArgs;
    type Output = WorkspaceView;

    const TOOL: Tool = Tool {
        name: "workspace_describe",
        title: "Where am I?",
        module: Module::Session,
        scope: Scope::Read,
        description: "Show where you are: the active workspace, its root directory, the snapshot it was made from, \
                      what this session may do (modules), its limits, and what an idle container loses when it stops \
                      (whenIdle). Use it first in a new conversation, and after changing workspaces. Next: \
                      workspace_ls, or workspace_list_snapshots for the states you can go back to.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, _input: NoArgs) -> Result<WorkspaceView> {
        call.session.describe_workspace().await
    }
}
