//! Requests and responses of the runtime.

use crate::api::http::Answer;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::limits::HTTP_BODY_MAX_BYTES;
use crate::platform::budgets;
use crate::platform::convert::from_worker;
use crate::support::budget::Held;
use futures::StreamExt;
use js_sys::Uint8Array;
use serde::Serialize;
use serde_json::Value;
use std::io::{BufWriter, Write};
use worker::{Headers, Method, Request, Response};

/// Size of one copy into the runtime.
const WRITTEN_AT_ONCE_BYTES: usize = 64 * 1_024;

/// The method as the client sent it: `Request::method` takes an unknown one for
/// GET.
pub fn method(request: &Request) -> String {
    request.inner().method()
}

/// A body, and its room in the budget until dropped.
#[derive(Default)]
pub struct Body {
    pub bytes: Vec<u8>,
    pub held: Option<Held>,
}

/// Reads the body, and refuses it as soon as it exceeds the limit. Waits until
/// the budget has room for it.
pub async fn bounded_body(request: &mut Request) -> Result<Body> {
    if matches!(request.method(), Method::Get | Method::Head) {
        return Ok(Body::default());
    }
    let too_large = || {
        Error::new(ErrorCode::TooLarge, format!("body: is larger than {HTTP_BODY_MAX_BYTES} bytes"))
    };
    let declared = request.headers().get("content-length").map_err(|error| from_worker(&error))?;
    let declared = declared.and_then(|length| length.parse::<usize>().ok());
    if declared.is_some_and(|length| length > HTTP_BODY_MAX_BYTES) {
        return Err(too_large());
    }
    if request.inner().body().is_none() {
        return Ok(Body::default());
    }
    // A body without a declared length may be as long as the limit.
    let held = budgets::hold_body(declared.unwrap_or(HTTP_BODY_MAX_BYTES) as u64).await?;
    if declared.is_some() {
        // The runtime reads it outside WebAssembly: if the sender disconnects,
        // the runtime frees the bytes without notice to us.
        let bytes = request.bytes().await.map_err(|error| broken_off(&error))?;
        return Ok(Body { bytes, held });
    }
    let mut bytes = Vec::new();
    let mut stream = request.stream().map_err(|error| from_worker(&error))?;
    while let Some(chunk) = stream.next().await {
        bytes.extend(chunk.map_err(|error| broken_off(&error))?);
        if bytes.len() > HTTP_BODY_MAX_BYTES {
            return Err(too_large());
        }
    }
    Ok(Body { bytes, held })
}

fn broken_off(error: &worker::Error) -> Error {
    Error::invalid("body", "broke off").with_cause(error.to_string())
}

/// A result as a JSON response with its status.
pub fn respond(answer: &Result<Value>) -> worker::Result<Response> {
    render(Answer::of(answer))
}

/// An answer as a response with its status and headers.
pub fn render(answer: Answer) -> worker::Result<Response> {
    let headers = Headers::new();
    headers.set("cache-control", "no-store")?;
    for (name, value) in &answer.headers {
        headers.set(name, value)?;
    }
    headers.set("content-type", "application/json")?;
    Ok(json(&answer.body)?.with_status(answer.status).with_headers(headers))
}

/// A value as a JSON response.
pub fn json(value: &Value) -> worker::Result<Response> {
    Ok(web_sys::Response::new_with_opt_js_u8_array(Some(&written(value)?))?.into())
}

/// A value as JSON, written straight into an array of the runtime. The text may
/// be several times as long as the value, and is never in WebAssembly.
pub fn written(value: &impl Serialize) -> std::io::Result<Uint8Array> {
    let mut counter = Counter(0);
    serde_json::to_writer(&mut counter, value)?;
    let text = Uint8Array::new_with_length(counter.0);
    let mut writer = BufWriter::with_capacity(WRITTEN_AT_ONCE_BYTES, Array { text, end: 0 });
    serde_json::to_writer(&mut writer, value)?;
    Ok(writer.into_inner()?.text)
}

/// Counts the bytes written to it.
struct Counter(u32);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.saturating_add(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// An array with exactly the length of the text.
struct Array {
    text: Uint8Array,
    end: u32,
}

impl Write for Array {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let end = self.end + u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        self.text.subarray(self.end, end).copy_from(bytes);
        self.end = end;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
