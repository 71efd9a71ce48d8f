//! Every operation and every tool, one file each.

pub(crate) mod calls;
pub(crate) mod exec;
pub(crate) mod files;
pub(crate) mod inputs;
mod parse;
pub(crate) mod sessions;
pub(crate) mod snapshots;
pub(crate) mod tokens;
pub(crate) mod upkeep;
pub(crate) mod workspaces;

use crate::api::http::Route;
use crate::api::http::table::OTHER_ROUTES;
use crate::api::operation::descriptor::{Descriptor, Entry, Operation};
use crate::api::operation::tool::ToolEntry;
use crate::api::operations::sessions::call_tool::CallTool;

static OPERATIONS: &[&[&Entry]] = &[
    sessions::OPERATIONS,
    snapshots::OPERATIONS,
    workspaces::OPERATIONS,
    exec::OPERATIONS,
    files::OPERATIONS,
    calls::OPERATIONS,
    tokens::OPERATIONS,
    upkeep::OPERATIONS,
];

static TOOLS: &[&[&ToolEntry]] = &[workspaces::TOOLS, snapshots::TOOLS, exec::TOOLS, files::TOOLS];

/// Every operation.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    OPERATIONS.iter().copied().flatten().copied()
}

/// The operation of this name.
pub(crate) fn by_name(name: &str) -> Option<&'static Entry> {
    all().find(|entry| entry.descriptor.name == name)
}

/// The descriptor by which an operation is rated and recorded: a call of
/// `workspace_restore` counts as `restore`.
pub(crate) fn counts_as(operation: &Operation) -> &'static Descriptor {
    let called = operation
        .input::<CallTool>()
        .and_then(|call| by_name(call.name.strip_prefix("workspace_")?));
    called.map_or(operation.descriptor(), |entry| entry.descriptor)
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
