//! What a command prints, read to its end and kept up to a limit.

use super::container_js::{ExecProcess, JsStream, exit_status, get, unavailable};
use crate::domain::error::Result;
use crate::ports::container::Output;
use js_sys::Uint8Array;
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

/// What a command has printed so far, each stream up to a limit. Shared with a
/// future that may be given up, so what it read is still there then.
pub struct Captured {
    max_bytes: usize,
    stdout: RefCell<(Vec<u8>, bool)>,
    stderr: RefCell<(Vec<u8>, bool)>,
}

impl Captured {
    pub fn new(max_bytes: usize) -> Self {
        Self { max_bytes, stdout: RefCell::default(), stderr: RefCell::default() }
    }

    /// Reads both streams to their end, then the exit code.
    pub async fn until_end(&self, process: &ExecProcess) -> Result<i32> {
        let (stdout, stderr, exit) = futures::join!(
            drain(process.stdout(), &self.stdout, self.max_bytes),
            drain(process.stderr(), &self.stderr, self.max_bytes),
            JsFuture::from(process.exit_code()),
        );
        stdout?;
        stderr?;
        exit_status(exit)
    }

    pub fn take_output(&self, exit_code: i32, killed: bool) -> Output {
        let (stdout, stdout_truncated) = self.stdout.take();
        let (stderr, stderr_truncated) = self.stderr.take();
        Output { exit_code, stdout, stderr, stdout_truncated, stderr_truncated, killed }
    }
}

/// Reads a stream to its end; what exceeds `max_bytes` is not copied into WebAssembly.
pub async fn drain(
    stream: JsStream,
    kept: &RefCell<(Vec<u8>, bool)>,
    max_bytes: usize,
) -> Result<()> {
    let reader = stream.reader().map_err(unavailable)?;
    loop {
        let promise = reader.read().map_err(unavailable)?;
        let item = JsFuture::from(promise).await.map_err(unavailable)?;
        if get(&item, "done").is_truthy() {
            return Ok(());
        }
        let chunk: Uint8Array = get(&item, "value").unchecked_into();
        // No borrow is held across an await: the next read comes after this block.
        let (bytes, truncated) = &mut *kept.borrow_mut();
        let room = u32::try_from(max_bytes - bytes.len()).unwrap_or(u32::MAX);
        if chunk.length() > room {
            *truncated = true;
        }
        bytes.extend(chunk.subarray(0, room.min(chunk.length())).to_vec());
    }
}
