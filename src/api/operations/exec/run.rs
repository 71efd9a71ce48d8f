//! Run a command.

use crate::api::operation::tool::{ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::ports::sandbox::ExecResult;
use crate::session::RunRequest;

pub(crate) struct RunCommand;

impl ToolKind for RunCommand {
    type Input = RunRequest;
    type Output = ExecResult;

    const TOOL: &'static str = "workspace_run";

    async fn call(call: ToolCall<'_>, input: RunRequest) -> Result<ExecResult> {
        call.abort.step("running the command")?;
        call.session.run_followed(input, call.abort).await
    }
}
