//! Git checkpoints of a workspace, one verb per file: commits in the git
//! repository of a directory.

pub(crate) mod delete;
pub(crate) mod diff;
pub(crate) mod list;
pub(crate) mod restore;
pub(crate) mod take;

#[cfg(schemas)]
use crate::domain::schemas;
use crate::domain::{GitCheckpointName, WorkspaceRef};
use crate::ports::sandbox::FoundPath;
use crate::session::files::{Place, root_path};
use serde::Deserialize;

/// One git checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GitCheckpointTarget {
    /// Its name.
    pub name: GitCheckpointName,
    /// Default: the root.
    #[serde(default = "root_path")]
    pub path: String,
    /// A workspace's id. Default: the active one.
    #[cfg_attr(schemas, schemars(with = "Option<schemas::WorkspaceSelector>"))]
    pub workspace: Option<WorkspaceRef>,
}

/// Names paths from the workspace's root.
fn named_from_root(place: &Place, found: Vec<FoundPath>) -> Vec<FoundPath> {
    found.into_iter().map(|path| place.named_from_root(path)).collect()
}
