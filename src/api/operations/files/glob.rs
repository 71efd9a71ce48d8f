//! Find files by pattern.

use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::domain::session::scope::Scope;
use crate::session::{FindFilesRequest, FoundFileList, Placed};

pub(crate) struct FindFiles;

impl ToolKind for FindFiles {
    type Input = FindFilesRequest;
    type Output = Placed<FoundFileList>;

    const TOOL: Tool = Tool {
        name: "workspace_glob",
        title: "Find files by name",
        module: Module::Fs,
        scope: Scope::Read,
        description: "Find files of the active workspace whose paths match a pattern, in the order of paths. A \
                      pattern without / matches names at any depth (*.py); with one it is relative to path \
                      (src/*.rs, or src/** for all below); {a,b} means either. Directories, symbolic links and, unless includeIgnored is \
                      true, files in .git or named by .gitignore are not found. If truncated, call again with \
                      nextOffset as offset.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: FindFilesRequest) -> Result<Placed<FoundFileList>> {
        call.session.find_files(input).await
    }
}
