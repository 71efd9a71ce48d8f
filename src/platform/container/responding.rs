//! The object's container with a response timeout.

use crate::domain::error::{Error, Result};
use crate::platform::container::captured::Captured;
use crate::platform::container::js::{
    ExecProcess, JsContainer, JsStream, JsWritable, SIGTERM, object, set, unavailable,
};
use crate::ports::container::{Command, Needed};
use crate::sandbox::ResponseTimeout;
use futures::channel::oneshot;
use js_sys::{Array, Object, Promise, Uint8Array};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Runs the command in its arguments after it reads a line. So a command that prints much begins
/// only when its output is being read: local workerd reads no output until the engine has described
/// the process, and newer Docker engines do not describe a process that has ended with unread
/// output. See `docs/decisions/response-timeout.md`.
const WAIT: [&str; 4] = ["/bin/sh", "-c", r#"read -r _ && exec "$@""#, "sh"];

/// How much a command may print.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Prints {
    /// Never more than an engine accepts unread.
    Little,
    Much,
}

impl Prints {
    pub fn of(command: &Command) -> Self {
        if command.room == Needed::Nothing { Self::Little } else { Self::Much }
    }
}

/// The stdin of a command.
pub enum Stdin {
    Nothing,
    Bytes(Vec<u8>),
    Stream(JsStream),
    /// The caller writes the stdin. Only for a command that prints little before it gets its stdin.
    Open,
}

impl Stdin {
    pub fn of(command: &Command) -> Self {
        command.stdin.clone().map_or(Self::Nothing, Self::Bytes)
    }
}

/// `ctx.container`, and the time of its last response.
#[derive(Clone)]
pub struct RespondingContainer {
    /// The container itself, for calls that need no response.
    pub js: JsContainer,
    timeout: Rc<ResponseTimeout>,
}

impl RespondingContainer {
    pub fn new(js: JsContainer, timeout: ResponseTimeout) -> Self {
        Self { js, timeout: Rc::new(timeout) }
    }

    /// Whether a request timed out and no response has come since then.
    pub fn is_unresponsive(&self) -> bool {
        self.timeout.is_unresponsive()
    }

    /// Starts the container. Needs no response.
    pub fn start(&self, options: &Object) -> Result<()> {
        self.timeout.reset();
        self.js.start(options).map_err(unavailable)
    }

    /// Starts a process. If it starts after the caller gave up, ends it.
    pub async fn exec(
        &self,
        argv: &[&str],
        options: &Object,
        stdin: Stdin,
        prints: Prints,
    ) -> Result<ExecProcess> {
        let waits = prints == Prints::Much;
        let wait = if waits { WAIT.as_slice() } else { &[] };
        let argv: Array = wait.iter().chain(argv).map(|word| JsValue::from_str(word)).collect();
        let reads = waits || !matches!(stdin, Stdin::Nothing);
        if reads {
            set(options, "stdin", &"pipe".into());
        }
        let promise = self.js.exec(&argv, options).map_err(unavailable)?;
        let (sender, begun) = oneshot::channel();
        let timeout = self.timeout.clone();
        // A separate task, because the caller may have given up.
        spawn_local(async move {
            let begun = JsFuture::from(promise).await;
            timeout.note_response();
            if let Err(Ok(late)) = sender.send(begun) {
                end(&late.unchecked_into()).await;
            }
        });
        let begun = self.timeout.wait(begun).await?;
        let begun = begun.map_err(|_dropped| Error::internal("a command's beginning was lost"))?;
        let process: ExecProcess = begun.map(JsCast::unchecked_into).map_err(unavailable)?;
        if reads && !matches!(stdin, Stdin::Open) {
            spawn_local(feed(process.clone(), stdin, waits));
        }
        Ok(process)
    }

    /// Waits for any other request.
    pub async fn answer(&self, promise: Promise) -> Result<()> {
        self.timeout.wait(JsFuture::from(promise)).await?.map(drop).map_err(unavailable)
    }
}

/// Writes a process's stdin, after the line that ends its wait.
async fn feed(process: ExecProcess, stdin: Stdin, waits: bool) {
    let from_stream = matches!(stdin, Stdin::Stream(_));
    if write(&process.stdin(), stdin, waits).await.is_err() && from_stream {
        // Otherwise the command would wait for the rest, or take the part for the whole. This fails
        // if the process has ended, which can be why it took no more.
        let _ = process.kill(SIGTERM);
    }
}

async fn write(to: &JsWritable, stdin: Stdin, waits: bool) -> std::result::Result<(), JsValue> {
    let writer = to.writer()?;
    let write = async |bytes: &[u8]| JsFuture::from(writer.write(&Uint8Array::from(bytes))?).await;
    if waits {
        write(b"\n").await?;
    }
    match stdin {
        Stdin::Nothing | Stdin::Open => {}
        Stdin::Bytes(bytes) => drop(write(&bytes).await?),
        Stdin::Stream(from) => {
            writer.release_lock()?;
            // Otherwise a source that breaks off would look like a source that ended.
            let options = object(&[("preventAbort", true.into())]);
            return JsFuture::from(from.pipe_to(to.as_ref(), &options)?).await.map(drop);
        }
    }
    JsFuture::from(writer.close()?).await.map(drop)
}

/// Ends a process and reads its output to the end: while an engine can't deliver output, it does
/// not report the end of any other process.
async fn end(process: &ExecProcess) {
    // This fails if the process has already ended.
    let _ = process.kill(SIGTERM);
    let _ = Captured::new(0, 0).until_end(process).await;
}
