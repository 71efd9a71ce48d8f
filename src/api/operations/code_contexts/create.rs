//! Create a code context.

use crate::api::operation::{
    Call, Descriptor, ENTERS, LogFields, Method, Module, Operation, OperationKind, Reply, Route,
    Tool, ToolCall, ToolKind, Verb, answer,
};
use crate::domain::{Needs, Result, Scope};
use crate::ports::sandbox::CodeContext;
use crate::session::{CreateCodeContextRequest, Placed};

pub(crate) struct CreateContext;

impl OperationKind for CreateContext {
    type Input = CreateCodeContextRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/code-contexts",
            "createCodeContext",
            "Create a code context",
            |asked| Ok(Operation::of::<CreateContext>(asked.body()?)),
        )
        .describe(
            "An interpreter that keeps variables between calls, for a session with \
             capabilities.code.stateful. It ends with its container, after 30 minutes without a \
             call, or in a rewind. A workspace has at most 8.",
        )
        .takes::<CreateCodeContextRequest>()
        .example(r#"{"language":"python"}"#)
        .answers::<Placed<CodeContext>>()
        .errors(ENTERS)],
        ..Descriptor::new("createCodeContext", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<CreateCodeContextRequest>().at(&["language"]).describe(
            "Starts an interpreter that keeps its variables between calls of `runInCodeContext`. \
             `QUOTA_EXCEEDED` while 8 run. It ends with the container, after 30 minutes without a \
             call, and by a rewind; no snapshot holds it.",
        ));

    fn log(input: &CreateCodeContextRequest, fields: &mut LogFields) {
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: CreateCodeContextRequest) -> Result<Reply> {
        answer(&call.session.create_code_context(input).await?)
    }
}

impl ToolKind for CreateContext {
    type Input = CreateCodeContextRequest;
    type Output = Placed<CodeContext>;

    const TOOL: Tool = Tool {
        name: "workspace_create_code_context",
        title: "Create a code context",
        module: Module::CodeContexts,
        core: true,
        scope: Scope::Write,
        description: "Start an interpreter that keeps variables between calls of workspace_run_in_code_context. It \
                      ends with its container, after 30 idle minutes, or by workspace_rewind.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: CreateCodeContextRequest,
    ) -> Result<Placed<CodeContext>> {
        call.session.create_code_context(input).await
    }
}
