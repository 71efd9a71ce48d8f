//! The git repository in a snapshot's directory.

use serde::{Deserialize, Serialize};

/// The repository at the root of a snapshot's directory, when it was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct GitState {
    /// The commit of `HEAD`. Absent before the first commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The branch. Absent if `HEAD` is detached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Whether nothing was uncommitted, apart from ignored files.
    pub clean: bool,
}
