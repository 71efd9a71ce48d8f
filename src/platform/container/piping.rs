//! What a command prints, carried to a reader inside the runtime: chunks pass
//! by reference, and their bytes never enter WebAssembly.
//!
//! Not by `pipeTo`: when its reader goes it takes the source with it, and local
//! container engines, left with output of a process that they can't get rid
//! of, tell the end of no other process either.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::text::head_and_tail::Ends;
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

/// More than a script says of what went wrong.
const COMPLAINT_BYTES: usize = 4_096;
/// What is carried at once. By itself the runtime hands over what one read of its socket brought.
const CHUNK_BYTES: u32 = 256 * 1_024;

/// What a process prints to stdout. It ends only after the process ended well;
/// otherwise it breaks off.
///
/// `stop` ends it, and is run where the reader is gone. `held` is dropped once
/// it has ended and what it printed is read, or nobody will read it.
pub fn read_from(
    process: ExecProcess,
    stop: impl Future<Output = ()> + 'static,
    held: Box<dyn Any>,
) -> Result<Bytes> {
    let pipe = IdentityTransformStream::new();
    let byob = object(&[("mode", "byob".into())]);
    let from = process.stdout().reader_by_mode(&byob).map_err(unavailable)?;
    let to = pipe.writable().writer().map_err(unavailable)?;
    // By itself: the reader reads for as long as it likes after this call.
    spawn_local(async move {
        let said = RefCell::new(Ends::new(COMPLAINT_BYTES, 0));
        let (carried, drained, exit) = futures::join!(
            carry(&from, &to, stop),
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
            // It fails where the reader is gone.
            let _ = JsFuture::from(ended).await;
        }
        drop(held);
    });
    Ok(Box::new(JsBytes::new(pipe.readable())))
}

/// Carries chunks as fast as they are taken, and reads to the end in any case.
/// Two buffers take turns: the collector would come late for new ones.
async fn carry(
    from: &JsByobReader,
    to: &JsWriter,
    stop: impl Future<Output = ()>,
) -> std::result::Result<(), JsValue> {
    let buffer = || Uint8Array::new_with_length(CHUNK_BYTES).buffer();
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
        // It is written, so nobody needs it any more.
        spare = chunk.buffer();
        read = ahead?;
    }
    Ok(())
}

/// Reads into a buffer, which what is read takes over.
async fn next(
    from: &JsByobReader,
    buffer: ArrayBuffer,
) -> std::result::Result<Option<Uint8Array>, JsValue> {
    let item = JsFuture::from(from.read_at_least(CHUNK_BYTES, &Uint8Array::new(&buffer))?).await?;
    Ok((!get(&item, "done").is_truthy()).then(|| get(&item, "value").unchecked_into()))
}

async fn write(to: &JsWriter, chunk: &Uint8Array) -> std::result::Result<(), JsValue> {
    JsFuture::from(to.write(chunk)?).await.map(drop)
}
