//! Destroy the container of a workspace, and keep the workspace.

use crate::api::operation::answers::Destroyed;
use crate::api::operation::{
    Call, Descriptor, LogFields, Method, Operation, OperationKind, Reply, Resolves, Route, Verb,
    WorkspaceTarget, answer,
};
use crate::domain::{ErrorCode, Needs, Result, WorkspaceRef};

pub(crate) struct DestroyContainer;

impl OperationKind for DestroyContainer {
    type Input = WorkspaceTarget;

    const DESCRIPTOR: Descriptor = Descriptor {
        stops: true,
        routes: &[Route::session(
            Verb::Delete,
            "/v1/sessions/{session}/workspaces/{workspace}/container",
            "destroyContainer",
            "Destroy a workspace's container, even the active one's; repeating it succeeds",
            |asked| {
                let r#ref: WorkspaceRef = asked.path_id("workspace")?;
                Ok(Operation::of::<DestroyContainer>(WorkspaceTarget { r#ref }))
            },
        )
        .describe(
            "Ends it at once, whatever runs in it. Unsaved changes are lost. The workspace stays, and wakes with its \
            last saved files when it is used again.",
        )
        .answers::<Destroyed>()
        .errors(&[ErrorCode::WorkspaceNotOwned, ErrorCode::Conflict, ErrorCode::Unsupported])],
        ..Descriptor::new("destroyContainer", Needs::Trust)
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<WorkspaceTarget>().at(&["ref"]).resolves(Resolves::Nothing).describe(
            "Destroys the container of any workspace, the active one included, with everything \
             that runs in it; also in a closed session. The workspace stays, and wakes with the \
             files of its last save, or empty if it was never saved. Unsaved changes are lost. \
             Only for callers without restriction.",
        ));

    fn log(input: &WorkspaceTarget, fields: &mut LogFields) {
        fields.workspace(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: WorkspaceTarget) -> Result<Reply> {
        call.session.destroy_container(&input.r#ref).await?;
        answer(&Destroyed { destroyed: true })
    }
}
