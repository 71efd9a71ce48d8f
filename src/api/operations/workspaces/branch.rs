//! Make a workspace from a snapshot, for trying something.

use crate::api::operation::inputs::MakeArgs;
use crate::api::operation::{
    Call, Descriptor, LogFields, Method, Module, NamedWorkspace, OperationKind, Reply, Resolves,
    Tool, ToolCall, ToolKind, answer,
};
use crate::api::operations::workspaces::restore::make;
use crate::domain::{Needs, RestoreKind, Result, Scope};
use crate::session::MadeWorkspace;

pub(crate) struct Branch;

impl OperationKind for Branch {
    type Input = MakeArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        recorded: true,
        names_subject: true,
        ..Descriptor::new("branch", Needs::Scope(Scope::Snapshot))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<MakeArgs>()
            .at(&["ref"])
            .cancellable()
            .answers::<NamedWorkspace>()
            .resolves(Resolves::Field("ref"))
            .describe("Makes a new workspace as `restore` does, and records it as an experiment."),
    );

    fn log(input: &MakeArgs, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: MakeArgs) -> Result<Reply> {
        answer(&make(call.session, RestoreKind::Branch, input, false, call.abort).await?)
    }
}

impl ToolKind for Branch {
    type Input = MakeArgs;
    type Output = MadeWorkspace;

    const TOOL: Tool = Tool {
        name: "workspace_branch",
        title: "Branch from a snapshot",
        module: Module::Snapshot,
        core: true,
        scope: Scope::Snapshot,
        description: "Make a new workspace from a snapshot to try something in, and continue in it: \
                      like workspace_restore, but recorded as an experiment. For several attempts from the files as they are \
                      now, choose workspace_fork. Call it once for each attempt, compare, workspace_switch to the one \
                      to keep and workspace_destroy the others. No other workspace is changed.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: MakeArgs) -> Result<MadeWorkspace> {
        make(call.session, RestoreKind::Branch, input, true, call.abort).await
    }
}
