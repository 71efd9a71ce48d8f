//! Reads requests and writes responses of the runtime.

use crate::api::http::Answer;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::SessionId;
use crate::domain::limits::{BODY_BYTES_PER_SECOND, BODY_IDLE_MS, HTTP_BODY_MAX_BYTES};
use crate::platform::budgets;
use crate::platform::clock::RuntimeClock;
use crate::platform::convert::from_worker;
use crate::ports::clock::Clock;
use crate::support::budget::Held;
use futures::StreamExt;
use futures::future::{Either, select};
use js_sys::Uint8Array;
use serde::Serialize;
use serde_json::Value;
use std::io::{BufWriter, Write};
use std::pin::pin;
use worker::{Headers, Method, Request, Response};

/// Size of each copy into the runtime.
const WRITTEN_AT_ONCE_BYTES: usize = 64 * 1_024;

/// The method as the client sent it. `Request::method` would return GET for an unknown method.
pub fn method(request: &Request) -> String {
    request.inner().method()
}

/// A request's body, and its room in the budget.
#[derive(Default)]
pub struct Body {
    pub bytes: Vec<u8>,
    pub held: Option<Held>,
}

/// Reads the body of an authenticated request, once the budget has room for it. Refuses it as soon
/// as it exceeds the limit. `session` is the request's session, if any.
pub async fn bounded_body(request: &mut Request, session: Option<&SessionId>) -> Result<Body> {
    let Some(length) = length_of(request, HTTP_BODY_MAX_BYTES)? else { return Ok(Body::default()) };
    // A body without a declared length may be as long as the limit.
    let most = length.unwrap_or(HTTP_BODY_MAX_BYTES) as u64;
    let held = budgets::hold_body(session, most).await?;
    let bytes = in_time(most, read(request, length, HTTP_BODY_MAX_BYTES)).await?;
    Ok(Body { bytes, held })
}

/// Reads the body of a request without authentication. It is too small to need the budget.
pub async fn small_body(request: &mut Request, max_bytes: usize) -> Result<Vec<u8>> {
    let Some(length) = length_of(request, max_bytes)? else { return Ok(Vec::new()) };
    in_time(max_bytes as u64, read(request, length, max_bytes)).await
}

/// The declared length of a request's body. The outer None: the request has no body.
fn length_of(request: &Request, max_bytes: usize) -> Result<Option<Option<usize>>> {
    if matches!(request.method(), Method::Get | Method::Head) {
        return Ok(None);
    }
    let declared = request.headers().get("content-length").map_err(|error| from_worker(&error))?;
    let declared = declared.and_then(|length| length.parse::<usize>().ok());
    if declared.is_some_and(|length| length > max_bytes) {
        return Err(too_large(max_bytes));
    }
    Ok(request.inner().body().map(|_body| declared))
}

async fn read(request: &mut Request, length: Option<usize>, max_bytes: usize) -> Result<Vec<u8>> {
    if length.is_some() {
        // The runtime reads the body outside WebAssembly: if the sender disconnects, it frees the
        // bytes without telling us.
        return request.bytes().await.map_err(|error| broken_off(&error));
    }
    let mut bytes = Vec::new();
    let mut stream = request.stream().map_err(|error| from_worker(&error))?;
    while let Some(chunk) = stream.next().await {
        bytes.extend(chunk.map_err(|error| broken_off(&error))?);
        if bytes.len() > max_bytes {
            return Err(too_large(max_bytes));
        }
    }
    Ok(bytes)
}

/// Gives up on a body that arrives too slowly, because it holds room that others need.
async fn in_time(bytes: u64, reading: impl Future<Output = Result<Vec<u8>>>) -> Result<Vec<u8>> {
    let limit_ms = BODY_IDLE_MS + bytes.saturating_mul(1_000) / BODY_BYTES_PER_SECOND;
    match select(pin!(reading), RuntimeClock.sleep_ms(limit_ms)).await {
        Either::Left((read, _)) => read,
        Either::Right(_) => {
            Err(Error::invalid("body", format!("did not arrive within {} s", limit_ms / 1_000))
                .with_hint("send it faster, or in smaller parts"))
        }
    }
}

fn too_large(max_bytes: usize) -> Error {
    Error::new(ErrorCode::TooLarge, format!("body: is larger than {max_bytes} bytes"))
}

fn broken_off(error: &worker::Error) -> Error {
    Error::invalid("body", "broke off").with_cause(error.to_string())
}

/// A result as a JSON response with its status.
pub fn respond(answer: Result<Value>) -> worker::Result<Response> {
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

/// A value as JSON, written directly into an array of the runtime. The text may be several times as
/// long as the value, and is never in WebAssembly.
pub fn written(value: &impl Serialize) -> std::io::Result<Uint8Array> {
    let mut counter = Counter(0);
    serde_json::to_writer(&mut counter, value)?;
    let text = Uint8Array::new_with_length(counter.0);
    let mut writer = BufWriter::with_capacity(WRITTEN_AT_ONCE_BYTES, Array { text, end: 0 });
    serde_json::to_writer(&mut writer, value)?;
    Ok(writer.into_inner()?.text)
}

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
