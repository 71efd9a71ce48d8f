//! Implements [`SandboxApi`], with one log line per call. The file is long because the trait
//! has many methods.

use crate::domain::error::{ErrorCode, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::{
    BackupId, CodeContextId, GitCheckpointName, InstanceId, ProcessName, UploadId,
};
use crate::domain::snapshot::backup::BackupHandle;
use crate::ports::log::{Level, LogLine};
use crate::ports::sandbox::watch::WatchOptions;
use crate::ports::sandbox::{
    BackupProgress, CodeContext, CodeContextList, CodeContextOptions, CommandLine,
    ConfigureOptions, CreateBackupOptions, CreateCodeContextOptions, DirUsers, ExecOptions,
    ExecResult, Existence, FileOptions, FileStat, FlattenBackupOptions, FlattenedBackup,
    FoundFiles, FoundLines, GitCheckpointDiff, GitCheckpointList, GrepOptions, ImportBackupOptions,
    ImportedTar, ListFilesResult, MountBucketsOptions, MountedBuckets, NewGitCheckpoint,
    PackedBackup, ProcessList, ProcessLog, ProcessOptions, ProcessView, ReadFileResult,
    RestoreBackupOptions, RestoreBackupResult, RestoredGitCheckpoint, RunCodeOptions,
    RunCodeResult, RunInCodeContextOptions, SandboxApi, SearchOptions, StartProcessOptions,
    StorePackedOptions, StoredBackup, TakenGitCheckpoint, TerminalOptions, TreeOptions, UploadPart,
    UploadedArchive,
};
use crate::ports::stream::Bytes;
use crate::sandbox::SandboxService;
use async_trait::async_trait;
use serde_json::{Value, json};
use std::future::Future;

impl SandboxService {
    /// Runs an operation and writes its log line.
    async fn observed<T>(
        &self,
        event: &str,
        work: impl Future<Output = Result<T>>,
        facts: impl FnOnce(&T) -> Value,
    ) -> Result<T> {
        let began_ms = self.ports.clock.now_ms();
        let result = work.await;
        let took_ms = self.ports.clock.now_ms().saturating_sub(began_ms);
        let (level, outcome, fields) = match &result {
            Ok(value) => (Level::Info, "ok".to_owned(), facts(value)),
            Err(error) => {
                let level = if is_callers(error.code) { Level::Info } else { Level::Error };
                (level, error.code.to_string(), json!({ "cause": error.cause }))
            }
        };
        let mut line = LogLine::new(level, event, fields);
        line.fields.insert("sandbox".to_owned(), json!(self.label));
        line.fields.insert("outcome".to_owned(), json!(outcome));
        line.fields.insert("durationMs".to_owned(), json!(took_ms));
        self.ports.log.write(line);
        result
    }
}

/// Whether the caller is to blame for the error, not the sandbox.
const fn is_callers(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::InvalidArgument
            | ErrorCode::NotFound
            | ErrorCode::Conflict
            | ErrorCode::WorkspaceLost
            | ErrorCode::TooLarge
            | ErrorCode::SnapshotExpired
            | ErrorCode::SnapshotGone
            | ErrorCode::Unsupported
    )
}

fn no_facts<T>(_result: &T) -> Value {
    json!({})
}

#[async_trait(?Send)]
impl SandboxApi for SandboxService {
    async fn configure(&self, options: ConfigureOptions) -> Result<()> {
        self.observed("sandbox.configure", self.set_configuration(options), no_facts).await
    }

    async fn ensure_running(&self) -> Result<InstanceId> {
        let facts = |instance: &InstanceId| json!({ "instance": instance });
        self.observed("sandbox.ensure_running", self.machine.ensure_running(), facts).await
    }

    async fn disk(&self) -> Result<Option<InstanceId>> {
        self.machine.disk().await
    }

    async fn is_running(&self) -> Result<bool> {
        Ok(self.machine.is_running())
    }

    async fn runs_commands(&self) -> Result<bool> {
        self.runs_commands().await
    }

