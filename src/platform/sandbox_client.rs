//! [`SandboxApi`] over RPC, on our `Sandbox` class or on the one of
//! `@cloudflare/sandbox` 0.12.
//!
//! That class has the same method names but knows neither container disks nor
//! path roots, so for it those two checks are made here, by commands.

use super::convert::{answer_from_js, error_from_js, from_worker, json_from_js, to_js};
use super::random::RuntimeRandom;
use crate::domain::backup::BackupHandle;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::{BackupId, InstanceId, SandboxId};
use crate::domain::path::{AbsolutePath, outside_workspace};
use crate::domain::workspace::check_instance;
use crate::ports::random::random_bytes;
use crate::ports::sandbox::{
    BackupProgress, CommandLine, ConfigureOptions, CreateBackupOptions, ExecOptions, ExecResult,
    FileOptions, FileStat, FoundFiles, FoundLines, GrepOptions, ListFilesResult, ReadFileResult,
    RestoreBackupOptions, RestoreBackupResult, RunCodeOptions, RunCodeResult, SandboxApi,
    Sandboxes, SearchOptions,
};
use async_trait::async_trait;
use js_sys::{Array, Function, Promise, Reflect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use worker::Env;

/// Reads, or makes on a fresh disk, the file that tells disks apart.
const DISK_EVIDENCE: &str = "d=/var/lib/snapshotter; mkdir -p $d; \
    [ -s $d/instance ] || { printf %s \"$NEW_ID\" > $d/instance.new && mv $d/instance.new $d/instance; }; \
    cat $d/instance";

/// The namespace that the binding `SANDBOX` names.
pub struct BoundSandboxes {
    env: Env,
    /// Whether the bound class is ours; none until a call has told.
    ours: Rc<Cell<Option<bool>>>,
}

impl BoundSandboxes {
    /// The namespace of this environment.
    pub fn new(env: Env) -> Self {
        Self { env, ours: Rc::default() }
    }
}

impl Sandboxes for BoundSandboxes {
    fn get(&self, id: &SandboxId) -> Result<Rc<dyn SandboxApi>> {
        let namespace = self.env.durable_object("SANDBOX").map_err(|error| {
            Error::new(ErrorCode::NotConfigured, "the Durable Object binding SANDBOX is missing")
                .with_hint("add it under [[durable_objects.bindings]] in wrangler.toml")
                .with_cause(error.to_string())
        })?;
        let stub = namespace.get_by_name(id.as_str()).map_err(|error| from_worker(&error))?;
        Ok(Rc::new(RemoteSandbox {
            id: id.clone(),
            stub: stub.into_rpc::<JsValue>(),
            ours: self.ours.clone(),
        }))
    }
}

struct RemoteSandbox {
    id: SandboxId,
    stub: JsValue,
    ours: Rc<Cell<Option<bool>>>,
}

impl RemoteSandbox {
    async fn call(&self, method: &str, args: &[JsValue]) -> Result<JsValue> {
        let function: Function = Reflect::get(&self.stub, &method.into())
            .map_err(|thrown| error_from_js(&thrown))?
            .dyn_into()
            .map_err(|_not_callable| Error::internal(format!("stub.{method} is not callable")))?;
        let promise: Promise =
            Reflect::apply(&function, &self.stub, &args.iter().collect::<Array>())
                .map_err(|thrown| error_from_js(&thrown))?
                .unchecked_into();
        JsFuture::from(promise).await.map_err(|thrown| error_from_js(&thrown))
    }

    async fn ask<T: DeserializeOwned>(&self, method: &str, args: &[JsValue]) -> Result<T> {
        answer_from_js(self.call(method, args).await?)
    }

    /// Whether the bound class is ours. Asked once, by a call that starts nothing.
    async fn is_ours(&self) -> Result<bool> {
        if let Some(ours) = self.ours.get() {
            return Ok(ours);
        }
        let ours = match self.call("isRunning", &[]).await {
            Ok(_) => true,
            Err(error) if error.code == ErrorCode::Unsupported => false,
            Err(error) => return Err(error),
        };
        self.ours.set(Some(ours));
        Ok(ours)
    }

    /// For a class that does not: is the disk the expected one, and does the
    /// path stay inside once symlinks are followed?
    async fn check_for_foreign(
        &self,
        instance: Option<&InstanceId>,
        inside: Option<(&AbsolutePath, &AbsolutePath)>,
    ) -> Result<()> {
        if self.is_ours().await? {
            return Ok(());
        }
        if let Some(expected) = instance {
            check_instance(expected, &self.evidence().await?)?;
        }
        if let Some((path, root)) = inside {
            let command = format!(
                "realpath -m -- {} {}",
                shell_quoted(root.as_str()),
                shell_quoted(path.as_str())
            );
            let found = self.plain_exec(command, json!({})).await?;
            let mut lines = found.stdout.lines();
            let real =
                |line: Option<&str>| line.and_then(|line| AbsolutePath::parse("path", line).ok());
            match (real(lines.next()), real(lines.next()), lines.next()) {
                (Some(root), Some(real), None) if real.is_at_or_under(root.as_str()) => {}
                _ => return Err(outside_workspace(path.as_str(), root.as_str())),
            }
        }
        Ok(())
    }

    async fn evidence(&self) -> Result<InstanceId> {
        let fresh = InstanceId::from_random(random_bytes(&RuntimeRandom)?);
        let options = json!({ "env": { "NEW_ID": fresh } });
        let found = self.plain_exec(DISK_EVIDENCE.to_owned(), options).await?;
        InstanceId::parse(found.stdout.trim())
            .map_err(|error| Error::internal(format!("evidence on disk: {error}")))
    }

    async fn plain_exec(&self, command: String, options: Value) -> Result<ExecResult> {
        self.ask("exec", &[to_js(&command)?, to_js(&options)?]).await
    }

    /// Calls a file method whose path the class may not check by itself.
    async fn on_file(
        &self,
        method: &str,
        path: &AbsolutePath,
        content: Option<&str>,
        options: &FileOptions,
    ) -> Result<JsValue> {
        let inside = options.within.as_ref().map(|root| (path, root));
        self.check_for_foreign(options.instance_id.as_ref(), inside).await?;
        let mut args = vec![to_js(path)?];
        if let Some(content) = content {
            args.push(content.into());
        }
        // There, what follows the path of these two is the id of one of its shell sessions.
        if !matches!(method, "deleteFile" | "exists") || self.is_ours().await? {
            args.push(to_js(options)?);
        }
        self.call(method, &args).await
    }
}

#[async_trait(?Send)]
impl SandboxApi for RemoteSandbox {
    async fn configure(&self, options: ConfigureOptions) -> Result<()> {
        let ours = self.is_ours().await?;
        let mut sent = to_value(&options)?;
        if !ours && let Some(fields) = sent.as_object_mut() {
            fields
                .insert("sandboxName".to_owned(), json!({ "name": self.id, "normalizeId": false }));
            if let Some(ms) = options.sleep_after_ms {
                fields.insert("sleepAfter".to_owned(), json!(ms / 1_000));
            }
        }
        self.call("configure", &[to_js(&sent)?]).await?;
        if !ours && let Some(vars) = options.env_vars.filter(|vars| !vars.is_empty()) {
            self.call("setEnvVars", &[to_js(&vars)?]).await?;
        }
        Ok(())
    }

    async fn ensure_running(&self) -> Result<InstanceId> {
        if self.is_ours().await? {
            self.ask("ensureRunning", &[]).await
        } else {
            self.evidence().await
        }
    }

    async fn is_running(&self) -> Result<bool> {
        self.ask("isRunning", &[]).await
    }

    async fn destroy(&self) -> Result<()> {
        self.call("destroy", &[]).await.map(drop)
    }

    async fn create_backup(&self, options: CreateBackupOptions) -> Result<BackupHandle> {
        self.check_for_foreign(options.instance_id.as_ref(), None).await?;
        self.ask("createBackup", &[to_js(&options)?]).await
    }

    async fn restore_backup(
        &self,
        handle: BackupHandle,
        options: RestoreBackupOptions,
    ) -> Result<RestoreBackupResult> {
        self.ask("restoreBackup", &[to_js(&handle)?, to_js(&options)?]).await
    }

    async fn settle_backup(&self, id: BackupId) -> Result<BackupProgress> {
        self.ask("settleBackup", &[to_js(&id)?]).await
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
        self.ask("exec", &[to_js(&command)?, to_js(&options)?]).await
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
        self.ask("runCode", &[to_js(&code)?, to_js(&options)?]).await
    }

    async fn read_file(&self, path: AbsolutePath, options: FileOptions) -> Result<ReadFileResult> {
        if options.range.is_some() && !self.is_ours().await? {
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
        self.on_file("writeFile", &path, Some(&content), &options).await.map(drop)
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
        self.ask("stat", &[to_js(&path)?, to_js(&options)?]).await
    }

    async fn glob(&self, path: AbsolutePath, options: SearchOptions) -> Result<FoundFiles> {
        self.ask("glob", &[to_js(&path)?, to_js(&options)?]).await
    }

    async fn grep(&self, path: AbsolutePath, options: GrepOptions) -> Result<FoundLines> {
        self.ask("grep", &[to_js(&path)?, to_js(&options)?]).await
    }
}

fn to_value<T: Serialize>(value: &T) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| Error::internal(error.to_string()))
}

/// One word for a POSIX shell, whatever it contains.
fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
