//! Take a checkpoint.

use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::domain::session::scope::Scope;
use crate::ports::sandbox::TakenCheckpoint;
use crate::session::{Placed, TakeCheckpointRequest};

pub(crate) struct TakeCheckpoint;

impl ToolKind for TakeCheckpoint {
    type Input = TakeCheckpointRequest;
    type Output = Placed<TakenCheckpoint>;

    const TOOL: Tool = Tool {
        name: "workspace_checkpoint",
        title: "Take a checkpoint",
        module: Module::Fs,
        scope: Scope::Write,
        description: "Remember the files in git, quickly, before a risky change; undo with \
                      workspace_restore_checkpoint. HEAD, branches, index and stash stay. Omits ignored files, \
                      empty directories and nested repositories. Lost with the workspace: workspace_snapshot keeps \
                      everything.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: TakeCheckpointRequest,
    ) -> Result<Placed<TakenCheckpoint>> {
        call.session.take_checkpoint(input).await
    }
}
