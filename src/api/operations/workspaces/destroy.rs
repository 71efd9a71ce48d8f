//! Destroy a workspace that is not active.

use crate::api::operation::{
    Call, Descriptor, LogFields, Method, Module, Operation, OperationKind, Reply, Route, Tool,
    ToolCall, ToolKind, Verb, WorkspaceTarget, answer,
};
use crate::domain::{ErrorCode, Needs, Result, Scope, WorkspaceRef};
use crate::session::DestroyedWorkspace;

pub(crate) struct DestroyWorkspace;

impl OperationKind for DestroyWorkspace {
    type Input = WorkspaceTarget;

    const DESCRIPTOR: Descriptor = Descriptor {
        stops: true,
        routes: &[Route::session(
            Verb::Delete,
            "/v1/sessions/{session}/workspaces/{workspace}",
            "destroyWorkspace",
            "Destroy an inactive workspace; repeating it succeeds",
            |asked| {
                let r#ref: WorkspaceRef = asked.path_id("workspace")?;
                Ok(Operation::of::<DestroyWorkspace>(WorkspaceTarget { r#ref }))
            },
        )
        .answers::<DestroyedWorkspace>()
        .errors(&[
            ErrorCode::WorkspaceNotOwned,
            ErrorCode::Conflict,
            ErrorCode::Unsupported,
        ])],
        ..Descriptor::new("destroyWorkspace", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> = Some(Method::takes::<WorkspaceTarget>().at(&["ref"]).describe(
        "Destroys a workspace that is not active. Its snapshots are kept, and its last autosave \
             lives for its whole time to live from then on. Unsaved changes are lost; the answer \
             says whether there may be any.",
    ));

    fn log(input: &WorkspaceTarget, fields: &mut LogFields) {
        fields.workspace(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: WorkspaceTarget) -> Result<Reply> {
        answer(&call.session.destroy_workspace(&input.r#ref).await?)
    }
}

impl ToolKind for DestroyWorkspace {
    type Input = WorkspaceTarget;
    type Output = DestroyedWorkspace;

    const TOOL: Tool = Tool {
        name: "workspace_destroy",
        title: "Destroy a workspace",
        module: Module::Snapshot,
        scope: Scope::Snapshot,
        destructive: true,
        idempotent: true,
        description: "Destroy a workspace of this session for good, with its container, to make room: an attempt that \
                      you no longer need, or when a call answers QUOTA_EXCEEDED. Its snapshots stay; processes and \
                      unsaved files are lost. The workspace you are in can't be destroyed: workspace_switch to \
                      another one first. No other workspace is changed. Destroying one that is gone succeeds.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: WorkspaceTarget) -> Result<DestroyedWorkspace> {
        call.session.destroy_workspace(&input.r#ref).await
    }
}
