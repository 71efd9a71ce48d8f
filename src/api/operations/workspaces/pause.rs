//! Save a workspace and release its container.

use crate::api::http::route::WORKS;
use crate::api::http::{Asked, Route, Verb};
use crate::api::operation::descriptor::{Call, Descriptor, Operation, OperationKind, answer};
use crate::api::operation::tool::{ToolCall, ToolKind};
use crate::api::operations::inputs::PauseArgs;
use crate::api::reply::Reply;
use crate::domain::error::Result;
use crate::domain::ids::SandboxId;
use crate::domain::session::scope::{Needs, Scope};
use crate::domain::snapshot::refs::WorkspaceRef;
use crate::session::Paused;

pub(crate) struct Pause;

impl OperationKind for Pause {
    type Input = PauseArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        takes_snapshot: true,
        recorded: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/workspaces/{workspace}/pause",
            "pauseWorkspace",
            "Save a workspace and release its container, until it is resumed; again succeeds",
            |asked| Ok(Operation::of::<Pause>(pause_args(asked)?)),
        )
        .describe(
            "Files that have not changed are not uploaded. Calls that need its container answer CONFLICT from then on. Calls \
            that are in it have 10 s to end. If it can't be saved, nothing is released.",
        )
        .answers::<Paused>()
        .errors(WORKS)
        .recorded()],
        ..Descriptor::new("pause", Needs::Scope(Scope::Write))
    };

    async fn run(call: Call<'_>, input: PauseArgs) -> Result<Reply> {
        answer(&call.session.pause(input.r#ref.as_ref(), call.abort).await?)
    }
}

impl ToolKind for Pause {
    type Input = PauseArgs;
    type Output = Paused;

    const TOOL: &'static str = "workspace_pause";

    async fn call(call: ToolCall<'_>, input: PauseArgs) -> Result<Paused> {
        call.session.pause(input.r#ref.as_ref(), call.abort).await
    }
}

fn pause_args(asked: &Asked<'_>) -> Result<PauseArgs> {
    let id: SandboxId = asked.path_id("workspace")?;
    Ok(PauseArgs { r#ref: Some(WorkspaceRef::new(id)) })
}
