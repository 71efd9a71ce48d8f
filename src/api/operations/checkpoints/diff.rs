//! Compare files with a checkpoint.

use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::domain::session::scope::Scope;
use crate::ports::sandbox::CheckpointDiff;
use crate::session::{CheckpointTarget, Placed};

pub(crate) struct DiffCheckpoint;

impl ToolKind for DiffCheckpoint {
    type Input = CheckpointTarget;
    type Output = Placed<CheckpointDiff>;

    const TOOL: Tool = Tool {
        name: "workspace_diff_checkpoint",
        title: "Compare with a checkpoint",
        module: Module::Fs,
        scope: Scope::Read,
        description: "Show a unified diff from a checkpoint (-) to the present files (+). If truncated, git diff \
                      its commit on single paths.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: CheckpointTarget) -> Result<Placed<CheckpointDiff>> {
        call.session.diff_checkpoint(input).await
    }
}
