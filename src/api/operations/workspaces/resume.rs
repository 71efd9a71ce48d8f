//! Bring a paused workspace back.

use crate::api::operation::inputs::PauseArgs;
use crate::api::operation::{
    Asked, Call, Descriptor, Method, Module, Operation, OperationKind, Reply, Route, Tool,
    ToolCall, ToolKind, Verb, WORKS, answer,
};
use crate::domain::{Needs, Result, Scope, WorkspaceRef};
use crate::session::Resumed;

pub(crate) struct Resume;

impl OperationKind for Resume {
    type Input = PauseArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        recorded: true,
        names_subject: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/workspaces/{workspace}/resume",
            "resumeWorkspace",
            "Resume a paused workspace with its files; repeating it succeeds",
            |asked| Ok(Operation::of::<Resume>(pause_args(asked)?)),
        )
        .describe("If it fails, a paused workspace is paused as before.")
        .answers::<Resumed>()
        .errors(WORKS)
        .recorded()],
        ..Descriptor::new("resume", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<PauseArgs>().at(&["ref"]).cancellable().describe(
            "Brings a workspace back, by default the active one, with every file it had, in a \
             container that runs. Processes do not come back. A sleeping workspace wakes; a \
             running one stays as it is. If it fails (`RESTORE_FAILED`, `QUOTA_EXCEEDED`, \
             `UNAVAILABLE`), a paused workspace stays paused; go on with `startFresh` or a \
             restore.",
        ));

    async fn run(call: Call<'_>, input: PauseArgs) -> Result<Reply> {
        answer(&call.session.resume(input.r#ref.as_ref(), call.abort).await?)
    }
}

impl ToolKind for Resume {
    type Input = PauseArgs;
    type Output = Resumed;

    const TOOL: Tool = Tool {
        name: "workspace_resume",
        title: "Resume a workspace",
        module: Module::Session,
        scope: Scope::Write,
        idempotent: true,
        description: "Bring a paused workspace back, by default the one you are in, with every file, in a running \
                      container. Processes do not come back. Use it when a tool answers CONFLICT because the \
                      workspace is paused. If it fails, the workspace stays paused and the error says how to go on.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: PauseArgs) -> Result<Resumed> {
        call.session.resume(input.r#ref.as_ref(), call.abort).await
    }
}

fn pause_args(asked: &Asked<'_>) -> Result<PauseArgs> {
    let workspace: WorkspaceRef = asked.path_id("workspace")?;
    Ok(PauseArgs { r#ref: Some(workspace) })
}
