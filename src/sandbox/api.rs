//! Implements [`SandboxApi`], with one log line per call. The file is long because the trait is.

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
use crate::sandbox::backup::Backup;
use crate::sandbox::checkpoints::Checkpoints;
use crate::sandbox::configure::Configure;
use crate::sandbox::exec::Exec;
use crate::sandbox::exec::busy::Busy;
use crate::sandbox::exec::terminal::ViewTerminal;
use crate::sandbox::files::Files;
use crate::sandbox::mounts::Mounts;
use crate::sandbox::processes::Processes;
use crate::sandbox::trees::Trees;
use crate::sandbox::watch::Watch;
use async_trait::async_trait;
use serde_json::{Value, json};
use std::future::Future;

impl SandboxService {
    async fn observed<T>(
        &self,
        event: &str,
        work: impl Future<Output = Result<T>>,
        facts: impl FnOnce(&T) -> Value,
    ) -> Result<T> {
        let began_ms = self.context.now_ms();
        let result = work.await;
        let took_ms = self.context.now_ms().saturating_sub(began_ms);
        let (level, outcome, fields) = match &result {
            Ok(value) => (Level::Info, "ok".to_owned(), facts(value)),
            Err(error) => {
                let level = if is_callers(error.code) { Level::Info } else { Level::Error };
                (level, error.code.to_string(), json!({ "cause": error.cause }))
            }
        };
        let mut line = LogLine::new(level, event, fields);
        line.fields.insert("sandbox".to_owned(), json!(self.context.label));
        line.fields.insert("outcome".to_owned(), json!(outcome));
        line.fields.insert("durationMs".to_owned(), json!(took_ms));
        self.context.ports.log.write(line);
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
        self.observed("sandbox.configure", Configure::from(self).set(options), no_facts).await
    }

    async fn ensure_running(&self) -> Result<InstanceId> {
        let facts = |instance: &InstanceId| json!({ "instance": instance });
        self.observed("sandbox.ensure_running", self.container.ensure_running(), facts).await
    }

    async fn disk(&self) -> Result<Option<InstanceId>> {
        self.container.disk().await
    }

    async fn is_running(&self) -> Result<bool> {
        Ok(self.container.is_running())
    }

    async fn runs_commands(&self) -> Result<bool> {
        Busy::from(self).runs_commands().await
    }

    async fn destroy(&self) -> Result<()> {
        self.observed("sandbox.destroy", Configure::from(self).destroy(), no_facts).await
    }

