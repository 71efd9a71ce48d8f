//! Moves a command's output to a reader inside the runtime: its bytes never enter WebAssembly.
//! `pipeTo` does not work here. When its reader goes away, it cancels the source, and local
//! container engines then get stuck with the undelivered output and report no other process's end.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::text::tail::Ends;
use crate::platform::container::captured::drain_uncounted;
use crate::platform::container::js::{
    ExecProcess, IdentityTransformStream, JsByobReader, JsWriter, exit_status, get, object,
    unavailable, words,
};
use crate::platform::container::stream::JsBytes;
use crate::platform::convert::error_to_js;
use crate::ports::stream::Bytes;
use js_sys::{ArrayBuffer, Uint8Array};
use std::any::Any;
use std::cell::RefCell;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// More than a script prints about an error.
const COMPLAINT_BYTES: usize = 4_096;
/// Size of the chunks. Without it, a chunk would be what the runtime read from its socket at once.
const CHUNK_BYTES: u32 = 256 * 1_024;

/// Streams a process's stdout. The stream ends normally only if the process succeeds; otherwise it
/// breaks off. If the reader goes away, runs `stop`, which ends the process. Drops `held` once the
/// process has ended and the reader is done.
pub fn read_from(
    process: ExecProcess,
    stop: impl Future<Output = ()> + 'static,
    held: Box<dyn Any>,
) -> Result<Bytes> {
    let pipe = IdentityTransformStream::new();
    let byob = object(&[("mode", "byob".into())]);
    let from = process.stdout().reader_by_mode(&byob).map_err(unavailable)?;
    let to = pipe.writable().writer().map_err(unavailable)?;
    // A separate task, because the reader may read for long after this call.
    spawn_local(async move {
        let said = RefCell::new(Ends::new(COMPLAINT_BYTES, 0));
        let (carried, drained, exit) = futures::join!(
            carry(&from, &to, CHUNK_BYTES, stop),
            drain_uncounted(process.stderr(), &said),
            JsFuture::from(process.exit_code()),
        );
        let ended = match (carried, drained, exit_status(exit)) {
            (Ok(()), Ok(()), Ok(0)) => to.close(),
            (carried, _, status) => {
                let said = said.take().into_bytes();
                let cause = carried.err().map_or_else(
                    || format!("{status:?}: {}", String::from_utf8_lossy(&said).trim()),
                    |thrown| words(&thrown),
                );
                let error = Error::new(ErrorCode::Unavailable, "the archive could not be finished")
                    .with_outcome(Outcome::None)
                    .with_cause(cause);
                to.abort(&error_to_js(&error))
            }
        };
        if let Ok(ended) = ended {
            // This fails if the reader is gone.
            let _ = JsFuture::from(ended).await;
        }
        drop(held);
    });
    Ok(Box::new(JsBytes::new(pipe.readable())))
}

/// Moves chunks as fast as the reader takes them, and always reads to the end. If the reader is
/// gone, runs `stop`, which ends the writing process. Two buffers alternate, because garbage
/// collection would free new ones too late.
pub async fn carry(
    from: &JsByobReader,
    to: &JsWriter,
    chunk_bytes: u32,
    stop: impl Future<Output = ()>,
) -> std::result::Result<(), JsValue> {
    let buffer = || Uint8Array::new_with_length(chunk_bytes).buffer();
    let mut read = next(from, buffer()).await?;
    let mut spare = buffer();
    while let Some(chunk) = read {
        // One chunk is read ahead.
        let (written, ahead) = futures::join!(write(to, &chunk), next(from, spare));
        if let Err(gone) = written {
            let rest = async { while let Ok(Some(_)) = next(from, buffer()).await {} };
            let ((), ()) = futures::join!(stop, rest);
            return Err(gone);
        }
        spare = chunk.buffer();
        read = ahead?;
    }
    Ok(())
}

/// Reads the next chunk, which takes over `buffer`.
async fn next(
    from: &JsByobReader,
    buffer: ArrayBuffer,
) -> std::result::Result<Option<Uint8Array>, JsValue> {
    let into = Uint8Array::new(&buffer);
    let item = JsFuture::from(from.read_at_least(into.length(), &into)?).await?;
    Ok((!get(&item, "done").is_truthy()).then(|| get(&item, "value").unchecked_into()))
}

async fn write(to: &JsWriter, chunk: &Uint8Array) -> std::result::Result<(), JsValue> {
    JsFuture::from(to.write(chunk)?).await.map(drop)
}
