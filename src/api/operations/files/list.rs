//! List a directory.

use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::domain::error::Result;
use crate::domain::session::scope::Scope;
use crate::session::{ListFilesRequest, ListedFiles, Placed};

pub(crate) struct ListFiles;

impl ToolKind for ListFiles {
    type Input = ListFilesRequest;
    type Output = Placed<ListedFiles>;

    const TOOL: Tool = Tool {
        name: "workspace_ls",
        title: "List a directory",
        module: Module::Fs,
        scope: Scope::Read,
        description: "List a directory of the active workspace, by default its root: path, type, size, time and mode \
                      of each entry, in the order of paths. Use it to see what is there; to find files by name use \
                      workspace_glob. Symbolic links are not followed. If truncated, call again with nextOffset as \
                      offset.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: ListFilesRequest) -> Result<Placed<ListedFiles>> {
        call.session.list_files(input).await
    }
}
