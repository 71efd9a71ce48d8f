//! [`Container`] over `ctx.container`. We hold a process's JavaScript object across every `await`
//! until its stdout has ended and its exit code is known: when the runtime collects that object,
//! stdout ends early, without an error.

pub(crate) mod captured;
pub(crate) mod egress;
pub(crate) mod js;
pub(crate) mod offering;
pub(crate) mod piping;
pub(crate) mod port;
pub(crate) mod process;
pub(crate) mod responding;
pub(crate) mod stream;
pub(crate) mod terminal;
pub(crate) mod transfer;

use crate::domain::egress::Interception;
use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::platform::clock::within;
use crate::platform::container::captured::Captured;
use crate::platform::container::egress::EgressEntrypoint;
use crate::platform::container::js::{
    ExecProcess, R2Bucket, SIGKILL, SIGTERM, get, number, object, set, unavailable, words,
};
use crate::platform::container::process::JsProcess;
use crate::platform::container::responding::{Prints, RespondingContainer, Stdin};
use crate::platform::container::stream::readable;
use crate::platform::container::terminal::JsTerminal;
use crate::ports::container::Terminal;
use crate::ports::container::{
    Command, Container, Offered, Output, Process, StartOptions, StoredObject, Upload, UploadedPart,
};
use crate::ports::stream::Bytes;
use async_trait::async_trait;
use futures::future::{Either, select};
use js_sys::Object;
use std::any::Any;
use std::cell::RefCell;
use std::pin::pin;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use worker::Env;

/// Name of the image in the configuration, if the object chooses the image.
const IMAGE: &str = "workspace";
/// Default size of the container. The platform's own default has too little memory for large
/// archives.
const DEFAULT_INSTANCE_TYPE: &str = "standard-1";
/// Time for a process to end after a signal.
const KILL_GRACE_MS: u64 = 3_000;
/// Time for a command's input to notice that the command has ended.
const FED_GRACE_MS: u64 = 2_000;
/// Longer than a settled promise takes to resolve.
const SETTLED_MS: u64 = 500;
const KILLED_EXIT_CODE: i32 = 137;
/// The exit code of a script that SIGTERM ended.
const TERMINATED_EXIT_CODE: i32 = 143;

/// The object's container.
#[derive(Clone)]
pub struct ObjectContainer {
    container: RespondingContainer,
    egress: EgressEntrypoint,
    env: Env,
}

impl ObjectContainer {
    /// The container of an object.
    pub const fn new(container: RespondingContainer, egress: EgressEntrypoint, env: Env) -> Self {
        Self { container, egress, env }
    }

    /// The runtime's own binding, because its `put` accepts a stream.
    fn bucket(&self, binding: &str) -> Result<R2Bucket> {
        let bucket = get(self.env.as_ref(), binding);
        if bucket.is_undefined() {
            let message = format!("the R2 binding {binding} is missing");
            return Err(Error::new(ErrorCode::NotConfigured, message)
                .with_hint("add it under [[r2_buckets]] in wrangler.toml"));
        }
        Ok(bucket.unchecked_into())
    }

    async fn start_process(
        &self,
        command: &Command,
        stdin: Stdin,
        prints: Prints,
    ) -> Result<ExecProcess> {
        let options = object(&[("stdout", "pipe".into()), ("stderr", "pipe".into())]);
        self.start_with(command, &options, stdin, prints).await
    }

    async fn start_with(
        &self,
        command: &Command,
        options: &Object,
        stdin: Stdin,
        prints: Prints,
    ) -> Result<ExecProcess> {
        if let Some(cwd) = &command.cwd {
            set(options, "cwd", &cwd.as_str().into());
        }
        if !command.env.is_empty() {
            let env = Object::new();
            for (name, value) in &command.env {
                set(&env, name, &value.as_str().into());
            }
            set(options, "env", &env);
        }
        let argv: Vec<&str> = command.argv.iter().map(String::as_str).collect();
        self.container.exec(&argv, options, stdin, prints).await
    }

    /// Runs a command to its end. Puts the process into `begun`, so that the caller can kill it.
    async fn run_to_end(
        &self,
        command: &Command,
        stdin: Stdin,
        captured: &Captured,
        begun: &RefCell<Option<ExecProcess>>,
    ) -> Result<i32> {
        let process = self.start_process(command, stdin, Prints::of(command)).await?;
        *begun.borrow_mut() = Some(process.clone());
        captured.until_end(&process).await
    }

