//! List workspaces.

use crate::api::operation::{
    Call, Descriptor, Method, Module, NoArgs, Operation, OperationKind, Reply, Route, Tool,
    ToolCall, ToolKind, Verb, answer, flag,
};
use crate::domain::{Needs, Result, Scope};
use crate::session::WorkspaceList;
use serde::{Deserialize, Serialize};

pub(crate) struct ListWorkspaces;

/// Arguments of `listWorkspaces`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct WorkspacesArgs {
    /// Also ask each workspace whether its container runs. Starts none.
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
        .describe("Lists all of them: a session has at most maxWorkspaces.")
        .query(&[flag("containers", "Also report whether each container runs.")])
        .answers::<WorkspaceList>()],
        ..Descriptor::new("listWorkspaces", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(Method::takes::<WorkspacesArgs>().describe(
        "Lists all workspaces, oldest first, and says which is active. Starts no container.",
    ));

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
        description: "List the workspaces of this session, oldest first, and which one is active: the workspace tools \
                      act on that one. Use it to find a workspace to go back to with workspace_switch.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, _input: NoArgs) -> Result<WorkspaceList> {
        call.session.list_workspaces().await
    }
}
