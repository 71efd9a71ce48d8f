//! List checkpoints.

use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::domain::session::scope::Scope;
use crate::ports::sandbox::CheckpointList;
use crate::session::{ListCheckpointsRequest, Placed};

pub(crate) struct ListCheckpoints;

impl ToolKind for ListCheckpoints {
    type Input = ListCheckpointsRequest;
    type Output = Placed<CheckpointList>;

    const TOOL: Tool = Tool {
        name: "workspace_list_checkpoints",
        title: "List checkpoints",
        module: Module::Fs,
        scope: Scope::Read,
        description: "List the checkpoints of a repository, newest first: name, commit, time and description.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: ListCheckpointsRequest,
    ) -> Result<Placed<CheckpointList>> {
        call.session.list_checkpoints(input).await
    }
}
