//! A command that runs while its caller reads its output.

use crate::domain::error::Result;
use crate::platform::container::js::{ExecProcess, exit_status, unavailable};
use crate::platform::container::stream::Chunks;
use crate::ports::container::{Happened, Process};
use async_trait::async_trait;
use futures::FutureExt;
use futures::future::{LocalBoxFuture, poll_fn};
use std::task::{Context, Poll};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

/// A process of the container.
pub struct JsProcess {
    /// Held until the exit code is known: see [`crate::platform::container`].
    _process: ExecProcess,
    stdout: Chunks,
    stderr: Chunks,
    exit: LocalBoxFuture<'static, std::result::Result<JsValue, JsValue>>,
    /// Which stream to poll first. Alternates, so that neither waits until the other is silent.
    stderr_first: bool,
}

impl JsProcess {
    /// Starts reading a process's output.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the process's streams can't be read.
    pub fn new(process: ExecProcess) -> Result<Self> {
        let stdout = Chunks::of(&process.stdout()).map_err(unavailable)?;
        let stderr = Chunks::of(&process.stderr()).map_err(unavailable)?;
        let exit = JsFuture::from(process.exit_code()).boxed_local();
        Ok(Self { _process: process, stdout, stderr, exit, stderr_first: false })
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<Happened>> {
        for is_stderr in [self.stderr_first, !self.stderr_first] {
            let pipe = if is_stderr { &mut self.stderr } else { &mut self.stdout };
            if let Poll::Ready(read) = pipe.poll(context)
                && let Some(bytes) = read.map_err(unavailable)?
            {
                self.stderr_first = !is_stderr;
                let happened = if is_stderr { Happened::Stderr } else { Happened::Stdout };
                return Poll::Ready(Ok(happened(bytes)));
            }
        }
        if !(self.stdout.has_ended() && self.stderr.has_ended()) {
            return Poll::Pending;
        }
        self.exit.poll_unpin(context).map(|settled| exit_status(settled).map(Happened::Exited))
    }
}

#[async_trait(?Send)]
impl Process for JsProcess {
    async fn next(&mut self) -> Result<Happened> {
        poll_fn(|context| self.poll(context)).await
    }
}
