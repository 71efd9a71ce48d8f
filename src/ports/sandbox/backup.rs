//! What a sandbox's `createBackup`, `restoreBackup` and `recoverBackup` take and answer.

use crate::domain::ids::{BackupId, InstanceId, SandboxId, SessionId};
use crate::domain::snapshot::backup::{BackupDir, Compression, SnapshotKind, SnapshotTrigger, Ttl};
use crate::domain::snapshot::labels::Labels;
use serde::{Deserialize, Serialize};

/// Our part of `createBackup`'s options; goes into `meta.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BackupProvenance {
    /// Kind of archive.
    pub kind: SnapshotKind,
    /// Session that takes the snapshot.
    pub session_id: SessionId,
    /// Sandbox it is taken from.
    pub origin_sandbox_id: SandboxId,
    /// Snapshot that the workspace equalled last.
    pub parent_id: Option<BackupId>,
    /// R2 binding to write to.
    pub binding: String,
    /// What has it taken.
    #[serde(default, skip_serializing_if = "SnapshotTrigger::is_manual")]
    pub trigger: SnapshotTrigger,
    /// What its session wants to remember.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its labels.
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
}

/// `compression` of `createBackup`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct CompressionOptions {
    /// Default `lz4`.
    pub format: Compression,
    /// Threads; default as many as the container has processors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
}

/// An archive that R2 holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KnownArchive {
    /// Its backup.
    pub id: BackupId,
    /// Size in bytes.
    pub size_bytes: u64,
    /// SHA-256, lowercase hexadecimal.
    pub sha256: String,
}

/// A backup, and the bucket that holds it.
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
    /// Leave out what the directory's `.gitignore` files name.
    #[serde(default)]
    pub gitignore: bool,
    /// Patterns to leave out, as `mksquashfs -wildcards`, relative to `dir`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excludes: Vec<String>,
    /// Compression.
    #[serde(default)]
    pub compression: CompressionOptions,
    /// Accepted for callers of 0.12 and not needed: transfers use the binding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_bucket: Option<bool>,
    /// Accepted for callers of 0.12 and not needed: large archives are always multipart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multipart: Option<bool>,
    /// Id to use, chosen by the host. Default: a fresh one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<BackupId>,
    /// Ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshotter: Option<BackupProvenance>,
    /// A backup that already holds the directory, unless it was changed: if the
    /// archive comes out equal, it is not uploaded, and the answer is this one's handle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless_equal: Option<KnownArchive>,
    /// The archive of a restore that follows: it is downloaded and extracted
    /// while this one is uploaded. What fails of that, the restore does itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepare_restore: Option<StoredBackup>,
    /// The disk the caller's workspace lives on. Another one, or a container
    /// that does not run (its disk is gone), is `WORKSPACE_LOST`: a call that
    /// names a disk never starts a container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
}

/// Second argument of `restoreBackup`, ours.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RestoreBackupOptions {
    /// R2 binding to read from. Default `BACKUP_BUCKET`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
    /// The sandbox was made for this restore: where the directory cannot be
    /// renamed, its children may be replaced.
    pub fresh_sandbox: bool,
    /// The caller has checked the backup's time to live, or it does not matter:
    /// the catalogue may know better than `meta.json`.
    pub lifetime_checked: bool,
    /// The files are a workspace's own, brought back into a container that was
    /// started for it: what the directory holds is moved aside.
    pub wake: bool,
    /// The directory is replaced under the processes that use it: they are ended
    /// right before, and the answer says which.
    pub end_users: bool,
    /// As in [`CreateBackupOptions`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
}

/// A process that was ended because it used a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct EndedProcess {
    /// Its id in the container.
    pub pid: u32,
    /// Its command line, at most 200 characters, with `?` for what is not printable ASCII.
    pub command: String,
}

/// Result of `restoreBackup`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RestoreBackupResult {
    /// False is a failure, whatever the promise did.
    pub success: bool,
    /// Directory restored.
    pub dir: String,
    /// Backup restored.
    pub id: BackupId,
    /// The disk it was restored to. Ours.
    pub instance_id: InstanceId,
    /// Where what the directory held was moved. Ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aside: Option<String>,
    /// Processes that were ended for it, at most
    /// [`ENDED_SHOWN`](crate::domain::limits::ENDED_SHOWN). Ours.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<EndedProcess>,
}

/// Whether a backup the host asked for is known to the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BackupProgress {
    /// Being made now.
    Running,
    /// Not being made, and never will be under this id.
    Ended,
}
