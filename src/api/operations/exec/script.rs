//! Run a script.

use crate::api::http::{Route, Verb};
use crate::api::operation::descriptor::{Call, Descriptor, Operation, OperationKind, answer};
use crate::api::operation::method::Method;
use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::api::operations;
use crate::api::operations::sessions::call_tool::{CallTool, CallToolArgs};
use crate::api::reply::Reply;
use crate::api::run::{incident_id, run};
use crate::api::words::Surface;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::session::scope::{Caller, Needs, Scope};
use crate::session::{Abort, ScriptRequest, ScriptResult, ScriptTools, Session};
use async_trait::async_trait;
use serde_json::Value;

pub(crate) struct RunScript;

impl OperationKind for RunScript {
    type Input = ScriptRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/script",
            "runScript",
            "Run a script",
            |asked| Ok(Operation::of::<RunScript>(asked.body()?)),
        )
        .describe(
            "JavaScript in an isolate, without a container: the body of an async function. `await \
             workspace.read_file({ path })` calls the tool `workspace_read_file` with the scopes of the caller; so do \
             the names of other tools that look at or write files, look at snapshots, or take one. The session needs \
             `capabilities.script`. A script that fails is a result. Nothing is kept for the next one. \
             It may import modules of Node.js, but no packages, and has no WebAssembly.",
        )
        .takes::<ScriptRequest>()
        .example(r#"{"code":"return (await workspace.list_snapshots()).snapshots.length"}"#)
        .answers::<ScriptResult>()
        .errors(&[
            ErrorCode::Conflict,
            ErrorCode::TooLarge,
            ErrorCode::QuotaExceeded,
            ErrorCode::Aborted,
            ErrorCode::Unsupported,
        ])
        .cancellable()],
        // Each call of the script is checked as one of its caller.
        acts_as_caller: true,
        ..Descriptor::new("runScript", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<ScriptRequest>().at(&["code"]).cancellable());

    async fn run(call: Call<'_>, input: ScriptRequest) -> Result<Reply> {
        let tools = CallersTools { session: call.session, caller: call.caller };
        answer(&call.session.run_script(input, &tools, call.abort).await?)
    }
}

impl ToolKind for RunScript {
    type Input = ScriptRequest;
    type Output = ScriptResult;

    const TOOL: Tool = Tool {
        name: "workspace_script",
        title: "Run a script",
        module: Module::Script,
        scope: Scope::Read,
        destructive: true,
        open_world: true,
        description: "Run JavaScript without a container, e.g. to look at many snapshots in one call. You get what it \
                      returns and prints; code that fails is a result.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: ScriptRequest) -> Result<ScriptResult> {
        let tools = CallersTools { session: call.session, caller: call.caller };
        call.session.run_script(input, &tools, call.abort).await
    }
}

/// The tools of the session for a script: as if its caller called them.
struct CallersTools<'a> {
    session: &'a Session,
    caller: &'a Caller,
}

#[async_trait(?Send)]
impl ScriptTools for CallersTools<'_> {
    fn names(&self) -> Vec<&'static str> {
        operations::tools().filter_map(|entry| entry.tool.script_name()).collect()
    }

    /// A call of its own: checked, rated and logged like every other.
    async fn call(&self, name: &str, input: Value, abort: &Abort) -> Result<Value> {
        let tool = operations::tools().find(|entry| entry.tool.script_name() == Some(name));
        let Some(tool) = tool else {
            return Err(Error::new(ErrorCode::NotFound, "scripts have no such function")
                .with_hint(format!("workspace has {}", self.names().join(", "))));
        };
        let name = tool.tool.name.to_owned();
        let call = Operation::of::<CallTool>(CallToolArgs { name, input, expected_active: None });
        let ports = self.session.ports();
        let run =
            run(self.session, self.caller, call.into(), abort, &*ports.clock, &*ports.log, || {
                incident_id(&*ports.random)
            });
        Surface::for_model(run.await)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a script can do by itself. More is a decision, not an accident.
    #[test]
    fn scripts_have_few_tools() {
        let names: Vec<&str> =
            operations::tools().filter_map(|entry| entry.tool.script_name()).collect();
        assert_eq!(
            names,
            [
                "snapshot",
                "list_snapshots",
                "snapshot_ls",
                "snapshot_read",
                "snapshot_stat",
                "snapshot_grep",
                "diff",
                "read_file",
                "write_file",
                "edit_file",
                "ls",
                "glob",
                "grep",
                "stat",
            ]
        );
        for entry in operations::tools().filter(|entry| entry.tool.in_scripts) {
            assert!(entry.tool.name.starts_with("workspace_") && !entry.tool.open_world);
            assert_ne!(entry.tool.scope, Scope::Admin);
        }
    }
}
