//! Make workspaces from the active one's present files.

use crate::api::operation::{
    Call, Descriptor, Method, Module, Operation, OperationKind, Reply, Route, Tool, ToolCall,
    ToolKind, Verb, WORKS, answer,
};
use crate::domain::{Needs, Result, Scope, WorkspaceRef};
#[cfg(schemas)]
use crate::domain::{limits, schemas};
use crate::session::{LiveForkRequest, LiveForks};
use serde::{Deserialize, Serialize};

pub(crate) struct ForkLive;

/// Arguments of `fork`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LiveForkArgs {
    /// How many workspaces, default 1. The session's `maxWorkspaces` and `maxRunning` apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = limits::LIVE_FORKS_MAX)))]
    pub count: Option<u32>,
    /// Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    /// is the active one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub expected_active: Option<WorkspaceRef>,
}

impl OperationKind for ForkLive {
    type Input = LiveForkArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        takes_snapshot: true,
        recorded: true,
        names_subject: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/forks",
            "forkWorkspace",
            "Make workspaces with the active one's current files",
            |asked| {
                let mut args: LiveForkArgs = asked.body()?;
                args.expected_active = asked.if_match()?.or(args.expected_active);
                Ok(Operation::of::<ForkLive>(args))
            },
        )
        .describe(
            "The active workspace is saved first if it has changed. It stays active and is not touched. Each new \
             workspace has its own result or error.",
        )
        .takes::<LiveForkArgs>()
        .example(r#"{"count":3}"#)
        .answers::<LiveForks>()
        .errors(WORKS)
        .recorded()
        .guarded()],
        ..Descriptor::new("fork", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> = Some(Method::takes::<LiveForkArgs>().cancellable().describe(
        "Makes workspaces with the files that the active one has now, and records them as \
             experiments. The active workspace is saved first if it has changed. It stays active \
             and is not touched. Each workspace has its own result; the call rejects only if none \
             could be begun, with `QUOTA_EXCEEDED` or an error of the save.",
    ));

    async fn run(call: Call<'_>, input: LiveForkArgs) -> Result<Reply> {
        let LiveForkArgs { count, expected_active } = input;
        let request = LiveForkRequest { count, expected_active };
        answer(&call.session.live_fork(&request, call.abort).await?)
    }
}

#[derive(Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveForkInput {
    /// How many workspaces.
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::LIVE_FORKS_MAX), extend("default" = 1)))]
    pub count: Option<u32>,
}

impl ToolKind for ForkLive {
    type Input = LiveForkInput;
    type Output = LiveForks;

    const TOOL: Tool = Tool {
        name: "workspace_fork",
        title: "Fork the workspace",
        module: Module::Snapshot,
        core: true,
        scope: Scope::Snapshot,
        description: "Make new workspaces with the current one's files as they are now. Choose it to try several \
                      things from here; you need no snapshot first. You stay in the active workspace, which is not \
                      changed: in other tools, name a new one as workspace, or as at. Processes are not copied. Each of `workspaces` has \
                      the ref of a new workspace, or the error that prevented it. To start from an earlier state use \
                      workspace_branch.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: LiveForkInput) -> Result<LiveForks> {
        let request = LiveForkRequest { count: input.count, expected_active: None };
        call.session.live_fork(&request, call.abort).await
    }
}
