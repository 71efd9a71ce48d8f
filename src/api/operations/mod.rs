//! Every operation and every tool, one file each.

pub(crate) mod calls;
pub(crate) mod checkpoints;
pub(crate) mod code_contexts;
pub(crate) mod exec;
pub(crate) mod files;
pub(crate) mod inputs;
mod parse;
pub(crate) mod previews;
pub(crate) mod processes;
pub(crate) mod sessions;
pub(crate) mod snapshot_files;
pub(crate) mod snapshots;
pub(crate) mod tokens;
pub(crate) mod trees;
pub(crate) mod turns;
pub(crate) mod upkeep;
pub(crate) mod workspaces;

use crate::api::http::Route;
use crate::api::http::table::OTHER_ROUTES;
use crate::api::operation::descriptor::Entry;
use crate::api::operation::tool::ToolEntry;

static OPERATIONS: &[&[&Entry]] = &[
    sessions::OPERATIONS,
    snapshots::OPERATIONS,
    turns::OPERATIONS,
    snapshot_files::OPERATIONS,
    trees::OPERATIONS,
    workspaces::OPERATIONS,
    exec::OPERATIONS,
    code_contexts::OPERATIONS,
    processes::OPERATIONS,
    previews::OPERATIONS,
    files::OPERATIONS,
    calls::OPERATIONS,
    tokens::OPERATIONS,
    upkeep::OPERATIONS,
];

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

/// Every operation.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    OPERATIONS.iter().copied().flatten().copied()
}

/// The operation of this name.
pub(crate) fn by_name(name: &str) -> Option<&'static Entry> {
    all().find(|entry| entry.descriptor.name == name)
}

/// Every tool.
pub fn tools() -> impl Iterator<Item = &'static ToolEntry> {
    TOOLS.iter().copied().flatten().copied()
}

/// The tool of this name.
pub(crate) fn tool(name: &str) -> Option<&'static ToolEntry> {
    tools().find(|entry| entry.tool.name == name)
}

/// Every route: those of operations, and the others.
pub fn routes() -> impl Iterator<Item = &'static Route> {
    all().flat_map(|entry| entry.descriptor.routes).chain(OTHER_ROUTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::http::Serve;
    use std::collections::BTreeSet;

    /// Names, routes and tools are unique, and a route takes a key if its operation
    /// is recorded.
    #[test]
    fn every_descriptor_is_sound() {
        let mut seen = BTreeSet::new();
        for entry in all() {
            let descriptor = entry.descriptor;
            assert!(seen.insert(format!("operation {}", descriptor.name)));
            for route in descriptor.routes {
                assert!(seen.insert(format!("{} {}", route.verb.as_str(), route.path)));
                assert!(seen.insert(format!("route {}", route.id)));
                assert_eq!(route.keyed, descriptor.recorded, "{}", route.id);
                assert!(matches!(route.serve, Serve::Session(_)), "{}", route.id);
            }
            assert!(descriptor.secret.is_none() || descriptor.recorded, "{}", descriptor.name);
            assert!(!descriptor.names_subject || descriptor.recorded, "{}", descriptor.name);
        }
        for entry in tools() {
            assert!(seen.insert(format!("tool {}", entry.tool.name)));
        }
    }
}
