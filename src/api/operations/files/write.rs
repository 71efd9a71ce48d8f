//! Write a file.

use crate::api::operation::{Module, Tool, ToolCall, ToolKind};
use crate::domain::{Result, Scope};
use crate::session::{Placed, WriteFileRequest, WrittenFile};

pub(crate) struct WriteFile;

impl ToolKind for WriteFile {
    type Input = WriteFileRequest;
    type Output = Placed<WrittenFile>;

    const EMPTY: &'static [&'static str] = &["content"];

    const TOOL: Tool = Tool {
        name: "workspace_write_file",
        title: "Write a file",
        module: Module::Fs,
        core: true,
        scope: Scope::Write,
        destructive: true,
        idempotent: true,
        description: "Create a file of the active workspace or replace it whole, at most 2 MiB; its \
                      directories are made as needed. A reader sees the old content or the new, never a part. \
                      Paths are relative to the workspace root and cannot leave it. To be able to undo, take a \
                      snapshot first.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: WriteFileRequest) -> Result<Placed<WrittenFile>> {
        call.session.write_file(input).await
    }
}
