//! The session's event log. The file is long because each kind needs a variant and a name.

use crate::domain::json::{read_own, render};
use crate::domain::snapshot::prune::Ownerless;
use crate::domain::{
    BackupId, DeleteReason, ErrorCode, PreviewId, Result, SandboxId, Scopes, SessionId, TokenId,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// An event of a session. Its tag has a column of its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", content = "payload", rename_all_fields = "camelCase")]
pub enum Event {
    /// The session was opened for the first time, or reopened after a close.
    #[serde(rename = "session.opened")]
    SessionOpened {
        /// Its active sandbox.
        sandbox_id: SandboxId,
        /// Whether the session shares that sandbox with other sessions.
        shared: bool,
    },
    /// The session was closed.
    #[serde(rename = "session.closed")]
    SessionClosed {
        /// Whether its containers were destroyed.
        destroyed: bool,
    },
    /// A snapshot is ready.
    #[serde(rename = "snapshot.created")]
    SnapshotCreated {
        /// Its id.
        backup_id: BackupId,
        /// The sandbox that it was taken from.
        origin_sandbox_id: SandboxId,
        /// Size of the archive in bytes.
        size_bytes: u64,
    },
    /// A snapshot could not be taken.
    #[serde(rename = "snapshot.failed")]
    SnapshotFailed {
        /// The id that the snapshot would have had.
        backup_id: BackupId,
        /// The reason.
        code: ErrorCode,
    },
    /// A snapshot was deleted from R2.
    #[serde(rename = "snapshot.deleted")]
    SnapshotDeleted {
        /// Its id.
        backup_id: BackupId,
    },
    /// A snapshot's name, description or other editable fields were changed.
    #[serde(rename = "snapshot.updated")]
    SnapshotUpdated {
        /// Its id.
        backup_id: BackupId,
    },
    /// A layer became a full snapshot, with an archive of its whole tree.
    #[serde(rename = "snapshot.flattened")]
    SnapshotFlattened {
        /// Its id.
        backup_id: BackupId,
        /// Size of the archive in bytes.
        size_bytes: u64,
    },
    /// The retention policy or an operator's rule deletes a snapshot.
    #[serde(rename = "snapshot.pruned")]
    SnapshotPruned {
        /// Its id.
        backup_id: BackupId,
        /// The reason.
        reason: DeleteReason,
        /// Bytes that this frees.
        size_bytes: u64,
    },
    /// A rebuild put a snapshot back into the catalogue.
    #[serde(rename = "snapshot.rebuilt")]
    SnapshotRebuilt {
        /// Its id.
        backup_id: BackupId,
    },
    /// R2 no longer has the whole snapshot.
    #[serde(rename = "snapshot.lost")]
    SnapshotLost {
        /// Its id.
        backup_id: BackupId,
    },
    /// A snapshot's `meta.json` was lost, and was written again from the catalogue.
    #[serde(rename = "snapshot.repaired")]
    SnapshotRepaired {
        /// Its id.
        backup_id: BackupId,
    },
    /// A bucket lacks so many snapshots that it may be the wrong one. Sweeps stop recording losses.
    #[serde(rename = "sweep.halted")]
    SweepHalted {
        /// The bucket's binding.
        binding: String,
        /// How many snapshots the last check did not find.
        missing: u64,
    },
    /// Sweeps record losses again: the bucket lacks none, or few enough to be the right one.
    #[serde(rename = "sweep.resumed")]
    SweepResumed {
        /// The bucket's binding.
        binding: String,
    },
    /// Another session claimed a published snapshot.
    #[serde(rename = "snapshot.claimed")]
    SnapshotClaimed {
        /// Its id.
        backup_id: BackupId,
        /// The session that claimed it.
        session_id: SessionId,
        /// How many claims since the last such event were not logged, because there were too many.
        omitted_count: u64,
    },
    /// The session began with another session's snapshot, or a backup of Sandbox SDK 1.0.
    #[serde(rename = "workspace.claimed")]
    WorkspaceClaimed {
        /// Its sandbox.
        sandbox_id: SandboxId,
        /// The snapshot.
        backup_id: BackupId,
    },
    /// A restore made a workspace.
    #[serde(rename = "workspace.restored")]
    WorkspaceRestored {
        /// The new sandbox.
        sandbox_id: SandboxId,
        /// The snapshot that it was made from.
        backup_id: BackupId,
    },
    /// A branch made a workspace.
    #[serde(rename = "workspace.branched")]
    WorkspaceBranched {
        /// The new sandbox.
        sandbox_id: SandboxId,
        /// The snapshot that it was made from.
        backup_id: BackupId,
    },
    /// A new workspace failed and was destroyed.
    #[serde(rename = "workspace.failed")]
    WorkspaceFailed {
        /// The sandbox that was destroyed.
        sandbox_id: SandboxId,
        /// The reason.
        code: ErrorCode,
    },
    /// A workspace was destroyed.
    #[serde(rename = "workspace.destroyed")]
    WorkspaceDestroyed {
        /// Its sandbox.
        sandbox_id: SandboxId,
        /// Its last save.
        backup_id: Option<BackupId>,
        /// Whether the workspace was used or active since that save, so that changes are lost.
        used_since: bool,
    },
    /// An unused workspace was destroyed.
    #[serde(rename = "workspace.retired")]
    WorkspaceRetired {
        /// Its sandbox.
        sandbox_id: SandboxId,
        /// Its last save, which is kept for another full time to live.
        backup_id: Option<BackupId>,
    },
    /// A sleeping workspace got a fresh, empty container instead of its files.
    #[serde(rename = "workspace.started_fresh")]
    WorkspaceStartedFresh {
        /// Its sandbox.
        sandbox_id: SandboxId,
    },
    /// A workspace whose container had stopped woke with its files, or started empty.
    #[serde(rename = "workspace.woken")]
    WorkspaceWoken {
        /// Its sandbox.
        sandbox_id: SandboxId,
        /// The snapshot that its files came from. None if it started empty.
        backup_id: Option<BackupId>,
        /// Age of that snapshot, in seconds.
        age_seconds: Option<i64>,
        /// New path of the files that were in the workspace's directory before, if any.
        moved_aside: Option<String>,
    },
    /// An unused workspace was saved, and its container stopped.
    #[serde(rename = "workspace.slept")]
    WorkspaceSlept {
        /// Its sandbox.
        sandbox_id: SandboxId,
        /// The snapshot from which the workspace will wake.
        backup_id: Option<BackupId>,
    },
    /// A workspace was saved, and its container is released until a resume.
    #[serde(rename = "workspace.paused")]
    WorkspacePaused {
        /// Its sandbox.
        sandbox_id: SandboxId,
        /// The snapshot from which the workspace will wake. None if it was never saved.
        backup_id: Option<BackupId>,
    },
    /// A paused workspace was resumed, with its files.
    #[serde(rename = "workspace.resumed")]
    WorkspaceResumed {
        /// Its sandbox.
        sandbox_id: SandboxId,
    },
    /// The operator destroyed a workspace's container, but not the workspace.
    #[serde(rename = "container.destroyed")]
    ContainerDestroyed {
        /// Its sandbox.
        sandbox_id: SandboxId,
        /// The snapshot from which the workspace will wake. None if it will start empty.
        backup_id: Option<BackupId>,
    },
    /// The operator deleted a backup that no catalogue lists. Only the directory logs this.
    #[serde(rename = "backup.pruned")]
    BackupPruned {
        /// Its id.
        backup_id: BackupId,
        /// The R2 binding of the backup's bucket.
        binding: String,
        /// Why no catalogue lists the backup.
        ownerless: Ownerless,
        /// The session in the backup's record, if any.
        session_id: Option<SessionId>,
        /// Bytes that this frees.
        size_bytes: u64,
    },
    /// Changes of another workspace or snapshot were merged into a workspace.
    #[serde(rename = "workspace.promoted")]
    WorkspacePromoted {
        /// The workspace.
        sandbox_id: SandboxId,
        /// The snapshot that the changes came from.
        backup_id: BackupId,
        /// The safety snapshot of the workspace's previous files.
        safety_id: BackupId,
        /// Number of added paths.
        added: u64,
        /// Number of removed paths.
        removed: u64,
        /// Number of changed paths.
        modified: u64,
    },
    /// A workspace was rewound to a snapshot, in place.
    #[serde(rename = "workspace.rewound")]
    WorkspaceRewound {
        /// Its sandbox.
        sandbox_id: SandboxId,
        /// The snapshot that its files now come from.
        backup_id: BackupId,
        /// The safety snapshot of its previous files.
        safety_id: BackupId,
        /// Number of ended processes that the answer lists.
        ended_processes: usize,
    },
    /// Another workspace became active.
    #[serde(rename = "workspace.switched")]
    WorkspaceSwitched {
        /// The previously active sandbox.
        from: SandboxId,
        /// The now active sandbox.
        to: SandboxId,
    },
    /// An operation crossed the session boundary, with the operator's permission.
    #[serde(rename = "session.crossed")]
    SessionCrossed {
        /// The operation's name.
        operation: String,
        /// The backup that was reached, if any.
        backup_id: Option<BackupId>,
        /// The sandbox of that backup, if its record names one.
        origin_sandbox_id: Option<SandboxId>,
    },
    /// A session token was made.
    #[serde(rename = "token.created")]
    TokenCreated {
        /// Its id.
        token_id: TokenId,
        /// The scopes that the token grants.
        scopes: Scopes,
    },
    /// A session token was revoked.
    #[serde(rename = "token.revoked")]
    TokenRevoked {
        /// Its id.
        token_id: TokenId,
    },
    /// A link to a server of a workspace was made.
    #[serde(rename = "preview.shared")]
    PreviewShared {
        /// Its id.
        preview_id: PreviewId,
        /// The port in the container.
        port: u16,
        /// The sandbox of the container.
        sandbox_id: SandboxId,
    },
    /// A link to a server of a workspace was revoked.
    #[serde(rename = "preview.revoked")]
    PreviewRevoked {
        /// Its id.
        preview_id: PreviewId,
    },
    /// The network policy refused requests of a workspace.
    #[serde(rename = "egress.refused")]
    EgressRefused {
        /// Its sandbox.
        sandbox_id: SandboxId,
        /// The host, as the requests named it.
        host: String,
        /// Number of refused requests since the last such event of the workspace.
        count: u64,
    },
    /// Recovery finished or cleaned up what a restart had interrupted.
    #[serde(rename = "session.settled")]
    SessionSettled {
        /// A backup id or a sandbox id.
        subject: String,
        /// The state before recovery.
        from: String,
        /// The state after recovery.
        to: String,
    },
}

/// An event as stored, and as sent between objects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredEvent {
    /// Its kind, such as `snapshot.created`.
    pub kind: String,
    /// Details of the event, an object.
    pub payload: Value,
}

