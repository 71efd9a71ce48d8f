//! Every tool.

use crate::api::operation::ToolEntry;
use crate::api::operations::{
    checkpoints, code_contexts, exec, files, processes, snapshot_files, snapshots, trees, turns,
    workspaces,
};

static TOOLS: &[&[&ToolEntry]] = &[
    workspaces::TOOLS,
    snapshots::TOOLS,
    turns::TOOLS,
    snapshot_files::TOOLS,
    trees::TOOLS,
    exec::TOOLS,
    code_contexts::TOOLS,
    processes::TOOLS,
    files::TOOLS,
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
