//! Find files by pattern.

use crate::api::operation::{Module, Tool, ToolCall, ToolKind};
use crate::domain::{Result, Scope};
use crate::session::{FindFilesRequest, FoundFileList, Seen};

pub(crate) struct FindFiles;

impl ToolKind for FindFiles {
    type Input = FindFilesRequest;
    type Output = Seen<FoundFileList>;

    const TOOL: Tool = Tool {
        name: "workspace_glob",
        title: "Find files by name",
        module: Module::Look,
        core: true,
        scope: Scope::Read,
        description: "Find files whose paths match a pattern, in the order of paths: in the active workspace or, with \
                      at, in a snapshot or another workspace. A \
                      pattern without / matches names at any depth (*.py); with one it is relative \
                      to path (src/*.rs, or src/** for all below); {a,b} means either. Skips \
                      directories, symbolic links and, unless includeIgnored is true, files in \
                      .git and, except in snapshots, those .gitignore names. If nextCursor is \
                      there, call again with it as cursor.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: FindFilesRequest) -> Result<Seen<FoundFileList>> {
        call.session.find_files(input).await
    }
}