    async fn run_fed_to_end(
        &self,
        command: &Command,
        (bucket, objects): (&R2Bucket, &[StoredObject]),
        captured: &Captured,
        begun: &RefCell<Option<ExecProcess>>,
    ) -> Result<i32> {
        // The first object is fetched while the command begins.
        let first = async {
            match objects.first() {
                Some(object) => transfer::body_of(bucket, &object.key).await.map(Some),
                None => Ok(None),
            }
        };
        let (process, first) =
            futures::join!(self.start_process(command, Stdin::Open, Prints::Little), first);
        let process = process?;
        *begun.borrow_mut() = Some(process.clone());
        let feeding = pin!(transfer::feed(&process, bucket, objects, first));
        let (fed, exit_code) = match select(feeding, pin!(captured.until_end(&process))).await {
            Either::Left((fed, ending)) => (fed, ending.await),
            // The runtime may not notice that nobody reads the input any more.
            Either::Right((exit_code, feeding)) => match within(FED_GRACE_MS, feeding).await {
                Some(fed) => (fed, exit_code),
                None if matches!(exit_code, Ok(0)) => (Ok(()), exit_code),
                None => (Err(transfer::incomplete("the command read no more")), exit_code),
            },
        };
        match (fed, exit_code?) {
            // The command stopped reading because it failed, and says why.
            (Err(error), exit_code)
                if error.code == ErrorCode::RestoreFailed
                    && ![0, TERMINATED_EXIT_CODE, KILLED_EXIT_CODE].contains(&exit_code) =>
            {
                Ok(exit_code)
            }
            // The command got less input than it expected.
            (Err(error), _) => Err(error.with_outcome(Outcome::None)),
            (Ok(()), exit_code) => Ok(exit_code),
        }
    }

    /// Runs a command to its end, or kills it after `kill_after_ms`.
    async fn run_with(
        &self,
        command: &Command,
        stdin: Stdin,
        captured: &Captured,
    ) -> Result<Output> {
        let begun = RefCell::new(None);
        let running = self.run_to_end(command, stdin, captured, &begun);
        run_limited(command, captured, &begun, running).await
    }
}

async fn run_limited(
    command: &Command,
    captured: &Captured,
    begun: &RefCell<Option<ExecProcess>>,
    running: impl Future<Output = Result<i32>>,
) -> Result<Output> {
    let mut running = pin!(running);
    let Some(limit_ms) = command.kill_after_ms else {
        let exit_code = running.await?;
        return Ok(captured.take_output(exit_code, false));
    };
    if let Some(exit_code) = within(limit_ms, running.as_mut()).await {
        return Ok(captured.take_output(exit_code?, false));
    }
    let process = begun.borrow().clone();
    let Some(process) = process else {
        return Err(Error::new(ErrorCode::Unavailable, "the sandbox's container does not respond")
            .with_outcome(Outcome::Unknown)
            .with_cause(format!("no process within {limit_ms} ms")));
    };
    for signal in [SIGTERM, SIGKILL] {
        // This fails if the process has just ended, which is the goal.
        let _ = process.kill(signal);
        if within(KILL_GRACE_MS, running.as_mut()).await.is_some() {
            break;
        }
    }
    Ok(captured.take_output(KILLED_EXIT_CODE, true))
}

#[async_trait(?Send)]
impl Container for ObjectContainer {
    fn is_running(&self) -> bool {
        self.container.js.running()
    }

    fn is_unresponsive(&self) -> bool {
        self.container.is_unresponsive()
    }

    async fn intercept(&self, interception: &Interception) -> Result<()> {
        egress::intercept(&self.container, &self.egress, interception).await
    }

    fn start(&self, options: &StartOptions) -> Result<()> {
        let start = object(&[("enableInternet", options.enable_internet.into())]);
        // The object chooses the image only under the scheduling policy `durable_object`.
        let image = get(&self.container.js.images(), IMAGE);
        if !image.is_undefined() {
            let size = options.instance_type.as_deref().unwrap_or(DEFAULT_INSTANCE_TYPE);
            set(&start, "image", &image);
            set(&start, "instance", &size.into());
        }
        self.container.start(&start)
    }

    fn image(&self) -> Option<String> {
        get(&self.container.js.images(), IMAGE).as_string()
    }

