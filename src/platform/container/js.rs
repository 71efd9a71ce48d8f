//! Bindings of `ctx.container`, R2 and streams, written by hand: the `worker` crate's container
//! options recurse without end, and its `FixedLengthStream` moves the bytes through WebAssembly and
//! truncates lengths to 32 bits.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use js_sys::{Array, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;

/// Tells a process that its terminal has closed.
pub const SIGHUP: i32 = 1;
/// Asks a process to end.
pub const SIGTERM: i32 = 15;
/// Ends a process, which can't ignore it.
pub const SIGKILL: i32 = 9;

#[wasm_bindgen]
extern "C" {
    /// `ctx.container`.
    #[derive(Clone)]
    pub type JsContainer;

    #[wasm_bindgen(method, getter)]
    pub fn running(this: &JsContainer) -> bool;
    /// Images by their name in the configuration. Undefined if the scheduling policy chooses.
    #[wasm_bindgen(method, getter)]
    pub fn images(this: &JsContainer) -> JsValue;
    #[wasm_bindgen(method, catch)]
    pub fn start(this: &JsContainer, options: &Object) -> std::result::Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn destroy(this: &JsContainer) -> std::result::Result<Promise, JsValue>;
    /// Rejects with the reason why the container ended or never ran.
    #[wasm_bindgen(method, catch)]
    pub fn monitor(this: &JsContainer) -> std::result::Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = setInactivityTimeout)]
    pub fn set_inactivity_timeout(
        this: &JsContainer,
        ms: f64,
    ) -> std::result::Result<Promise, JsValue>;
    /// Resolves to an [`ExecProcess`].
    #[wasm_bindgen(method, catch)]
    pub fn exec(
        this: &JsContainer,
        argv: &Array,
        options: &Object,
    ) -> std::result::Result<Promise, JsValue>;

    /// Intercepts requests to port 80 of any host.
    #[wasm_bindgen(method, catch, js_name = interceptAllOutboundHttp)]
    pub fn intercept_all_http(
        this: &JsContainer,
        to: &JsFetcher,
    ) -> std::result::Result<Promise, JsValue>;
    /// Intercepts requests to port 80 of one host.
    #[wasm_bindgen(method, catch, js_name = interceptOutboundHttp)]
    pub fn intercept_http(
        this: &JsContainer,
        host: &str,
        to: &JsFetcher,
    ) -> std::result::Result<Promise, JsValue>;
    /// Intercepts requests to port 443 of one host, decrypted.
    #[wasm_bindgen(method, catch, js_name = interceptOutboundHttps)]
    pub fn intercept_https(
        this: &JsContainer,
        host: &str,
        to: &JsFetcher,
    ) -> std::result::Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch, js_name = getTcpPort)]
    pub fn tcp_port(this: &JsContainer, port: u16) -> std::result::Result<JsFetcher, JsValue>;

    /// A server in the container, or an entrypoint of the Worker.
    pub type JsFetcher;

    /// Resolves to a `Response`.
    #[wasm_bindgen(method, catch)]
    pub fn fetch(
        this: &JsFetcher,
        request: &web_sys::Request,
    ) -> std::result::Result<Promise, JsValue>;

    /// A process in the container.
    #[derive(Clone)]
    pub type ExecProcess;

    #[wasm_bindgen(method, getter)]
    pub fn stdin(this: &ExecProcess) -> JsWritable;
    #[wasm_bindgen(method, getter)]
    pub fn stdout(this: &ExecProcess) -> JsStream;
    #[wasm_bindgen(method, getter)]
    pub fn stderr(this: &ExecProcess) -> JsStream;
    #[wasm_bindgen(method, getter, js_name = exitCode)]
    pub fn exit_code(this: &ExecProcess) -> Promise;
    #[wasm_bindgen(method, catch)]
    pub fn kill(this: &ExecProcess, signal: i32) -> std::result::Result<(), JsValue>;

    /// A `ReadableStream` of bytes.
    pub type JsStream;

    #[wasm_bindgen(method, catch, js_name = pipeTo)]
    pub fn pipe_to(
        this: &JsStream,
        writable: &JsValue,
        options: &Object,
    ) -> std::result::Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = getReader)]
    pub fn reader(this: &JsStream) -> std::result::Result<JsReader, JsValue>;
    #[wasm_bindgen(method, catch, js_name = getReader)]
    pub fn reader_by_mode(
        this: &JsStream,
        options: &Object,
    ) -> std::result::Result<JsByobReader, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn cancel(this: &JsStream) -> std::result::Result<Promise, JsValue>;

    /// A stream's reader.
    pub type JsReader;

    /// Resolves to `{ done, value: Uint8Array }`.
    #[wasm_bindgen(method, catch)]
    pub fn read(this: &JsReader) -> std::result::Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = releaseLock)]
    pub fn release_lock(this: &JsReader) -> std::result::Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn cancel(this: &JsReader) -> std::result::Result<Promise, JsValue>;

    /// A reader into the caller's buffers.
    pub type JsByobReader;

    /// Resolves to `{ done, value: Uint8Array }`, with at least `least_bytes` except at the end.
    #[wasm_bindgen(method, catch, js_name = readAtLeast)]
    pub fn read_at_least(
        this: &JsByobReader,
        least_bytes: u32,
        buffer: &Uint8Array,
    ) -> std::result::Result<Promise, JsValue>;

    /// A stream with both ends in the runtime.
    pub type IdentityTransformStream;

    #[wasm_bindgen(constructor)]
    pub fn new() -> IdentityTransformStream;
    #[wasm_bindgen(method, getter)]
    pub fn readable(this: &IdentityTransformStream) -> JsStream;
    #[wasm_bindgen(method, getter)]
    pub fn writable(this: &IdentityTransformStream) -> JsWritable;

    /// An identity stream with a declared length, which R2 needs and a response reports.
    #[wasm_bindgen(extends = IdentityTransformStream)]
    pub type FixedLengthStream;

    #[wasm_bindgen(constructor)]
    pub fn new(len_bytes: f64) -> FixedLengthStream;

    /// A `WritableStream` of bytes.
    pub type JsWritable;

    #[wasm_bindgen(method, catch, js_name = getWriter)]
    pub fn writer(this: &JsWritable) -> std::result::Result<JsWriter, JsValue>;

    /// A stream's writer.
    pub type JsWriter;

    #[wasm_bindgen(method, catch, js_name = releaseLock)]
    pub fn release_lock(this: &JsWriter) -> std::result::Result<(), JsValue>;
    /// Resolves once the stream has taken the chunk.
    #[wasm_bindgen(method, catch)]
    pub fn write(this: &JsWriter, chunk: &JsValue) -> std::result::Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn close(this: &JsWriter) -> std::result::Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn abort(this: &JsWriter, reason: &JsValue) -> std::result::Result<Promise, JsValue>;

    /// An R2 binding.
    pub type R2Bucket;

    #[wasm_bindgen(method, catch)]
    pub fn get(this: &R2Bucket, key: &str) -> std::result::Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn put(
        this: &R2Bucket,
        key: &str,
        body: &JsValue,
        options: &Object,
    ) -> std::result::Result<Promise, JsValue>;
    /// Resolves to an [`R2Upload`].
    #[wasm_bindgen(method, catch, js_name = createMultipartUpload)]
    pub fn create_multipart_upload(
        this: &R2Bucket,
        key: &str,
    ) -> std::result::Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = resumeMultipartUpload)]
    pub fn resume_multipart_upload(
        this: &R2Bucket,
        key: &str,
        upload_id: &str,
    ) -> std::result::Result<R2Upload, JsValue>;

    /// A multipart upload.
    pub type R2Upload;

    #[wasm_bindgen(method, getter, js_name = uploadId)]
    pub fn upload_id(this: &R2Upload) -> String;
    #[wasm_bindgen(method, catch, js_name = uploadPart)]
    pub fn upload_part(
        this: &R2Upload,
        part_number: u16,
        body: &JsValue,
    ) -> std::result::Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn complete(this: &R2Upload, parts: &Array) -> std::result::Result<Promise, JsValue>;
}

