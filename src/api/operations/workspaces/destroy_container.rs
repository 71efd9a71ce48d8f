//! Destroy the container of a workspace, and keep the workspace.

use crate::api::http::{Route, Verb};
use crate::api::operation::answers::Destroyed;
use crate::api::operation::descriptor::{
    Call, Descriptor, LogFields, Operation, OperationKind, answer,
};
use crate::api::operations::inputs::WorkspaceTarget;
use crate::api::reply::Reply;
use crate::domain::error::{ErrorCode, Result};
use crate::domain::ids::SandboxId;
use crate::domain::session::scope::Needs;
use crate::domain::snapshot::refs::WorkspaceRef;

pub(crate) struct DestroyContainer;

impl OperationKind for DestroyContainer {
    type Input = WorkspaceTarget;

    const DESCRIPTOR: Descriptor = Descriptor {
        stops: true,
        routes: &[Route::session(
            Verb::Delete,
            "/v1/sessions/{session}/workspaces/{workspace}/container",
            "destroyContainer",
            "Destroy the container of a workspace, the active one's too; again succeeds",
            |asked| {
                let id: SandboxId = asked.path_id("workspace")?;
                Ok(Operation::of::<DestroyContainer>(WorkspaceTarget { r#ref: WorkspaceRef::new(id) }))
            },
        )
        .describe(
            "At once, and whatever runs in it. The workspace stays: used again, it wakes with the files it was last saved with; \
            what was not saved is gone.",
        )
        .answers::<Destroyed>()
        .errors(&[ErrorCode::WorkspaceNotOwned, ErrorCode::Conflict, ErrorCode::Unsupported])],
        ..Descriptor::new("destroyContainer", Needs::Trust)
    };

    fn log(input: &WorkspaceTarget, fields: &mut LogFields) {
        fields.workspace(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: WorkspaceTarget) -> Result<Reply> {
        call.session.destroy_container(&input.r#ref).await?;
        answer(&Destroyed { destroyed: true })
    }
}
