//! Look at a file.

use crate::api::operation::tool::{ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::session::{StatRequest, StatView};

pub(crate) struct Stat;

impl ToolKind for Stat {
    type Input = StatRequest;
    type Output = StatView;

    const TOOL: &'static str = "workspace_stat";

    async fn call(call: ToolCall<'_>, input: StatRequest) -> Result<StatView> {
        call.session.stat(input).await
    }
}
