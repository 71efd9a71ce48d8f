//! Compare files with a git checkpoint.

use crate::api::operation::{Module, Tool, ToolCall, ToolKind};
use crate::domain::{Result, Scope};
use crate::ports::sandbox::GitCheckpointDiff;
use crate::session::{GitCheckpointTarget, Placed};

pub(crate) struct DiffGitCheckpoint;

impl ToolKind for DiffGitCheckpoint {
    type Input = GitCheckpointTarget;
    type Output = Placed<GitCheckpointDiff>;

    const TEXTS: &'static [&'static str] = &["diff"];

    const TOOL: Tool = Tool {
        name: "workspace_git_checkpoint_diff",
        title: "Compare with a git checkpoint",
        module: Module::Fs,
        scope: Scope::Read,
        description: "Show a unified diff from a git checkpoint (-) to the present files (+). If \
                      truncated, run git diff COMMIT on single paths.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: GitCheckpointTarget,
    ) -> Result<Placed<GitCheckpointDiff>> {
        call.session.diff_git_checkpoint(input).await
    }
}
