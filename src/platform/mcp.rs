//! MCP over the runtime: the Worker reads a message, and the session's object answers it.

use crate::api::access::ByCaller;
use crate::api::http::Forwarded;
use crate::api::mcp;
use crate::api::mcp::answer::Answer;
use crate::api::mcp::{Call, Head, Received, stream};
use crate::domain::error::Result;
use crate::domain::ids::{InstanceId, SessionId};
use crate::domain::session::scope::Caller;
use crate::platform::clock::RuntimeClock;
use crate::platform::convert::from_worker;
use crate::platform::messages::{bounded_body, json, method};
use crate::platform::random::RuntimeRandom;
use crate::platform::stubs::{MCP_PATH, OPERATION_PATH, agent_host, post};
use crate::platform::wiring::run;
use crate::ports::random::random_bytes;
use crate::session::{Abort, Session};
use crate::support::budget::Held;
use futures::StreamExt;
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;
use worker::{Env, Headers, Request, Response};

/// Serves an authenticated request to a session's MCP address.
pub async fn forward(
    request: Request,
    env: &Env,
    session: &SessionId,
    caller: Caller,
) -> Result<Response> {
    match received(request, session).await? {
        Received::Answer(answer) => render(answer),
        Received::Call(call) => {
            let unanswered = call.without_input();
            let asked = ByCaller { caller, ask: call };
            match post(&agent_host(env, session)?, MCP_PATH, asked).await {
                Ok(response) => Ok(response),
                Err(error) => render(unanswered.answer(session, Err(error))),
            }
        }
        Received::Notify(operation) => {
            // A notification gets no result, because the operation to cancel may have just ended.
            let ask = Forwarded { route: None, known: None, invocation: operation.into() };
            let _ =
                post(&agent_host(env, session)?, OPERATION_PATH, ByCaller { caller, ask }).await;
            render(Answer::accepted())
        }
    }
    .map_err(|error| from_worker(&error))
}

async fn received(mut request: Request, session: &SessionId) -> Result<Received> {
    let headers = request.headers().clone();
    let method = method(&request);
    let header = |name: &str| headers.get(name).ok().flatten();
    let url = request.url().map_err(|error| from_worker(&error))?;
    let query: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    let head = Head { method: &method, header: &header, query: &query };
    if let Err(answer) = mcp::check_head(head) {
        return Ok(Received::Answer(answer));
    }
    let body = bounded_body(&mut request, Some(session)).await?;
    // The received bytes leave WebAssembly before the next await.
    Ok(mcp::receive(session, head, &body.bytes, new_client))
}

fn new_client() -> Option<String> {
    let bytes = random_bytes(&RuntimeRandom).ok()?;
    Some(InstanceId::from_random(bytes).to_string())
}

/// Answers a call. Runs in the session's object. `held` is the message's room in the budget.
pub async fn answer(
    host: Rc<Session>,
    asked: ByCaller<Call>,
    held: Option<Held>,
) -> worker::Result<Response> {
    let ByCaller { caller, ask: call } = asked;
    // A bad token is an HTTP error, not a tool's answer.
    if let Err(error) = host.authenticate(&caller) {
        return crate::platform::messages::respond(Err(error));
    }
    if !call.streamed {
        let asker = call.without_input();
        let answer = run(&host, &caller, call.invocation, &Abort::default()).await;
        return render(asker.answer(host.session(), answer));
    }
    let (abort, writer, body) = stream::open(&call);
    // A separate task, not inside the stream: see `api::mcp::stream`.
    spawn_local(async move {
        let asker = call.without_input();
        let answer = run(&host, &caller, call.invocation, &abort);
        writer.write(&asker, host.session(), &RuntimeClock, answer).await;
        drop(held);
    });
    events(body)
}

fn events(body: stream::Body) -> worker::Result<Response> {
    let headers = Headers::new();
    headers.set("content-type", "text/event-stream")?;
    headers.set("cache-control", "no-store")?;
    // Otherwise proxies hold back events until a buffer is full.
    headers.set("x-accel-buffering", "no")?;
    Ok(Response::from_stream(body.map(Ok::<_, worker::Error>))?.with_headers(headers))
}

fn render(answer: Answer) -> worker::Result<Response> {
    let headers = Headers::new();
    headers.set("cache-control", "no-store")?;
    for (name, value) in &answer.headers {
        headers.set(name, value)?;
    }
    let response = match answer.body {
        Some(message) => {
            headers.set("content-type", "application/json")?;
            json(&message)?
        }
        None => Response::empty()?,
    };
    Ok(response.with_status(answer.status).with_headers(headers))
}
