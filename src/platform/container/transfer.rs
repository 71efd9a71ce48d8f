//! Archives between the container's disk and R2. The bytes never enter WebAssembly memory. Every
//! length is checked.

use crate::domain::error::{Error, ErrorCode, Next, Result};
use crate::platform::clock::within;
use crate::platform::container::captured::Captured;
use crate::platform::container::js::{
    ExecProcess, FixedLengthStream, JsStream, JsWriter, R2Bucket, R2Upload, SIGKILL, SIGTERM,
    exit_status, get, number, object, r2_failed, unavailable, words,
};
use crate::platform::container::piping::carry;
use crate::platform::container::responding::{Prints, RespondingContainer, Stdin};
use crate::ports::container::{StoredObject, Upload, UploadedPart};
use js_sys::{Array, Function, Promise, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Size of the chunks for R2. The small chunks that the runtime reads from its socket take longer.
const CHUNK_BYTES: u32 = 1024 * 1024;
/// Time limit of a transfer. Without it, a program in the container could delay it for ever.
fn limit_ms(size_bytes: u64) -> u64 {
    // Assumes at least a megabyte per second.
    (120_000 + size_bytes / 1_000).min(3_600_000)
}
/// More than a size or an error message needs.
const SMALL_OUTPUT_BYTES: usize = 4_096;

/// Streams a file to R2 as one put. R2 checks its SHA-256.
pub async fn upload(
    container: &RespondingContainer,
    bucket: &R2Bucket,
    upload: &Upload<'_>,
) -> Result<()> {
    let options = object(&[("stdout", "pipe".into()), ("stderr", "ignore".into())]);
    let argv = ["cat", "--", upload.path];
    let process = container.exec(&argv, &options, Stdin::Nothing, Prints::Much).await?;
    upload_printed(container, &process, bucket, upload).await
}

/// Streams a process's output to R2 as one put. R2 checks its SHA-256.
pub async fn upload_printed(
    container: &RespondingContainer,
    process: &ExecProcess,
    bucket: &R2Bucket,
    upload: &Upload<'_>,
) -> Result<()> {
    let options = object(&[("sha256", Uint8Array::from(upload.sha256.as_slice()).into())]);
    let put = |readable: &JsValue| bucket.put(upload.key, readable, &options);
    let stored = send(container, process, upload.size_bytes, put).await?;
    check_size(&stored, upload.size_bytes)
}

/// Begins a multipart upload.
pub async fn create_multipart(bucket: &R2Bucket, key: &str) -> Result<String> {
    let promise = bucket.create_multipart_upload(key).map_err(r2_failed)?;
    let upload = JsFuture::from(promise).await.map_err(r2_failed)?;
    Ok(upload.unchecked_into::<R2Upload>().upload_id())
}

/// Streams a range of a file to R2 as one part.
pub async fn upload_part(
    container: &RespondingContainer,
    bucket: &R2Bucket,
    upload: &Upload<'_>,
    upload_id: &str,
    part_number: u16,
    offset_bytes: u64,
    len_bytes: u64,
) -> Result<UploadedPart> {
    let multipart = bucket.resume_multipart_upload(upload.key, upload_id).map_err(r2_failed)?;
    let input = format!("if={}", upload.path);
    let skip = format!("skip={offset_bytes}");
    let count = format!("count={len_bytes}");
    let flags = "iflag=skip_bytes,count_bytes";
    let argv = ["dd", "status=none", "bs=1M", flags, &input, &skip, &count];
    let put = |readable: &JsValue| multipart.upload_part(part_number, readable);
    let options = object(&[("stdout", "pipe".into()), ("stderr", "ignore".into())]);
    let process = container.exec(&argv, &options, Stdin::Nothing, Prints::Much).await?;
    let stored = send(container, &process, len_bytes, put).await?;
    let etag = get(&stored, "etag").as_string();
    let etag = etag.ok_or_else(|| Error::internal("R2 stored a part without an etag"))?;
    Ok(UploadedPart { part_number, etag })
}

/// Completes a multipart upload.
pub async fn complete_multipart(
    bucket: &R2Bucket,
    upload: &Upload<'_>,
    upload_id: &str,
    parts: &[UploadedPart],
) -> Result<()> {
    let multipart = bucket.resume_multipart_upload(upload.key, upload_id).map_err(r2_failed)?;
    let parts: Array = parts
        .iter()
        .map(|part| {
            let etag = part.etag.as_str().into();
            object(&[("partNumber", part.part_number.into()), ("etag", etag)])
        })
        .collect();
    let promise = multipart.complete(&parts).map_err(r2_failed)?;
    let stored = JsFuture::from(promise).await.map_err(r2_failed)?;
    check_size(&stored, upload.size_bytes)
}

/// Until this is dropped, `entry/guard.ts` aborts a transfer when a panic ends this instance.
struct AbortedOnPanic(Option<Function>);

impl Drop for AbortedOnPanic {
    fn drop(&mut self) {
        if let Some(unregister) = &self.0 {
            let _ = unregister.call0(&JsValue::UNDEFINED);
        }
    }
}

/// Aborts a transfer on a panic. Otherwise R2 could complete the upload with the bytes so far, and
/// the archive would appear in R2 after the next instance has cleaned up.
fn abort_on_panic(writer: &JsWriter) -> AbortedOnPanic {
    // A Worker with its own entry file may lack this function.
    let register = get(&js_sys::global(), "__snapshotterAbortOnPanic").dyn_into::<Function>();
    let unregister = register.and_then(|register| register.call1(&JsValue::UNDEFINED, writer));
    AbortedOnPanic(unregister.and_then(JsCast::dyn_into).ok())
}

/// Streams a process's stdout to R2. Fails unless the output has exactly `len_bytes` and the
/// process succeeds.
async fn send(
    container: &RespondingContainer,
    process: &ExecProcess,
    len_bytes: u64,
    put: impl FnOnce(&JsValue) -> std::result::Result<Promise, JsValue>,
) -> Result<JsValue> {
    let fixed = FixedLengthStream::new(number(len_bytes));
    let from = process.stdout().reader_by_mode(&object(&[("mode", "byob".into())]));
    let from = from.map_err(unavailable)?;
    let to = fixed.writable().writer().map_err(unavailable)?;
    let _aborted_on_panic = abort_on_panic(&to);
    let stop = || {
        // This fails if the process has already ended.
        let _ = process.kill(SIGKILL);
        let _ = to.abort(&"the upload is stopped".into()).map(JsFuture::from);
    };
    let put = match put(&fixed.readable()) {
        Ok(put) => put,
        Err(thrown) => {
            stop();
            return Err(r2_failed(thrown));
        }
    };
    // If one side fails, the other ends, too: a process that ends early breaks the stream of the
    // put, and a failed put makes the next write fail.
    let carried = async {
        let carried = carry(&from, &to, CHUNK_BYTES, async { stop() }).await;
        let ended = if carried.is_ok() { to.close() } else { to.abort(&"broken off".into()) };
        let ended = match ended {
            Ok(ended) => JsFuture::from(ended).await,
            Err(thrown) => Err(thrown),
        };
        carried.and(ended).map_err(unavailable)?;
        exit_status(JsFuture::from(process.exit_code()).await)
    };
    let both = async {
        futures::join!(carried, async {
            let stored = JsFuture::from(put).await;
            if stored.is_err() {
                stop();
            }
            stored
        })
    };
    let Some((piped, stored)) = within(limit_ms(len_bytes), both).await else {
        stop();
        return Err(failed("the upload took too long"));
    };
    match (piped, stored) {
        (Ok(0), Ok(object)) => Ok(object),
        (Ok(status), Ok(_)) => {
            Err(failed("the archive could not be read").with_cause(format!("exit status {status}")))
        }
        (Err(error), Ok(_)) => Err(error),
        (_, Err(thrown)) if !container.js.running() => Err(unavailable(thrown)),
        (piped, Err(thrown)) => {
            let pipe = piped.err().and_then(|error| error.cause).unwrap_or_default();
            let cause = format!("{}; pipe: {pipe}", words(&thrown));
            Err(failed("R2 did not take the archive").with_cause(cause))
        }
    }
}

fn failed(message: &str) -> Error {
    Error::new(ErrorCode::BackupFailed, message)
}

fn check_size(stored: &JsValue, size_bytes: u64) -> Result<()> {
    let size = get(stored, "size").as_f64();
    if size == Some(number(size_bytes)) {
        return Ok(());
    }
    Err(failed("R2 stored the archive in another size")
        .with_cause(format!("{size:?} bytes instead of {size_bytes}")))
}

/// Reads an object's body.
pub async fn body_of(bucket: &R2Bucket, key: &str) -> Result<JsStream> {
    let promise = bucket.get(key).map_err(r2_failed)?;
    let found = JsFuture::from(promise).await.map_err(r2_failed)?;
    if found.is_null() || found.is_undefined() {
        return Err(Error::new(ErrorCode::SnapshotGone, "the snapshot has lost its archive in R2")
            .with_hint(Next::ChooseSnapshot));
    }
    Ok(get(&found, "body").unchecked_into())
}

/// Streams R2 objects, one after the other, into a process's stdin, and closes it. `first` is the
/// body of the first object. On a failure, ends the process, which would otherwise wait for the
/// rest.
pub async fn feed(
    process: &ExecProcess,
    bucket: &R2Bucket,
    objects: &[StoredObject],
    first: Result<Option<JsStream>>,
) -> Result<()> {
    let fed = write_objects(process, bucket, objects.get(1..).unwrap_or_default(), first).await;
    if fed.is_err() {
        // This fails if the process has ended, which can be why it took no more.
        let _ = process.kill(SIGTERM);
    }
    fed
}

async fn write_objects(
    process: &ExecProcess,
    bucket: &R2Bucket,
    rest: &[StoredObject],
    first: Result<Option<JsStream>>,
) -> Result<()> {
    let (to, mut body, mut rest) = (process.stdin(), first?, rest.iter());
    while let Some(from) = body {
        let options = object(&[("preventClose", true.into()), ("preventAbort", true.into())]);
        let piping = from.pipe_to(to.as_ref(), &options).map_err(unavailable)?;
        JsFuture::from(piping).await.map_err(|thrown| incomplete(&words(&thrown)))?;
        body = match rest.next() {
            Some(object) => Some(body_of(bucket, &object.key).await?),
            None => None,
        };
    }
    let closing = to.writer().and_then(|writer| writer.close());
    // This fails if the process has ended. Its exit status then says why.
    let _ = JsFuture::from(closing.map_err(unavailable)?).await;
    Ok(())
}

/// Streams an R2 object into a file of the container.
pub async fn download(
    container: &RespondingContainer,
    bucket: &R2Bucket,
    key: &str,
    size_bytes: u64,
    path: &str,
) -> Result<()> {
    let body = body_of(bucket, key).await?;
    let options = object(&[("stdout", "pipe".into()), ("stderr", "pipe".into())]);
    let captured = Captured::new(SMALL_OUTPUT_BYTES, 0);
    let receive = ["sh", "-c", r#"cat >"$1" && stat -c %s -- "$1""#, "sh", path];
    let process = container.exec(&receive, &options, Stdin::Stream(body), Prints::Little).await?;
    let Some(exit_code) = within(limit_ms(size_bytes), captured.until_end(&process)).await else {
        let _ = process.kill(SIGKILL);
        return Err(incomplete("it took too long"));
    };
    let output = captured.take_output(exit_code?, false);
    let arrived = String::from_utf8_lossy(&output.stdout).trim().parse::<u64>();
    if output.exit_code == 0 && arrived == Ok(size_bytes) {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(incomplete(&format!("{} of {size_bytes} bytes: {stderr}", arrived.unwrap_or_default())))
}

pub fn incomplete(cause: &str) -> Error {
    Error::new(ErrorCode::RestoreFailed, "the archive did not arrive whole in the sandbox")
        .with_cause(cause)
}
