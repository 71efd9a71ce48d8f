//! Edit a file.

use crate::api::operation::{Module, Tool, ToolCall, ToolKind};
use crate::domain::{Result, Scope};
use crate::session::{EditFileRequest, EditedFile, Placed};

pub(crate) struct EditFile;

impl ToolKind for EditFile {
    type Input = EditFileRequest;
    type Output = Placed<EditedFile>;

    const EMPTY: &'static [&'static str] = &["oldText", "newText"];

    const TOOL: Tool = Tool {
        name: "workspace_edit_file",
        title: "Edit a file",
        module: Module::Fs,
        core: true,
        scope: Scope::Write,
        destructive: true,
        description: "Replace an exact piece of a text file of the active workspace. Use it rather than \
                      workspace_write_file for small changes. oldText must be in the file exactly once, white space \
                      and line ends included, unless replaceAll is true; otherwise nothing is changed and the error \
                      says at which lines it occurs. Copy oldText from workspace_read_file, with enough lines around \
                      to be unique. If the file was changed since it was read, nothing is changed: read it again.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: EditFileRequest) -> Result<Placed<EditedFile>> {
        call.session.edit_file(input).await
    }
}
