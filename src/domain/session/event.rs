//! The session's event log: typed kinds, and an honest reading of what is stored.
//! As long as there are kinds: each is a variant, and a name among those known.

use crate::domain::error::{ErrorCode, Result};
use crate::domain::ids::{BackupId, SandboxId, SessionId, TokenId};
use crate::domain::json::{read_own, render};
use crate::domain::session::scope::Scopes;
use crate::domain::snapshot::prune::Ownerless;
use crate::domain::snapshot::retention::DeleteReason;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Something that happened in a session. The tag is stored in its own column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", content = "payload", rename_all_fields = "camelCase")]
pub enum Event {
    /// The session was opened for the first time, or again after a close.
    #[serde(rename = "session.opened")]
    SessionOpened {
        /// Its active sandbox.
        sandbox_id: SandboxId,
        /// Whether other sessions share that sandbox.
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
        /// Sandbox it was taken from.
        origin_sandbox_id: SandboxId,
        /// Size of the archive.
        size_bytes: u64,
    },
    /// A snapshot was not taken.
    #[serde(rename = "snapshot.failed")]
    SnapshotFailed {
        /// The id it would have had.
        backup_id: BackupId,
        /// Why.
        code: ErrorCode,
    },
    /// A snapshot is gone from R2.
    #[serde(rename = "snapshot.deleted")]
    SnapshotDeleted {
        /// Its id.
        backup_id: BackupId,
    },
    /// What a session says of a snapshot was changed.
    #[serde(rename = "snapshot.updated")]
    SnapshotUpdated {
        /// Its id.
        backup_id: BackupId,
    },
    /// The retention policy, or an operator's rule, has a snapshot deleted.
    #[serde(rename = "snapshot.pruned")]
    SnapshotPruned {
        /// Its id.
        backup_id: BackupId,
        /// Why.
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
    /// R2 turned out not to have a snapshot whole any more.
    #[serde(rename = "snapshot.lost")]
    SnapshotLost {
        /// Its id.
        backup_id: BackupId,
    },
    /// The lost `meta.json` of a snapshot was written again from the catalogue.
    #[serde(rename = "snapshot.repaired")]
    SnapshotRepaired {
        /// Its id.
        backup_id: BackupId,
    },
    /// A bucket lacks too much to be believed: no loss is recorded until it is back.
    #[serde(rename = "sweep.halted")]
    SweepHalted {
        /// The bucket's binding.
        binding: String,
        /// Snapshots that one look did not find.
        missing: u64,
    },
    /// The bucket has what it should again.
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
        /// Claims since the last such event that were none, because there were
        /// too many.
        omitted_count: u64,
    },
    /// The session began with the files of another one's snapshot.
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
        /// Snapshot it was made from.
        backup_id: BackupId,
    },
    /// A branch made a workspace.
    #[serde(rename = "workspace.branched")]
    WorkspaceBranched {
        /// The new sandbox.
        sandbox_id: SandboxId,
        /// Snapshot it was made from.
        backup_id: BackupId,
    },
    /// A new workspace failed and was destroyed.
    #[serde(rename = "workspace.failed")]
    WorkspaceFailed {
        /// The sandbox that was destroyed.
        sandbox_id: SandboxId,
        /// Why.
        code: ErrorCode,
    },
    /// A workspace was destroyed.
    #[serde(rename = "workspace.destroyed")]
    WorkspaceDestroyed {
        /// Its sandbox.
        sandbox_id: SandboxId,
        /// Its last save.
        backup_id: Option<BackupId>,
        /// Whether it was used, or active, since: what changed then is gone.
        used_since: bool,
    },
    /// A workspace that nobody used was destroyed.
    #[serde(rename = "workspace.retired")]
    WorkspaceRetired {
        /// Its sandbox.
        sandbox_id: SandboxId,
        /// Its last save, which stays for a whole time to live.
        backup_id: Option<BackupId>,
    },
    /// A sleeping workspace was given a fresh, empty container instead of its files.
    #[serde(rename = "workspace.started_fresh")]
    WorkspaceStartedFresh {
        /// Its sandbox.
        sandbox_id: SandboxId,
    },
    /// A workspace whose container had stopped got its files back, or began anew.
    #[serde(rename = "workspace.woken")]
    WorkspaceWoken {
        /// Its sandbox.
        sandbox_id: SandboxId,
        /// The snapshot that its files are of; none: it began anew.
        backup_id: Option<BackupId>,
        /// How old that was, in seconds.
        age_seconds: Option<i64>,
        /// Where what lay in the workspace's directory is now.
        moved_aside: Option<String>,
    },
    /// A workspace that nobody used was saved, and its container stopped.
    #[serde(rename = "workspace.slept")]
    WorkspaceSlept {
        /// Its sandbox.
        sandbox_id: SandboxId,
        /// What it will wake from.
        backup_id: Option<BackupId>,
    },
    /// A workspace was saved, and its container is released, until it is resumed.
    #[serde(rename = "workspace.paused")]
    WorkspacePaused {
        /// Its sandbox.
        sandbox_id: SandboxId,
        /// What it will wake from; none: nothing of it was ever saved.
        backup_id: Option<BackupId>,
    },
    /// A paused workspace is there again, with its files.
    #[serde(rename = "workspace.resumed")]
    WorkspaceResumed {
        /// Its sandbox.
        sandbox_id: SandboxId,
    },
    /// The operator destroyed a workspace's container, and left the workspace.
    #[serde(rename = "container.destroyed")]
    ContainerDestroyed {
        /// Its sandbox.
        sandbox_id: SandboxId,
        /// What it will wake from; none: it begins anew.
        backup_id: Option<BackupId>,
    },
    /// The operator had a backup deleted that no session's catalogue has. In
    /// the directory's log alone.
    #[serde(rename = "backup.pruned")]
    BackupPruned {
        /// Its id.
        backup_id: BackupId,
        /// The R2 binding that it was found by.
        binding: String,
        /// Why no catalogue has it.
        ownerless: Ownerless,
        /// The session that its record names, if it names one.
        session_id: Option<SessionId>,
        /// Bytes that this frees.
        size_bytes: u64,
    },
    /// A workspace was put back to a snapshot, in place.
    #[serde(rename = "workspace.rewound")]
    WorkspaceRewound {
        /// Its sandbox.
        sandbox_id: SandboxId,
        /// Snapshot that its files are of now.
        backup_id: BackupId,
        /// Snapshot of what they were before.
        safety_id: BackupId,
        /// Processes that were ended for it and are told of.
        ended_processes: usize,
    },
    /// Tools act on another workspace from now on.
    #[serde(rename = "workspace.switched")]
    WorkspaceSwitched {
        /// Before.
        from: SandboxId,
        /// Now.
        to: SandboxId,
    },
    /// An operation crossed the session boundary, as the operator allows.
    #[serde(rename = "session.crossed")]
    SessionCrossed {
        /// Which operation.
        operation: String,
        /// The backup it reached, if one.
        backup_id: Option<BackupId>,
        /// Where that backup comes from, if it says.
        origin_sandbox_id: Option<SandboxId>,
    },
    /// A session token was made.
    #[serde(rename = "token.created")]
    TokenCreated {
        /// Its id.
        token_id: TokenId,
        /// What it allows.
        scopes: Scopes,
    },
    /// A session token was revoked.
    #[serde(rename = "token.revoked")]
    TokenRevoked {
        /// Its id.
        token_id: TokenId,
    },
    /// What a restart had interrupted was finished or cleaned up.
    #[serde(rename = "session.settled")]
    SessionSettled {
        /// What it was about: a backup id or a sandbox id.
        subject: String,
        /// The state it was found in, and the one it was put in.
        from: String,
        /// See `from`.
        to: String,
    },
}

/// An event as it is stored, and as objects send it to each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredEvent {
    /// Its kind, such as `snapshot.created`.
    pub kind: String,
    /// What happened, an object.
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
    /// The payload; for an unknown kind everything that is stored.
    pub payload: Value,
    /// Why the kind is `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

impl Event {
    /// The event as it is stored.
    ///
    /// # Errors
    /// `INTERNAL` if it does not serialize, which would be a bug.
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
            "workspace.rewound",
            "workspace.switched",
            "session.crossed",
            "session.settled",
            "token.created",
            "token.revoked",
        ];
        KNOWN.contains(&kind)
    }
}

impl EventView {
    /// Shows a stored event. A kind that a later version wrote is shown as
    /// `unknown` with its JSON.
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
