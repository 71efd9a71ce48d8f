//! The methods that a sandbox offers its host, with the names and option shapes of
//! `@cloudflare/sandbox` 0.12; a few are ours. `sandbox_api` makes both ends of their RPC from the
//! trait. The host calls them through [`Sandboxes`].

pub mod backup;
pub mod checkpoints;
pub mod code;
pub mod configure;
pub mod contexts;
pub mod exec;
pub mod exec_event;
pub mod files;
pub mod part;
pub mod processes;
pub mod rpc;
pub mod terminal;
pub mod tree;
pub mod watch;

use crate::domain::error::Result;
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::{
    BackupId, CodeContextId, GitCheckpointName, InstanceId, ProcessName, SandboxId, UploadId,
};
use crate::domain::snapshot::backup::BackupHandle;
use crate::ports::sandbox::rpc::sandbox_api;
use crate::ports::sandbox::watch::WatchOptions;
use crate::ports::stream::Bytes;
use std::rc::Rc;

pub use crate::domain::exec::shell::CommandLine;

pub use crate::ports::sandbox::backup::{
    BackupProgress, BackupProvenance, CreateBackupOptions, EndedProcess, FlattenBackupOptions,
    FlattenedBackup, ImportBackupOptions, KnownArchive, PackedBackup, RestoreBackupOptions,
    RestoreBackupResult, RestoreMachine, StorePackedOptions, StoredBackup,
};
pub use crate::ports::sandbox::checkpoints::{
    ChangedPath, GitCheckpointDiff, GitCheckpointList, ListedGitCheckpoint, NewGitCheckpoint,
    RestoredGitCheckpoint, TakenGitCheckpoint,
};
pub use crate::ports::sandbox::code::{CodeImage, CodeLeft, RunCodeOptions, RunCodeResult};
pub use crate::ports::sandbox::configure::{
    BucketDir, ConfigureOptions, MountBucketsOptions, MountOutcome, MountState, MountedBuckets,
};
pub use crate::ports::sandbox::contexts::{
    CodeContext, CodeContextList, CodeContextOptions, CreateCodeContextOptions, LeftInContext,
    RunInCodeContextOptions,
};
pub use crate::ports::sandbox::exec::{ExecOptions, ExecResult, LeftProgram, LeftRunning};
pub use crate::ports::sandbox::files::{
    Encoding, Existence, FileInfo, FileOptions, FileStat, FileType, FoundFiles, FoundLine,
    FoundLines, FoundPath, GrepOptions, ImportedTar, ListFilesResult, ReadFileResult, ReadRange,
    SearchOptions, UploadPart, UploadedArchive,
};
pub use crate::ports::sandbox::part::Part;
pub use crate::ports::sandbox::processes::{
    DirUsers, ProcessList, ProcessLog, ProcessOptions, ProcessState, ProcessView,
    StartProcessOptions,
};
pub use crate::ports::sandbox::terminal::TerminalOptions;
pub use crate::ports::sandbox::tree::{TreeOptions, TreeRead};

