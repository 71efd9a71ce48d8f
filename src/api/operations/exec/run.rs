//! Run a command.

use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::domain::session::scope::Scope;
use crate::ports::sandbox::ExecResult;
use crate::session::{Placed, RunRequest};

pub(crate) struct RunCommand;

impl ToolKind for RunCommand {
    type Input = RunRequest;
    type Output = Placed<ExecResult>;

    const PAIRS: &'static [&'static str] = &["env"];

    const TOOL: Tool = Tool {
        name: "workspace_run",
        title: "Run a command",
        module: Module::Shell,
        scope: Scope::Write,
        destructive: true,
        open_world: true,
        description: "Run a command in the active workspace and wait for it. A string goes to the shell; a list is a \
                      program and its arguments, with no shell. A command that fails is a result with its exitCode, \
                      not an error. Redirect long output to a file and read parts of it. For one that goes on \
                      running, use workspace_start. What it leaves running is named in leftRunning. If you stop \
                      waiting for it, it is ended, and workspace_processes lists what it printed. An idle container is stopped: everything outside the workspace, \
                      such as installed packages, is then lost unless the session persists the machine.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: RunRequest) -> Result<Placed<ExecResult>> {
        call.abort.step("running the command")?;
        call.session.run_followed(input, call.abort).await
    }
}
