//! Run code.

use crate::api::operation::tool::{ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::ports::sandbox::code::RunCodeResult;
use crate::session::RunCodeRequest;

pub(crate) struct RunCode;

impl ToolKind for RunCode {
    type Input = RunCodeRequest;
    type Output = RunCodeResult;

    const TOOL: &'static str = "workspace_run_code";

    async fn call(call: ToolCall<'_>, input: RunCodeRequest) -> Result<RunCodeResult> {
        call.abort.step("running the code")?;
        call.session.run_code(input).await
    }
}