sandbox_api! {
    /// One sandbox.
    pub trait SandboxApi {
        /// Persists configuration. Starts nothing.
        async fn configure(&self, options: ConfigureOptions) -> Result<()>;

        /// Starts the container if necessary, waits until it runs commands, and returns its disk.
        async fn ensure_running(&self) -> Result<InstanceId>;

        /// The disk of a running container. Starts nothing.
        async fn disk(&self) -> Result<Option<InstanceId>>;

        /// Whether the container runs. Starts nothing.
        async fn is_running(&self) -> Result<bool>;

        /// Whether a command streams its output, or is within its time limit. Starts nothing.
        async fn runs_commands(&self) -> Result<bool>;

        /// Destroys the container and forgets the configuration.
        async fn destroy(&self) -> Result<()>;

        /// Archives a directory to R2. Returns once R2 has both objects.
        async fn create_backup(&self, options: CreateBackupOptions) -> Result<BackupHandle>;

        /// Replaces a directory with an archive's files.
        async fn restore_backup(
            &self,
            backup: BackupHandle,
            options: RestoreBackupOptions,
        ) -> Result<RestoreBackupResult>;

        /// Makes a full archive beside a layer's. The backup's record stays: the host changes it
        /// after it has compared the archives.
        async fn flatten_backup(
            &self,
            backup: StoredBackup,
            options: FlattenBackupOptions,
        ) -> Result<FlattenedBackup>;

        /// Archives the files of a tar archive, as [`create_backup`](Self::create_backup) does a
        /// directory. No directory of the workspace changes.
        async fn import_backup(
            &self,
            archive: Bytes,
            import: ImportBackupOptions,
            options: CreateBackupOptions,
        ) -> Result<BackupHandle>;

        /// Packs a backup's files as a `.tar.zst` on the container's disk.
        async fn pack_backup(
            &self,
            backup: StoredBackup,
            options: FlattenBackupOptions,
        ) -> Result<PackedBackup>;

        /// Reads a packed backup, once.
        async fn read_packed(
            &self,
            name: String,
            options: FlattenBackupOptions,
        ) -> Result<Bytes>;

        /// Stores a packed backup in R2, once. A failure also removes the packed file.
        async fn store_packed(&self, name: String, options: StorePackedOptions) -> Result<()>;

        /// Whether a backup is being made. If not, it never will be. For the host's recovery.
        async fn recover_backup(&self, id: BackupId) -> Result<BackupProgress>;

        /// Soon ends a running backup or restore with `ABORTED`, unless past its last step.
        async fn stop_backup(&self, id: BackupId) -> Result<()>;

        /// Runs a command.
        async fn exec(&self, command: CommandLine, options: ExecOptions) -> Result<ExecResult>;

        /// Runs a command and streams [`crate::ports::sandbox::exec_event::ExecEvent`]s as
        /// Server-Sent Events. Cancelling the stream ends the command.
        async fn exec_stream(&self, command: CommandLine, options: ExecOptions) -> Result<Bytes>;

        /// Opens a shell on a terminal, or reconnects to one, with streams of
        /// [`Frame`](crate::domain::exec::terminal::Frame)s. The shell outlives either by a minute.
        async fn terminal(&self, typed: Bytes, options: TerminalOptions) -> Result<Bytes>;

        /// Starts a command in the background.
        async fn start_process(
            &self,
            name: ProcessName,
            command: CommandLine,
            options: StartProcessOptions,
        ) -> Result<ProcessView>;

        /// Lists background processes.
        async fn list_processes(&self, options: ProcessOptions) -> Result<ProcessList>;

        /// Lists the processes that use a directory. Ends none.
        async fn list_users(&self, dir: AbsolutePath, options: ProcessOptions) -> Result<DirUsers>;

        /// Reads what a background process printed.
        async fn read_process_log(
            &self,
            name: ProcessName,
            options: ProcessOptions,
        ) -> Result<ProcessLog>;

        /// Ends a background process, and waits for its end.
        async fn stop_process(
            &self,
            name: ProcessName,
            options: ProcessOptions,
        ) -> Result<ProcessView>;

        /// Mounts buckets as directories, if the container can. Existing mounts stay. A failed
        /// mount is an outcome, not an error.
        async fn mount_buckets(&self, options: MountBucketsOptions) -> Result<MountedBuckets>;

        /// Runs code in a process of its own.
        async fn run_code(&self, code: String, options: RunCodeOptions) -> Result<RunCodeResult>;

        /// Starts an interpreter that keeps its variables between calls.
        async fn create_code_context(
            &self,
            options: CreateCodeContextOptions,
        ) -> Result<CodeContext>;

        /// Lists running code contexts.
        async fn list_code_contexts(&self, options: CodeContextOptions) -> Result<CodeContextList>;

        /// Runs code in a context and streams its output, as [`exec_stream`](Self::exec_stream)
        /// does for a followed command. Cancelling the stream interrupts the code.
        async fn run_in_code_context(
            &self,
            context: CodeContextId,
            code: String,
            options: RunInCodeContextOptions,
        ) -> Result<Bytes>;

        /// Ends a context, if it still runs.
        async fn delete_code_context(
            &self,
            context: CodeContextId,
            options: CodeContextOptions,
        ) -> Result<()>;

        /// Reads a file.
        async fn read_file(&self, path: AbsolutePath, options: FileOptions) -> Result<ReadFileResult>;

        /// Replaces a file atomically. Its parent directories must exist, unless `recursive`.
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

        /// Deletes a file, or a link itself. With `recursive`, also a directory and its content.
        async fn delete_file(&self, path: AbsolutePath, options: FileOptions) -> Result<()>;

        /// Whether a path exists. Follows symbolic links.
        async fn exists(&self, path: AbsolutePath, options: FileOptions) -> Result<Existence>;

        /// Metadata of a file, a directory, or a symbolic link itself.
        async fn stat(&self, path: AbsolutePath, options: FileOptions) -> Result<FileStat>;

        /// Finds files below a directory by name.
        async fn glob(&self, path: AbsolutePath, options: SearchOptions) -> Result<FoundFiles>;

        /// Exports a directory's tree, or the paths of `options`, as a tar archive.
        async fn export_tar(&self, path: AbsolutePath, options: FileOptions) -> Result<Bytes>;

        /// Extracts all or nothing of a tar archive into a directory.
        async fn import_tar(
            &self,
            archive: Bytes,
            path: AbsolutePath,
            options: FileOptions,
        ) -> Result<ImportedTar>;

        /// Stores a part of an archive on the container's disk, replacing an earlier one.
        async fn store_part(
            &self,
            content: Bytes,
            part: UploadPart,
            path: AbsolutePath,
            options: FileOptions,
        ) -> Result<()>;

        /// As [`import_tar`](Self::import_tar), for stored parts, which it then removes.
        async fn import_upload(
            &self,
            archive: UploadedArchive,
            path: AbsolutePath,
            options: FileOptions,
        ) -> Result<ImportedTar>;

        /// Removes the parts of an upload, if any.
        async fn drop_upload(
            &self,
            upload: UploadId,
            path: AbsolutePath,
            options: FileOptions,
        ) -> Result<()>;

        /// Watches a directory and streams Server-Sent Events of
        /// [`crate::ports::sandbox::watch::WatchEvent`]. Returns once the watch has begun.
        async fn watch(&self, path: AbsolutePath, options: WatchOptions) -> Result<Bytes>;

        /// Reads what a comparison needs of a tree. Returns [`TreeRead`]'s output in base64.
        async fn read_tree(
            &self,
            input: Bytes,
            path: AbsolutePath,
            options: TreeOptions,
        ) -> Result<String>;

        /// Applies a merge to a directory's tree. `apply.sh` describes the archive `changes`.
        async fn apply_changes(
            &self,
            changes: Bytes,
            path: AbsolutePath,
            options: FileOptions,
        ) -> Result<()>;

        /// Finds lines in a file, or in the files below a directory.
        async fn grep(&self, path: AbsolutePath, options: GrepOptions) -> Result<FoundLines>;

        /// Takes a git checkpoint of a directory's files, in its repository, which may be new.
        async fn take_git_checkpoint(
            &self,
            checkpoint: NewGitCheckpoint,
            path: AbsolutePath,
            options: FileOptions,
        ) -> Result<TakenGitCheckpoint>;

        /// Lists git checkpoints of a directory, newest first.
        async fn list_git_checkpoints(
            &self,
            path: AbsolutePath,
            options: FileOptions,
        ) -> Result<GitCheckpointList>;

        /// Restores the files of a git checkpoint.
        async fn restore_git_checkpoint(
            &self,
            name: GitCheckpointName,
            path: AbsolutePath,
            options: FileOptions,
        ) -> Result<RestoredGitCheckpoint>;

        /// Compares a directory's files with a git checkpoint.
        async fn diff_git_checkpoint(
            &self,
            name: GitCheckpointName,
            path: AbsolutePath,
            options: FileOptions,
        ) -> Result<GitCheckpointDiff>;

        /// Deletes a git checkpoint, if it exists. Returns the bytes that only it needed, if known.
        /// They stay until git removes them.
        async fn delete_git_checkpoint(
            &self,
            name: GitCheckpointName,
            path: AbsolutePath,
            options: FileOptions,
        ) -> Result<Option<u64>>;
    }
}

/// The sandboxes of the bound namespace.
pub trait Sandboxes {
    /// A sandbox. Contacts nothing. `NOT_CONFIGURED` if the namespace is not bound.
    fn get(&self, id: &SandboxId) -> Result<Rc<dyn SandboxApi>>;
}
