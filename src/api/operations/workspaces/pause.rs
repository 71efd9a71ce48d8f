//! Save a workspace and release its container.

use crate::api::operation::inputs::PauseArgs;
use crate::api::operation::{
    Asked, Call, Descriptor, Method, Module, Operation, OperationKind, Reply, Route, Tool,
    ToolCall, ToolKind, Verb, WORKS, answer,
};
use crate::domain::{Needs, Result, Scope, WorkspaceRef};
use crate::session::Paused;

pub(crate) struct Pause;

impl OperationKind for Pause {
    type Input = PauseArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        takes_snapshot: true,
        recorded: true,
        names_subject: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/workspaces/{workspace}/pause",
            "pauseWorkspace",
            "Save a workspace and release its container until it is resumed; repeating it succeeds",
            |asked| Ok(Operation::of::<Pause>(pause_args(asked)?)),
        )
        .describe(
            "Files that have not changed are not uploaded. Calls that need its container answer CONFLICT from then on. \
            Running calls have 10 s to end. If it can't be saved, nothing is released.",
        )
        .answers::<Paused>()
        .errors(WORKS)
        .recorded()],
        ..Descriptor::new("pause", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<PauseArgs>().at(&["ref"]).cancellable().describe(
            "Saves a workspace, by default the active one, and releases its container. It is \
             saved even with `autosave: false`; files that have not changed are not uploaded. \
             Until `resume` it costs only its storage and does not count for `maxRunning`. Calls \
             that need its container answer `CONFLICT`. It can still be switched to, restored \
             from and destroyed, and it is not retired for being unused. Pausing a paused \
             workspace succeeds.\n\n\
             Processes end with the container, and so do streams of `watch`. Calls that use the \
             workspace have 10 s to end. `CONFLICT`, retryable, if they don't, while `execStream` \
             or `exportTar` is being read, and for a shared workspace. If the save fails \
             (`BACKUP_FAILED` and others), the workspace runs on. A pause counts as a snapshot \
             for `limits.snapshots`.",
        ));

    async fn run(call: Call<'_>, input: PauseArgs) -> Result<Reply> {
        answer(&call.session.pause(input.r#ref.as_ref(), call.abort).await?)
    }
}

impl ToolKind for Pause {
    type Input = PauseArgs;
    type Output = Paused;

    const TOOL: Tool = Tool {
        name: "workspace_pause",
        title: "Pause a workspace",
        module: Module::Session,
        scope: Scope::Write,
        destructive: true,
        idempotent: true,
        description: "Save every file of a workspace, by default the one you are in, and release its container, so \
                      that it costs nothing until workspace_resume brings it back. Its processes end, and tools that \
                      need the container answer CONFLICT until then. Use it for a workspace that you need much later: \
                      an idle one is saved, stopped and started automatically. If it can't be saved, or calls run in \
                      it, it keeps running and the error says so.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: PauseArgs) -> Result<Paused> {
        call.session.pause(input.r#ref.as_ref(), call.abort).await
    }
}

fn pause_args(asked: &Asked<'_>) -> Result<PauseArgs> {
    let workspace: WorkspaceRef = asked.path_id("workspace")?;
    Ok(PauseArgs { r#ref: Some(workspace) })
}