    async fn set_inactivity_timeout(&self, ms: u64) -> Result<()> {
        let promise = self.container.js.set_inactivity_timeout(number(ms)).map_err(unavailable)?;
        self.container.answer(promise).await
    }

    async fn destroy(&self) -> Result<()> {
        self.container.answer(self.container.js.destroy().map_err(unavailable)?).await
    }

    async fn why_ended(&self) -> Option<String> {
        // The monitor of an ended container settles at once. That of a running container would stay
        // pending and keep this object in memory.
        if self.container.js.running() {
            return None;
        }
        let ended = JsFuture::from(self.container.js.monitor().ok()?);
        within(SETTLED_MS, ended).await?.err().map(|thrown| words(&thrown))
    }

    async fn run(&self, command: &Command) -> Result<Output> {
        let captured = Captured::of(command);
        let output = self.run_with(command, Stdin::of(command), &captured).await?;
        match captured.again(command).await? {
            Some(captured) => self.run_with(command, Stdin::of(command), &captured).await,
            None => Ok(output),
        }
    }

    async fn offer(&self, command: &Command) -> Result<Offered> {
        let process = self.start_process(command, Stdin::Open, Prints::Little).await?;
        offering::offered(self, process, command).await
    }

    async fn spawn(&self, command: &Command) -> Result<Box<dyn Process>> {
        let process = self.start_process(command, Stdin::of(command), Prints::Much).await?;
        Ok(Box::new(JsProcess::new(process)?))
    }

    async fn open_terminal(&self, command: &Command) -> Result<Rc<dyn Terminal>> {
        // A terminal has only one output stream, and the runtime requires that we say so.
        let options = object(&[
            ("stdout", "pipe".into()),
            ("stderr", "combined".into()),
            ("pty", JsValue::TRUE),
        ]);
        // A program that waits for input prints little before it gets some.
        let process = self.start_with(command, &options, Stdin::Open, Prints::Little).await?;
        Ok(Rc::new(JsTerminal::new(process)?))
    }

    async fn read_from(
        &self,
        command: &Command,
        stop: Command,
        held: Box<dyn Any>,
    ) -> Result<Bytes> {
        let process = self.start_process(command, Stdin::of(command), Prints::Much).await?;
        let this = self.clone();
        let stop = async move {
            // This fails if the container has ended, and the process with it.
            let _ = this.run(&stop).await;
        };
        piping::read_from(process, stop, held)
    }

    async fn write_to(&self, command: &Command, stdin: Bytes) -> Result<Output> {
        let stdin = Stdin::Stream(JsValue::from(readable(stdin)?).unchecked_into());
        self.run_with(command, stdin, &Captured::of(command)).await
    }

    async fn run_with_objects(
        &self,
        command: &Command,
        binding: &str,
        objects: &[StoredObject],
    ) -> Result<Output> {
        let (bucket, captured) = (self.bucket(binding)?, Captured::of(command));
        let begun = RefCell::new(None);
        let running = self.run_fed_to_end(command, (&bucket, objects), &captured, &begun);
        run_limited(command, &captured, &begun, running).await
    }

    async fn upload(&self, upload: &Upload<'_>) -> Result<()> {
        transfer::upload(&self.container, &self.bucket(upload.binding)?, upload).await
    }

    async fn create_multipart(&self, binding: &str, key: &str) -> Result<String> {
        transfer::create_multipart(&self.bucket(binding)?, key).await
    }

    async fn upload_part(
        &self,
        upload: &Upload<'_>,
        upload_id: &str,
        part_number: u16,
        offset_bytes: u64,
        len_bytes: u64,
    ) -> Result<UploadedPart> {
        let bucket = self.bucket(upload.binding)?;
        let from = &self.container;
        transfer::upload_part(
            from,
            &bucket,
            upload,
            upload_id,
            part_number,
            offset_bytes,
            len_bytes,
        )
        .await
    }

    async fn complete_multipart(
        &self,
        upload: &Upload<'_>,
        upload_id: &str,
        parts: &[UploadedPart],
    ) -> Result<()> {
        transfer::complete_multipart(&self.bucket(upload.binding)?, upload, upload_id, parts).await
    }

    async fn download(&self, binding: &str, key: &str, size_bytes: u64, path: &str) -> Result<()> {
        transfer::download(&self.container, &self.bucket(binding)?, key, size_bytes, path).await
    }
}
