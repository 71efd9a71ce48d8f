//! Call a tool.

use crate::api::operation::{
    Call, Descriptor, LogFields, Method, Operation, OperationKind, Reply, Route, ToolCall, Verb,
    WORKS,
};
use crate::api::tools::catalogue::needs;
use crate::api::tools::registry::by_name;
use crate::api::tools::serve;
#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{Needs, Result, WorkspaceRef};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(crate) struct CallTool;

/// Arguments of `callTool`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CallToolArgs {
    /// Which tool.
    pub name: String,
    /// Its input.
    #[serde(default)]
    #[cfg_attr(schemas, schemars(with = "Map<String, Value>"))]
    pub input: Value,
    /// Act only if this is the active workspace. Otherwise `PRECONDITION_FAILED`; `details.active`
    /// is the active one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub expected_active: Option<WorkspaceRef>,
}

impl OperationKind for CallTool {
    type Input = CallToolArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        recorded: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/tools/{tool}",
            "callTool",
            "Call a tool",
            |asked| {
                let name = asked.path("tool")?.to_owned();
                let input = asked.body::<Map<String, Value>>()?.into();
                let expected_active = asked.if_match()?;
                Ok(Operation::of::<CallTool>(CallToolArgs { name, input, expected_active }))
            },
        )
        .takes::<Map<String, Value>>()
        .answers::<Map<String, Value>>()
        .errors(WORKS)
        .recorded()
        .guarded()],
        ..Descriptor::new("callTool", Needs::Nothing)
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<CallToolArgs>().at(&["name", "input"]).cancellable().describe(
            "Calls a tool. If the workspace's container has stopped, the workspace wakes first, \
             and the answer has `woken`. `workspace_restore` and `workspace_branch` make the new \
             workspace active.",
        ));

    fn needs(input: &CallToolArgs) -> Needs {
        needs(&input.name)
    }

    fn log(input: &CallToolArgs, fields: &mut LogFields) {
        // An unknown name is the caller's text, so it is not logged.
        let known = by_name(&input.name);
        fields.note("tool", known.map_or("unknown", |entry| entry.tool.name));
        if let Some(Ok(named)) = input.input.get("workspace").map(WorkspaceRef::deserialize) {
            fields.workspace(&named);
        }
    }

    async fn run(call: Call<'_>, input: CallToolArgs) -> Result<Reply> {
        // There is no await between this line and the tool's operation reading the active
        // workspace.
        let Call { session, caller, abort, tools, .. } = call;
        session.expect_active(input.expected_active.as_ref())?;
        let call = ToolCall { session, caller, abort, tools };
        serve::call(call, &input.name, input.input).await.map(Reply::Value)
    }
}

/// The descriptor that decides how an operation is rate-limited and recorded: a call of
/// `workspace_restore` counts as `restore`.
pub(crate) fn counts_as(operation: &Operation) -> &'static Descriptor {
    let called = operation.input::<CallTool>().and_then(|call| by_name(&call.name)?.operation);
    called.unwrap_or(operation.descriptor())
}