    async fn destroy(&self) -> Result<()> {
        self.observed("sandbox.destroy", self.destroy_container(), no_facts).await
    }

    async fn create_backup(&self, options: CreateBackupOptions) -> Result<BackupHandle> {
        let (handle, _size) = self
            .observed(
                "sandbox.create_backup",
                self.make_backup(options),
                |(handle, size_bytes)| json!({ "backup": handle.id, "sizeBytes": size_bytes }),
            )
            .await?;
        Ok(handle)
    }

    async fn restore_backup(
        &self,
        backup: BackupHandle,
        options: RestoreBackupOptions,
    ) -> Result<RestoreBackupResult> {
        let (result, _meta) = self
            .observed(
                "sandbox.restore_backup",
                self.restore(backup, options),
                |(result, meta)| json!({ "backup": result.id, "sizeBytes": meta.size_bytes }),
            )
            .await?;
        Ok(result)
    }

    async fn flatten_backup(
        &self,
        backup: StoredBackup,
        options: FlattenBackupOptions,
    ) -> Result<FlattenedBackup> {
        let id = backup.id.clone();
        let facts = |made: &FlattenedBackup| json!({ "backup": id, "sizeBytes": made.size_bytes });
        self.observed("sandbox.flatten_backup", self.flatten(backup, options), facts).await
    }

    async fn import_backup(
        &self,
        archive: Bytes,
        import: ImportBackupOptions,
        options: CreateBackupOptions,
    ) -> Result<BackupHandle> {
        let facts = |(handle, size_bytes): &(BackupHandle, u64)| json!({ "backup": handle.id, "sizeBytes": size_bytes });
        let work = self.make_imported(archive, &import, options);
        let (handle, _size) = self.observed("sandbox.import_backup", work, facts).await?;
        Ok(handle)
    }

    async fn pack_backup(
        &self,
        backup: StoredBackup,
        options: FlattenBackupOptions,
    ) -> Result<PackedBackup> {
        let id = backup.id.clone();
        let facts = |packed: &PackedBackup| json!({ "backup": id, "sizeBytes": packed.size_bytes });
        self.observed("sandbox.pack_backup", self.pack(backup, options), facts).await
    }

    async fn read_packed(&self, name: String, options: FlattenBackupOptions) -> Result<Bytes> {
        let work = self.stream_packed(&name, &options);
        self.observed("sandbox.read_packed", work, no_facts).await
    }

    async fn store_packed(&self, name: String, options: StorePackedOptions) -> Result<()> {
        self.observed("sandbox.store_packed", self.upload_packed(&name, &options), no_facts).await
    }

    async fn recover_backup(&self, id: BackupId) -> Result<BackupProgress> {
        let facts = |progress: &BackupProgress| json!({ "progress": progress });
        self.observed("sandbox.recover_backup", self.recover_one(id), facts).await
    }

    async fn stop_backup(&self, id: BackupId) -> Result<()> {
        self.observed("sandbox.stop_backup", self.stop_making(&id), no_facts).await
    }

    async fn exec(&self, command: CommandLine, options: ExecOptions) -> Result<ExecResult> {
        self.observed(
            "sandbox.exec",
            self.run_command(command, options),
            |result| json!({ "exitCode": result.exit_code, "timedOut": result.timed_out }),
        )
        .await
    }

    async fn exec_stream(&self, command: CommandLine, options: ExecOptions) -> Result<Bytes> {
        self.observed("sandbox.exec_stream", self.stream_command(command, options), no_facts).await
    }

    async fn terminal(&self, typed: Bytes, options: TerminalOptions) -> Result<Bytes> {
        self.observed("sandbox.terminal", self.view_terminal(typed, options), no_facts).await
    }

    async fn start_process(
        &self,
        name: ProcessName,
        command: CommandLine,
        options: StartProcessOptions,
    ) -> Result<ProcessView> {
        let work = self.start_in_background(&name, &command, options);
        self.observed("sandbox.start_process", work, |started| json!({ "process": started.name }))
            .await
    }

