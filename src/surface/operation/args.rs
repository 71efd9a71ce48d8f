//! The arguments of each operation. Over HTTP they are also the bodies.

use crate::domain::backup::Ttl;
use crate::domain::config::WorkspaceConfig;
use crate::domain::ids::OperationId;
use crate::domain::refs::{SnapshotSelector, WorkspaceRef};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An operation without arguments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoArgs {}

/// Arguments of `open`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OpenArgs {
    /// The session's configuration.
    pub config: WorkspaceConfig,
}

/// Arguments of `snapshot`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SnapshotArgs {
    /// Name within the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What to remember.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Time to live in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_seconds: Option<Ttl>,
    /// Take the name from a snapshot that has it.
    pub replace: bool,
}

/// Arguments of an operation on one snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SnapshotTarget {
    /// Which.
    pub r#ref: SnapshotSelector,
    /// Also reach snapshots of other sessions.
    #[serde(default)]
    pub allow_cross_session: bool,
}

/// Arguments of `list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ListArgs {
    /// Results at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Also expired snapshots.
    pub include_expired: bool,
    /// Also those being taken, deleted or failed.
    pub include_unready: bool,
    /// Walk the whole bucket.
    pub allow_cross_session: bool,
}

/// Arguments of an operation on one workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkspaceTarget {
    /// Which.
    pub r#ref: WorkspaceRef,
}

/// Arguments of a plain list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PageArgs {
    /// Results at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Arguments of `callTool`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallToolArgs {
    /// Which tool.
    pub name: String,
    /// Its input.
    #[serde(default)]
    pub input: Value,
}

/// Arguments of `cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelArgs {
    /// The name that was given to the call.
    pub operation_id: OperationId,
}
