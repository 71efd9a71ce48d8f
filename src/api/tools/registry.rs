//! Every tool.

use crate::api::operation::ToolEntry;
use crate::api::operations::{
    checkpoints, code_contexts, exec, files, processes, snapshot_files, snapshots, trees, turns,
    workspaces,
};

static TOOLS: &[&[&ToolEntry]] = &[
    workspaces::make::TOOLS,
    workspaces::rewind::TOOLS,
    workspaces::list::TOOLS,
    workspaces::pause::TOOLS,
    snapshots::take::TOOLS,
    snapshots::list::TOOLS,
    snapshots::get::TOOLS,
    snapshots::update::TOOLS,
    snapshots::delete::TOOLS,
    turns::TOOLS,
    snapshot_files::TOOLS,
    trees::TOOLS,
    exec::run::TOOLS,
    exec::script::TOOLS,
    code_contexts::TOOLS,
    processes::TOOLS,
    files::read::TOOLS,
    files::write::TOOLS,
    checkpoints::TOOLS,
];

/// Every tool.
pub fn all() -> impl Iterator<Item = &'static ToolEntry> {
    TOOLS.iter().copied().flatten().copied()
}

/// The tool of this name.
pub(crate) fn by_name(name: &str) -> Option<&'static ToolEntry> {
    all().find(|entry| entry.tool.name == name)
}
