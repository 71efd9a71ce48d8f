//! Compare workspaces of a session with their common base.

use crate::api::operation::{
    Call, Descriptor, Method, Module, Operation, OperationKind, Reply, Route, Tool, ToolCall,
    ToolKind, Verb, WORKS, answer,
};
use crate::domain::{Needs, Result, Scope};
use crate::session::{CompareRequest, Comparison};

pub(crate) struct Compare;

impl OperationKind for Compare {
    type Input = CompareRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/compare",
            "compareWorkspaces",
            "Compare workspaces with the snapshot that they came from",
            |asked| Ok(Operation::of::<Compare>(asked.body()?)),
        )
        .describe(
            "Shows the changes of each workspace, the files that several changed, and how a \
             command ended in each. Starts containers only to run the command.",
        )
        .takes::<CompareRequest>()
        .example(r#"{"command":"make test"}"#)
        .answers::<Comparison>()
        .errors(WORKS)],
        ..Descriptor::new("compare", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> = Some(Method::takes::<CompareRequest>().cancellable().describe(
        "Compares workspaces of the session, by default all, with the nearest snapshot that all \
             came from. Returns the changes of each, and the files that several changed, as JSON \
             and as a table. A command can run in each afterwards, all at once; workspaces that \
             sleep wake for it. A workspace that can't be compared, or can't run the command, has \
             its own error.",
    ));

    async fn run(call: Call<'_>, input: CompareRequest) -> Result<Reply> {
        answer(&call.session.compare(input, call.abort).await?)
    }
}

impl ToolKind for Compare {
    type Input = CompareRequest;
    type Output = Comparison;

    const TEXTS: &'static [&'static str] = &["text"];

    const TOOL: Tool = Tool {
        name: "workspace_compare",
        title: "Compare workspaces",
        module: Module::Snapshot,
        core: true,
        scope: Scope::Write,
        destructive: true,
        open_world: true,
        description: "Compare attempts: what each workspace changed since the snapshot that all came from, which \
                      files several changed, and, with command, how it ended in each (for example the tests). text \
                      shows all of it as a table. Next: workspace_diff for details, workspace_promote to keep the best.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: CompareRequest) -> Result<Comparison> {
        call.session.compare(input, call.abort).await
    }
}
