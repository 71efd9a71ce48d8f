//! Take a git checkpoint.

use crate::api::operation::{Module, Tool, ToolCall, ToolKind};
use crate::domain::{Result, Scope};
use crate::ports::sandbox::TakenGitCheckpoint;
use crate::session::{Placed, TakeGitCheckpointRequest};

pub(crate) struct TakeGitCheckpoint;

impl ToolKind for TakeGitCheckpoint {
    type Input = TakeGitCheckpointRequest;
    type Output = Placed<TakenGitCheckpoint>;

    const TOOL: Tool = Tool {
        name: "workspace_git_checkpoint",
        title: "Take a git checkpoint",
        module: Module::Fs,
        scope: Scope::Write,
        description: "Remember the files in git, quickly, before a risky change; undo with \
                      workspace_git_checkpoint_restore. HEAD, branches, index and stash stay. Omits ignored files, \
                      empty directories and nested repositories. It is lost with the workspace: workspace_snapshot keeps \
                      everything.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: TakeGitCheckpointRequest,
    ) -> Result<Placed<TakenGitCheckpoint>> {
        call.session.take_git_checkpoint(input).await
    }
}
