//! Run code in a code context.

use crate::api::operation::{
    Call, Descriptor, ENTERS, LogFields, Method, Module, Operation, OperationKind, Reply, Route,
    Tool, ToolCall, ToolKind, Verb, answer,
};
use crate::domain::limits::TOOL_OUTPUT_DEFAULT_BYTES;
use crate::domain::{Needs, Result, Scope};
use crate::session::{Abort, Placed, RanInContext, RunInCodeContextRequest, Session};
#[cfg(schemas)]
use serde_json::Value;
#[cfg(schemas)]
use std::borrow::Cow;

pub(crate) struct RunInContext;

/// The body of the route: the request without `context`, which is in the path.
pub(crate) struct CodeForContext;

#[cfg(schemas)]
impl schemars::JsonSchema for CodeForContext {
    fn schema_name() -> Cow<'static, str> {
        "CodeForContext".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = RunInCodeContextRequest::json_schema(generator);
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            properties.remove("context");
        }
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| name != "context");
        }
        schema
    }
}

async fn run_code(
    session: &Session,
    request: RunInCodeContextRequest,
    abort: &Abort,
) -> Result<Placed<RanInContext>> {
    abort.step("running the code")?;
    session.run_in_code_context(request, abort).await
}

impl OperationKind for RunInContext {
    type Input = RunInCodeContextRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/code-contexts/{context}/run",
            "runInCodeContext",
            "Run code in a code context",
            |asked| Ok(Operation::of::<RunInContext>(asked.body_with("context")?)),
        )
        .describe(
            "Waits for the code to end. Code that fails is a result. At its time limit, or when \
             the call is cancelled, the code is interrupted; if it does not react within 3 s, the \
             context ends, and contextEnded says so. CONFLICT if the context runs another call; \
             NOT_FOUND if it has ended. Starts no container.",
        )
        .takes::<CodeForContext>()
        .answers::<Placed<RanInContext>>()
        .errors(ENTERS)
        .cancellable()],
        ..Descriptor::new("runInCodeContext", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<RunInCodeContextRequest>().at(&["context", "code"]).cancellable().describe(
            "Runs code in a code context and waits for it. Code that fails is a result. At its \
             time limit, or when the call is cancelled, the code is interrupted; if it does not \
             react within 3 s, the context ends, and `contextEnded` says so. `CONFLICT` if the \
             context runs another call; `NOT_FOUND` if it has ended, as it does with its \
             container.",
        ),
    );

    fn log(input: &RunInCodeContextRequest, fields: &mut LogFields) {
        fields.note("context", &input.context);
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: RunInCodeContextRequest) -> Result<Reply> {
        answer(&run_code(call.session, input, call.abort).await?)
    }
}

impl ToolKind for RunInContext {
    type Input = RunInCodeContextRequest;
    type Output = Placed<RanInContext>;

    const TEXTS: &'static [&'static str] = &["stdout", "stderr"];

    const TOOL: Tool = Tool {
        name: "workspace_run_in_code_context",
        title: "Run code in a code context",
        module: Module::CodeContexts,
        core: true,
        scope: Scope::Write,
        destructive: true,
        open_world: true,
        description: "Run code as workspace_run_code does, with the variables of earlier calls. At \
                      timeoutMs the code is interrupted, and the context stays; if not, \
                      contextEnded says so. JavaScript can await.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        mut input: RunInCodeContextRequest,
    ) -> Result<Placed<RanInContext>> {
        input.max_output_bytes.get_or_insert(TOOL_OUTPUT_DEFAULT_BYTES);
        run_code(call.session, input, call.abort).await
    }
}
