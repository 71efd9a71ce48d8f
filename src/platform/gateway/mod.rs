//! The bucket gateway over the runtime, for requests from `entry/egress.ts`.

pub(crate) mod js;
pub(crate) mod services;
pub(crate) mod store;

use crate::domain::error::{Error, ErrorCode, ErrorEnvelope, Result};
use crate::domain::json::{parse_own, render};
use crate::domain::s3::request::RequestHead;
use crate::domain::s3::{Code, S3Error, Scope};
use crate::gateway::{Answer, AnswerBody, Gateway};
use crate::platform::budgets;
use crate::platform::clock::RuntimeClock;
use crate::platform::container::port::PORT_HEADER;
use crate::platform::container::stream::{JsBytes, readable};
use crate::platform::convert::from_worker;
use crate::platform::gateway::services::FetchedServices;
use crate::platform::gateway::store::BoundStores;
use crate::platform::log::ConsoleLog;
use crate::platform::messages::{method, respond};
use crate::platform::settings;
use crate::ports::stream::Bytes;
use crate::sandbox::{ReachedBuckets, SandboxService};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use worker::{EncodeBody, Env, Headers, Request, RequestInit, Response, ResponseBuilder};

/// Header of the question about the buckets that a sandbox may reach.
const HEADER: &str = "x-snapshotter-buckets";
/// Host name of that question.
const ASKED: &str = "buckets.sandbox";

/// Answers a container's request to the gateway. `sandbox` is the id of the container's object.
pub async fn serve_bucket(request: Request, env: Env, sandbox: &str) -> worker::Result<Response> {
    let headers: Vec<(String, String)> = request.headers().entries().collect();
    let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let url = request.url()?;
    let query = url.query().unwrap_or_default();
    let head = RequestHead::new(&method(&request), url.path(), query, headers);
    let answer = match reached(&env, sandbox).await {
        Ok(reached) => answer(&request, env, &head, reached).await,
        Err(error) => {
            let unavailable = S3Error::new(Code::ServiceUnavailable, "try again in a moment");
            let unavailable = unavailable.with_cause(error.to_string());
            Answer::error(&head, &unavailable)
        }
    };
    rendered(answer)
}

async fn answer(
    request: &Request,
    env: Env,
    head: &RequestHead,
    ReachedBuckets { sandbox_id, mounts }: ReachedBuckets,
) -> Answer {
    let allowed = settings::buckets(&env);
    let mut open = mounts;
    // The operator may have removed a bucket from the list since then.
    open.retain(|mount| allowed.problem(mount).is_none());
    let gateway = Gateway {
        clock: Rc::new(RuntimeClock),
        log: Rc::new(ConsoleLog),
        stores: Rc::new(BoundStores::new(env)),
        services: Rc::new(FetchedServices),
        memory: budgets::bucket_memory(),
        scope: Scope::new(open),
        caller: sandbox_id,
    };
    #[cfg(feature = "test-hooks")]
    if let Some(broken) = broken_contract(&gateway, head).await {
        return broken;
    }
    let body = request.inner().body().map(JsValue::from);
    let body = body.map(|stream| Box::new(JsBytes::new(stream.unchecked_into())) as Bytes);
    gateway.answer(head, body).await
}

/// Runs the contract tests of the store, if a test asks for this. Answers 200, or 500 with the
/// error.
#[cfg(feature = "test-hooks")]
async fn broken_contract(gateway: &Gateway, head: &RequestHead) -> Option<Answer> {
    if head.method != "POST" || !head.query().ok()?.contains_key("test-contract") {
        return None;
    }
    let (bucket, _) = head.address().ok()?;
    let store = gateway.readable(&bucket, None).ok()?;
    let kept = crate::ports::contract::objects(store.as_ref(), "contract/").await;
    let (status, text) = match kept {
        Ok(()) => (200, "kept".to_owned()),
        Err(error) => (500, format!("{error} {:?}", error.cause)),
    };
    Some(Answer { status, headers: Vec::new(), body: AnswerBody::Xml(text) })
}

fn rendered(answer: Answer) -> worker::Result<Response> {
    let headers = Headers::new();
    for (name, value) in &answer.headers {
        headers.append(name, value)?;
    }
    // The runtime must not compress the stored bytes.
    let response =
        ResponseBuilder::new().with_status(answer.status).with_encode_body(EncodeBody::Manual);
    let response = match answer.body {
        AnswerBody::Empty => response.empty(),
        AnswerBody::Omitted(length) => {
            headers.set("content-length", &length.to_string())?;
            response.empty()
        }
        AnswerBody::Xml(text) => {
            headers.set("content-type", "application/xml")?;
            response.fixed(text.into_bytes())
        }
        AnswerBody::Stream(bytes, length) => {
            headers.set("content-length", &length.to_string())?;
            let stream =
                readable(bytes).map_err(|error| worker::Error::RustError(error.to_string()))?;
            response.stream(stream)
        }
    };
    Ok(response.with_headers(headers))
}

async fn reached(env: &Env, sandbox: &str) -> Result<ReachedBuckets> {
    let namespace = env.durable_object("SANDBOX").map_err(|error| from_worker(&error))?;
    let id = namespace.id_from_string(sandbox).map_err(|error| from_worker(&error))?;
    let stub = id.get_stub().map_err(|error| from_worker(&error))?;
    let headers = Headers::new();
    headers.set(HEADER, "which").map_err(|error| from_worker(&error))?;
    let mut init = RequestInit::new();
    init.with_headers(headers);
    let request = Request::new_with_init(&format!("http://{ASKED}/"), &init)
        .map_err(|error| from_worker(&error))?;
    let mut answer = stub.fetch_with_request(request).await.map_err(|error| from_worker(&error))?;
    let body = answer.bytes().await.map_err(|error| from_worker(&error))?;
    if answer.status_code() == 200 {
        return parse_own("an answer", &body);
    }
    let envelope: ErrorEnvelope = parse_own("an answer", &body)?;
    Err(Error::new(ErrorCode::Unavailable, envelope.error.message))
}

/// Answers that question in the sandbox's object. None for other requests. The answer contains
/// credentials. A visitor of a server in the container can send this header, too, but then
/// [`serve_port`](crate::platform::serve_port)'s header is there as well.
#[cfg_attr(
    not(feature = "worker-exports"),
    expect(dead_code, reason = "the objects of the Worker call it")
)]
pub fn serve_buckets(
    service: &SandboxService,
    request: &Request,
) -> Option<worker::Result<Response>> {
    request.headers().get(HEADER).ok()??;
    if request.headers().has(PORT_HEADER).ok()? || request.url().ok()?.host_str() != Some(ASKED) {
        return None;
    }
    Some(respond(service.reached_buckets().and_then(|reached| render(&reached))))
}
