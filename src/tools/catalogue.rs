//! The catalogue as a session sees it.

use crate::domain::config::Modules;
use crate::domain::error::{Error, Result};
use crate::domain::limits::MAX_LIST_RESULTS_DEFAULT;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The catalogue that `build.rs` checked and staged.
const CATALOGUE: &str = include_str!(concat!(env!("OUT_DIR"), "/catalogue.json"));

/// The part of a session that a tool needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Module {
    Fs,
    Shell,
    Snapshot,
}

impl Module {
    const fn is_in(self, modules: &Modules) -> bool {
        match self {
            Self::Fs => modules.fs,
            Self::Shell => modules.shell.is_some(),
            Self::Snapshot => modules.snapshot.is_some(),
        }
    }
}

/// A tool as it is listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// Name to call it by.
    pub name: String,
    /// For people.
    pub title: String,
    #[serde(skip_serializing)]
    module: Module,
    /// For the model: when to use it, what it leaves alone, what to call next.
    pub description: String,
    /// The four MCP hints.
    pub annotations: Value,
    /// JSON Schema of the input.
    pub input_schema: Value,
    /// JSON Schema of the output.
    pub output_schema: Value,
}

/// The tools of a session: those whose module it declared. `allowCrossSession`
/// is absent where the operator has not allowed crossing.
///
/// # Errors
/// `INTERNAL` if the staged catalogue does not parse, which would be a bug.
pub fn list(modules: &Modules) -> Result<Vec<Tool>> {
    let mut tools: Vec<Tool> = serde_json::from_str(CATALOGUE)
        .map_err(|error| Error::internal(format!("tool catalogue: {error}")))?;
    tools.retain(|tool| tool.module.is_in(modules));
    for tool in &mut tools {
        if !modules.cross_session()
            && let Some(properties) = tool.input_schema.pointer_mut("/properties")
            && let Some(properties) = properties.as_object_mut()
        {
            properties.remove("allowCrossSession");
        }
        if tool.name == "workspace_list_snapshots"
            && let Some(limit) = tool.input_schema.pointer_mut("/properties/limit/description")
            && let Some(text) = limit.as_str()
        {
            let default = format!("by default {MAX_LIST_RESULTS_DEFAULT}");
            *limit =
                json!(text.replace(&default, &format!("which is {}", modules.max_list_results())));
        }
    }
    Ok(tools)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::config::{ShellCapability, SnapshotCapability};

    fn modules(cross_session: bool) -> Modules {
        Modules {
            fs: true,
            shell: Some(ShellCapability::default()),
            snapshot: Some(SnapshotCapability { cross_session, max_list_results: Some(7) }),
        }
    }

    #[test]
    fn crossing_is_absent_from_the_schemas_unless_allowed() {
        let closed = serde_json::to_string(&list(&modules(false)).unwrap()).unwrap();
        let open = serde_json::to_string(&list(&modules(true)).unwrap()).unwrap();
        assert!(!closed.contains("allowCrossSession"));
        assert_eq!(open.matches("\"allowCrossSession\"").count(), 4);
        assert!(open.contains("maximum, which is 7"), "{open}");
    }

    #[test]
    fn a_module_that_was_not_declared_has_no_tools() {
        let only_fs = Modules { fs: true, shell: None, snapshot: None };
        let names: Vec<String> =
            list(&only_fs).unwrap().into_iter().map(|tool| tool.name).collect();
        assert_eq!(
            names,
            [
                "workspace_read_file",
                "workspace_write_file",
                "workspace_edit_file",
                "workspace_ls",
                "workspace_glob",
                "workspace_grep",
                "workspace_stat",
                "workspace_mkdir",
                "workspace_rm",
            ]
        );
    }

    #[test]
    fn tool_catalogue_format_unchanged() {
        let listed = list(&modules(true)).unwrap();
        let text = serde_json::to_string_pretty(&listed).unwrap() + "\n";
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write("tests/golden/tools.json", &text).unwrap();
        }
        let golden = include_str!("../../tests/golden/tools.json");
        assert!(text == golden, "a published schema changed; see git diff after UPDATE_GOLDEN=1");
    }
}
