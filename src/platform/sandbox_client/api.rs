//! [`SandboxApi`] on the stub: what differs between the two classes is settled here.

use super::{RemoteSandbox, shell_quoted};
use crate::domain::backup::BackupHandle;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::{BackupId, InstanceId, UploadId};
use crate::domain::json::render;
use crate::domain::path::AbsolutePath;
use crate::platform::convert::{answer_from_js, args_to_js, json_from_js};
use crate::platform::stream::readable;
use crate::ports::sandbox::{
    BackupProgress, CommandLine, ConfigureOptions, CreateBackupOptions, ExecOptions, ExecResult,
    FileOptions, FileStat, FoundFiles, FoundLines, GrepOptions, ImportedTar, ListFilesResult,
    ReadFileResult, ReadRange, RestoreBackupOptions, RestoreBackupResult, RunCodeOptions,
    RunCodeResult, SandboxApi, SearchOptions, UploadPart, UploadedArchive,
};
use crate::ports::stream::Bytes;
use crate::ports::watch::WatchOptions;
use async_trait::async_trait;
use serde_json::{Value, json};
use wasm_bindgen::JsValue;

#[async_trait(?Send)]
impl SandboxApi for RemoteSandbox {
    async fn configure(&self, options: ConfigureOptions) -> Result<()> {
        let ours = self.is_ours().await?;
        let mut sent = render(&options)?;
        if !ours && let Some(fields) = sent.as_object_mut() {
            fields
                .insert("sandboxName".to_owned(), json!({ "name": self.id, "normalizeId": false }));
            if let Some(ms) = options.sleep_after_ms {
                fields.insert("sleepAfter".to_owned(), json!(ms / 1_000));
            }
        }
        self.call("configure", vec![args_to_js(&sent)?]).await?;
        if !ours && let Some(vars) = options.env_vars.filter(|vars| !vars.is_empty()) {
            self.call("setEnvVars", vec![args_to_js(&vars)?]).await?;
        }
        Ok(())
    }

    async fn ensure_running(&self) -> Result<InstanceId> {
        if self.is_ours().await? {
            self.ask("ensureRunning", vec![]).await
        } else {
            self.evidence().await
        }
    }

    async fn knows_disks(&self) -> Result<bool> {
        self.is_ours().await
    }

    async fn disk(&self) -> Result<Option<InstanceId>> {
        if self.is_ours().await? {
            return self.ask("disk", vec![]).await;
        }
        Err(Error::new(ErrorCode::Unsupported, "the bound sandbox class knows no disks"))
    }

    async fn is_running(&self) -> Result<bool> {
        self.ask("isRunning", vec![]).await
    }

    async fn is_telling(&self) -> Result<bool> {
        self.ask("isTelling", vec![]).await
    }

    async fn destroy(&self) -> Result<()> {
        self.call("destroy", vec![]).await.map(drop)
    }

    async fn create_backup(&self, options: CreateBackupOptions) -> Result<BackupHandle> {
        self.check_for_foreign(options.instance_id.as_ref(), None).await?;
        self.ask("createBackup", vec![args_to_js(&options)?]).await
    }

    async fn restore_backup(
        &self,
        handle: BackupHandle,
        options: RestoreBackupOptions,
    ) -> Result<RestoreBackupResult> {
        self.ask("restoreBackup", vec![args_to_js(&handle)?, args_to_js(&options)?]).await
    }

    async fn settle_backup(&self, id: BackupId) -> Result<BackupProgress> {
        self.ask("settleBackup", vec![args_to_js(&id)?]).await
    }

    async fn exec(&self, command: CommandLine, options: ExecOptions) -> Result<ExecResult> {
        self.check_for_foreign(options.instance_id.as_ref(), None).await?;
        let command = match command {
            CommandLine::Argv(argv) if !self.is_ours().await? => CommandLine::Shell(
                argv.iter().map(|argument| shell_quoted(argument)).collect::<Vec<_>>().join(" "),
            ),
            command => command,
        };
        if options.stdin.is_some() && !self.is_ours().await? {
            return Err(Error::new(
                ErrorCode::Unsupported,
                "stdin: the bound sandbox class cannot pass standard input",
            ));
        }
        self.ask("exec", vec![args_to_js(&command)?, args_to_js(&options)?]).await
    }

    async fn exec_stream(&self, command: CommandLine, options: ExecOptions) -> Result<Bytes> {
        // It has a method of this name, whose events tell of errors in another shape.
        if !self.is_ours().await? {
            return Err(Error::new(
                ErrorCode::Unsupported,
                "the bound sandbox class cannot stream what a command prints",
            )
            .with_hint("run it with workspace_run, which answers at its end"));
        }
        self.ask_stream("execStream", vec![args_to_js(&command)?, args_to_js(&options)?]).await
    }

    async fn run_code(&self, code: String, options: RunCodeOptions) -> Result<RunCodeResult> {
        // It has a method of this name that keeps variables between calls and knows no disks.
        if !self.is_ours().await? {
            return Err(Error::new(
                ErrorCode::Unsupported,
                "the bound sandbox class cannot run code as this tool promises",
            )
            .with_hint("write the code to a file and use workspace_run"));
        }
        self.ask("runCode", vec![args_to_js(&code)?, args_to_js(&options)?]).await
    }