/// A plain object with the given properties.
pub fn object(properties: &[(&str, JsValue)]) -> Object {
    let object = Object::new();
    for (name, value) in properties {
        set(&object, name, value);
    }
    object
}

/// Sets a property of our own object, which can't fail.
pub fn set(object: &Object, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}

/// A property of any value, or undefined.
pub fn get(value: &JsValue, name: &str) -> JsValue {
    // `Reflect.get` throws for a value that is not an object, and a debug build logs the exception.
    if !value.is_object() {
        return JsValue::UNDEFINED;
    }
    Reflect::get(value, &name.into()).unwrap_or_default()
}

/// A number that JavaScript represents exactly: sizes and times are far below 2^53.
#[expect(clippy::cast_precision_loss, reason = "sizes and times are far below 2^53")]
pub const fn number(value: u64) -> f64 {
    value as f64
}

/// The message of a thrown value.
pub fn words(thrown: &JsValue) -> String {
    let message = get(thrown, "message").as_string().or_else(|| thrown.as_string());
    message.unwrap_or_else(|| format!("{thrown:?}"))
}

/// The error for a container that failed or did not respond. The platform's text becomes its cause.
pub fn unavailable(thrown: JsValue) -> Error {
    Error::new(ErrorCode::Unavailable, "the sandbox's container does not respond")
        .with_outcome(Outcome::Unknown)
        .with_cause(words(&thrown))
}

/// The error for an R2 call that failed or got no response.
pub fn r2_failed(thrown: JsValue) -> Error {
    Error::new(ErrorCode::Unavailable, "R2 does not respond")
        .with_outcome(Outcome::Unknown)
        .with_cause(words(&thrown))
}

/// The exit status from a process's settled `exitCode`.
pub fn exit_status(settled: std::result::Result<JsValue, JsValue>) -> Result<i32> {
    let code = settled.map_err(unavailable)?.as_f64();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "an exit status is small; the cast saturates"
    )]
    code.map(|code| code as i32).ok_or_else(|| Error::internal("an exit code is not a number"))
}
