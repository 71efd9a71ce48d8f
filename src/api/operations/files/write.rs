//! Write a file.

use crate::api::operation::{Module, Tool, ToolCall, ToolEntry, ToolKind};
use crate::domain::{Result, Scope};
use crate::session::{
    EditFileRequest, EditedFile, MadeDir, MakeDirRequest, Placed, RemoveRequest, Removed,
    WriteFileRequest, WrittenFile,
};

pub(crate) static TOOLS: &[&ToolEntry] = &[
    ToolEntry::of::<WriteFile>(),
    ToolEntry::of::<EditFile>(),
    ToolEntry::of::<MakeDir>(),
    ToolEntry::of::<Remove>(),
];

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
        description: "Create or replace a file in the active workspace, at most 2 MiB; missing \
                      directories are made. Readers see the old or the new content, never a part. \
                      Paths are relative to the workspace root and cannot leave it. To be able to \
                      undo, take a snapshot first.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: WriteFileRequest) -> Result<Placed<WrittenFile>> {
        call.session.write_file(input).await
    }
}

/// Edit a file.
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
        description: "Replace an exact piece of a text file of the active workspace. Use it rather \
                      than workspace_write_file for small changes. oldText, including white space \
                      and line ends, must occur exactly once, unless replaceAll is true; otherwise \
                      nothing changes and the error lists the lines with oldText. Copy oldText \
                      from workspace_read_file, with enough surrounding lines to be unique. If the \
                      file was changed since it was read, nothing is changed: read it again.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: EditFileRequest) -> Result<Placed<EditedFile>> {
        call.session.edit_file(input).await
    }
}

/// Make a directory.
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
        description: "Make a directory in the active workspace, and missing parents. An existing \
                      directory does not change. workspace_write_file makes directories itself.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: MakeDirRequest) -> Result<Placed<MadeDir>> {
        call.session.make_dir(input).await
    }
}

/// Remove a file or directory.
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
        description: "Remove one file of the active workspace, or a symbolic link itself (its \
                      target stays); with recursive, a directory and all its content. Snapshots do \
                      not change. It cannot be undone: take a snapshot first if in doubt.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: RemoveRequest) -> Result<Placed<Removed>> {
        call.session.remove(input).await
    }
}
