//! HTTP messages of the runtime: what a request is, and what becomes of an answer.

use super::convert::from_worker;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::limits::HTTP_BODY_MAX_BYTES;
use crate::surface::http::Answer;
use futures::StreamExt;
use serde_json::Value;
use worker::{Headers, Method, Request, Response};

/// The method as it was sent: `Request::method` takes one that it does not know for GET.
pub fn method(request: &Request) -> String {
    request.inner().method()
}

/// The body, refused as soon as it grows past the limit.
pub async fn bounded_body(request: &mut Request) -> Result<Vec<u8>> {
    if matches!(request.method(), Method::Get | Method::Head) {
        return Ok(Vec::new());
    }
    let too_large = || {
        Error::new(ErrorCode::TooLarge, format!("body: is larger than {HTTP_BODY_MAX_BYTES} bytes"))
    };
    let declared = request.headers().get("content-length").map_err(|error| from_worker(&error))?;
    if declared
        .and_then(|length| length.parse::<usize>().ok())
        .is_some_and(|n| n > HTTP_BODY_MAX_BYTES)
    {
        return Err(too_large());
    }
    if request.inner().body().is_none() {
        return Ok(Vec::new());
    }
    let mut stream = request.stream().map_err(|error| from_worker(&error))?;
    let mut body = Vec::new();
    while let Some(chunk) = stream.next().await {
        body.extend(
            chunk.map_err(|error| {
                Error::invalid("body", "broke off").with_cause(error.to_string())
            })?,
        );
        if body.len() > HTTP_BODY_MAX_BYTES {
            return Err(too_large());
        }
    }
    Ok(body)
}

/// An answer as JSON with its status.
pub fn respond(answer: &Result<Value>) -> worker::Result<Response> {
    render(&Answer::of(answer))
}

/// An answer with its status and headers.
pub fn render(answer: &Answer) -> worker::Result<Response> {
    let headers = Headers::new();
    headers.set("cache-control", "no-store")?;
    for (name, value) in &answer.headers {
        headers.set(name, value)?;
    }
    let response = Response::from_json(&answer.body)?.with_status(answer.status);
    headers.set("content-type", "application/json")?;
    Ok(response.with_headers(headers))
}
