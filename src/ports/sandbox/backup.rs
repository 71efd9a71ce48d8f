//! Options and results of a sandbox's methods for backups.

use crate::domain::ids::{BackupId, InstanceId, SandboxId, SessionId};
use crate::domain::snapshot::annotations::{Annotations, Recorded};
use crate::domain::snapshot::backup::machine::MachinePart;
use crate::domain::snapshot::backup::{BackupDir, Ttl};
use crate::domain::snapshot::cause::{Cause, RecordedCause};
use crate::domain::snapshot::chain::{Chain, Part};
use serde::{Deserialize, Serialize};

/// Our part of `createBackup`'s options, for `meta.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BackupProvenance {
    /// Session that takes the snapshot.
    pub session_id: SessionId,
    /// Sandbox that the snapshot is taken from.
    pub origin_sandbox_id: SandboxId,
    /// Snapshot that the workspace last equalled.
    pub parent_id: Option<BackupId>,
    /// R2 binding to write to.
    pub binding: String,
    /// Why the snapshot is taken.
    #[serde(flatten, with = "RecordedCause")]
    pub cause: Cause,
    /// The session's annotations, without the name.
    #[serde(flatten, with = "Recorded")]
    pub annotations: Annotations,
    /// Whether the use of the session renews the time to live.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub renews: bool,
}

/// An archive that R2 holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownArchive {
    /// The backup that the archive belongs to.
    pub id: BackupId,
    /// Size in bytes.
    pub size_bytes: u64,
    /// SHA-256, lowercase hexadecimal.
    pub sha256: String,
    /// The archives that this archive needs below itself.
    #[serde(default, skip_serializing_if = "Chain::is_empty")]
    pub chain: Chain,
}

impl KnownArchive {
    /// This archive and those that it needs, in the order of their application.
    #[must_use]
    pub fn archives(&self) -> Chain {
        let (id, sha256) = (self.id.clone(), self.sha256.clone());
        self.chain.clone().with(Part { id, size_bytes: self.size_bytes, sha256 })
    }
}

/// A backup and its bucket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StoredBackup {
    /// The backup.
    pub id: BackupId,
    /// R2 binding to read from.
    pub binding: String,
}

/// Options of `createBackup`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateBackupOptions {
    /// Directory to capture.
    pub dir: BackupDir,
    /// Name, for `meta.json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Time to live in seconds. Default 3 days.
    #[serde(default)]
    pub ttl: Ttl,
    /// Id that the host chose. Default: a fresh one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<BackupId>,
    /// Our part of the options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshotter: Option<BackupProvenance>,
    /// The directory's last known archive. If the new one equals it, the result is its handle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless_equal: Option<KnownArchive>,
    /// The archives below the layer that the backup may become, if the changes since the last one
    /// are known and small. The last one has the directory's last known files.
    #[serde(default, skip_serializing_if = "Chain::is_empty")]
    pub base: Chain,
    /// The last known machine, for a sandbox that persists it: its archive is shared if unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_machine: Option<MachinePart>,
    /// The archive of the restore that follows. It is fetched during the upload, or by the restore.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepare_restore: Option<StoredBackup>,
    /// Disk that holds the caller's workspace. If the container has another one or none, the call
    /// fails with `WORKSPACE_LOST`: a call that names a disk never starts a container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
}

/// Second argument of `restoreBackup`, which 0.12 does not have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RestoreBackupOptions {
    /// R2 binding to read from. Default `BACKUP_BUCKET`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
    /// The sandbox was made for this restore: a directory that can't be renamed may be emptied.
    pub fresh_sandbox: bool,
    /// Do not check the time to live: the catalogue may know better than `meta.json`.
    pub lifetime_checked: bool,
    /// The restore wakes a workspace: files that are already in the directory are moved aside.
    pub wake: bool,
    /// End the processes that use the directory right before it is replaced, and list them.
    pub end_users: bool,
    /// The machine to restore first. Only with `fresh_sandbox`: a used container is replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<RestoreMachine>,
    /// As in [`CreateBackupOptions`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
}

/// A machine to restore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RestoreMachine {
    /// The backup with the machine. If it has none, the image is left as it is.
    pub backup: StoredBackup,
    /// Restore it onto another image, too.
    pub force_image: bool,
}

/// Options of `flattenBackup`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct FlattenBackupOptions {
    /// As in [`CreateBackupOptions`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
}

/// The full archive of a layer's tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FlattenedBackup {
    /// Size in bytes.
    pub size_bytes: u64,
    /// SHA-256, lowercase hexadecimal.
    pub sha256: String,
}

/// Options of `importBackup`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ImportBackupOptions {
    /// The archive is a layer of an OCI image.
    pub layer: bool,
    /// SHA-256 of the archive, lowercase hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// A backup's files as one archive on the container's disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PackedBackup {
    /// Name of the archive for `readPacked`.
    pub name: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// SHA-256, lowercase hexadecimal.
    pub sha256: String,
}

/// Options of `storePacked`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StorePackedOptions {
    /// R2 binding to write to.
    pub binding: String,
    /// Key.
    pub key: String,
    /// Size in bytes, as `packBackup` returned it.
    pub size_bytes: u64,
    /// SHA-256, as `packBackup` returned it, for R2 to check.
    pub sha256: String,
    /// As in [`CreateBackupOptions`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
}

/// A process that was ended because it used a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct EndedProcess {
    /// Its id in the container.
    pub pid: u32,
    /// Its command line, at most 200 characters, with `?` for characters that are not printable
    /// ASCII.
    pub command: String,
}

/// Result of `restoreBackup`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RestoreBackupResult {
    /// False means failure, even if the promise resolved.
    pub success: bool,
    /// Directory restored.
    pub dir: String,
    /// Backup restored.
    pub id: BackupId,
    /// Disk that has the directory. Not in 0.12.
    pub instance_id: InstanceId,
    /// Where the directory's earlier files were moved. Not in 0.12.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aside: Option<String>,
    /// Processes that were ended, at most [`ENDED_SHOWN`](crate::domain::limits::ENDED_SHOWN). Not
    /// in 0.12.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<EndedProcess>,
    /// R2 has lost the machine, but the files were restored. Not in 0.12.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub machine_lost: bool,
}

/// State of a backup in the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BackupProgress {
    /// It is being made.
    Running,
    /// It is not, and never will be under this id.
    Ended,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::json::{read_own, render};
    use serde_json::json;

    #[test]
    fn a_provenance_has_its_annotations_beside_its_fields_and_no_others() {
        let sent = json!({
            "sessionId": "s", "originSandboxId": "o", "parentId": null,
            "binding": "B", "description": "d", "labels": { "a": "1" },
        });
        let read: BackupProvenance = read_own("it", sent.clone()).unwrap();
        assert_eq!(read.annotations.description.as_deref(), Some("d"));
        assert_eq!(render(&read).unwrap(), sent);
        for unknown in ["name", "other"] {
            let mut sent = sent.clone();
            sent[unknown] = json!("x");
            assert!(read_own::<BackupProvenance>("it", sent).is_err(), "{unknown}");
        }
    }
}
