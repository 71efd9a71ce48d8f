//! Sends requests to servers in containers: the session's object says where, and the sandbox's object
//! passes them on. Bodies don't enter WebAssembly.

pub(crate) mod socket;

use crate::api::access::ByCaller;
use crate::api::http::Forwarded;
use crate::api::http::preview::{
    Page, PathTarget, Sent, Way, is_foreign, link_cookie, link_page, own_cookie, refused_page,
    request_headers, response_headers,
};
use crate::api::operation::descriptor::Operation;
use crate::api::operations::previews::open_port::OpenPort;
use crate::domain::error::{Error, ErrorCode, ErrorEnvelope, Result};
use crate::domain::ids::SessionId;
use crate::domain::json::{parse_own, render};
use crate::domain::limits::TOKEN_MAX_BYTES;
use crate::domain::session::preview::{LINK_PATH, PreviewClaims, PreviewLabel, no_preview};
use crate::domain::session::scope::Caller;
use crate::domain::session::token::{TokenKeys, no_keys};
use crate::platform::clients::sandbox::stub_of;
use crate::platform::clock::RuntimeClock;
use crate::platform::container::port::{PORT_HEADER, is_repeatable, request_of};
use crate::platform::convert::from_worker;
use crate::platform::messages::{method, respond, small_body};
use crate::platform::objects::messages::{agent_host, ask};
use crate::platform::{preview, settings};
use crate::ports::clock::Clock;
use crate::sandbox::PortOptions;
use crate::session::{OpenPortRequest, OpenedPort};
use worker::{Env, Headers, Method, Request, Response, Url};

/// Who reaches which server, and how.
struct Visit {
    session: SessionId,
    caller: Caller,
    port: OpenPortRequest,
    way: Way,
    /// Path and query on the server.
    path: String,
}

/// Serves a request to a host below `PREVIEW_HOST`. None: it is to another host.
pub async fn serve_host(request: &mut Request, env: &Env) -> Option<worker::Result<Response>> {
    let preview_host = settings::preview_host(env)?;
    let url = request.url().ok()?;
    let host = match (url.host_str()?, url.port()) {
        (host, Some(port)) => format!("{host}:{port}"),
        (host, None) => host.to_owned(),
    };
    let label = PreviewLabel::of_host(&host, &preview_host)?;
    let served = async { by_host(request, env, &url, label?).await };
    Some(match served.await {
        Ok(response) => Ok(response),
        Err(error) => refuse(request, &error),
    })
}

async fn by_host(
    request: &mut Request,
    env: &Env,
    url: &Url,
    label: PreviewLabel,
) -> Result<Response> {
    let secrets = settings::secrets(env);
    let keys = TokenKeys::parse(secrets.token_keys.as_deref().ok_or_else(no_keys)?)?;
    let now_ms = RuntimeClock.now_ms();
    let claims_of = |signed: &str| {
        let claims: Option<PreviewClaims> = keys.verify(signed, now_ms);
        claims.filter(|claims| claims.preview == label.preview)
    };
    let origin = url.origin().ascii_serialization();
    let visit = |claims: PreviewClaims, only_checks: bool| Visit {
        session: claims.session,
        caller: Caller::Preview { id: claims.preview },
        port: OpenPortRequest { port: label.port, workspace: None, only_checks },
        way: Way::Host { origin: origin.clone() },
        path: path_and_query(url),
    };
    let sent = sent(request);
    let is_foreign = is_foreign(&sent, &origin);
    if url.path() == LINK_PATH {
        if sent.method != "POST" {
            return page(&link_page(), 200).map_err(|error| from_worker(&error));
        }
        let signed = small_body(request, TOKEN_MAX_BYTES).await?;
        let signed = str::from_utf8(&signed).ok().filter(|_| !is_foreign);
        let (signed, claims) =
            signed.and_then(|signed| Some((signed, claims_of(signed)?))).ok_or_else(no_preview)?;
        let cookie = link_cookie(signed, claims.expires_at_ms - now_ms);
        open(env, &visit(claims, true)).await?;
        return opened(&cookie).map_err(|error| from_worker(&error));
    }
    let cookie = sent.header("cookie").filter(|_| !is_foreign).and_then(own_cookie);
    let claims = cookie.and_then(claims_of).ok_or_else(unopened)?;
    pass(request, env, sent, visit(claims, false)).await
}

/// Serves a request to a path of the API, of a caller who was authenticated.
pub async fn serve_path(
    request: &Request,
    env: &Env,
    target: PathTarget,
    caller: Caller,
) -> Result<Response> {
    let url = request.url().map_err(|error| from_worker(&error))?;
    let origin = url.origin().ascii_serialization();
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let PathTarget { session, workspace, port, prefix, path } = target;
    let visit = Visit {
        session,
        caller,
        port: OpenPortRequest { port, workspace, only_checks: false },
        way: Way::Path { origin, prefix },
        path: format!("{path}{query}"),
    };
    pass(request, env, sent(request), visit).await
}

