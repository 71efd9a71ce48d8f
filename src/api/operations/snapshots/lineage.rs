//! Show where workspaces and snapshots came from.

use crate::api::operation::{
    Call, Descriptor, Method, Module, NoArgs, Operation, OperationKind, Reply, Route, Tool,
    ToolCall, ToolKind, Verb, answer,
};
use crate::domain::{ErrorCode, Needs, Result, Scope};
use crate::session::Lineage;

pub(crate) struct ShowLineage;

impl OperationKind for ShowLineage {
    type Input = NoArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/lineage",
            "getLineage",
            "Show the tree of workspaces and snapshots",
            |_| Ok(Operation::of::<ShowLineage>(NoArgs {})),
        )
        .answers::<Lineage>()
        .errors(&[ErrorCode::Unsupported])],
        ..Descriptor::new("lineage", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(Method::takes::<NoArgs>().describe(
        "Returns the tree of workspaces and snapshots, with the active workspace marked.",
    ));

    async fn run(call: Call<'_>, _input: NoArgs) -> Result<Reply> {
        answer(&call.session.lineage().await?)
    }
}

impl ToolKind for ShowLineage {
    type Input = NoArgs;
    type Output = Lineage;

    const TOOL: Tool = Tool {
        name: "workspace_lineage",
        title: "What came from what",
        module: Module::Snapshot,
        scope: Scope::Read,
        description: "Show the tree of this session's workspaces and snapshots, and where in it you are: a snapshot \
                      is below the workspace it was taken from, a workspace below the snapshot it was made from. Read \
                      `text`; `nodes` has the same with ids. Use it to find out which attempt a snapshot belongs to.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, _input: NoArgs) -> Result<Lineage> {
        call.session.lineage().await
    }
}
