//! Bring a paused workspace back.

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
use crate::session::Resumed;

pub(crate) struct Resume;

impl OperationKind for Resume {
    type Input = PauseArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        recorded: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/workspaces/{workspace}/resume",
            "resumeWorkspace",
            "Bring a workspace back, with its files, in a container that runs; again succeeds",
            |asked| Ok(Operation::of::<Resume>(pause_args(asked)?)),
        )
        .describe("If it fails, a paused workspace is paused as before.")
        .answers::<Resumed>()
        .errors(WORKS)
        .recorded()],
        ..Descriptor::new("resume", Needs::Scope(Scope::Write))
    };

    async fn run(call: Call<'_>, input: PauseArgs) -> Result<Reply> {
        answer(&call.session.resume(input.r#ref.as_ref(), call.abort).await?)
    }
}

impl ToolKind for Resume {
    type Input = PauseArgs;
    type Output = Resumed;

    const TOOL: &'static str = "workspace_resume";

    async fn call(call: ToolCall<'_>, input: PauseArgs) -> Result<Resumed> {
        call.session.resume(input.r#ref.as_ref(), call.abort).await
    }
}

fn pause_args(asked: &Asked<'_>) -> Result<PauseArgs> {
    let id: SandboxId = asked.path_id("workspace")?;
    Ok(PauseArgs { r#ref: Some(WorkspaceRef::new(id)) })
}