    async fn read_file(&self, path: AbsolutePath, options: FileOptions) -> Result<ReadFileResult> {
        if options.range.is_some() && !self.is_ours().await? {
            // A part that holds the whole file is one that it can read.
            if let Some(ReadRange::Bytes { offset: 0, length }) = options.range {
                let whole = FileOptions { range: None, ..options };
                let read: ReadFileResult =
                    answer_from_js(self.on_file("readFile", &path, None, &whole).await?)?;
                if read.content.len() as u64 <= length {
                    return Ok(read);
                }
            }
            return Err(Error::new(
                ErrorCode::Unsupported,
                "the bound sandbox class cannot read a part of a file",
            )
            .with_hint("read the whole file, or use workspace_run with head, tail or sed"));
        }
        answer_from_js(self.on_file("readFile", &path, None, &options).await?)
    }

    async fn write_file(
        &self,
        path: AbsolutePath,
        content: String,
        options: FileOptions,
    ) -> Result<()> {
        if options.recursive
            && !self.is_ours().await?
            && let Some((parent, _name)) = path.as_str().rsplit_once('/')
            && !parent.is_empty()
        {
            self.mkdir(AbsolutePath::parse("path", parent)?, options.clone()).await?;
        }
        let text = JsValue::from_str(&content);
        drop(content);
        self.on_file("writeFile", &path, Some(text), &options).await.map(drop)
    }

    async fn mkdir(&self, path: AbsolutePath, options: FileOptions) -> Result<()> {
        self.on_file("mkdir", &path, None, &options).await.map(drop)
    }

    async fn list_files(
        &self,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<ListFilesResult> {
        let answer = self.on_file("listFiles", &path, None, &options).await?;
        let mut listed: ListFilesResult = answer_from_js(answer)?;
        if !self.is_ours().await? {
            // It lists all there is, in no order that it promises.
            listed.files.sort_by(|one, other| one.relative_path.cmp(&other.relative_path));
            let offset = usize::try_from(options.offset).unwrap_or(usize::MAX);
            let limit = options.limit.unwrap_or(usize::MAX);
            listed.truncated = listed.files.len().saturating_sub(offset) > limit;
            listed.files = listed.files.into_iter().skip(offset).take(limit).collect();
        }
        Ok(listed)
    }

    async fn delete_file(&self, path: AbsolutePath, options: FileOptions) -> Result<()> {
        self.on_file("deleteFile", &path, None, &options).await.map(drop)
    }

    async fn exists(&self, path: AbsolutePath, options: FileOptions) -> Result<bool> {
        let answer = json_from_js(self.on_file("exists", &path, None, &options).await?)?;
        answer
            .get("exists")
            .and_then(Value::as_bool)
            .ok_or_else(|| Error::internal("exists answered without `exists`"))
    }

    // The other class has none of these, so it is never asked to check a path for them.

    async fn stat(&self, path: AbsolutePath, options: FileOptions) -> Result<FileStat> {
        self.ask("stat", vec![args_to_js(&path)?, args_to_js(&options)?]).await
    }

    async fn glob(&self, path: AbsolutePath, options: SearchOptions) -> Result<FoundFiles> {
        self.ask("glob", vec![args_to_js(&path)?, args_to_js(&options)?]).await
    }

    async fn export_tar(&self, path: AbsolutePath, options: FileOptions) -> Result<Bytes> {
        self.require_ours("export archives").await?;
        self.ask_stream("exportTar", vec![args_to_js(&path)?, args_to_js(&options)?]).await
    }

    async fn import_tar(
        &self,
        archive: Bytes,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<ImportedTar> {
        self.require_ours("import archives").await?;
        let archive = readable(archive)?.into();
        self.ask("importTar", vec![archive, args_to_js(&path)?, args_to_js(&options)?]).await
    }

    async fn store_part(
        &self,
        content: Bytes,
        part: UploadPart,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<()> {
        self.require_ours("import archives").await?;
        let content = readable(content)?.into();
        let args = vec![content, args_to_js(&part)?, args_to_js(&path)?, args_to_js(&options)?];
        self.call("storePart", args).await.map(drop)
    }

    async fn import_upload(
        &self,
        archive: UploadedArchive,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<ImportedTar> {
        self.require_ours("import archives").await?;
        let args = vec![args_to_js(&archive)?, args_to_js(&path)?, args_to_js(&options)?];
        self.ask("importUpload", args).await
    }

    async fn drop_upload(
        &self,
        upload: UploadId,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<()> {
        self.require_ours("import archives").await?;
        let args = vec![args_to_js(&upload)?, args_to_js(&path)?, args_to_js(&options)?];
        self.call("dropUpload", args).await.map(drop)
    }

    async fn watch(&self, path: AbsolutePath, options: WatchOptions) -> Result<Bytes> {
        // It has a method of this name, whose events are others.
        self.require_ours("watch files").await?;
        self.ask_stream("watch", vec![args_to_js(&path)?, args_to_js(&options)?]).await
    }

    async fn grep(&self, path: AbsolutePath, options: GrepOptions) -> Result<FoundLines> {
        self.ask("grep", vec![args_to_js(&path)?, args_to_js(&options)?]).await
    }
}
