//! The published form of a snapshot.

use crate::domain::snapshot::ShownState;
use crate::domain::time::rfc3339;
use crate::domain::{
    Annotations, BackupHandle, BackupId, Cause, DroppedByImport, ErrorCode, ForeignFormat,
    GitState, MachinePart, Snapshot, SnapshotKind, SnapshotState,
};
use serde::{Deserialize, Serialize};

/// A snapshot's data, beside its ref.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SnapshotSummary {
    /// Id.
    pub id: BackupId,
    /// What its session says of it, in the same object.
    #[serde(flatten)]
    pub annotations: Annotations,
    /// Kind of archive; null while it is being taken, and for a backup of
    /// `@cloudflare/sandbox`.
    pub kind: Option<SnapshotKind>,
    /// Its format, if it is a backup of Sandbox SDK 1.0: a restore imports it first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ForeignFormat>,
    /// Whether it stays until it is unpinned or deleted.
    pub pinned: bool,
    /// Whether other sessions may start workspaces from it.
    #[serde(default)]
    pub published: bool,
    /// Why it was taken, in the same object.
    #[serde(flatten)]
    pub cause: Cause,
    /// State.
    pub state: ShownState,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339. A snapshot counts as expired one minute earlier.
    pub expires_at: String,
    /// Size of the archive in bytes, or null while it is being taken.
    pub size_bytes: Option<u64>,
    /// The previous snapshot, or null: the workspace's own last one, autosaves
    /// included, or the one it was made from or rewound to.
    pub parent_id: Option<BackupId>,
    /// SHA-256 of the archive, or null if none was recorded.
    pub sha256: Option<String>,
    /// The git repository at the root of its directory, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitState>,
    /// What an import of an archive did not keep. Absent if nothing was lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<DroppedByImport>,
    /// How many paths in its archive had a modification time before 1970 or after 2106. An archive
    /// can't hold such times: most of these paths got the nearest possible one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clamped_times: Option<u64>,
    /// The machine that was saved with it, if the session persists machines: all differences from
    /// the image outside its directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachinePart>,
    /// When its workspace was retired, in RFC 3339. It is listed because it is that
    /// workspace's last save.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<String>,
    /// Whether a restore can be started now.
    pub restorable: bool,
    /// The code that a restore would fail with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unrestorable_because: Option<ErrorCode>,
}

impl Snapshot {
    /// The snapshot's summary.
    #[must_use]
    pub fn summary(&self, now_ms: i64) -> SnapshotSummary {
        let unrestorable = self.restorable(now_ms).err();
        SnapshotSummary {
            id: self.id.clone(),
            annotations: self.annotations.clone(),
            kind: (self.state != SnapshotState::Pending).then_some(self.kind()),
            format: None,
            pinned: self.pinned,
            published: self.published,
            cause: self.cause.clone(),
            state: self.shown_state(now_ms),
            created_at: rfc3339(self.created_at_ms),
            expires_at: rfc3339(self.expires_at_ms()),
            size_bytes: self.size_bytes,
            parent_id: self.parent_id.clone(),
            sha256: self.sha256.clone(),
            git: self.git.clone(),
            dropped: self.handle.as_ref().and_then(BackupHandle::dropped),
            clamped_times: self.handle.as_ref().and_then(BackupHandle::clamped_times),
            machine: self.machine.clone().filter(|_| self.state != SnapshotState::Pending),
            retired_at: self.retired_at_ms.map(rfc3339),
            restorable: unrestorable.is_none(),
            unrestorable_because: unrestorable.map(|error| error.code),
        }
    }
}
