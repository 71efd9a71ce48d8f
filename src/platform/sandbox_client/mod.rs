//! [`SandboxApi`] over RPC, on our `Sandbox` class or on the one of
//! `@cloudflare/sandbox` 0.12.
//!
//! That class has the same method names but knows neither container disks nor
//! path roots, so for it those two checks are made here, by commands.

mod api;

use super::convert::{answer_from_js, args_to_js, error_from_js, from_worker};
use super::random::RuntimeRandom;
use super::stream::stream_from_js;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::{InstanceId, SandboxId};
use crate::domain::path::{AbsolutePath, leads_outside};
use crate::domain::workspace::lost_for_good;
use crate::ports::random::random_bytes;
use crate::ports::sandbox::{ExecResult, FileOptions, SandboxApi, Sandboxes};
use crate::ports::stream::Bytes;
use js_sys::{Array, Function, Promise, Reflect};
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
    /// Lets go of the arguments once they are sent: the call may take long.
    async fn call(&self, method: &str, args: Vec<JsValue>) -> Result<JsValue> {
        let function: Function = Reflect::get(&self.stub, &method.into())
            .map_err(|thrown| error_from_js(&thrown))?
            .dyn_into()
            .map_err(|_not_callable| Error::internal(format!("stub.{method} is not callable")))?;
        let promise: Promise =
            Reflect::apply(&function, &self.stub, &args.into_iter().collect::<Array>())
                .map_err(|thrown| error_from_js(&thrown))?
                .unchecked_into();
        JsFuture::from(promise).await.map_err(|thrown| error_from_js(&thrown))
    }

    async fn ask<T: DeserializeOwned>(&self, method: &str, args: Vec<JsValue>) -> Result<T> {
        answer_from_js(self.call(method, args).await?)
    }

    /// Refuses what the class of 0.12 can't do as it is promised.
    async fn require_ours(&self, what: &str) -> Result<()> {
        if self.is_ours().await? {
            return Ok(());
        }
        Err(Error::new(ErrorCode::Unsupported, format!("the bound sandbox class cannot {what}")))
    }

    async fn ask_stream(&self, method: &str, args: Vec<JsValue>) -> Result<Bytes> {
        stream_from_js(self.call(method, args).await?)
            .ok_or_else(|| Error::internal(format!("{method} answered without a stream")))
    }

    /// Whether the bound class is ours. Asked once, by a call that starts nothing.
    async fn is_ours(&self) -> Result<bool> {
        if let Some(ours) = self.ours.get() {
            return Ok(ours);
        }
        let ours = match self.call("isRunning", vec![]).await {
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
        if let Some(expected) = instance
            && expected != &self.evidence().await?
        {
            return Err(lost_for_good());
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
                _ => return Err(leads_outside(path.as_str(), root.as_str())),
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
        self.ask("exec", vec![args_to_js(&command)?, args_to_js(&options)?]).await
    }

    /// Calls a file method whose path the class may not check by itself.
    async fn on_file(
        &self,
        method: &str,
        path: &AbsolutePath,
        content: Option<JsValue>,
        options: &FileOptions,
    ) -> Result<JsValue> {
        let inside = options.within.as_ref().map(|root| (path, root));
        self.check_for_foreign(options.instance_id.as_ref(), inside).await?;
        let mut args = vec![args_to_js(path)?];
        if let Some(content) = content {
            args.push(content);
        }
        // There, what follows the path of these two is the id of one of its shell sessions.
        if !matches!(method, "deleteFile" | "exists") || self.is_ours().await? {
            args.push(args_to_js(options)?);
        }
        self.call(method, args).await
    }
}

/// One word for a POSIX shell, whatever it contains.
fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
