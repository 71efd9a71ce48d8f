//! The Worker's HTTP surface: authenticate, bound the body, route, forward to
//! the session's object.

use super::convert::from_worker;
use super::wiring::run;
use super::{mcp, settings};
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::SessionId;
use crate::domain::limits::HTTP_BODY_MAX_BYTES;
use crate::surface::http::{self, HttpRequest};
use crate::usecases::host::{Abort, Host};
use futures::StreamExt;
use serde::Serialize;
use serde_json::Value;
use std::rc::Rc;
use worker::{Env, Headers, Method, Request, RequestInit, Response, Stub};

/// Serves one request.
pub async fn serve(request: Request, env: Env) -> worker::Result<Response> {
    match forward(request, &env).await {
        Ok(response) => Ok(response),
        Err(error) => respond(&Err(error)),
    }
}

async fn forward(mut request: Request, env: &Env) -> Result<Response> {
    let authorization = request.headers().get("authorization").map_err(|e| from_worker(&e))?;
    http::authenticate(authorization.as_deref(), settings::api_token(env).as_deref())?;
    let url = request.url().map_err(|error| from_worker(&error))?;
    let segments = segments(&url)?;
    if let [v1, sessions, session, last] = segments.as_slice()
        && [v1, sessions, last] == ["v1", "sessions", "mcp"]
    {
        return mcp::forward(request, env, &SessionId::parse(session)?).await;
    }
    let body = bounded_body(&mut request).await?;
    let query: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    let method = request.method().to_string();
    let (session, operation) = http::route(HttpRequest {
        method: &method,
        segments: &segments,
        query: &query,
        body: &body,
    })?;
    post(&agent_host(env, &session)?, "/", &operation).await
}

/// The session's object.
pub fn agent_host(env: &Env, session: &SessionId) -> Result<Stub> {
    let namespace = env.durable_object("AGENT_HOST").map_err(|error| {
        Error::new(ErrorCode::NotConfigured, "the Durable Object binding AGENT_HOST is missing")
            .with_hint("add it under [[durable_objects.bindings]] in wrangler.toml")
            .with_cause(error.to_string())
    })?;
    namespace.get_by_name(session.as_str()).map_err(|error| from_worker(&error))
}

/// Sends the object what it is to do; its response is the answer.
pub async fn post(host: &Stub, path: &str, message: &impl Serialize) -> Result<Response> {
    let message = serde_json::to_string(message)
        .map_err(|error| Error::internal(format!("to the object: {error}")))?;
    let mut init = RequestInit::new();
    init.with_method(Method::Post).with_body(Some(message.into()));
    let inner = Request::new_with_init(&format!("http://agent-host{path}"), &init)
        .map_err(|error| from_worker(&error))?;
    host.fetch_with_request(inner).await.map_err(|error| from_worker(&error))
}

/// What a session's object answers to what [`serve`] sends it.
pub async fn answer(host: &Result<Rc<Host>>, mut request: Request) -> worker::Result<Response> {
    let host = match host {
        Ok(host) => host,
        Err(error) => return respond(&Err(error.clone())),
    };
    if request.path() == mcp::CALL_PATH {
        return mcp::answer(host.clone(), request.json().await?).await;
    }
    let answer = match request.json().await {
        Ok(operation) => run(host, operation, &Abort::default()).await,
        Err(error) => Err(Error::invalid("operation", error)),
    };
    respond(&answer)
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

fn segments(url: &worker::Url) -> Result<Vec<String>> {
    url.path()
        .split('/')
        .skip(1)
        .map(|segment| {
            percent_decoded(segment)
                .ok_or_else(|| Error::invalid("path", "is not percent-encoded UTF-8"))
        })
        .collect()
}

fn percent_decoded(segment: &str) -> Option<String> {
    js_sys::decode_uri_component(segment).ok().map(String::from)
}

/// An answer as JSON with its status.
pub fn respond(answer: &Result<Value>) -> worker::Result<Response> {
    let headers = Headers::new();
    headers.set("cache-control", "no-store")?;
    let response = match answer {
        Ok(value) => Response::from_json(value)?,
        Err(error) => {
            if error.code == ErrorCode::Unauthenticated {
                headers.set("www-authenticate", "Bearer")?;
            }
            Response::from_json(&error.to_wire())?.with_status(http::status(error.code))
        }
    };
    headers.set("content-type", "application/json")?;
    Ok(response.with_headers(headers))
}
