//! Delete a git checkpoint.

use crate::api::operation::{Module, Tool, ToolCall, ToolKind};
use crate::domain::{Result, Scope};
use crate::session::{DeletedGitCheckpoint, GitCheckpointTarget, Placed};

pub(crate) struct DeleteGitCheckpoint;

impl ToolKind for DeleteGitCheckpoint {
    type Input = GitCheckpointTarget;
    type Output = Placed<DeletedGitCheckpoint>;

    const TOOL: Tool = Tool {
        name: "workspace_git_checkpoint_delete",
        title: "Delete a git checkpoint",
        module: Module::Fs,
        scope: Scope::Write,
        destructive: true,
        idempotent: true,
        description: "Delete the git checkpoint of this name. Files stay as they are. heldBytes that only it had stay in the repository until git removes them. Succeeds if there is none.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: GitCheckpointTarget,
    ) -> Result<Placed<DeletedGitCheckpoint>> {
        call.session.delete_git_checkpoint(input).await
    }
}
