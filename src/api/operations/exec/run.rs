//! Run a command.

use crate::api::operation::{Module, Tool, ToolCall, ToolKind};
use crate::domain::limits::{TOOL_OUTPUT_DEFAULT_BYTES, TOOL_WAIT_DEFAULT_MS};
use crate::domain::{Result, Scope};
use crate::ports::sandbox::ExecResult;
use crate::session::{Placed, RunRequest};

pub(crate) struct RunCommand;

impl ToolKind for RunCommand {
    type Input = RunRequest;
    type Output = Placed<ExecResult>;

    const PAIRS: &'static [&'static str] = &["env"];

    const TEXTS: &'static [&'static str] = &["stdout", "stderr"];

    const TOOL: Tool = Tool {
        name: "workspace_run",
        title: "Run a command",
        module: Module::Shell,
        core: true,
        scope: Scope::Write,
        destructive: true,
        open_world: true,
        description: "Run a command in the active workspace and wait for it. A string goes to the shell; a list is a \
                      program and its arguments, with no shell. A command that fails is a result \
                      with its exitCode, not an error. One that still runs after waitMs goes on as \
                      the background process leftRunning.process: follow it with workspace_logs. \
                      Redirect long output to a file and read parts of it. For a server, use \
                      workspace_start. leftRunning names what it leaves running. If you stop \
                      waiting for it, it is ended, and workspace_processes names the log of its \
                      output. An idle container is stopped: everything outside the workspace, such \
                      as installed packages, is then lost unless the session persists the machine.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, mut input: RunRequest) -> Result<Placed<ExecResult>> {
        input.wait_ms.get_or_insert(TOOL_WAIT_DEFAULT_MS);
        input.max_output_bytes.get_or_insert(TOOL_OUTPUT_DEFAULT_BYTES);
        call.abort.step("running the command")?;
        call.session.run_followed(input, call.abort).await
    }
}
