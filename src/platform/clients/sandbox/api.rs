//! [`SandboxApi`] over the object's stub.

use crate::domain::error::{Error, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::{BackupId, InstanceId, UploadId};
use crate::domain::snapshot::backup::BackupHandle;
use crate::platform::clients::sandbox::RemoteSandbox;
use crate::platform::container::stream::readable;
use crate::platform::convert::{args_to_js, json_from_js};
use crate::ports::sandbox::watch::WatchOptions;
use crate::ports::sandbox::{
    BackupProgress, CommandLine, ConfigureOptions, CreateBackupOptions, ExecOptions, ExecResult,
    FileOptions, FileStat, FoundFiles, FoundLines, GrepOptions, ImportedTar, ListFilesResult,
    ReadFileResult, RestoreBackupOptions, RestoreBackupResult, RunCodeOptions, RunCodeResult,
    SandboxApi, SearchOptions, UploadPart, UploadedArchive,
};
use crate::ports::stream::Bytes;
use async_trait::async_trait;
use serde_json::Value;
use wasm_bindgen::JsValue;

#[async_trait(?Send)]
impl SandboxApi for RemoteSandbox {
    async fn configure(&self, options: ConfigureOptions) -> Result<()> {
        self.call("configure", vec![args_to_js(&options)?]).await.map(drop)
    }

    async fn ensure_running(&self) -> Result<InstanceId> {
        self.ask("ensureRunning", vec![]).await
    }

    async fn disk(&self) -> Result<Option<InstanceId>> {
        self.ask("disk", vec![]).await
    }

    async fn is_running(&self) -> Result<bool> {
        self.ask("isRunning", vec![]).await
    }

    async fn runs_commands(&self) -> Result<bool> {
        self.ask("runsCommands", vec![]).await
    }

    async fn destroy(&self) -> Result<()> {
        self.call("destroy", vec![]).await.map(drop)
    }

    async fn create_backup(&self, options: CreateBackupOptions) -> Result<BackupHandle> {
        self.ask("createBackup", vec![args_to_js(&options)?]).await
    }

    async fn restore_backup(
        &self,
        handle: BackupHandle,
        options: RestoreBackupOptions,
    ) -> Result<RestoreBackupResult> {
        self.ask("restoreBackup", vec![args_to_js(&handle)?, args_to_js(&options)?]).await
    }

    async fn recover_backup(&self, id: BackupId) -> Result<BackupProgress> {
        self.ask("recoverBackup", vec![args_to_js(&id)?]).await
    }

    async fn exec(&self, command: CommandLine, options: ExecOptions) -> Result<ExecResult> {
        self.ask("exec", vec![args_to_js(&command)?, args_to_js(&options)?]).await
    }

    async fn exec_stream(&self, command: CommandLine, options: ExecOptions) -> Result<Bytes> {
        self.ask_stream("execStream", vec![args_to_js(&command)?, args_to_js(&options)?]).await
    }

    async fn run_code(&self, code: String, options: RunCodeOptions) -> Result<RunCodeResult> {
        self.ask("runCode", vec![args_to_js(&code)?, args_to_js(&options)?]).await
    }

    async fn read_file(&self, path: AbsolutePath, options: FileOptions) -> Result<ReadFileResult> {
        self.ask("readFile", vec![args_to_js(&path)?, args_to_js(&options)?]).await
    }

    async fn write_file(
        &self,
        path: AbsolutePath,
        content: String,
        options: FileOptions,
    ) -> Result<()> {
        let text = JsValue::from_str(&content);
        drop(content);
        let args = vec![args_to_js(&path)?, text, args_to_js(&options)?];
        self.call("writeFile", args).await.map(drop)
    }

    async fn mkdir(&self, path: AbsolutePath, options: FileOptions) -> Result<()> {
        self.call("mkdir", vec![args_to_js(&path)?, args_to_js(&options)?]).await.map(drop)
    }

    async fn list_files(
        &self,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<ListFilesResult> {
        self.ask("listFiles", vec![args_to_js(&path)?, args_to_js(&options)?]).await
    }

    async fn delete_file(&self, path: AbsolutePath, options: FileOptions) -> Result<()> {
        self.call("deleteFile", vec![args_to_js(&path)?, args_to_js(&options)?]).await.map(drop)
    }

    async fn exists(&self, path: AbsolutePath, options: FileOptions) -> Result<bool> {
        let answer = self.call("exists", vec![args_to_js(&path)?, args_to_js(&options)?]).await?;
        json_from_js(answer)?
            .get("exists")
            .and_then(Value::as_bool)
            .ok_or_else(|| Error::internal("exists answered without `exists`"))
    }

    async fn stat(&self, path: AbsolutePath, options: FileOptions) -> Result<FileStat> {
        self.ask("stat", vec![args_to_js(&path)?, args_to_js(&options)?]).await
    }

    async fn glob(&self, path: AbsolutePath, options: SearchOptions) -> Result<FoundFiles> {
        self.ask("glob", vec![args_to_js(&path)?, args_to_js(&options)?]).await
    }

    async fn export_tar(&self, path: AbsolutePath, options: FileOptions) -> Result<Bytes> {
        self.ask_stream("exportTar", vec![args_to_js(&path)?, args_to_js(&options)?]).await
    }

    async fn import_tar(
        &self,
        archive: Bytes,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<ImportedTar> {
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
        let args = vec![args_to_js(&archive)?, args_to_js(&path)?, args_to_js(&options)?];
        self.ask("importUpload", args).await
    }

    async fn drop_upload(
        &self,
        upload: UploadId,
        path: AbsolutePath,
        options: FileOptions,
    ) -> Result<()> {
        let args = vec![args_to_js(&upload)?, args_to_js(&path)?, args_to_js(&options)?];
        self.call("dropUpload", args).await.map(drop)
    }

    async fn watch(&self, path: AbsolutePath, options: WatchOptions) -> Result<Bytes> {
        self.ask_stream("watch", vec![args_to_js(&path)?, args_to_js(&options)?]).await
    }

    async fn grep(&self, path: AbsolutePath, options: GrepOptions) -> Result<FoundLines> {
        self.ask("grep", vec![args_to_js(&path)?, args_to_js(&options)?]).await
    }
}