    async fn list_processes(&self, options: ProcessOptions) -> Result<ProcessList> {
        self.processes(&options).await
    }

    async fn list_users(&self, dir: AbsolutePath, options: ProcessOptions) -> Result<DirUsers> {
        self.users_of(&dir, &options).await
    }

    async fn read_process_log(
        &self,
        name: ProcessName,
        options: ProcessOptions,
    ) -> Result<ProcessLog> {
        self.log_of(&name, &options).await
    }

    async fn stop_process(
        &self,
        name: ProcessName,
        options: ProcessOptions,
    ) -> Result<ProcessView> {
        let work = self.stop_in_background(&name, &options);
        self.observed("sandbox.stop_process", work, |stopped| json!({ "process": stopped.name }))
            .await
    }

    async fn mount_buckets(&self, options: MountBucketsOptions) -> Result<MountedBuckets> {
        self.observed("sandbox.mount_buckets", self.mount(options), |mounted| {
            let states: Vec<_> = mounted.mounts.iter().map(|mount| mount.state).collect();
            json!({ "mounts": states })
        })
        .await
    }

    async fn run_code(&self, code: String, options: RunCodeOptions) -> Result<RunCodeResult> {
        self.observed("sandbox.run_code", self.run_source(code, options), |result| {
            json!({ "exitCode": result.exec.exit_code, "timedOut": result.exec.timed_out })
        })
        .await
    }

    async fn create_code_context(&self, options: CreateCodeContextOptions) -> Result<CodeContext> {
        let facts = |made: &CodeContext| json!({ "context": made.context });
        self.observed("sandbox.create_code_context", self.start_context(options), facts).await
    }

    async fn list_code_contexts(&self, options: CodeContextOptions) -> Result<CodeContextList> {
        self.contexts(&options).await
    }

    async fn run_in_code_context(
        &self,
        context: CodeContextId,
        code: String,
        options: RunInCodeContextOptions,
    ) -> Result<Bytes> {
        let work = self.stream_in_context(context, code, options);
        self.observed("sandbox.run_in_code_context", work, no_facts).await
    }

    async fn delete_code_context(
        &self,
        context: CodeContextId,
        options: CodeContextOptions,
    ) -> Result<()> {
        let work = self.end_context(&context, &options);
        self.observed("sandbox.delete_code_context", work, no_facts).await
    }

    async fn read_file(&self, path: AbsolutePath, options: FileOptions) -> Result<ReadFileResult> {
        let facts = |result: &ReadFileResult| json!({ "sizeBytes": result.size_bytes });
        self.observed("sandbox.read_file", self.read(&path, &options), facts).await
    }

    async fn write_file(
        &self,
        path: AbsolutePath,
        content: String,
        options: FileOptions,
    ) -> Result<()> {
        self.observed("sandbox.write_file", self.write(&path, content, &options), no_facts).await
    }

    async fn mkdir(&self, path: AbsolutePath, options: FileOptions) -> Result<()> {
        self.observed("sandbox.mkdir", self.make_dir(&path, &options), no_facts).await
    }

