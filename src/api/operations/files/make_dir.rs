//! Make a directory.

use crate::api::operation::tool::{ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::session::{MadeDir, MakeDirRequest};

pub(crate) struct MakeDir;

impl ToolKind for MakeDir {
    type Input = MakeDirRequest;
    type Output = MadeDir;

    const TOOL: &'static str = "workspace_mkdir";

    async fn call(call: ToolCall<'_>, input: MakeDirRequest) -> Result<MadeDir> {
        call.session.make_dir(input).await
    }
}
