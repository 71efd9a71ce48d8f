//! The `Sandbox` object's methods as RPC sees them: positional arguments in,
//! the result shapes of `@cloudflare/sandbox` 0.12 out.

use crate::api::operation::Reply;
use crate::domain::arguments::read;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::{BackupId, UploadId};
use crate::domain::json::render;
use crate::domain::session::config::SleepAfter;
use crate::domain::snapshot::backup::{BackupHandle, rfc3339};
use crate::ports::sandbox::watch::WatchOptions;
use crate::ports::sandbox::{
    CommandLine, ConfigureOptions, CreateBackupOptions, ExecOptions, FileOptions, GrepOptions,
    RestoreBackupOptions, RunCodeOptions, SandboxApi, SearchOptions, UploadPart, UploadedArchive,
};
use crate::ports::stream::Bytes;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// One call, parsed.
#[derive(Debug, Clone, PartialEq)]
pub enum SandboxCall {
    /// `configure(options)`
    Configure(ConfigureOptions),
    /// `ensureRunning()`
    EnsureRunning,
    /// `disk()`
    Disk,
    /// `isRunning()`
    IsRunning,
    /// `runsCommands()`
    RunsCommands,
    /// `destroy()`
    Destroy,
    /// `createBackup(options)`
    CreateBackup(Box<CreateBackupOptions>),
    /// `restoreBackup(handle, options?)`
    RestoreBackup(BackupHandle, RestoreBackupOptions),
    /// `recoverBackup(id)`
    RecoverBackup(BackupId),
    /// `exec(command, options?)`
    Exec(CommandLine, ExecOptions),
    /// `execStream(command, options?)`
    ExecStream(CommandLine, ExecOptions),
    /// `runCode(code, options)`
    RunCode(String, RunCodeOptions),
    /// `readFile(path, options?)`
    ReadFile(AbsolutePath, FileOptions),
    /// `writeFile(path, content, options?)`
    WriteFile(AbsolutePath, String, FileOptions),
    /// `mkdir(path, options?)`
    Mkdir(AbsolutePath, FileOptions),
    /// `listFiles(path, options?)`
    ListFiles(AbsolutePath, FileOptions),
    /// `deleteFile(path, options?)`
    DeleteFile(AbsolutePath, FileOptions),
    /// `exists(path, options?)`
    Exists(AbsolutePath, FileOptions),
    /// `stat(path, options?)`
    Stat(AbsolutePath, FileOptions),
    /// `glob(path, options?)`
    Glob(AbsolutePath, SearchOptions),
    /// `exportTar(path, options?)`
    ExportTar(AbsolutePath, FileOptions),
    /// `importTar(stream, path, options?)`; the stream comes separately
    ImportTar(AbsolutePath, FileOptions),
    /// `storePart(stream, part, path, options?)`; the stream comes separately
    StorePart(UploadPart, AbsolutePath, FileOptions),
    /// `importUpload(archive, path, options?)`
    ImportUpload(UploadedArchive, AbsolutePath, FileOptions),
    /// `dropUpload(upload, path, options?)`
    DropUpload(UploadId, AbsolutePath, FileOptions),
    /// `watch(path, options?)`
    Watch(AbsolutePath, WatchOptions),
    /// `grep(path, options)`
    Grep(AbsolutePath, GrepOptions),
}

impl SandboxCall {
    /// Reads a call from its method and its positional arguments; missing and
    /// null options are defaults.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the argument; `UNSUPPORTED` for an unknown method.
    pub fn parse(method: &str, arguments: Value) -> Result<Self> {
        let mut arguments = Arguments::of(arguments)?;
        Ok(match method {
            "configure" => Self::Configure(configuration(arguments.next("options")?)?),
            "ensureRunning" => Self::EnsureRunning,
            "disk" => Self::Disk,
            "isRunning" => Self::IsRunning,
            "runsCommands" => Self::RunsCommands,
            "destroy" => Self::Destroy,
            "createBackup" => Self::CreateBackup(arguments.next("options")?),
            "restoreBackup" => {
                Self::RestoreBackup(arguments.next("backup")?, arguments.optional("options")?)
            }
            "recoverBackup" => Self::RecoverBackup(arguments.next("id")?),
            "exec" => Self::Exec(arguments.next("command")?, arguments.optional("options")?),
            "execStream" => {
                Self::ExecStream(arguments.next("command")?, arguments.optional("options")?)
            }
            "runCode" => Self::RunCode(arguments.next("code")?, arguments.next("options")?),
            "readFile" => Self::ReadFile(arguments.path()?, arguments.optional("options")?),
            "writeFile" => Self::WriteFile(
                arguments.path()?,
                arguments.next("content")?,
                arguments.optional("options")?,
            ),
            "mkdir" => Self::Mkdir(arguments.path()?, arguments.optional("options")?),
            "listFiles" => Self::ListFiles(arguments.path()?, arguments.optional("options")?),
            "deleteFile" => Self::DeleteFile(arguments.path()?, arguments.optional("options")?),
            "exists" => Self::Exists(arguments.path()?, arguments.optional("options")?),
            "stat" => Self::Stat(arguments.path()?, arguments.optional("options")?),
            "glob" => Self::Glob(arguments.path()?, arguments.optional("options")?),
            "exportTar" => Self::ExportTar(arguments.path()?, arguments.optional("options")?),
            "importTar" => Self::ImportTar(arguments.path()?, arguments.optional("options")?),
            "storePart" => Self::StorePart(
                arguments.next("part")?,
                arguments.path()?,
                arguments.optional("options")?,
            ),
            "importUpload" => Self::ImportUpload(
                arguments.next("archive")?,
                arguments.path()?,
                arguments.optional("options")?,
            ),
            "dropUpload" => Self::DropUpload(
                arguments.next("upload")?,
                arguments.path()?,
                arguments.optional("options")?,
            ),
            "watch" => Self::Watch(arguments.path()?, arguments.optional("options")?),
            "grep" => Self::Grep(arguments.path()?, arguments.next("options")?),
            _ => {
                return Err(Error::new(
                    ErrorCode::Unsupported,
                    format!("the sandbox has no method {method}"),
                ));
            }
        })
    }