    async fn list_files(
        &self,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<ListFilesResult> {
        let facts = |result: &ListFilesResult| json!({ "files": result.files.len() });
        self.observed("sandbox.list_files", self.list(&path, &options), facts).await
    }

    async fn delete_file(&self, path: AbsolutePath, options: FileOptions) -> Result<()> {
        self.observed("sandbox.delete_file", self.delete(&path, &options), no_facts).await
    }

    async fn exists(&self, path: AbsolutePath, options: FileOptions) -> Result<Existence> {
        let exists = self.observed("sandbox.exists", self.has(&path, &options), no_facts).await?;
        Ok(Existence { exists })
    }

    async fn stat(&self, path: AbsolutePath, options: FileOptions) -> Result<FileStat> {
        self.observed("sandbox.stat", self.look_at(&path, &options), no_facts).await
    }

    async fn glob(&self, path: AbsolutePath, options: SearchOptions) -> Result<FoundFiles> {
        let facts = |result: &FoundFiles| json!({ "files": result.files.len() });
        self.observed("sandbox.glob", self.find_files(&path, &options), facts).await
    }

    async fn export_tar(&self, path: AbsolutePath, options: FileOptions) -> Result<Bytes> {
        self.observed("sandbox.export_tar", self.export(&path, &options), no_facts).await
    }

    async fn import_tar(
        &self,
        archive: Bytes,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<ImportedTar> {
        let facts = |result: &ImportedTar| json!({ "entries": result.entries, "sizeBytes": result.size_bytes });
        self.observed("sandbox.import_tar", self.import(archive, &path, &options), facts).await
    }

    async fn store_part(
        &self,
        content: Bytes,
        part: UploadPart,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<()> {
        self.observed(
            "sandbox.store_part",
            self.keep_part(content, &part, &path, &options),
            no_facts,
        )
        .await
    }

    async fn import_upload(
        &self,
        archive: UploadedArchive,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<ImportedTar> {
        let facts = |result: &ImportedTar| json!({ "entries": result.entries, "sizeBytes": result.size_bytes });
        let work = self.import_parts(&archive, &path, &options);
        self.observed("sandbox.import_upload", work, facts).await
    }

    async fn drop_upload(
        &self,
        upload: UploadId,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<()> {
        self.observed("sandbox.drop_upload", self.remove_parts(&upload, &path, &options), no_facts)
            .await
    }

    async fn watch(&self, path: AbsolutePath, options: WatchOptions) -> Result<Bytes> {
        self.observed("sandbox.watch", self.watch_files(&path, options), no_facts).await
    }

    async fn read_tree(
        &self,
        input: Bytes,
        path: AbsolutePath,
        options: TreeOptions,
    ) -> Result<String> {
        let facts = |read: &String| json!({ "sizeBytes": read.len() });
        self.observed("sandbox.read_tree", self.read_part_of_tree(input, &path, &options), facts)
            .await
    }

    async fn apply_changes(
        &self,
        changes: Bytes,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<()> {
        self.observed("sandbox.apply_changes", self.change_tree(changes, &path, &options), no_facts)
            .await
    }

    async fn grep(&self, path: AbsolutePath, options: GrepOptions) -> Result<FoundLines> {
        let facts = |result: &FoundLines| json!({ "lines": result.lines.len() });
        self.observed("sandbox.grep", self.find_lines(&path, &options), facts).await
    }

    async fn take_git_checkpoint(
        &self,
        checkpoint: NewGitCheckpoint,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<TakenGitCheckpoint> {
        let facts = |taken: &TakenGitCheckpoint| json!({ "files": taken.files });
        let work = self.commit_files(checkpoint, &path, &options);
        self.observed("sandbox.take_git_checkpoint", work, facts).await
    }

    async fn list_git_checkpoints(
        &self,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<GitCheckpointList> {
        let facts = |list: &GitCheckpointList| json!({ "checkpoints": list.git_checkpoints.len() });
        self.observed("sandbox.list_git_checkpoints", self.find_commits(&path, &options), facts)
            .await
    }

    async fn restore_git_checkpoint(
        &self,
        name: GitCheckpointName,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<RestoredGitCheckpoint> {
        let facts = |restored: &RestoredGitCheckpoint| json!({ "changes": restored.changed_count });
        let work = self.check_out(&name, &path, &options);
        self.observed("sandbox.restore_git_checkpoint", work, facts).await
    }

    async fn diff_git_checkpoint(
        &self,
        name: GitCheckpointName,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<GitCheckpointDiff> {
        let facts = |diff: &GitCheckpointDiff| json!({ "changes": diff.files_changed });
        let work = self.compare(&name, &path, &options);
        self.observed("sandbox.diff_git_checkpoint", work, facts).await
    }

    async fn delete_git_checkpoint(
        &self,
        name: GitCheckpointName,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<Option<u64>> {
        let work = self.drop_commit(&name, &path, &options);
        self.observed("sandbox.delete_git_checkpoint", work, no_facts).await
    }
}
