//! Run a script.

use crate::api::operation::{
    Call, Descriptor, Entry, Method, Module, Operation, OperationKind, Reply, Route, Tool,
    ToolCall, ToolEntry, ToolKind, Verb, answer,
};
use crate::domain::{ErrorCode, Needs, Result, Scope};
use crate::session::{ScriptRequest, ScriptResult};

pub(crate) static OPERATIONS: &[&Entry] = &[Entry::of::<RunScript>()];

pub(crate) static TOOLS: &[&ToolEntry] = &[ToolEntry::of_operation::<RunScript>()];

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
             workspace.read_file({ path })` calls the tool `workspace_read_file` with the scopes \
             of the caller; other tools that look at or write files, look at snapshots, or take \
             one are called the same way. The session needs `capabilities.script`. A script that \
             fails is a result. Nothing is kept for the next script. A script may import modules \
             of Node.js, but no packages, and has no WebAssembly.",
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
        // Each call of the script is checked as a call of the script's caller.
        acts_as_caller: true,
        ..Descriptor::new("runScript", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<ScriptRequest>().at(&["code"]).cancellable());

    async fn run(call: Call<'_>, input: ScriptRequest) -> Result<Reply> {
        answer(&call.session.run_script(input, call.tools, call.abort).await?)
    }
}

impl ToolKind for RunScript {
    type Input = ScriptRequest;
    type Output = ScriptResult;

    const TEXTS: &'static [&'static str] = &["logs"];

    const TOOL: Tool = Tool {
        name: "workspace_script",
        title: "Run a script",
        module: Module::Script,
        core: true,
        scope: Scope::Read,
        destructive: true,
        open_world: true,
        description: "Run JavaScript without a container, e.g. to look at many snapshots in one \
                      call. You get its return value and output; code that fails is a result.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: ScriptRequest) -> Result<ScriptResult> {
        call.session.run_script(input, call.tools, call.abort).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::tools;

    /// All effects that a script has by itself. Adding one must be a decision, not an accident.
    #[test]
    fn scripts_have_few_tools() {
        let names: Vec<&str> = tools::all().filter_map(|entry| entry.tool.script_name()).collect();
        assert_eq!(
            names,
            [
                "snapshot",
                "list_snapshots",
                "diff",
                "read_file",
                "ls",
                "glob",
                "grep",
                "stat",
                "write_file",
                "edit_file",
            ]
        );
        for entry in tools::all().filter(|entry| entry.tool.in_scripts) {
            assert!(entry.tool.name.starts_with("workspace_") && !entry.tool.open_world);
            assert_ne!(entry.tool.scope, Scope::Admin);
        }
    }
}