    /// Runs the call with its stream, and shapes its answer. `now_ms` becomes the
    /// answer's `timestamp`.
    ///
    /// # Errors
    /// The method's errors.
    pub async fn run(
        self,
        sandbox: &dyn SandboxApi,
        stream: Option<Bytes>,
        now_ms: impl Fn() -> i64,
    ) -> Result<Reply> {
        let done = |fields: Value| shaped(fields, now_ms());
        let value = match self {
            Self::ExecStream(command, options) => {
                return Ok(Reply::Stream(sandbox.exec_stream(command, options).await?));
            }
            Self::Configure(options) => {
                sandbox.configure(options).await?;
                Ok(Value::Null)
            }
            Self::EnsureRunning => render(&sandbox.ensure_running().await?),
            Self::Disk => render(&sandbox.disk().await?),
            Self::IsRunning => render(&sandbox.is_running().await?),
            Self::RunsCommands => render(&sandbox.runs_commands().await?),
            Self::Destroy => {
                sandbox.destroy().await?;
                Ok(Value::Null)
            }
            Self::CreateBackup(options) => render(&sandbox.create_backup(*options).await?),
            Self::RestoreBackup(handle, options) => {
                render(&sandbox.restore_backup(handle, options).await?)
            }
            Self::RecoverBackup(id) => render(&sandbox.recover_backup(id).await?),
            Self::Exec(command, options) => {
                let shown = json!({ "command": command });
                let result = sandbox.exec(command, options).await?;
                Ok(done(merged(shown, render(&result)?)))
            }
            Self::RunCode(code, options) => render(&sandbox.run_code(code, options).await?),
            Self::ReadFile(path, options) => {
                let result = sandbox.read_file(path.clone(), options).await?;
                Ok(done(merged(json!({ "path": path }), result.into_value()?)))
            }
            Self::WriteFile(path, content, options) => {
                sandbox.write_file(path.clone(), content, options).await?;
                Ok(done(json!({ "path": path })))
            }
            Self::Mkdir(path, options) => {
                let recursive = options.recursive;
                sandbox.mkdir(path.clone(), options).await?;
                Ok(done(json!({ "path": path, "recursive": recursive })))
            }
            Self::ListFiles(path, options) => {
                let result = sandbox.list_files(path.clone(), options).await?;
                let head = json!({ "path": path, "count": result.files.len() });
                Ok(done(merged(head, render(&result)?)))
            }
            Self::DeleteFile(path, options) => {
                sandbox.delete_file(path.clone(), options).await?;
                Ok(done(json!({ "path": path })))
            }
            Self::Exists(path, options) => {
                let exists = sandbox.exists(path.clone(), options).await?;
                Ok(done(json!({ "path": path, "exists": exists })))
            }
            Self::Stat(path, options) => render(&sandbox.stat(path, options).await?),
            Self::Glob(path, options) => render(&sandbox.glob(path, options).await?),
            Self::ExportTar(path, options) => {
                return Ok(Reply::Stream(sandbox.export_tar(path, options).await?));
            }
            Self::Watch(path, options) => {
                return Ok(Reply::Stream(sandbox.watch(path, options).await?));
            }
            Self::ImportTar(path, options) => {
                let archive = stream.ok_or_else(|| Error::invalid("stream", "is missing"))?;
                render(&sandbox.import_tar(archive, path, options).await?)
            }
            Self::StorePart(part, path, options) => {
                let content = stream.ok_or_else(|| Error::invalid("stream", "is missing"))?;
                sandbox.store_part(content, part, path, options).await?;
                Ok(Value::Null)
            }
            Self::ImportUpload(archive, path, options) => {
                render(&sandbox.import_upload(archive, path, options).await?)
            }
            Self::DropUpload(upload, path, options) => {
                sandbox.drop_upload(upload, path, options).await?;
                Ok(Value::Null)
            }
            Self::Grep(path, options) => render(&sandbox.grep(path, options).await?),
        };
        value.map(Reply::Value)
    }
}

