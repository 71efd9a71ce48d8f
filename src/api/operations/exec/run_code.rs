//! Run code.

use crate::api::operation::{Module, Tool, ToolCall, ToolKind};
use crate::domain::limits::TOOL_OUTPUT_DEFAULT_BYTES;
use crate::domain::{Result, Scope};
use crate::ports::sandbox::code::RunCodeResult;
use crate::session::{Placed, RunCodeRequest};

pub(crate) struct RunCode;

impl ToolKind for RunCode {
    type Input = RunCodeRequest;
    type Output = Placed<RunCodeResult>;

    const TEXTS: &'static [&'static str] = &["stdout", "stderr"];

    const TOOL: Tool = Tool {
        name: "workspace_run_code",
        title: "Run code",
        module: Module::Code,
        core: true,
        scope: Scope::Write,
        destructive: true,
        open_world: true,
        description: "Run Python or JavaScript in the active workspace and wait for it. The code is the whole \
                      program, not a shell command; it can import modules of the workspace root, where it runs. You \
                      get stdout, stderr, the exit code, the value of its last expression (value if it is JSON, else \
                      valueText), and up to 3 images of at most 1 MiB each that it saved in the directory named by \
                      the environment variable OUTPUT_DIR. Only files are kept for the next call. Code that fails is \
                      a result with its traceback in stderr, not an error. JavaScript is a script: load modules \
                      with require or await import(). If it awaits at the top level, return the value.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, mut input: RunCodeRequest) -> Result<Placed<RunCodeResult>> {
        input.max_output_bytes.get_or_insert(TOOL_OUTPUT_DEFAULT_BYTES);
        call.abort.step("running the code")?;
        call.session.run_code(input).await
    }
}