    async fn create_backup(&self, options: CreateBackupOptions) -> Result<BackupHandle> {
        let (handle, _size) = self
            .observed(
                "sandbox.create_backup",
                Backup::from(self).make_backup(options),
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
                Backup::from(self).restore(backup, options),
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
        self.observed("sandbox.flatten_backup", Backup::from(self).flatten(backup, options), facts)
            .await
    }

    async fn import_backup(
        &self,
        archive: Bytes,
        import: ImportBackupOptions,
        options: CreateBackupOptions,
    ) -> Result<BackupHandle> {
        let facts = |(handle, size_bytes): &(BackupHandle, u64)| json!({ "backup": handle.id, "sizeBytes": size_bytes });
        let backup = Backup::from(self);
        let work = backup.make_imported(archive, &import, options);
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
        self.observed("sandbox.pack_backup", Backup::from(self).pack(backup, options), facts).await
    }

    async fn read_packed(&self, name: String, options: FlattenBackupOptions) -> Result<Bytes> {
        let backup = Backup::from(self);
        let work = backup.stream_packed(&name, &options);
        self.observed("sandbox.read_packed", work, no_facts).await
    }

    async fn store_packed(&self, name: String, options: StorePackedOptions) -> Result<()> {
        self.observed(
            "sandbox.store_packed",
            Backup::from(self).upload_packed(&name, &options),
            no_facts,
        )
        .await
    }

    async fn recover_backup(&self, id: BackupId) -> Result<BackupProgress> {
        let facts = |progress: &BackupProgress| json!({ "progress": progress });
        self.observed("sandbox.recover_backup", self.backups.recover_one(id), facts).await
    }

    async fn stop_backup(&self, id: BackupId) -> Result<()> {
        self.observed("sandbox.stop_backup", Backup::from(self).stop_making(&id), no_facts).await
    }

    async fn exec(&self, command: CommandLine, options: ExecOptions) -> Result<ExecResult> {
        self.observed(
            "sandbox.exec",
            Exec::from(self).run_command(command, options),
            |result| json!({ "exitCode": result.exit_code, "timedOut": result.timed_out }),
        )
        .await
    }

    async fn exec_stream(&self, command: CommandLine, options: ExecOptions) -> Result<Bytes> {
        self.observed(
            "sandbox.exec_stream",
            Exec::from(self).stream_command(command, options),
            no_facts,
        )
        .await
    }

    async fn terminal(&self, typed: Bytes, options: TerminalOptions) -> Result<Bytes> {
        self.observed(
            "sandbox.terminal",
            ViewTerminal::from(self).view_terminal(typed, options),
            no_facts,
        )
        .await
    }

    async fn start_process(
        &self,
        name: ProcessName,
        command: CommandLine,
        options: StartProcessOptions,
    ) -> Result<ProcessView> {
        let processes = Processes::from(self);
        let work = processes.start(&name, &command, options);
        self.observed("sandbox.start_process", work, |started| json!({ "process": started.name }))
            .await
    }

    async fn list_processes(&self, options: ProcessOptions) -> Result<ProcessList> {
        Processes::from(self).list(&options).await
    }

    async fn list_users(&self, dir: AbsolutePath, options: ProcessOptions) -> Result<DirUsers> {
        Processes::from(self).users_of(&dir, &options).await
    }

    async fn read_process_log(
        &self,
        name: ProcessName,
        options: ProcessOptions,
    ) -> Result<ProcessLog> {
        Processes::from(self).log_of(&name, &options).await
    }

    async fn stop_process(
        &self,
        name: ProcessName,
        options: ProcessOptions,
    ) -> Result<ProcessView> {
        let processes = Processes::from(self);
        let work = processes.stop(&name, &options);
        self.observed("sandbox.stop_process", work, |stopped| json!({ "process": stopped.name }))
            .await
    }

    async fn mount_buckets(&self, options: MountBucketsOptions) -> Result<MountedBuckets> {
        self.observed("sandbox.mount_buckets", Mounts::from(self).mount(options), |mounted| {
            let states: Vec<_> = mounted.mounts.iter().map(|mount| mount.state).collect();
            json!({ "mounts": states })
        })
        .await
    }

    async fn run_code(&self, code: String, options: RunCodeOptions) -> Result<RunCodeResult> {
        self.observed("sandbox.run_code", Exec::from(self).run_source(code, options), |result| {
            json!({ "exitCode": result.exec.exit_code, "timedOut": result.exec.timed_out })
        })
        .await
    }

    async fn create_code_context(&self, options: CreateCodeContextOptions) -> Result<CodeContext> {
        let facts = |made: &CodeContext| json!({ "context": made.context });
        self.observed("sandbox.create_code_context", Exec::from(self).start_context(options), facts)
            .await
    }

    async fn list_code_contexts(&self, options: CodeContextOptions) -> Result<CodeContextList> {
        Exec::from(self).contexts(&options).await
    }

    async fn run_in_code_context(
        &self,
        context: CodeContextId,
        code: String,
        options: RunInCodeContextOptions,
    ) -> Result<Bytes> {
        let exec = Exec::from(self);
        let work = exec.stream_in_context(context, code, options);
        self.observed("sandbox.run_in_code_context", work, no_facts).await
    }

    async fn delete_code_context(
        &self,
        context: CodeContextId,
        options: CodeContextOptions,
    ) -> Result<()> {
        let exec = Exec::from(self);
        let work = exec.end_context(&context, &options);
        self.observed("sandbox.delete_code_context", work, no_facts).await
    }

    async fn read_file(&self, path: AbsolutePath, options: FileOptions) -> Result<ReadFileResult> {
        let facts = |result: &ReadFileResult| json!({ "sizeBytes": result.size_bytes });
        self.observed("sandbox.read_file", Files::from(self).read(&path, &options), facts).await
    }

    async fn write_file(
        &self,
        path: AbsolutePath,
        content: String,
        options: FileOptions,
    ) -> Result<()> {
        self.observed(
            "sandbox.write_file",
            Files::from(self).write(&path, content, &options),
            no_facts,
        )
        .await
    }

    async fn mkdir(&self, path: AbsolutePath, options: FileOptions) -> Result<()> {
        self.observed("sandbox.mkdir", Files::from(self).make_dir(&path, &options), no_facts).await
    }

    async fn list_files(
        &self,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<ListFilesResult> {
        let facts = |result: &ListFilesResult| json!({ "files": result.files.len() });
        self.observed("sandbox.list_files", Files::from(self).list(&path, &options), facts).await
    }

    async fn delete_file(&self, path: AbsolutePath, options: FileOptions) -> Result<()> {
        self.observed("sandbox.delete_file", Files::from(self).delete(&path, &options), no_facts)
            .await
    }

    async fn exists(&self, path: AbsolutePath, options: FileOptions) -> Result<Existence> {
        let exists = self
            .observed("sandbox.exists", Files::from(self).has(&path, &options), no_facts)
            .await?;
        Ok(Existence { exists })
    }

    async fn stat(&self, path: AbsolutePath, options: FileOptions) -> Result<FileStat> {
        self.observed("sandbox.stat", Files::from(self).look_at(&path, &options), no_facts).await
    }

    async fn glob(&self, path: AbsolutePath, options: SearchOptions) -> Result<FoundFiles> {
        let facts = |result: &FoundFiles| json!({ "files": result.files.len() });
        self.observed("sandbox.glob", Files::from(self).find_files(&path, &options), facts).await
    }

    async fn export_tar(&self, path: AbsolutePath, options: FileOptions) -> Result<Bytes> {
        self.observed("sandbox.export_tar", Files::from(self).export(&path, &options), no_facts)
            .await
    }

    async fn import_tar(
        &self,
        archive: Bytes,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<ImportedTar> {
        let facts = |result: &ImportedTar| json!({ "entries": result.entries, "sizeBytes": result.size_bytes });
        self.observed(
            "sandbox.import_tar",
            Files::from(self).import(archive, &path, &options),
            facts,
        )
        .await
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
            Files::from(self).keep_part(content, &part, &path, &options),
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
        let files = Files::from(self);
        let work = files.import_parts(&archive, &path, &options);
        self.observed("sandbox.import_upload", work, facts).await
    }

    async fn drop_upload(
        &self,
        upload: UploadId,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<()> {
        self.observed(
            "sandbox.drop_upload",
            Files::from(self).remove_parts(&upload, &path, &options),
            no_facts,
        )
        .await
    }

    async fn watch(&self, path: AbsolutePath, options: WatchOptions) -> Result<Bytes> {
        self.observed("sandbox.watch", Watch::from(self).watch_files(&path, options), no_facts)
            .await
    }

    async fn read_tree(
        &self,
        input: Bytes,
        path: AbsolutePath,
        options: TreeOptions,
    ) -> Result<String> {
        let facts = |read: &String| json!({ "sizeBytes": read.len() });
        self.observed(
            "sandbox.read_tree",
            Trees::from(self).read_part(input, &path, &options),
            facts,
        )
        .await
    }

    async fn apply_changes(
        &self,
        changes: Bytes,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<()> {
        self.observed(
            "sandbox.apply_changes",
            Trees::from(self).change(changes, &path, &options),
            no_facts,
        )
        .await
    }

    async fn grep(&self, path: AbsolutePath, options: GrepOptions) -> Result<FoundLines> {
        let facts = |result: &FoundLines| json!({ "lines": result.lines.len() });
        self.observed("sandbox.grep", Files::from(self).find_lines(&path, &options), facts).await
    }

    async fn take_git_checkpoint(
        &self,
        checkpoint: NewGitCheckpoint,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<TakenGitCheckpoint> {
        let facts = |taken: &TakenGitCheckpoint| json!({ "files": taken.files });
        let checkpoints = Checkpoints::from(self);
        let work = checkpoints.take(checkpoint, &path, &options);
        self.observed("sandbox.take_git_checkpoint", work, facts).await
    }

    async fn list_git_checkpoints(
        &self,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<GitCheckpointList> {
        let facts = |list: &GitCheckpointList| json!({ "checkpoints": list.git_checkpoints.len() });
        self.observed(
            "sandbox.list_git_checkpoints",
            Checkpoints::from(self).list(&path, &options),
            facts,
        )
        .await
    }

    async fn restore_git_checkpoint(
        &self,
        name: GitCheckpointName,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<RestoredGitCheckpoint> {
        let facts = |restored: &RestoredGitCheckpoint| json!({ "changes": restored.changed_count });
        let checkpoints = Checkpoints::from(self);
        let work = checkpoints.restore(&name, &path, &options);
        self.observed("sandbox.restore_git_checkpoint", work, facts).await
    }

    async fn diff_git_checkpoint(
        &self,
        name: GitCheckpointName,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<GitCheckpointDiff> {
        let facts = |diff: &GitCheckpointDiff| json!({ "changes": diff.files_changed });
        let checkpoints = Checkpoints::from(self);
        let work = checkpoints.diff(&name, &path, &options);
        self.observed("sandbox.diff_git_checkpoint", work, facts).await
    }

    async fn delete_git_checkpoint(
        &self,
        name: GitCheckpointName,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<Option<u64>> {
        let checkpoints = Checkpoints::from(self);
        let work = checkpoints.delete(&name, &path, &options);
        self.observed("sandbox.delete_git_checkpoint", work, no_facts).await
    }
}
