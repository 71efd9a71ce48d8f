//! Run code in a code context.

use crate::api::http::route::ENTERS;
use crate::api::http::{Route, Verb};
use crate::api::operation::descriptor::{
    Call, Descriptor, LogFields, Operation, OperationKind, answer,
};
use crate::api::operation::method::Method;
use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::api::reply::Reply;
use crate::domain::error::Result;
use crate::domain::ids::CodeContextId;
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::session::scope::{Needs, Scope};
use crate::domain::snapshot::refs::WorkspaceRef;
use crate::session::{Abort, CodeForContext, Placed, RanInContext, Session};
use serde::{Deserialize, Serialize};

pub(crate) struct RunInContext;

/// Arguments of `runInCodeContext`: over HTTP, `context` is in the path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunInContextArgs {
    /// Which context.
    pub context: CodeContextId,
    /// At most 1 MiB.
    pub code: String,
    /// Milliseconds after which it is interrupted: exitCode 124. Default 120000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = crate::domain::limits::EXEC_TIMEOUT_MAX_MS)))]
    pub timeout_ms: Option<u64>,
    /// As of workspace_run_code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = crate::domain::limits::EXEC_OUTPUT_MIN_BYTES, max = crate::domain::limits::EXEC_OUTPUT_MAX_BYTES)))]
    pub max_output_bytes: Option<u64>,
    /// Where: a workspace's id. Default: the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

impl RunInContextArgs {
    async fn run(self, session: &Session, abort: &Abort) -> Result<Placed<RanInContext>> {
        abort.step("running the code")?;
        let Self { context, code, timeout_ms, max_output_bytes, workspace } = self;
        let request = CodeForContext { code, timeout_ms, max_output_bytes, workspace };
        session.run_in_code_context(context, request, abort).await
    }
}

impl OperationKind for RunInContext {
    type Input = RunInContextArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/code-contexts/{context}/run",
            "runInCodeContext",
            "Run code in a code context",
            |asked| {
                let context = asked.path_id("context")?;
                let CodeForContext { code, timeout_ms, max_output_bytes, workspace } =
                    asked.body()?;
                Ok(Operation::of::<RunInContext>(RunInContextArgs {
                    context,
                    code,
                    timeout_ms,
                    max_output_bytes,
                    workspace,
                }))
            },
        )
        .describe(
            "Waits for it. Code that fails is a result. At its time limit, or when it is cancelled, it is \
             interrupted; if it does not react within 3 s, the context ends, and contextEnded says so. CONFLICT if \
             the context runs another call; NOT_FOUND if it has ended. Starts no container.",
        )
        .takes::<CodeForContext>()
        .answers::<Placed<RanInContext>>()
        .errors(ENTERS)
        .cancellable()],
        ..Descriptor::new("runInCodeContext", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<RunInContextArgs>().at(&["context", "code"]).cancellable().describe(
            "Runs code in a code context and waits for it. Code that fails is a result. At its time \
             limit, or when it is cancelled, it is interrupted; if it does not react within 3 s, the \
             context ends, and `contextEnded` says so. `CONFLICT` if the context runs another call; \
             `NOT_FOUND` if it has ended, as it does with its container.",
        ));

    fn log(input: &RunInContextArgs, fields: &mut LogFields) {
        fields.note("context", &input.context);
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: RunInContextArgs) -> Result<Reply> {
        answer(&input.run(call.session, call.abort).await?)
    }
}

impl ToolKind for RunInContext {
    type Input = RunInContextArgs;
    type Output = Placed<RanInContext>;

    const TOOL: Tool = Tool {
        name: "workspace_run_in_code_context",
        title: "Run code in a code context",
        module: Module::CodeContexts,
        scope: Scope::Write,
        destructive: true,
        open_world: true,
        description: "Run code as workspace_run_code does, with the variables of earlier calls. At timeoutMs the code \
                      is interrupted, and the context stays; contextEnded says when it did not. JavaScript can await.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: RunInContextArgs) -> Result<Placed<RanInContext>> {
        input.run(call.session, call.abort).await
    }
}
