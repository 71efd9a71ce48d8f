//! Restore a checkpoint.

use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::domain::session::scope::Scope;
use crate::ports::sandbox::RestoredCheckpoint;
use crate::session::{CheckpointTarget, Placed};

pub(crate) struct RestoreCheckpoint;

impl ToolKind for RestoreCheckpoint {
    type Input = CheckpointTarget;
    type Output = Placed<RestoredCheckpoint>;

    const TOOL: Tool = Tool {
        name: "workspace_restore_checkpoint",
        title: "Restore a checkpoint",
        module: Module::Fs,
        scope: Scope::Write,
        destructive: true,
        idempotent: true,
        description: "Make the files what they were at a checkpoint, and remove those added since. Ignored files, \
                      HEAD and index stay. Other changes are lost: see workspace_diff_checkpoint first.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: CheckpointTarget,
    ) -> Result<Placed<RestoredCheckpoint>> {
        call.session.restore_checkpoint(input).await
    }
}
