//! List a directory.

use crate::api::operation::{Module, Tool, ToolCall, ToolKind};
use crate::domain::{Result, Scope};
use crate::session::{ListFilesRequest, ListedFiles, Seen};

pub(crate) struct ListFiles;

impl ToolKind for ListFiles {
    type Input = ListFilesRequest;
    type Output = Seen<ListedFiles>;

    const TOOL: Tool = Tool {
        name: "workspace_ls",
        title: "List a directory",
        module: Module::Look,
        scope: Scope::Read,
        description: "List a directory of the active workspace or, with at, of a snapshot or another workspace: path, \
                      type, size, time and mode of each entry, in the order of paths. To find files by name use \
                      workspace_glob. Symbolic links are not followed. If nextCursor is there, call again with it as \
                      cursor.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: ListFilesRequest) -> Result<Seen<ListedFiles>> {
        call.session.list_files(input).await
    }
}
