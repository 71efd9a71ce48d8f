//! Renders answers as HTTP: statuses and headers.

use crate::api::http::about::{about, page_for};
use crate::api::http::table::routes;
use crate::api::operation::{Route, Verb};
use crate::api::words::Surface;
use crate::domain::{Error, ErrorCode, OperationView, Result, SessionId, json};
use crate::session::Download;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::Value;
use std::ops::Range;

/// The HTTP status of each code.
#[must_use]
pub const fn status(code: ErrorCode) -> u16 {
    match code {
        ErrorCode::InvalidArgument => 400,
        ErrorCode::Unauthenticated => 401,
        ErrorCode::Forbidden
        | ErrorCode::SnapshotNotOwned
        | ErrorCode::WorkspaceNotOwned
        | ErrorCode::CrossSessionDisabled => 403,
        ErrorCode::NotFound => 404,
        ErrorCode::Conflict | ErrorCode::WorkspaceLost => 409,
        ErrorCode::SnapshotExpired | ErrorCode::SnapshotGone => 410,
        ErrorCode::PreconditionFailed => 412,
        ErrorCode::TooLarge => 413,
        ErrorCode::QuotaExceeded | ErrorCode::RateLimited => 429,
        ErrorCode::Aborted => 499,
        ErrorCode::Internal => 500,
        ErrorCode::Unsupported => 501,
        ErrorCode::BackupFailed | ErrorCode::RestoreFailed | ErrorCode::Integrity => 502,
        ErrorCode::NotConfigured | ErrorCode::Unavailable | ErrorCode::Interrupted => 503,
    }
}

/// Status of a path that exists, but not with this method. The code is `NOT_FOUND`,
/// as for any unknown route.
pub const METHOD_NOT_ALLOWED: u16 = 405;

/// Status of an operation that was started and runs without its caller.
pub const ACCEPTED: u16 = 202;

/// Status of a redirect to another page.
const SEE_OTHER: u16 = 303;

/// A complete answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Status.
    pub status: u16,
    /// Headers in addition to those of every answer.
    pub headers: Vec<(&'static str, String)>,
    /// Body, as JSON.
    pub body: Value,
}

impl Answer {
    /// The answer of an operation, or its error.
    #[must_use]
    pub fn of(answer: Result<Value>) -> Self {
        match Surface::Http.answer(answer) {
            Ok(body) => Self { status: 200, headers: Vec::new(), body },
            Err(error) => Self::of_error(&error),
        }
    }

    /// The answer to `GET /`. Redirects a browser to the console.
    #[must_use]
    pub fn about(accept: Option<&str>) -> Self {
        let mut answer = Self::of(json::render(&about()));
        answer.headers.push(("vary", "Accept".to_owned()));
        if let Some(page) = page_for(accept) {
            answer.status = SEE_OTHER;
            answer.headers.push(("location", page.to_owned()));
        }
        answer
    }

    /// Like [`Self::of`], with the status and headers that the route gives a success.
    #[must_use]
    pub fn by_route(route: Option<&str>, session: &SessionId, answer: Result<Value>) -> Self {
        // The ids of routes differ from the names of operations, except for tools.
        let surface = route.map_or(Surface::Http, |id| Surface::Http.of_call(id));
        let value = match surface.answer(answer) {
            Ok(value) => value,
            Err(error) => return Self::of_error(&error),
        };
        let mut rendered = Self { status: 200, headers: Vec::new(), body: Value::Null };
        if let Some(route) = route.and_then(|id| routes().find(|route| route.id == id)) {
            rendered.succeed(route, session, &value);
        }
        rendered.body = value;
        rendered
    }

    /// The answer to an operation that was started and runs without its caller.
    #[must_use]
    pub fn accepted(session: &SessionId, operation: &OperationView) -> Self {
        let location = format!("/v1/sessions/{session}/operations/{}", operation.id);
        Self {
            status: ACCEPTED,
            headers: vec![
                ("location", location),
                ("preference-applied", "respond-async".to_owned()),
            ],
            body: json_of(operation),
        }
    }

