//! A workspace in the catalogue, and the check that its disk still has its files.

pub mod heads;

use crate::domain::snapshot::flat_ids;
use crate::domain::snapshot::selector::nearest;
use crate::domain::time::rfc3339;
use crate::domain::{
    BackupId, Error, ErrorCode, InstanceId, Next, Result, SandboxId, WorkspaceRef,
};
use serde::{Deserialize, Serialize};

/// How a workspace came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum WorkspaceKind {
    /// The session's first.
    Origin,
    /// Shared with other sessions; never destroyed by one.
    Shared,
    /// Made by a restore.
    Restored,
    /// Made by a branch or a live fork.
    Branch,
}

impl WorkspaceKind {
    /// The kind as stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Origin => "origin",
            Self::Shared => "shared",
            Self::Restored => "restored",
            Self::Branch => "branch",
        }
    }
}

/// Where a workspace is in its life. Persisted before each effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum WorkspaceState {
    /// A new workspace whose files are being put in place.
    Creating,
    /// Usable.
    Ready,
    /// Its container is being destroyed.
    Destroying,
    /// Gone. Its row is kept: the session still owns the snapshots that came from it.
    Destroyed,
}

impl WorkspaceState {
    /// The state as stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Creating => "creating",
            Self::Ready => "ready",
            Self::Destroying => "destroying",
            Self::Destroyed => "destroyed",
        }
    }
}

/// Whether a workspace can be used as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum WorkspaceStatus {
    /// It has a container.
    Running,
    /// It has none, and calls that need one are refused until it is resumed.
    Paused,
    /// It has none: it sleeps, or was never used. Its next call starts one.
    Stopped,
}

/// A workspace of a session, as its row.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Workspace {
    /// Its sandbox.
    pub sandbox_id: SandboxId,
    /// How it was made.
    pub kind: WorkspaceKind,
    /// State.
    pub state: WorkspaceState,
    /// The disk that has its files. None before its first use.
    pub instance_id: Option<InstanceId>,
    /// The snapshot from which it was made, or to which it was last rewound.
    pub from_backup_id: Option<BackupId>,
    /// The snapshot from which it was made. A rewind does not change this.
    pub made_from_backup_id: Option<BackupId>,
    /// The head: the last full archive of its root that equalled its disk. None: it wakes empty.
    pub head_backup_id: Option<BackupId>,
    /// The newest `Snapshot::seq` when the disk got the head's files. Snapshots up to it began
    /// earlier, and can't become the head even if they complete later.
    pub head_seq: i64,
    /// When the disk last equalled its head, in milliseconds since the epoch.
    pub saved_at_ms: i64,
    /// Creation time, in milliseconds since the epoch.
    pub created_at_ms: i64,
    /// Last use, in milliseconds since the epoch.
    pub last_used_at_ms: i64,
    /// When it was paused, in milliseconds since the epoch, if it is.
    pub paused_at_ms: Option<i64>,
}

impl Workspace {
    /// When it is retired if unused for `after_ms`, in milliseconds since the epoch. An active,
    /// shared, paused or incomplete workspace never is.
    #[must_use]
    pub fn retires_at_ms(&self, active: &SandboxId, after_ms: i64) -> Option<i64> {
        let retirable = self.state == WorkspaceState::Ready
            && self.kind != WorkspaceKind::Shared
            && self.paused_at_ms.is_none()
            && &self.sandbox_id != active;
        retirable.then(|| self.last_used_at_ms.saturating_add(after_ms))
    }

    /// The ref that names this workspace.
    #[must_use]
    pub fn to_ref(&self) -> WorkspaceRef {
        WorkspaceRef::new(self.sandbox_id.clone())
    }

    /// The published form.
    #[must_use]
    pub fn summary(&self, active: bool, status: WorkspaceStatus) -> WorkspaceSummary {
        WorkspaceSummary {
            r#ref: self.to_ref(),
            kind: self.kind,
            state: self.state,
            status,
            active,
            from_snapshot_id: self.from_backup_id.clone(),
            head_snapshot_id: self.head_backup_id.clone(),
            created_at: rfc3339(self.created_at_ms),
            last_used_at: rfc3339(self.last_used_at_ms),
            container: None,
        }
    }
}

