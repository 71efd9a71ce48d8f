//! Restore a git checkpoint.

use crate::api::operation::{Module, Tool, ToolCall, ToolKind};
use crate::domain::{Result, Scope};
use crate::ports::sandbox::RestoredGitCheckpoint;
use crate::session::{GitCheckpointTarget, Placed};

pub(crate) struct RestoreGitCheckpoint;

impl ToolKind for RestoreGitCheckpoint {
    type Input = GitCheckpointTarget;
    type Output = Placed<RestoredGitCheckpoint>;

    const TOOL: Tool = Tool {
        name: "workspace_git_checkpoint_restore",
        title: "Restore a git checkpoint",
        module: Module::Fs,
        scope: Scope::Write,
        destructive: true,
        idempotent: true,
        description: "Make the files what they were at a git checkpoint, and remove those added since. Ignored files, \
                      HEAD and index stay. Other changes are lost: see workspace_git_checkpoint_diff first.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: GitCheckpointTarget,
    ) -> Result<Placed<RestoredGitCheckpoint>> {
        call.session.restore_git_checkpoint(input).await
    }
}
