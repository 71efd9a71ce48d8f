//! Run code.

use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::domain::session::scope::Scope;
use crate::ports::sandbox::code::RunCodeResult;
use crate::session::{Placed, RunCodeRequest};

pub(crate) struct RunCode;

impl ToolKind for RunCode {
    type Input = RunCodeRequest;
    type Output = Placed<RunCodeResult>;

    const TOOL: Tool = Tool {
        name: "workspace_run_code",
        title: "Run code",
        module: Module::Code,
        scope: Scope::Write,
        destructive: true,
        open_world: true,
        description: "Run Python or JavaScript in the active workspace and wait for it. The code is the whole \
                      program, not a shell command; it can import modules of the workspace root, where it runs. You \
                      get stdout, stderr, the exit code, the value of its last expression (value if it is JSON, else \
                      valueText), and up to 3 images of at most 1 MiB each that it saved in the directory named by \
                      the environment variable OUTPUT_DIR. Only files are kept for the next call. Code that fails is \
                      a result with its traceback in stderr, not an error. JavaScript is a script: use require or \
                      await import(), and with await at the top level, return for the value.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: RunCodeRequest) -> Result<Placed<RunCodeResult>> {
        call.abort.step("running the code")?;
        call.session.run_code(input).await
    }
}
