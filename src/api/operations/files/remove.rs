//! Remove a file or directory.

use crate::api::operation::{Module, Tool, ToolCall, ToolKind};
use crate::domain::{Result, Scope};
use crate::session::{Placed, RemoveRequest, Removed};

pub(crate) struct Remove;

impl ToolKind for Remove {
    type Input = RemoveRequest;
    type Output = Placed<Removed>;

    const TOOL: Tool = Tool {
        name: "workspace_rm",
        title: "Remove a file or directory",
        module: Module::Fs,
        scope: Scope::Write,
        destructive: true,
        idempotent: true,
        description: "Remove one file of the active workspace, or a symbolic link itself (its target stays); with \
                      recursive, a directory and all its content. Snapshots are left alone. It cannot be undone: take \
                      a snapshot first if in doubt.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: RemoveRequest) -> Result<Placed<Removed>> {
        call.session.remove(input).await
    }
}