/// Positional arguments, taken one by one.
struct Arguments(std::vec::IntoIter<Value>);

impl Arguments {
    fn of(arguments: Value) -> Result<Self> {
        match arguments {
            Value::Array(arguments) => Ok(Self(arguments.into_iter())),
            _ => Err(Error::invalid("arguments", "must be an array")),
        }
    }

    fn next<T: DeserializeOwned>(&mut self, name: &str) -> Result<T> {
        let value = self.0.next().unwrap_or_default();
        read(name, value)
    }

    fn optional<T: DeserializeOwned + Default>(&mut self, name: &str) -> Result<T> {
        Ok(self.next::<Option<T>>(name)?.unwrap_or_default())
    }

    fn path(&mut self) -> Result<AbsolutePath> {
        AbsolutePath::parse("path", &self.next::<String>("path")?)
    }
}

/// Callers of 0.12 send `sleepAfter`, in seconds or as text.
fn configuration(mut options: Map<String, Value>) -> Result<ConfigureOptions> {
    if let Some(sleep_after) = options.remove("sleepAfter")
        && !sleep_after.is_null()
        && !options.contains_key("sleepAfterMs")
    {
        let sleep_after: SleepAfter = read("sleepAfter", sleep_after)?;
        options.insert("sleepAfterMs".to_owned(), json!(sleep_after.as_ms()));
    }
    read("options", Value::Object(options))
}

/// Adds `success`, unless the answer has its own, and a `timestamp`.
fn shaped(fields: Value, now_ms: i64) -> Value {
    let head = json!({ "success": true });
    merged(merged(head, fields), json!({ "timestamp": rfc3339(now_ms) }))
}

fn merged(mut first: Value, second: Value) -> Value {
    if let (Some(first), Value::Object(second)) = (first.as_object_mut(), second) {
        first.extend(second);
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::sandbox::Encoding;

    #[test]
    fn options_may_be_left_out() {
        let path = AbsolutePath::parse("path", "/a").unwrap();
        for arguments in [json!(["/a"]), json!(["/a", null]), json!(["/a", {}])] {
            assert_eq!(
                SandboxCall::parse("readFile", arguments).unwrap(),
                SandboxCall::ReadFile(path.clone(), FileOptions::default())
            );
        }
        let call =
            SandboxCall::parse("writeFile", json!(["/a", "x", { "encoding": "base64" }])).unwrap();
        let options = FileOptions { encoding: Some(Encoding::Base64), ..FileOptions::default() };
        assert_eq!(call, SandboxCall::WriteFile(path, "x".into(), options));
    }

    #[test]
    fn both_kinds_of_command_and_of_sleep_after_are_read() {
        let exec = |command: Value| SandboxCall::parse("exec", json!([command])).unwrap();
        assert_eq!(
            exec(json!("ls | wc")),
            SandboxCall::Exec(CommandLine::Shell("ls | wc".into()), ExecOptions::default())
        );
        assert_eq!(
            exec(json!(["ls", "-l"])),
            SandboxCall::Exec(
                CommandLine::Argv(vec!["ls".into(), "-l".into()]),
                ExecOptions::default()
            )
        );
        for (options, ms) in [
            (json!({ "sleepAfter": "10m", "sandboxName": { "name": "x" } }), 600_000),
            (json!({ "sleepAfter": 30 }), 30_000),
            (json!({ "sleepAfterMs": 5_000 }), 5_000),
        ] {
            let SandboxCall::Configure(options) =
                SandboxCall::parse("configure", json!([options])).unwrap()
            else {
                panic!("not configure");
            };
            assert_eq!(options.sleep_after_ms, Some(ms));
        }
    }

    #[test]
    fn broken_arguments_are_named() {
        for (method, arguments, says) in [
            ("readFile", json!([]), "path"),
            ("readFile", json!(["a"]), "path"),
            ("readFile", json!(["/a/../b"]), "path"),
            ("readFile", json!({}), "arguments"),
            ("createBackup", json!([{ "dir": "/etc" }]), "dir"),
            ("createBackup", json!([{ "dir": "/workspace", "ttl": 60 }]), "ttl: must"),
            ("createBackup", json!([{ "dir": "/workspace", "ttl": 61.5 }]), "ttl: invalid type"),
            ("recoverBackup", json!(["../../x"]), "id: must be"),
            ("writeFile", json!(["/a"]), "content"),
            ("configure", json!([{ "sleepAfter": "7h" }]), "sleepAfter"),
        ] {
            let error = SandboxCall::parse(method, arguments).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument);
            assert!(error.message.contains(says), "{error} should say {says}");
            assert!(!error.message.contains("INVALID_ARGUMENT"), "{error}");
        }
        assert_eq!(SandboxCall::parse("free", json!([])).unwrap_err().code, ErrorCode::Unsupported);
    }
}
