//! What a sandbox does for its host: the names and option shapes of
//! `@cloudflare/sandbox` 0.12, and a few of ours.
//!
//! The `Sandbox` Durable Object serves exactly these over RPC. The host calls
//! them through [`Sandboxes`], on ours or on that package's class.

use super::stream::Bytes;
use super::watch::WatchOptions;
use crate::domain::backup::{BackupDir, BackupHandle, Compression, SnapshotKind, Ttl};
use crate::domain::error::Result;
use crate::domain::ids::{BackupId, InstanceId, SandboxId, SessionId};
use crate::domain::labels::Labels;
use crate::domain::path::AbsolutePath;
use crate::domain::snapshot::SnapshotTrigger;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::rc::Rc;

pub use crate::domain::shell::CommandLine;

pub use super::code::{CodeImage, RunCodeOptions, RunCodeResult};
pub use super::files::{
    Encoding, FileInfo, FileOptions, FileStat, FileType, FoundFiles, FoundLine, FoundLines,
    FoundPath, GrepOptions, ImportedTar, ListFilesResult, ReadFileResult, ReadRange, SearchOptions,
};

/// Options of `configure`. Persisted by the sandbox; absent fields keep their value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigureOptions {
    /// Idle time before the container stops, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sleep_after_ms: Option<u64>,
    /// Environment of every command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env_vars: Option<BTreeMap<String, String>>,
    /// Whether the container reaches the Internet; takes effect at its next start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_internet: Option<bool>,
    /// Size of the container; takes effect at its next start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_type: Option<String>,
}

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
    /// Snapshot that the workspace was made from.
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
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

/// Options of `exec`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExecOptions {
    /// Working directory. Default: the container's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<AbsolutePath>,
    /// Environment, over the session's.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Time limit in milliseconds. Default 2 minutes, at most 1 hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// Text for its stdin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// As in [`CreateBackupOptions`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<InstanceId>,
    /// Of `execStream`, for who waits for the result: that has the output, as
    /// the one of `exec`, and of much that is printed at once only the end is told.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub followed: bool,
}

/// Result of `exec`. A nonzero exit is a result, not an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExecResult {
    /// Whether the exit code is 0.
    pub success: bool,
    /// Exit code; 124 where the time limit ended it.
    pub exit_code: i32,
    /// At most 1 MiB of stdout; bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// At most 1 MiB of stderr, likewise.
    pub stderr: String,
    /// Whether stdout was longer.
    #[serde(default)]
    pub stdout_truncated: bool,
    /// Whether stderr was longer.
    #[serde(default)]
    pub stderr_truncated: bool,
    /// Whether the time limit ended it.
    #[serde(default)]
    pub timed_out: bool,
    /// Milliseconds it took.
    #[serde(default)]
    pub duration: u64,
}

/// One sandbox.
#[async_trait(?Send)]
pub trait SandboxApi {
    /// Persists configuration; starts nothing.
    async fn configure(&self, options: ConfigureOptions) -> Result<()>;

    /// Starts the container if need be, waits until it runs commands, and
    /// returns which disk it has.
    async fn ensure_running(&self) -> Result<InstanceId>;

    /// Whether it tells disks apart by itself, brings files back, and compares
    /// archives: our class does, the one of `@cloudflare/sandbox` does not. Starts nothing.
    async fn knows_disks(&self) -> Result<bool>;

    /// Which disk the running container has; none where none runs. Starts nothing.
    async fn disk(&self) -> Result<Option<InstanceId>>;

    /// Whether the container runs. Starts nothing.
    async fn is_running(&self) -> Result<bool>;

    /// Whether a command runs whose output is being told. Starts nothing.
    async fn is_telling(&self) -> Result<bool>;

    /// Destroys the container and forgets the configuration.
    async fn destroy(&self) -> Result<()>;

    /// Archives a directory to R2. Returned only once R2 holds both objects.
    async fn create_backup(&self, options: CreateBackupOptions) -> Result<BackupHandle>;

    /// Puts an archive's files in place of its directory.
    async fn restore_backup(
        &self,
        handle: BackupHandle,
        options: RestoreBackupOptions,
    ) -> Result<RestoreBackupResult>;

    /// Makes sure that a backup that is not running never will be, and says
    /// which it is. For the host's recovery.
    async fn settle_backup(&self, id: BackupId) -> Result<BackupProgress>;

    /// Runs a command.
    async fn exec(&self, command: CommandLine, options: ExecOptions) -> Result<ExecResult>;

    /// Runs a command and tells what it prints while it runs, as Server-Sent
    /// Events in the shape of [`super::exec_event::ExecEvent`]. A stream that is
    /// cancelled ends the command.
    async fn exec_stream(&self, command: CommandLine, options: ExecOptions) -> Result<Bytes>;

    /// Runs code in a process of its own.
    async fn run_code(&self, code: String, options: RunCodeOptions) -> Result<RunCodeResult>;

    /// Reads a file.
    async fn read_file(&self, path: AbsolutePath, options: FileOptions) -> Result<ReadFileResult>;

    /// Writes a file, replacing it atomically. With `recursive`, makes its
    /// parent directories; without, they must exist.
    async fn write_file(
        &self,
        path: AbsolutePath,
        content: String,
        options: FileOptions,
    ) -> Result<()>;

    /// Makes a directory.
    async fn mkdir(&self, path: AbsolutePath, options: FileOptions) -> Result<()>;

    /// Lists a directory.
    async fn list_files(&self, path: AbsolutePath, options: FileOptions)
    -> Result<ListFilesResult>;

    /// Deletes a file, or a symbolic link itself; a directory only with
    /// `recursive`, and with all that is in it.
    async fn delete_file(&self, path: AbsolutePath, options: FileOptions) -> Result<()>;

    /// Whether a path exists, symlinks followed.
    async fn exists(&self, path: AbsolutePath, options: FileOptions) -> Result<bool>;

    /// Looks at a file, a directory, or a symbolic link itself.
    async fn stat(&self, path: AbsolutePath, options: FileOptions) -> Result<FileStat>;

    /// Finds files below a directory by their names.
    async fn glob(&self, path: AbsolutePath, options: SearchOptions) -> Result<FoundFiles>;

    /// A directory's tree as a tar archive.
    async fn export_tar(&self, path: AbsolutePath, options: FileOptions) -> Result<Bytes>;

    /// Puts the files of a tar archive into a directory, all or none.
    async fn import_tar(
        &self,
        archive: Bytes,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<ImportedTar>;

    /// Watches a directory: Server-Sent Events, each a
    /// [`super::watch::WatchEvent`]. Answers once it watches.
    async fn watch(&self, path: AbsolutePath, options: WatchOptions) -> Result<Bytes>;

    /// Finds lines in a file, or in the files below a directory.
    async fn grep(&self, path: AbsolutePath, options: GrepOptions) -> Result<FoundLines>;
}

/// The sandboxes of the bound namespace.
pub trait Sandboxes {
    /// The sandbox of that id. Contacts nothing.
    ///
    /// # Errors
    /// `NOT_CONFIGURED` where the namespace is not bound.
    fn get(&self, id: &SandboxId) -> Result<Rc<dyn SandboxApi>>;
}
