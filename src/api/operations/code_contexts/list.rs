//! List code contexts.

use crate::api::operation::{
    Call, Descriptor, ENTERS, LogFields, Method, Module, Operation, OperationKind, Reply, Route,
    Tool, ToolCall, ToolKind, Verb, WORKSPACE, answer,
};
use crate::domain::{Needs, Result, Scope};
use crate::ports::sandbox::CodeContextList;
use crate::session::{ListCodeContextsRequest, Placed};

pub(crate) struct ListContexts;

impl OperationKind for ListContexts {
    type Input = ListCodeContextsRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/code-contexts",
            "listCodeContexts",
            "List code contexts",
            |asked| Ok(Operation::of::<ListContexts>(asked.query()?)),
        )
        .query(&[WORKSPACE])
        .describe("Lists those that run, the oldest first. Starts no container; without a container, the list is empty.")
        .answers::<Placed<CodeContextList>>()
        .errors(ENTERS)],
        ..Descriptor::new("listCodeContexts", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(Method::takes::<ListCodeContextsRequest>().describe(
        "Lists the code contexts of a workspace that run, the oldest first. Starts no container.",
    ));

    fn log(input: &ListCodeContextsRequest, fields: &mut LogFields) {
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: ListCodeContextsRequest) -> Result<Reply> {
        answer(&call.session.list_code_contexts(input).await?)
    }
}

impl ToolKind for ListContexts {
    type Input = ListCodeContextsRequest;
    type Output = Placed<CodeContextList>;

    const TOOL: Tool = Tool {
        name: "workspace_list_code_contexts",
        title: "List code contexts",
        module: Module::CodeContexts,
        scope: Scope::Read,
        description: "List the code contexts that run.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: ListCodeContextsRequest,
    ) -> Result<Placed<CodeContextList>> {
        call.session.list_code_contexts(input).await
    }
}