    /// Status and headers of an answer with a file. `known` lists the ETags that the caller already
    /// has. Only 200 and 206 have a body.
    #[must_use]
    pub fn file_head(file: &Download, known: Option<&str>) -> (u16, Vec<(&'static str, String)>) {
        let Download { etag, media_type, size_bytes, part, sha256, .. } = file;
        let mut headers = vec![
            ("etag", etag.clone()),
            // The bytes stay valid, but the right to read them may end.
            ("cache-control", "private, no-cache".to_owned()),
        ];
        match sha256 {
            // This file is generated for each request, and sent whole.
            Some(sha256) => headers.push(("repr-digest", digest(sha256))),
            None => headers.push(("accept-ranges", "bytes".to_owned())),
        }
        if known.is_some_and(|known| is_known(known, etag)) {
            return (304, headers);
        }
        let status = match part {
            None => 200,
            Some(part) if part.is_empty() => {
                headers.push(("content-range", format!("bytes */{size_bytes}")));
                return (416, headers);
            }
            Some(Range { start, end }) => {
                headers.push(("content-range", format!("bytes {start}-{}/{size_bytes}", end - 1)));
                206
            }
        };
        headers.extend([
            ("content-type", (*media_type).to_owned()),
            // No browser must show a file of a session as a page of this host.
            ("content-disposition", "attachment".to_owned()),
            ("x-content-type-options", "nosniff".to_owned()),
        ]);
        (status, headers)
    }

    fn succeed(&mut self, route: &Route, session: &SessionId, value: &Value) {
        self.status = route.status;
        if let Some(id) = value.pointer("/ref/ref/id").and_then(Value::as_str)
            && route.tagged
        {
            self.headers.push(("etag", format!("\"{id}\"")));
        }
        if let Some(path) = route.location.and_then(|location| location(value)) {
            self.headers.push(("location", format!("/v1/sessions/{session}{path}")));
        }
    }

    fn of_error(error: &Error) -> Self {
        let mut headers = Vec::new();
        let wait_ms =
            error.details.as_ref().and_then(|details| details.get("retryAfterMs")?.as_u64());
        if let Some(wait_ms) = wait_ms {
            headers.push(("retry-after", wait_ms.div_ceil(1_000).to_string()));
        }
        if error.code == ErrorCode::Unauthenticated {
            headers.push(("www-authenticate", "Bearer".to_owned()));
        }
        Self { status: status(error.code), headers, body: json_of(&error.to_wire()) }
    }

    /// The answer if no route has this path.
    #[must_use]
    pub fn no_route() -> Self {
        let error = Error::new(ErrorCode::NotFound, "there is no route for this path")
            .with_hint("GET /openapi.json lists the routes");
        Self::of_error(&error)
    }

    /// The answer if routes have this path, but none with this method.
    #[must_use]
    pub fn other_methods(verbs: &[Verb]) -> Self {
        let allow = verbs.iter().map(|verb| verb.as_str()).collect::<Vec<_>>().join(", ");
        let error = Error::new(ErrorCode::NotFound, "there is no route with this method")
            .with_hint(format!("this path serves {allow}"));
        let mut answer = Self::of_error(&error);
        answer.status = METHOD_NOT_ALLOWED;
        answer.headers.push(("allow", allow));
        answer
    }
}

fn json_of<T: Serialize>(value: &T) -> Value {
    // Our own types always serialize. If one did not, the empty answer would still have its status.
    serde_json::to_value(value).unwrap_or_default()
}

/// A hexadecimal SHA-256 in the form of `Repr-Digest` (RFC 9530).
fn digest(sha256: &str) -> String {
    let byte = |at: usize| u8::from_str_radix(sha256.get(at..at + 2)?, 16).ok();
    let bytes: Vec<u8> = (0..sha256.len()).step_by(2).filter_map(byte).collect();
    format!("sha-256=:{}:", STANDARD.encode(bytes))
}

/// Whether `If-None-Match` lists the tag.
fn is_known(if_none_match: &str, etag: &str) -> bool {
    let mut tags = if_none_match.split(',').map(str::trim);
    tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}