/// Finds the container of a visit, after its workspace is awake.
async fn open(env: &Env, visit: &Visit) -> Result<OpenedPort> {
    let operation = Operation::of::<OpenPort>(visit.port.clone());
    let message = ByCaller {
        caller: visit.caller.clone(),
        ask: Forwarded { route: None, known: None, invocation: operation.into() },
    };
    ask(&agent_host(env, &visit.session)?, "/", message).await
}

/// Sends a request to its server, and returns the answer for the caller.
async fn pass(request: &Request, env: &Env, sent: Sent, visit: Visit) -> Result<Response> {
    let api_token = settings::secrets(env).api_token;
    let port = visit.port.port;
    let headers = request_headers(&sent, &visit.way, port, api_token.as_deref());
    let mut attempts = if is_repeatable(request) { 2 } else { 1 };
    let answer = loop {
        let OpenedPort { sandbox, instance } = open(env, &visit).await?;
        let options = PortOptions { port, instance_id: instance.ok_or_else(no_instance)? };
        match to_sandbox(request, env, sandbox.as_str(), &options, &headers, &visit.path).await {
            // It was paused or rewound in between.
            Err(error) if error.code == ErrorCode::WorkspaceLost && attempts > 1 => attempts -= 1,
            answer => break answer?,
        }
    };
    let answered: Vec<(String, String)> = answer.headers().entries().collect();
    let headers = Headers::new();
    for (name, value) in response_headers(&answered, &visit.way, port) {
        headers.append(&name, &value).map_err(|error| from_worker(&error))?;
    }
    if answer.status_code() != SWITCHING_PROTOCOLS {
        return Ok(answer.with_headers(headers));
    }
    let server = answer.websocket().ok_or_else(|| Error::internal("101 without a WebSocket"))?;
    let chosen = headers.get("sec-websocket-protocol").ok().flatten();
    let offered = sent.header("sec-websocket-protocol").map(ToOwned::to_owned);
    let env = env.clone();
    let visit = Visit { port: OpenPortRequest { only_checks: true, ..visit.port }, ..visit };
    let still_allowed = async move || open(&env, &visit).await.map(drop);
    preview::socket::connect(server, chosen, offered.as_deref(), still_allowed)
}

/// Status of an answer that is a WebSocket.
const SWITCHING_PROTOCOLS: u16 = 101;

async fn to_sandbox(
    request: &Request,
    env: &Env,
    sandbox: &str,
    options: &PortOptions,
    headers: &[(String, String)],
    path: &str,
) -> Result<Response> {
    let inner = Headers::new();
    let set =
        |name: &str, value: &str| inner.append(name, value).map_err(|error| from_worker(&error));
    for (name, value) in headers {
        set(name, value)?;
    }
    set(PORT_HEADER, &render(options)?.to_string())?;
    let url = format!("http://localhost:{}{path}", options.port);
    let request = request_of(&url, request, inner)?;
    let stub = stub_of(env, sandbox)?;
    let mut answer = stub.fetch_with_request(request).await.map_err(|error| from_worker(&error))?;
    let is_servers = answer.headers().has(PORT_HEADER).map_err(|error| from_worker(&error))?;
    if is_servers {
        return Ok(answer);
    }
    let body = answer.bytes().await.map_err(|error| from_worker(&error))?;
    let envelope: ErrorEnvelope = parse_own("an answer", &body)?;
    Err(envelope.error.into())
}

fn sent(request: &Request) -> Sent {
    let headers = request.headers().entries();
    Sent { method: method(request), headers: headers.collect() }
}

fn path_and_query(url: &Url) -> String {
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}

/// The answer to a link's claims: the cookie.
fn opened(cookie: &str) -> worker::Result<Response> {
    let headers = Headers::new();
    headers.set("set-cookie", cookie)?;
    headers.set("cache-control", "no-store")?;
    Ok(Response::empty()?.with_status(204).with_headers(headers))
}

fn page(page: &Page, status: u16) -> worker::Result<Response> {
    let headers = Headers::new();
    for (name, value) in page.headers() {
        headers.set(name, value)?;
    }
    Ok(Response::ok(page.html.as_str())?.with_status(status).with_headers(headers))
}

/// The answer to a request that reaches no server: a page for people, JSON for programs.
fn refuse(request: &Request, error: &Error) -> worker::Result<Response> {
    let accept = request.headers().get("accept")?.unwrap_or_default();
    let refused = respond(&Err(error.clone()))?;
    if request.method() != Method::Get || !accept.contains("text/html") {
        return Ok(refused);
    }
    page(&refused_page(error), refused.status_code())
}

fn unopened() -> Error {
    Error::new(ErrorCode::Unauthenticated, "this preview is reached by its link")
        .with_hint("open the link that you were given; if it no longer works, ask for a new one")
}

fn no_instance() -> Error {
    Error::internal("a port was opened without a disk")
}
