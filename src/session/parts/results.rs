//! Results of recorded calls. After a restart, they are made again from the call's subject.

use crate::domain::snapshot::flat_ids;
use crate::domain::{
    BackupId, ErrorBody, ProcessName, SnapshotRef, Turn, Woken, WorkspaceRef, WorkspaceSummary,
};
use crate::ports::sandbox::EndedProcess;
use crate::session::parts::PlannedChanges;
use serde::{Deserialize, Serialize};

/// The workspace that a restore or a branch made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MadeWorkspace {
    /// Its ref.
    #[serde(flatten, with = "flat_ids::workspace_ref")]
    #[cfg_attr(schemas, schemars(with = "flat_ids::WorkspaceWithId"))]
    pub r#ref: WorkspaceRef,
    /// The turn that ended with its files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// Whether the bucket lost the saved machine: the rest of the container has only the image's
    /// own files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub machine_lost: bool,
}

/// The workspaces that a live fork made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LiveForks {
    /// The snapshot they were made from; an earlier snapshot if no file changed.
    pub from_snapshot_id: BackupId,
    /// The turn that ended with these files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// One result for each requested workspace.
    pub workspaces: Vec<LiveFork>,
    /// The snapshots it woke from, if it was asleep.
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
        #[serde(flatten, with = "flat_ids::workspace_ref")]
        #[cfg_attr(schemas, schemars(with = "flat_ids::WorkspaceWithId"))]
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
    /// The snapshots it woke from; absent if it was running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken: Option<Woken>,
}

/// A workspace that was rewound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Rewound {
    /// The workspace, the same as before.
    #[serde(flatten, with = "flat_ids::workspace_ref")]
    #[cfg_attr(schemas, schemars(with = "flat_ids::WorkspaceWithId"))]
    pub r#ref: WorkspaceRef,
    /// The snapshot whose files the workspace now has.
    pub from_snapshot_id: BackupId,
    /// The turn that ended with these files; if several did, the requested one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// What an undo reverted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone: Option<Undone>,
    /// The safety snapshot: its files before the rewind. Absent in a dry run.
    #[serde(flatten, with = "flat_ids::safety_ref")]
    #[cfg_attr(schemas, schemars(with = "flat_ids::SafetyWithId"))]
    pub safety_ref: Option<SnapshotRef>,
    /// A dry run: nothing was changed. The other fields say what a rewind would do now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// What would change in the files. Only in a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<PlannedChanges>,
    /// Processes that were ended because they used the directory, at most 100.
    pub ended_processes: Vec<EndedProcess>,
    /// Whether the bucket lost the machine saved with these files: the workspace keeps its current
    /// machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub machine_lost: bool,
    /// Background processes that were ended and not started again, by the names that
    /// workspace_start gave them. A preview of a server among them shows an old page until it is
    /// started again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ended_background: Vec<ProcessName>,
    /// Background processes that were started again: services of the session, and processes started
    /// with restart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restarted: Vec<ProcessName>,
    /// What to do about ended processes that were not started again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The snapshots it woke from, if it was asleep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woken: Option<Woken>,
}

/// What an undo reverted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Undone {
    /// The numbers of the turns, the last one first. Turns that changed no file are not listed.
    pub turns: Vec<u64>,
    /// Whether files had changed since the last turn. They count as one turn.
    pub unsaved: bool,
}

impl Undone {
    /// How many turns these are.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.turns.len()).unwrap_or(u32::MAX).saturating_add(self.unsaved.into())
    }
}
