//! List workspaces.

use crate::api::http::param::flag;
use crate::api::http::{Route, Verb};
use crate::api::operation::descriptor::{Call, Descriptor, Operation, OperationKind, answer};
use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::api::operations::inputs::NoArgs;
use crate::api::reply::Reply;
use crate::domain::error::Result;
use crate::domain::session::scope::{Needs, Scope};
use crate::session::WorkspaceList;
use serde::{Deserialize, Serialize};

pub(crate) struct ListWorkspaces;

/// Arguments of `listWorkspaces`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorkspacesArgs {
    /// Also ask whether their containers run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub containers: bool,
}

impl OperationKind for ListWorkspaces {
    type Input = WorkspacesArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/workspaces",
            "listWorkspaces",
            "List workspaces, oldest first",
            |asked| Ok(Operation::of::<ListWorkspaces>(asked.query()?)),
        )
        .describe("All of them: a session has at most maxWorkspaces.")
        .query(&[flag("containers", "Also report whether each container runs.")])
        .answers::<WorkspaceList>()],
        ..Descriptor::new("listWorkspaces", Needs::Scope(Scope::Read))
    };

    async fn run(call: Call<'_>, input: WorkspacesArgs) -> Result<Reply> {
        if input.containers {
            answer(&call.session.list_with_containers().await?)
        } else {
            answer(&call.session.list_workspaces().await?)
        }
    }
}

impl ToolKind for ListWorkspaces {
    type Input = NoArgs;
    type Output = WorkspaceList;

    const TOOL: Tool = Tool {
        name: "workspace_list_workspaces",
        title: "List workspaces",
        module: Module::Snapshot,
        scope: Scope::Read,
        description: "List the workspaces of this session, oldest first, and which of them is active, that is, \
                      which one the workspace tools act on. Use it to find a workspace to go back to with \
                      workspace_switch.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, _input: NoArgs) -> Result<WorkspaceList> {
        call.session.list_workspaces().await
    }
}
