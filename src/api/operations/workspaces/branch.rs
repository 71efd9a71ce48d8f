//! Make a workspace from a snapshot, to try something in.

use crate::api::operation::answers::NamedWorkspace;
use crate::api::operation::descriptor::{Call, Descriptor, LogFields, OperationKind, answer};
use crate::api::operation::method::{Method, Resolves};
use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::api::operations::inputs::SnapshotTarget;
use crate::api::reply::Reply;
use crate::api::tools::make_and_switch;
use crate::domain::error::Result;
use crate::domain::ids::RestoreKind;
use crate::domain::session::scope::{Needs, Scope};
use crate::session::MadeWorkspace;

pub(crate) struct Branch;

impl OperationKind for Branch {
    type Input = SnapshotTarget;

    const DESCRIPTOR: Descriptor = Descriptor {
        recorded: true,
        names_subject: true,
        ..Descriptor::new("branch", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<SnapshotTarget>()
            .at(&["ref"])
            .cancellable()
            .answers::<NamedWorkspace>()
            .resolves(Resolves::Field("ref"))
            .describe("Makes a new workspace as `restore` does, and records it as an experiment."),
    );

    fn log(input: &SnapshotTarget, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: SnapshotTarget) -> Result<Reply> {
        let SnapshotTarget { r#ref, allow_cross_session } = input;
        let kind = RestoreKind::Branch;
        answer(&call.session.make_workspace(kind, &r#ref, allow_cross_session, call.abort).await?)
    }
}

impl ToolKind for Branch {
    type Input = SnapshotTarget;
    type Output = MadeWorkspace;

    const TOOL: Tool = Tool {
        name: "workspace_branch",
        title: "Branch from a snapshot",
        module: Module::Snapshot,
        scope: Scope::Snapshot,
        description: "Make a new workspace from a snapshot to try something in, and continue in it: \
                      workspace_restore, recorded as an experiment. For several attempts from the files as they are \
                      now, choose workspace_fork. Call it once for each attempt, compare, workspace_switch to the one \
                      to keep and workspace_destroy the others. No other workspace is changed.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: SnapshotTarget) -> Result<MadeWorkspace> {
        make_and_switch(call, RestoreKind::Branch, input).await
    }
}
