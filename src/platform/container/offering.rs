//! Runs a command that makes an archive, reports its size and hash, and then offers to print it.

use crate::domain::error::{Error, Result};
use crate::domain::text::tail::Ends;
use crate::platform::clock::within;
use crate::platform::container::captured::drain_uncounted;
use crate::platform::container::js::{
    ExecProcess, JsStream, JsWriter, R2Bucket, SIGKILL, SIGTERM, exit_status, get, unavailable,
};
use crate::platform::container::responding::RespondingContainer;
use crate::platform::container::transfer::upload_printed;
use crate::platform::container::{KILLED_EXIT_CODE, ObjectContainer};
use crate::ports::container::{Command, Offer, Offered, Output, Upload};
use async_trait::async_trait;
use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::LocalBoxFuture;
use js_sys::Uint8Array;
use std::cell::RefCell;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// More than a command prints about its file.
const SAID_MAX_BYTES: usize = 64 * 1024;
/// Ends the text that a command prints about its file.
const END: &[u8] = b"\n\n";
/// Time limit for a command to end after it was told to end.
const END_LIMIT_MS: u64 = 60_000;

/// Reads a process's stdout until it ends or offers a file. The process's stdin stays open.
pub async fn offered(
    container: &ObjectContainer,
    process: ExecProcess,
    command: &Command,
) -> Result<Offered> {
    let stderr = read_to_end(process.stderr(), command.output_max_bytes);
    let stdin = process.stdin().writer().map_err(unavailable)?;
    let offer = JsOffer {
        container: container.clone(),
        process: process.clone(),
        stdin,
        stderr,
        answered: false,
    };
    let mut said = Vec::new();
    let limit_ms = command.kill_after_ms.unwrap_or(u64::MAX);
    match within(limit_ms, offers(&process, &mut said)).await {
        Some(Ok(true)) => Ok(Offered::File(said, Box::new(offer))),
        Some(Ok(false)) => {
            let exit_code = exit_status(JsFuture::from(process.exit_code()).await)?;
            Ok(Offered::Ended(offer.ended(exit_code, said, false).await))
        }
        Some(Err(thrown)) => Err(unavailable(thrown)),
        None => {
            for signal in [SIGTERM, SIGKILL] {
                // This fails if the process has just ended, which is the goal.
                let _ = process.kill(signal);
                if within(super::KILL_GRACE_MS, JsFuture::from(process.exit_code())).await.is_some()
                {
                    break;
                }
            }
            Ok(Offered::Ended(offer.ended(KILLED_EXIT_CODE, said, true).await))
        }
    }
}

/// Whether the process offers a file, instead of ending.
async fn offers(process: &ExecProcess, said: &mut Vec<u8>) -> std::result::Result<bool, JsValue> {
    let reader = process.stdout().reader()?;
    loop {
        let item = JsFuture::from(reader.read()?).await?;
        if get(&item, "done").is_truthy() {
            return Ok(false);
        }
        let chunk: Uint8Array = get(&item, "value").unchecked_into();
        said.extend_from_slice(&chunk.to_vec());
        // The process waits for an answer now, so no byte of the file has been read.
        if said.ends_with(END) {
            reader.release_lock()?;
            return Ok(true);
        }
        if said.len() > SAID_MAX_BYTES {
            return Err("a command printed too much about its file".into());
        }
    }
}

/// Reads a stream to its end, even if the result is not awaited.
fn read_to_end(stream: JsStream, max_bytes: usize) -> LocalBoxFuture<'static, Vec<u8>> {
    let (sender, read) = oneshot::channel();
    spawn_local(async move {
        let kept = RefCell::new(Ends::new(max_bytes, 0));
        // After a failure, the bytes that were read are still used.
        let _ = drain_uncounted(stream, &kept).await;
        let _ = sender.send(kept.take().into_bytes());
    });
    async move { read.await.unwrap_or_default() }.boxed_local()
}

struct JsOffer {
    container: ObjectContainer,
    /// Held until stdout is read to its end: see [`crate::platform::container`].
    process: ExecProcess,
    stdin: JsWriter,
    stderr: LocalBoxFuture<'static, Vec<u8>>,
    answered: bool,
}

impl JsOffer {
    async fn ended(mut self, exit_code: i32, stdout: Vec<u8>, killed: bool) -> Output {
        self.answered = true;
        let stderr = within(END_LIMIT_MS, &mut self.stderr).await.unwrap_or_default();
        let (stdout_truncated, stderr_truncated) = (false, false);
        Output { exit_code, stdout, stderr, stdout_truncated, stderr_truncated, killed }
    }

    async fn answer(&mut self, line: &[u8]) -> Result<()> {
        self.answered = true;
        let written = async {
            if !line.is_empty() {
                JsFuture::from(self.stdin.write(&Uint8Array::from(line))?).await?;
            }
            JsFuture::from(self.stdin.close()?).await
        };
        let written: std::result::Result<JsValue, JsValue> = written.await;
        written.map(drop).map_err(unavailable)
    }

    /// Reads the rest of the output, and waits for the process to end.
    async fn end(mut self) -> Result<Vec<u8>> {
        let ended = async {
            let rest = RefCell::new(Ends::new(0, 0));
            let (read, exit) = futures::join!(
                drain_uncounted(self.process.stdout(), &rest),
                JsFuture::from(self.process.exit_code()),
            );
            read?;
            exit_status(exit)
        };
        match within(END_LIMIT_MS, ended).await {
            Some(Ok(0)) => Ok((&mut self.stderr).await),
            Some(Ok(status)) => Err(Error::internal(format!(
                "a command that was to leave its file ended with status {status}"
            ))),
            Some(Err(error)) => Err(error),
            None => {
                let _ = self.process.kill(SIGKILL);
                Err(unavailable("a command that was to leave its file does not end".into()))
            }
        }
    }
}

impl Drop for JsOffer {
    fn drop(&mut self) {
        if !self.answered {
            // This fails if the process has ended.
            let _ = self.process.kill(SIGTERM);
        }
    }
}

#[async_trait(?Send)]
impl Offer for JsOffer {
    async fn upload(mut self: Box<Self>, upload: &Upload<'_>) -> Result<Vec<u8>> {
        let bucket: R2Bucket = self.container.bucket(upload.binding)?;
        let container: RespondingContainer = self.container.container.clone();
        let process = self.process.clone();
        let (sent, answered) = futures::join!(
            upload_printed(&container, &process, &bucket, upload),
            self.answer(b"send\n")
        );
        // A process that ended before it read the answer has sent nothing.
        sent.and(answered)?;
        Ok(within(END_LIMIT_MS, &mut self.stderr).await.unwrap_or_default())
    }

    async fn keep(mut self: Box<Self>) -> Result<Vec<u8>> {
        self.answer(b"").await?;
        self.end().await
    }

    fn discard(mut self: Box<Self>) {
        spawn_local(async move {
            // The next backup removes leftovers.
            if self.answer(b"drop\n").await.is_ok() {
                let _ = self.end().await;
            }
        });
    }
}