/// A stored event as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventView {
    /// Order within the session.
    pub seq: i64,
    /// RFC 3339.
    pub at: String,
    /// The kind, or `unknown`.
    pub kind: String,
    /// The payload; for an unknown kind, all that is stored.
    pub payload: Value,
    /// Why the kind is `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

impl Event {
    /// The event as stored.
    ///
    /// # Errors
    /// `INTERNAL` if it does not serialize: a bug.
    pub fn to_stored(&self) -> Result<StoredEvent> {
        read_own("an event", render(self)?)
    }

    fn is_known(kind: &str) -> bool {
        const KNOWN: &[&str] = &[
            "session.opened",
            "session.closed",
            "snapshot.created",
            "snapshot.failed",
            "snapshot.deleted",
            "snapshot.updated",
            "snapshot.flattened",
            "snapshot.pruned",
            "snapshot.rebuilt",
            "snapshot.lost",
            "snapshot.repaired",
            "sweep.halted",
            "sweep.resumed",
            "snapshot.claimed",
            "workspace.claimed",
            "workspace.restored",
            "workspace.branched",
            "workspace.failed",
            "workspace.destroyed",
            "workspace.retired",
            "workspace.started_fresh",
            "workspace.woken",
            "workspace.slept",
            "workspace.paused",
            "workspace.resumed",
            "container.destroyed",
            "backup.pruned",
            "workspace.promoted",
            "workspace.rewound",
            "workspace.switched",
            "session.crossed",
            "session.settled",
            "token.created",
            "token.revoked",
            "preview.shared",
            "preview.revoked",
            "egress.refused",
        ];
        KNOWN.contains(&kind)
    }
}

impl EventView {
    /// The view of a stored event. A later version's kind is `unknown`, with its JSON.
    #[must_use]
    pub fn of_stored(seq: i64, at: String, stored: StoredEvent) -> Self {
        let StoredEvent { kind, payload } = stored;
        if Event::is_known(&kind) {
            return Self { seq, at, kind, payload, warning: None };
        }
        Self {
            seq,
            at,
            warning: Some(format!("this version does not know the event kind {kind}")),
            payload: json!({ "kind": kind, "payload": payload }),
            kind: "unknown".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
