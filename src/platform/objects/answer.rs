//! A session's object answers the Worker, and other sessions' objects.

use crate::api::access::ByCaller;
use crate::api::http::{Answer, Forwarded};
use crate::api::operation::{Reply, Started};
use crate::api::{http, operation};
use crate::domain::error::{Error, Result};
use crate::domain::json::{parse_own, render as to_json};
use crate::domain::snapshot::lease::LeaseRequest;
use crate::domain::snapshot::lease::OwnDelete;
use crate::domain::snapshot::turn::TurnRequest;
use crate::platform::container::stream::{JsBytes, readable, readable_of_length};
use crate::platform::messages::{render, respond};
use crate::platform::stubs::{
    ASK_HEADER, DELETE_PATH, LEASE_PATH, LENGTH_HEADER, MCP_PATH, TICKET_PATH, TURN_PATH,
};
use crate::platform::wiring::{reply, start};
use crate::platform::{budgets, mcp};
use crate::ports::stream::Bytes;
use crate::session::{Abort, Download, Session, UsedTicket};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use worker::{Headers, Request, Response};

/// Answers a message from the Worker or from another session.
pub async fn answer(host: &Result<Rc<Session>>, mut request: Request) -> worker::Result<Response> {
    let host = match host {
        Ok(host) => host,
        Err(error) => return respond(Err(error.clone())),
    };
    let length = budgets::declared(request.headers().get(LENGTH_HEADER)?.as_deref());
    let held = match budgets::hold_message(length).await {
        Ok(held) => held,
        Err(error) => return respond(Err(error)),
    };
    if request.path() == MCP_PATH {
        return mcp::answer(host.clone(), parsed(&mut request).await?, held).await;
    }
    if request.path() == TICKET_PATH {
        let used: UsedTicket = parsed(&mut request).await?;
        return respond(host.use_ticket(&used).and_then(|caller| to_json(&caller)));
    }
    if request.path() == LEASE_PATH {
        return answer_lease(host, parsed(&mut request).await?).await;
    }
    if request.path() == DELETE_PATH {
        return answer_delete(host, parsed(&mut request).await?).await;
    }
    if request.path() == TURN_PATH {
        return answer_turn(host, parsed(&mut request).await?).await;
    }
    let (ByCaller { caller, ask: Forwarded { route, known, invocation } }, body) =
        match asked(request).await {
            Ok(asked) => asked,
            Err(error) => return respond(Err(Error::invalid("operation", error))),
        };
    if invocation.control.respond_async {
        return match start(host.clone(), caller, invocation).await {
            Ok(Started { operation, work }) => {
                if let Some(work) = work {
                    spawn_local(work);
                }
                render(Answer::accepted(host.session(), &operation))
            }
            Err(error) => respond(Err(error)),
        };
    }
    let request = operation::Request { invocation, body };
    let answer = match reply(host, &caller, request, &Abort::default()).await {
        Ok(Reply::Stream(bytes)) => {
            let route = http::by_id(route.as_deref());
            let bytes = http::while_authenticated(route, host.clone(), caller, bytes);
            return streamed(bytes, http::media_type(route));
        }
        Ok(Reply::File(file)) => return sent(file, known.as_deref()),
        Ok(Reply::Value(value)) => Ok(value),
        Err(error) => Err(error),
    };
    render(Answer::by_route(route.as_deref(), host.session(), answer))
}

/// Parsed here, because the runtime would make two more strings from the message.
async fn parsed<T: DeserializeOwned>(request: &mut Request) -> worker::Result<T> {
    let message = request.bytes().await?;
    understood(&message)
}

/// The operation for the object, and the stream that the operation reads, if any.
async fn asked(mut request: Request) -> worker::Result<(ByCaller<Forwarded>, Option<Bytes>)> {
    let Some(message) = request.headers().get(ASK_HEADER)? else {
        return Ok((parsed(&mut request).await?, None));
    };
    let message =
        BASE64.decode(message).map_err(|error| worker::Error::RustError(error.to_string()))?;
    let stream = request.inner().body().map(JsValue::from);
    let body = stream.map(|stream| Box::new(JsBytes::new(stream.unchecked_into())) as Bytes);
    Ok((understood(&message)?, body))
}

fn understood<T: DeserializeOwned>(message: &[u8]) -> worker::Result<T> {
    parse_own("a message", message).map_err(|error| worker::Error::RustError(error.to_string()))
}

async fn answer_lease(host: &Session, request: LeaseRequest) -> worker::Result<Response> {
    let lent = match host.start().await {
        Ok(()) => host.lend(&request),
        Err(error) => Err(error),
    };
    own(lent)
}

async fn answer_delete(host: &Session, request: OwnDelete) -> worker::Result<Response> {
    let deleted = match host.start().await {
        Ok(()) => host.delete_for(&request).await,
        Err(error) => Err(error),
    };
    own(deleted)
}

async fn answer_turn(host: &Session, request: TurnRequest) -> worker::Result<Response> {
    let found = match host.start().await {
        Ok(()) => host.earlier_turn(&request),
        Err(error) => Err(error),
    };
    own(found)
}

fn own<T: Serialize>(answer: Result<T>) -> worker::Result<Response> {
    respond(answer.and_then(|answer| to_json(&answer)))
}

/// A response whose body is produced while the caller reads it.
fn streamed(bytes: Bytes, media_type: &str) -> worker::Result<Response> {
    let stream = match readable(bytes) {
        Ok(stream) => stream,
        Err(error) => return respond(Err(error)),
    };
    let response = web_sys::Response::new_with_opt_readable_stream(Some(&stream))?;
    let headers = Headers::new();
    headers.set("content-type", media_type)?;
    headers.set("cache-control", "no-store")?;
    // Otherwise proxies hold back events until a buffer is full.
    headers.set("x-accel-buffering", "no")?;
    Ok(Response::from(response).with_headers(headers))
}

fn sent(file: Download, known: Option<&str>) -> worker::Result<Response> {
    let (status, file_headers) = Answer::file_head(&file, known);
    let headers = Headers::new();
    for (name, value) in file_headers {
        headers.set(name, &value)?;
    }
    if !matches!(status, 200 | 206) {
        return Ok(Response::empty()?.with_status(status).with_headers(headers));
    }
    let length_bytes = file.length_bytes();
    let stream = match readable_of_length(file.content, length_bytes) {
        Ok(stream) => stream,
        Err(error) => return respond(Err(error)),
    };
    let response = web_sys::Response::new_with_opt_readable_stream(Some(&stream))?;
    Ok(Response::from(response).with_status(status).with_headers(headers))
}
