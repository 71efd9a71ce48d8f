//! Code contexts: interpreters that keep their variables between calls.

use crate::api::operation::{
    Call, Descriptor, ENTERS, Entry, LogFields, Method, Module, Operation, OperationKind, Reply,
    Route, Tool, ToolCall, ToolEntry, ToolKind, Verb, WORKSPACE, answer,
};
use crate::domain::limits::TOOL_OUTPUT_DEFAULT_BYTES;
use crate::domain::{Needs, Result, Scope};
use crate::ports::sandbox::{CodeContext, CodeContextList};
use crate::session::{
    Abort, CreateCodeContextRequest, DeleteCodeContextRequest, DeletedCodeContext,
    ListCodeContextsRequest, Placed, RanInContext, RunInCodeContextRequest, Session,
};
#[cfg(schemas)]
use serde_json::Value;
#[cfg(schemas)]
use std::borrow::Cow;

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<CreateContext>(),
    Entry::of::<ListContexts>(),
    Entry::of::<RunInContext>(),
    Entry::of::<DeleteContext>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of_operation::<CreateContext>(),
    ToolEntry::of_operation::<RunInContext>(),
    ToolEntry::of_operation::<ListContexts>(),
    ToolEntry::of_operation::<DeleteContext>(),
];

/// Create a code context.
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
        description: "Start an interpreter that keeps variables between calls of \
                      workspace_run_in_code_context. It ends with its container, after 30 idle \
                      minutes, or in a workspace_rewind.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: CreateCodeContextRequest,
    ) -> Result<Placed<CodeContext>> {
        call.session.create_code_context(input).await
    }
}

/// List code contexts.
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
        description: "List running code contexts.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: ListCodeContextsRequest,
    ) -> Result<Placed<CodeContextList>> {
        call.session.list_code_contexts(input).await
    }
}

/// Run code in a code context.
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
                      timeoutMs the code is interrupted and the context stays; if the context \
                      ends, contextEnded says why. JavaScript can await.",
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

/// End a code context.
pub(crate) struct DeleteContext;

impl OperationKind for DeleteContext {
    type Input = DeleteCodeContextRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Delete,
            "/v1/sessions/{session}/code-contexts/{context}",
            "deleteCodeContext",
            "End a code context; repeating it succeeds",
            |asked| {
                let (context, workspace) = (asked.path_id("context")?, asked.workspace()?);
                Ok(Operation::of::<DeleteContext>(DeleteCodeContextRequest { context, workspace }))
            },
        )
        .query(&[WORKSPACE])
        .describe("Its variables are lost. Processes that its code started end too, by TERM, and by KILL after 5 s.")
        .answers::<Placed<DeletedCodeContext>>()
        .errors(ENTERS)],
        ..Descriptor::new("deleteCodeContext", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<DeleteCodeContextRequest>().at(&["context"]).describe(
            "Ends a code context and what its code has started, by TERM, and by KILL after 5 s. \
             Ending a context that is gone succeeds. Starts no container.",
        ));

    fn log(input: &DeleteCodeContextRequest, fields: &mut LogFields) {
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: DeleteCodeContextRequest) -> Result<Reply> {
        answer(&call.session.delete_code_context(input).await?)
    }
}

impl ToolKind for DeleteContext {
    type Input = DeleteCodeContextRequest;
    type Output = Placed<DeletedCodeContext>;

    const TOOL: Tool = Tool {
        name: "workspace_delete_code_context",
        title: "End a code context",
        module: Module::CodeContexts,
        scope: Scope::Write,
        destructive: true,
        idempotent: true,
        description: "End a code context; its variables are lost.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: DeleteCodeContextRequest,
    ) -> Result<Placed<DeletedCodeContext>> {
        call.session.delete_code_context(input).await
    }
}
