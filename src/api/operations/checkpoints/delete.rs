//! Delete a checkpoint.

use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::domain::session::scope::Scope;
use crate::session::{CheckpointTarget, DeletedCheckpoint, Placed};

pub(crate) struct DeleteCheckpoint;

impl ToolKind for DeleteCheckpoint {
    type Input = CheckpointTarget;
    type Output = Placed<DeletedCheckpoint>;

    const TOOL: Tool = Tool {
        name: "workspace_delete_checkpoint",
        title: "Delete a checkpoint",
        module: Module::Fs,
        scope: Scope::Write,
        destructive: true,
        idempotent: true,
        description: "Delete the checkpoint of this name. Files stay as they are. What only it had stays in the repository until git removes it: heldBytes. Succeeds if there is none.",
        ..Tool::NEW
    };

    async fn call(
        call: ToolCall<'_>,
        input: CheckpointTarget,
    ) -> Result<Placed<DeletedCheckpoint>> {
        call.session.delete_checkpoint(input).await
    }
}