/// Whether the container of a workspace runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ContainerState {
    /// It runs.
    Running,
    /// It does not run, or there is none.
    Stopped,
    /// The sandbox did not answer.
    Unknown,
}

/// A workspace, as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceSummary {
    /// Its ref.
    #[serde(flatten, with = "flat_ids::workspace_ref")]
    #[cfg_attr(schemas, schemars(with = "flat_ids::WorkspaceWithId"))]
    pub r#ref: WorkspaceRef,
    /// How it came to be.
    pub kind: WorkspaceKind,
    /// State.
    pub state: WorkspaceState,
    /// Whether it can be used as it is.
    pub status: WorkspaceStatus,
    /// Whether tools act on it.
    pub active: bool,
    /// Snapshot that it was made from or last rewound to, or null.
    pub from_snapshot_id: Option<BackupId>,
    /// Snapshot that it would wake from, or null: the last one that its files equalled.
    pub head_snapshot_id: Option<BackupId>,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub last_used_at: String,
    /// Whether its container runs; only if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<ContainerState>,
}

/// Checks that the container still has the disk with the workspace's files.
///
/// # Errors
/// `WORKSPACE_LOST` if it is another disk.
pub fn check_instance(expected: &InstanceId, found: &InstanceId) -> Result<()> {
    if expected == found { Ok(()) } else { Err(lost()) }
}

/// The error for a container that lost its disk.
#[must_use]
pub fn lost() -> Error {
    Error::new(
        ErrorCode::WorkspaceLost,
        "the container of this workspace ended during this call, and unsaved changes are lost",
    )
    .with_hint(
        "call again: the workspace wakes with its last saved files, and the answer names their snapshot",
    )
}

/// The same for a sandbox that sessions share: no wake brings its files back.
#[must_use]
pub fn lost_for_good() -> Error {
    Error::new(
        ErrorCode::WorkspaceLost,
        "the container of this workspace was replaced and its files are gone",
    )
    .with_hint(Next::RestoreOrStartFresh)
}

/// The error for a call that needs a paused workspace's container.
#[must_use]
pub fn paused(id: &SandboxId) -> Error {
    Error::new(ErrorCode::Conflict, format!("workspace {id} is paused"))
        .with_hint(Next::Resume)
        .with_details(serde_json::json!({
            "workspace": WorkspaceRef::new(id.clone()), "status": WorkspaceStatus::Paused,
        }))
}

/// The error for a workspace that is missing or another session's. `own` are this session's ids.
#[must_use]
pub fn not_owned_workspace(id: &SandboxId, own: impl IntoIterator<Item = String>) -> Error {
    let nearest = nearest(id.as_str(), own);
    let error =
        Error::new(ErrorCode::WorkspaceNotOwned, format!("this session has no workspace {id}"))
            .with_details(serde_json::json!({ "workspaceId": id, "nearest": nearest }));
    match nearest.first() {
        Some(first) => error.with_hint(format!("did you mean {first}?")),
        None => error.with_hint(Next::ListWorkspaces),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_unused_workspace_of_our_own_is_retired() {
        let id = SandboxId::parse("a").unwrap();
        let other = SandboxId::parse("b").unwrap();
        let mut workspace = Workspace {
            sandbox_id: id.clone(),
            kind: WorkspaceKind::Branch,
            state: WorkspaceState::Ready,
            instance_id: None,
            from_backup_id: None,
            made_from_backup_id: None,
            head_backup_id: None,
            head_seq: 0,
            saved_at_ms: 0,
            created_at_ms: 0,
            last_used_at_ms: 5,
            paused_at_ms: None,
        };
        assert_eq!(workspace.retires_at_ms(&other, 7), Some(12));
        assert_eq!(workspace.retires_at_ms(&id, 7), None);
        workspace.paused_at_ms = Some(6);
        assert_eq!(workspace.retires_at_ms(&other, 7), None, "it was put aside for later");
        workspace.paused_at_ms = None;
        workspace.kind = WorkspaceKind::Shared;
        assert_eq!(workspace.retires_at_ms(&other, 7), None);
        workspace.kind = WorkspaceKind::Origin;
        workspace.state = WorkspaceState::Creating;
        assert_eq!(workspace.retires_at_ms(&other, 7), None);
    }
}
