//! List git checkpoints.

use crate::api::operation::{Module, Tool, ToolCall, ToolKind};
use crate::domain::{Result, Scope};
use crate::ports::sandbox::GitCheckpointList;
use crate::session::{ListGitCheckpointsRequest, Placed};

pub(crate) struct ListGitCheckpoints;

impl ToolKind for ListGitCheckpoints {
    type Input = ListGitCheckpointsRequest;
    type Output = Placed<GitCheckpointList>;

    const TOOL: Tool = Tool {
        name: "workspace_git_checkpoint_list",
        title: "List git checkpoints",
        module: Module::Fs,
        scope: Scope::Read,
        description: "List the git checkpoints of a repository, newest first: name, commit, time and description.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: ListGitCheckpointsRequest,
    ) -> Result<Placed<GitCheckpointList>> {
        call.session.list_git_checkpoints(input).await
    }
}
