//! Options and results of a sandbox's methods for git checkpoints.

use crate::domain::ids::GitCheckpointName;
use crate::ports::sandbox::FoundPath;
use serde::{Deserialize, Serialize};

/// A git checkpoint to take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewGitCheckpoint {
    /// Its name in the repository.
    pub name: GitCheckpointName,
    /// Description without NUL. May be empty.
    #[serde(default)]
    pub description: String,
    /// Whether to take the name from another git checkpoint.
    #[serde(default)]
    pub replace: bool,
}

/// Result of `takeGitCheckpoint`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TakenGitCheckpoint {
    /// Its name.
    pub name: GitCheckpointName,
    /// Its commit.
    pub commit: String,
    /// Number of its files.
    pub files: u64,
    /// Whether the repository is new.
    pub made_repository: bool,
    /// Nested repositories, left alone; the first 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nested: Vec<FoundPath>,
}

/// A git checkpoint in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListedGitCheckpoint {
    /// Its name.
    pub name: GitCheckpointName,
    /// Its commit.
    pub commit: String,
    /// RFC 3339.
    pub created_at: String,
    /// Description, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Result of `listGitCheckpoints`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GitCheckpointList {
    /// Newest first; at most 200.
    pub git_checkpoints: Vec<ListedGitCheckpoint>,
    /// Whether there are more.
    pub truncated: bool,
}

/// What a restore did to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PathChange {
    /// It is there again.
    Added,
    /// It has another content, type or mode.
    Modified,
    /// It is gone.
    Deleted,
}

/// A path that a restore changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangedPath {
    /// The path.
    #[serde(flatten)]
    pub path: FoundPath,
    /// What happened to it.
    pub change: PathChange,
}

/// Result of `restoreGitCheckpoint`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RestoredGitCheckpoint {
    /// Its commit.
    pub commit: String,
    /// Changed paths; at most 200.
    pub changes: Vec<ChangedPath>,
    /// Number of all changed paths.
    pub changed_count: u64,
    /// Nested repositories, left alone; the first 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nested: Vec<FoundPath>,
}

/// Result of `diffGitCheckpoint`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GitCheckpointDiff {
    /// Its commit.
    pub commit: String,
    /// Unified diff. Bytes that are not UTF-8 are replaced.
    pub diff: String,
    /// Whether `diff` is only the beginning.
    pub truncated: bool,
    /// Number of files that differ.
    pub files_changed: u64,
    /// Number of added lines.
    pub insertions: u64,
    /// Number of deleted lines.
    pub deletions: u64,
    /// Nested repositories, left alone; the first 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nested: Vec<FoundPath>,
}
