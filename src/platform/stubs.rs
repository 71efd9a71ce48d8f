//! The Worker's own objects, and messages to them.

use crate::domain::error::{Error, ErrorCode, ErrorEnvelope, Result};
use crate::domain::ids::SessionId;
use crate::domain::json::parse_own;
use crate::operator::no_directory;
use crate::platform::convert::from_worker;
use crate::platform::messages::written;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Serialize;
use serde::de::DeserializeOwned;
use worker::{Env, Headers, Method, Request, RequestInit, Response, Stub};

const DIRECTORY: &str = "directory";
const STARTS: &str = "starts";
const POOLS: &str = "pools";

/// A session's object.
pub fn agent_host(env: &Env, session: &SessionId) -> Result<Stub> {
    let namespace = env.durable_object("AGENT_HOST").map_err(|error| {
        Error::new(ErrorCode::NotConfigured, "the Durable Object binding AGENT_HOST is missing")
            .with_hint("add it under [[durable_objects.bindings]] in wrangler.toml")
            .with_cause(error.to_string())
    })?;
    namespace.get_by_name(session.as_str()).map_err(|error| from_worker(&error))
}

/// A sandbox's object.
pub fn sandbox(env: &Env, id: &str) -> Result<Stub> {
    let namespace = env.durable_object("SANDBOX").map_err(|error| {
        Error::new(ErrorCode::NotConfigured, "the Durable Object binding SANDBOX is missing")
            .with_hint("add it under [[durable_objects.bindings]] in wrangler.toml")
            .with_cause(error.to_string())
    })?;
    namespace.get_by_name(id).map_err(|error| from_worker(&error))
}

/// The directory of sessions.
pub fn directory(env: &Env) -> Result<Stub> {
    let namespace = env
        .durable_object("DIRECTORY")
        .map_err(|error| no_directory().with_cause(error.to_string()))?;
    namespace.get_by_name(DIRECTORY).map_err(|error| from_worker(&error))
}

/// The queue of starts.
pub fn starts(env: &Env) -> Result<Stub> {
    let namespace = env.durable_object("STARTS").map_err(|error| {
        Error::new(ErrorCode::NotConfigured, "the Durable Object binding STARTS is missing")
            .with_hint("MAX_CONCURRENT_STARTS needs it: add it under [[durable_objects.bindings]], and its class to the migrations, in wrangler.toml")
            .with_cause(error.to_string())
    })?;
    namespace.get_by_name(STARTS).map_err(|error| from_worker(&error))
}

/// Whether the Worker can have warm pools.
pub fn has_pools(env: &Env) -> bool {
    env.durable_object("POOLS").is_ok()
}

/// The warm pools.
pub fn pools(env: &Env) -> Result<Stub> {
    let namespace = env.durable_object("POOLS").map_err(|error| {
        Error::new(ErrorCode::NotConfigured, "the Durable Object binding POOLS is missing")
            .with_hint("MAX_POOL_CONTAINERS needs it: add it under [[durable_objects.bindings]], and its class to the migrations, in wrangler.toml")
            .with_cause(error.to_string())
    })?;
    namespace.get_by_name(POOLS).map_err(|error| from_worker(&error))
}

/// Path for operations. The Worker's routes lead to no other path of a session's object.
pub const OPERATION_PATH: &str = "/";
/// Path for calls over MCP, instead of operations.
pub const MCP_PATH: &str = "/mcp";
/// Path at which the Worker asks who holds a ticket.
pub const TICKET_PATH: &str = "/ticket";
/// Path for other sessions' lease requests.
pub const LEASE_PATH: &str = "/lease";
/// Path for other sessions' delete requests.
pub const DELETE_PATH: &str = "/delete";
/// Path for other sessions' questions about turns.
pub const TURN_PATH: &str = "/turn";

/// Header with a message's length in bytes, so that the object can wait for room.
pub const LENGTH_HEADER: &str = "x-snapshotter-length";
/// Header with the message, if the body is a stream.
pub const ASK_HEADER: &str = "x-snapshotter-ask";

/// Sends a message to an object and returns its response. Drops the message once it is written.
pub async fn post(object: &Stub, path: &str, message: impl Serialize) -> Result<Response> {
    let body =
        written(&message).map_err(|error| Error::internal(format!("to the object: {error}")))?;
    drop(message);
    let headers = Headers::new();
    headers.set(LENGTH_HEADER, &body.length().to_string()).map_err(|error| from_worker(&error))?;
    let mut init = RequestInit::new();
    init.with_method(Method::Post).with_headers(headers).with_body(Some(body.into()));
    let inner = Request::new_with_init(&format!("http://object{path}"), &init)
        .map_err(|error| from_worker(&error))?;
    object.fetch_with_request(inner).await.map_err(|error| from_worker(&error))
}

/// Like [`post`], for an operation that reads a stream. The body is the stream, unread.
pub async fn post_stream(
    host: &Stub,
    message: &impl Serialize,
    stream: &web_sys::ReadableStream,
) -> Result<Response> {
    let message = serde_json::to_vec(message)
        .map_err(|error| Error::internal(format!("to the object: {error}")))?;
    let headers = Headers::new();
    headers.set(ASK_HEADER, &BASE64.encode(message)).map_err(|error| from_worker(&error))?;
    let mut init = RequestInit::new();
    init.with_method(Method::Post).with_headers(headers).with_body(Some(stream.into()));
    let inner =
        Request::new_with_init("http://object/", &init).map_err(|error| from_worker(&error))?;
    host.fetch_with_request(inner).await.map_err(|error| from_worker(&error))
}

/// Sends a message with [`post`] and reads the answer.
pub async fn ask<T: DeserializeOwned>(
    object: &Stub,
    path: &str,
    message: impl Serialize,
) -> Result<T> {
    let mut response = post(object, path, message).await?;
    let body = response.bytes().await.map_err(|error| from_worker(&error))?;
    if response.status_code() < 300 {
        return parse_own("an answer", &body);
    }
    let envelope: ErrorEnvelope = parse_own("an answer", &body)?;
    Err(envelope.error.into())
}
