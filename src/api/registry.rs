//! Every operation, and how to find and read one.

use crate::api::operation::{Entry, Operation};
use crate::api::operations::{
    calls, code_contexts, exec, files, previews, processes, sessions, snapshot_files, snapshots,
    tokens, trees, turns, upkeep, workspaces,
};
use crate::api::tools;
use crate::domain::{Error, Result};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

static OPERATIONS: &[&[&Entry]] = &[
    sessions::OPERATIONS,
    tools::OPERATIONS,
    snapshots::take::OPERATIONS,
    snapshots::list::OPERATIONS,
    snapshots::get::OPERATIONS,
    snapshots::update::OPERATIONS,
    snapshots::delete::OPERATIONS,
    snapshots::transfer::OPERATIONS,
    turns::OPERATIONS,
    snapshot_files::OPERATIONS,
    trees::OPERATIONS,
    workspaces::make::OPERATIONS,
    workspaces::rewind::OPERATIONS,
    workspaces::list::OPERATIONS,
    workspaces::pause::OPERATIONS,
    exec::run::OPERATIONS,
    exec::script::OPERATIONS,
    exec::terminal::OPERATIONS,
    code_contexts::OPERATIONS,
    processes::OPERATIONS,
    previews::OPERATIONS,
    files::archive::OPERATIONS,
    calls::OPERATIONS,
    tokens::OPERATIONS,
    upkeep::OPERATIONS,
];

/// Every operation.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    OPERATIONS.iter().copied().flatten().copied()
}

/// The operation of this name.
pub(crate) fn by_name(name: &str) -> Option<&'static Entry> {
    all().find(|entry| entry.descriptor.name == name)
}

impl Operation {
    /// Reads an operation from its name and arguments. Null means no arguments.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` saying what is wrong.
    pub fn parse(op: &str, args: Value) -> Result<Self> {
        let entry = by_name(op).ok_or_else(|| {
            let names: Vec<&str> = all().map(|entry| entry.descriptor.name).collect();
            Error::invalid(
                "op",
                format!("unknown variant `{op}`, expected one of {}", names.join(", ")),
            )
        })?;
        let args = if args.is_null() { json!({}) } else { args };
        Ok(Self { entry, input: (entry.parse)(args)? })
    }
}

impl<'de> Deserialize<'de> for Operation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Parts {
            op: String,
            args: Value,
        }
        let Parts { op, args } = Parts::deserialize(deserializer)?;
        Self::parse(&op, args).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::operation::Serve;
    use crate::api::tools;
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
        for entry in tools::all() {
            assert!(seen.insert(format!("tool {}", entry.tool.name)));
        }
    }
}
