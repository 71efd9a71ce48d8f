//! A backup in R2. `@cloudflare/sandbox` 0.12 has the same layout, so each can restore the other's.

pub(crate) mod dir;
pub(crate) mod lifetime;
pub mod machine;

pub use crate::domain::snapshot::backup::dir::BackupDir;
pub use crate::domain::snapshot::backup::lifetime::{Ttl, expires_at_ms, is_expired};

use crate::domain::{BackupId, DroppedByImport};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Prefix of all backup keys.
pub const BACKUPS_PREFIX: &str = "backups/";

/// R2 key of a full archive.
#[must_use]
pub fn data_key(id: &BackupId) -> String {
    format!("{BACKUPS_PREFIX}{id}/data.sqsh")
}

/// R2 key of a layer. `@cloudflare/sandbox` 0.12 must not find it and restore part of a tree.
#[must_use]
pub fn layer_key(id: &BackupId) -> String {
    format!("{BACKUPS_PREFIX}{id}/layer.sqsh")
}

/// R2 key of a machine's archive. `@cloudflare/sandbox` 0.12 ignores it.
#[must_use]
pub fn machine_key(id: &BackupId) -> String {
    format!("{BACKUPS_PREFIX}{id}/machine.sqsh")
}

/// R2 key of a SquashFS archive.
#[must_use]
pub fn archive_key(id: &BackupId, kind: SnapshotKind) -> String {
    match kind {
        SnapshotKind::Full => data_key(id),
        SnapshotKind::Layer => layer_key(id),
    }
}

/// R2 key of the record that replaces `meta.json` if a layer needs a deleted backup's archive.
#[must_use]
pub fn held_key(id: &BackupId) -> String {
    format!("{BACKUPS_PREFIX}{id}/held.json")
}

/// R2 key of `meta.json`, a backup's commit record.
#[must_use]
pub fn meta_key(id: &BackupId) -> String {
    format!("{BACKUPS_PREFIX}{id}/meta.json")
}

/// What `createBackup` returns and `restoreBackup` takes.
///
/// Unknown fields belong to the sandbox that made the backup; we keep them whole and hand them back
/// to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct BackupHandle {
    /// Id of the backup.
    pub id: BackupId,
    /// Directory that the backup captured and is restored to.
    pub dir: BackupDir,
    /// Everything else, as it came.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl BackupHandle {
    /// The sandbox's number of paths with a time that an archive can't hold.
    pub const CLAMPED_TIMES: &str = "clampedTimes";

    /// The value of [`Self::CLAMPED_TIMES`].
    #[must_use]
    pub fn clamped_times(&self) -> Option<u64> {
        self.extra.get(Self::CLAMPED_TIMES)?.as_u64()
    }

    /// What an import left out, according to the sandbox.
    pub const DROPPED: &str = "dropped";

    /// The value of [`Self::DROPPED`].
    #[must_use]
    pub fn dropped(&self) -> Option<DroppedByImport> {
        serde_json::from_value(self.extra.get(Self::DROPPED)?.clone()).ok()
    }
}

/// Kind of a backup's archive. `meta.json` names the kind, so that a reader that cannot apply it
/// refuses it by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SnapshotKind {
    /// The whole directory.
    Full,
    /// What changed against its base.
    Layer,
}

impl SnapshotKind {
    /// The kind as stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Layer => "layer",
        }
    }
}

/// Why a snapshot was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SnapshotTrigger {
    /// A caller asked for it.
    #[default]
    Manual,
    /// The host took it, so that a workspace can wake or be forked. Retention removes these first.
    Auto,
    /// A rewind or promotion saved the files that it was about to replace.
    Safety,
    /// A turn of the conversation ended. `keepTurns` says how many stay.
    Turn,
    /// A caller imported its files from an archive; no workspace had them.
    Import,
}

impl SnapshotTrigger {
    /// Whether a caller asked to save a workspace's files.
    #[must_use]
    pub const fn is_manual(&self) -> bool {
        matches!(self, Self::Manual)
    }

    /// The trigger of a snapshot that serves both: import wins, then manual, turn and safety.
    #[must_use]
    pub const fn taken_over_by(self, trigger: Self) -> Self {
        match (self, trigger) {
            (Self::Import, _) | (_, Self::Import) => Self::Import,
            (Self::Manual, _) | (_, Self::Manual) => Self::Manual,
            (Self::Turn, _) | (_, Self::Turn) => Self::Turn,
            (Self::Safety, _) | (_, Self::Safety) => Self::Safety,
            (Self::Auto, Self::Auto) => Self::Auto,
        }
    }

    /// The trigger as stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Auto => "auto",
            Self::Safety => "safety",
            Self::Turn => "turn",
            Self::Import => "import",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ID: &str = "7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db";

    proptest! {
        #[test]
        fn handles_keep_unknown_fields(key in "[a-z]{3,10}", value in "[ -~]{0,20}") {
            prop_assume!(key != "dir");
            let mut text = serde_json::json!({ "id": ID, "dir": "/workspace" });
            text[&key] = Value::String(value);
            let handle: BackupHandle = serde_json::from_value(text.clone()).unwrap();
            prop_assert_eq!(serde_json::to_value(&handle).unwrap(), text);
        }
    }
}
