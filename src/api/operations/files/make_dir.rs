//! Make a directory.

use crate::api::operation::{Module, Tool, ToolCall, ToolKind};
use crate::domain::{Result, Scope};
use crate::session::{MadeDir, MakeDirRequest, Placed};

pub(crate) struct MakeDir;

impl ToolKind for MakeDir {
    type Input = MakeDirRequest;
    type Output = Placed<MadeDir>;

    const TOOL: Tool = Tool {
        name: "workspace_mkdir",
        title: "Make a directory",
        module: Module::Fs,
        scope: Scope::Write,
        idempotent: true,
        description: "Make a directory of the active workspace, and its parents as needed. An existing one is left \
                      as it is. workspace_write_file makes directories itself.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: MakeDirRequest) -> Result<Placed<MadeDir>> {
        call.session.make_dir(input).await
    }
}
