//! Results of recorded calls. A restart may end such a call; its result is then
//! made again from what the call's subject shows.

use crate::domain::error::ErrorBody;
use crate::domain::ids::{BackupId, ProcessName};
use crate::domain::snapshot::refs::{SnapshotRef, WorkspaceRef};
use crate::domain::snapshot::turn::Turn;
use crate::domain::workspace::WorkspaceSummary;
use crate::domain::workspace::woken::Woken;
use crate::ports::sandbox::EndedProcess;
use serde::{Deserialize, Serialize};

/// The workspace that a restore or a branch made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MadeWorkspace {
    /// Its ref.
    pub r#ref: WorkspaceRef,
    /// The turn that ended with its files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// Whether the bucket has lost the machine that was saved with them: outside its
    /// directory, the image is as it was built.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub machine_lost: bool,
}

/// The workspaces that a live fork made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LiveForks {
    /// The snapshot that they were made from; an earlier one if the workspace equals it.
    pub from_snapshot_id: BackupId,
    /// The turn that ended with these files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// One result for each requested workspace.
    pub workspaces: Vec<LiveFork>,
    /// What it woke with, if it had to wake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken: Option<Woken>,
}

/// One workspace of a live fork.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum LiveFork {
    /// It was made.
    Made {
        /// Its ref.
        r#ref: WorkspaceRef,
    },
    /// It was not made, and nothing is left of it.
    Failed {
        /// Why.
        error: ErrorBody,
    },
}

/// A workspace that is paused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Paused {
    /// Its current state.
    pub workspace: WorkspaceSummary,
}

/// A workspace that runs, with its files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Resumed {
    /// Its current state.
    pub workspace: WorkspaceSummary,
    /// The snapshots it woke with; absent if it ran already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken: Option<Woken>,
}

/// A workspace that was rewound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Rewound {
    /// The workspace, the same as before.
    pub r#ref: WorkspaceRef,
    /// The snapshot that its files now equal.
    pub from_snapshot_id: BackupId,
    /// The turn that ended with these files; of several, the one that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// The safety snapshot of its files before.
    pub safety_ref: SnapshotRef,
    /// Processes that were ended because they used the directory, at most 100.
    pub ended_processes: Vec<EndedProcess>,
    /// Whether the bucket has lost the machine that was saved with these files: the
    /// workspace keeps the one that it had.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub machine_lost: bool,
    /// Background processes that were ended with them, by the names that workspace_start gave
    /// them. A preview of a server among them shows an old page until it is started again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ended_background: Vec<ProcessName>,
    /// What to do about these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// What it woke with, if it had to wake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken: Option<Woken>,
}
