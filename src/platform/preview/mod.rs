//! Sends requests to servers in containers. The session's object finds the container, and the
//! sandbox's object passes the requests on. Bodies don't enter WebAssembly.

pub(crate) mod socket;

use crate::api::access::ByCaller;
use crate::api::http::Forwarded;
use crate::api::http::preview::{
    Page, PathTarget, Sent, Way, is_foreign, link_cookie, link_page, moved_page, own_cookies,
    refused_page, request_headers, response_headers,
};
use crate::api::operation::descriptor::Operation;
use crate::api::operations::previews::OpenPort;
use crate::domain::error::{Error, ErrorCode, ErrorEnvelope, Result};
use crate::domain::ids::SessionId;
use crate::domain::json::{parse_own, render};
use crate::domain::limits::{TICKET_TTL_MS, TOKEN_MAX_BYTES};
use crate::domain::session::preview::{
    CODE_PATH, PreviewClaims, PreviewLabel, is_link_host, no_preview,
};
use crate::domain::session::scope::Caller;
use crate::domain::session::ticket::{Code, no_ticket};
use crate::domain::session::token::{TokenKeys, no_keys};
use crate::platform::clock::RuntimeClock;
use crate::platform::container::port::{PORT_HEADER, is_repeatable, request_of};
use crate::platform::convert::from_worker;
use crate::platform::messages::{method, respond, small_body};
use crate::platform::stubs::{OPERATION_PATH, agent_host, ask, sandbox};
use crate::platform::{preview, settings};
use crate::ports::clock::Clock;
use crate::sandbox::PortOptions;
use crate::session::{CodeStep, OpenPortRequest, OpenedPort};
use serde_json::json;
use worker::{Env, Headers, Method, Request, Response, Url};

struct Visit {
    session: SessionId,
    caller: Caller,
    port: OpenPortRequest,
    way: Way,
    /// Path and query on the server.
    path: String,
}

/// Serves a request to a host below `PREVIEW_HOST`. None if it is for another host.
pub async fn serve_host(request: &mut Request, env: &Env) -> Option<worker::Result<Response>> {
    let preview_host = settings::preview_host(env)?;
    let url = request.url().ok()?;
    let host = match (url.host_str()?, url.port()) {
        (host, Some(port)) => format!("{host}:{port}"),
        (host, None) => host.to_owned(),
    };
    let served = if is_link_host(&host, &preview_host) {
        exchange(request, env, &url, &preview_host).await
    } else {
        let label = PreviewLabel::of_host(&host, &preview_host)?;
        async { by_host(request, env, &url, label?).await }.await
    };
    Some(match served {
        Ok(response) => Ok(response),
        Err(error) => refuse(request, &error),
    })
}

/// Serves a request to the host that exchanges links. This host runs no code of a session, and
/// accepts no service worker, which could see later links.
async fn exchange(
    request: &mut Request,
    env: &Env,
    url: &Url,
    preview_host: &str,
) -> Result<Response> {
    let keys = keys(env)?;
    let label = PreviewLabel::of_link(url.path())?;
    let sent = sent(request);
    sent.check_no_service_worker()?;
    if sent.method != "POST" {
        return page(&link_page(), 200).map_err(|error| from_worker(&error));
    }
    let signed = small_body(request, TOKEN_MAX_BYTES).await?;
    let is_foreign = is_foreign(&sent, &url.origin().ascii_serialization(), false);
    let now_ms = RuntimeClock.now_ms();
    let link: Option<PreviewClaims> = str::from_utf8(&signed)
        .ok()
        .filter(|_| !is_foreign)
        .and_then(|signed| keys.verify(signed.trim_end(), now_ms));
    let link = link.filter(|link| link.preview == label.preview).ok_or_else(no_preview)?;
    let visit = Visit::of_link(&link, &label, url, Some(CodeStep::Make));
    let id = open(env, &visit)
        .await?
        .code
        .ok_or_else(|| Error::internal("the session returned no code for a link"))?;
    let code = keys.sign(&Code { id, link, expires_at_ms: now_ms + TICKET_TTL_MS })?;
    respond(Ok(json!({ "url": label.code_url(preview_host, &code) })))
        .map_err(|error| from_worker(&error))
}

async fn by_host(request: &Request, env: &Env, url: &Url, label: PreviewLabel) -> Result<Response> {
    let keys = keys(env)?;
    let now_ms = RuntimeClock.now_ms();
    let sent = sent(request);
    if url.path() == CODE_PATH {
        let Some(code) = url.query() else {
            return page(&moved_page(), 200).map_err(|error| from_worker(&error));
        };
        let code: Option<Code> = keys.verify(code, now_ms);
        let code = code.filter(|code| code.link.preview == label.preview && sent.method == "GET");
        let Code { id, link, .. } = code.ok_or_else(no_ticket)?;
        open(env, &Visit::of_link(&link, &label, url, Some(CodeStep::Use(id)))).await?;
        let lasts_ms = link.expires_at_ms - now_ms;
        let cookie = link_cookie(&keys.sign(&link)?, lasts_ms, !link.frame_ancestors.is_empty());
        return opened(&cookie).map_err(|error| from_worker(&error));
    }
    let link = sent.header("cookie").into_iter().flat_map(own_cookies).find_map(|signed| {
        let link: Option<PreviewClaims> = keys.verify(signed, now_ms);
        link.filter(|link| link.preview == label.preview)
    });
    let origin = url.origin().ascii_serialization();
    let link = link.filter(|link| !is_foreign(&sent, &origin, !link.frame_ancestors.is_empty()));
    let visit = Visit::of_link(&link.ok_or_else(unopened)?, &label, url, None);
    pass(request, env, sent, visit).await
}

fn keys(env: &Env) -> Result<TokenKeys> {
    TokenKeys::parse(settings::secrets(env).token_keys.as_deref().ok_or_else(no_keys)?)
}

impl Visit {
    /// The visit of a link's holder. It is only a check if it asks for a step of a code.
    fn of_link(
        link: &PreviewClaims,
        label: &PreviewLabel,
        url: &Url,
        code: Option<CodeStep>,
    ) -> Self {
        let only_checks = code.is_some();
        Self {
            session: link.session.clone(),
            caller: Caller::Preview { id: link.preview.clone() },
            port: OpenPortRequest { port: label.port, workspace: None, only_checks, code },
            way: Way::Host {
                origin: url.origin().ascii_serialization(),
                frame_ancestors: link.frame_ancestors.clone(),
            },
            path: path_and_query(url),
        }
    }
}

/// Serves a request to a path of the API, from an authenticated caller.
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
        port: OpenPortRequest { port, workspace, only_checks: false, code: None },
        way: Way::Path { origin, prefix },
        path: format!("{path}{query}"),
    };
    let sent = sent(request);
    sent.check_no_service_worker()?;
    pass(request, env, sent, visit).await
}

/// Finds the container of a visit, once its workspace is awake.
async fn open(env: &Env, visit: &Visit) -> Result<OpenedPort> {
    let operation = Operation::of::<OpenPort>(visit.port.clone());
    let message = ByCaller {
        caller: visit.caller.clone(),
        ask: Forwarded { route: None, known: None, invocation: operation.into() },
    };
    ask(&agent_host(env, &visit.session)?, OPERATION_PATH, message).await
}

async fn pass(request: &Request, env: &Env, sent: Sent, visit: Visit) -> Result<Response> {
    let api_token = settings::secrets(env).api_token;
    let port = visit.port.port;
    let headers = request_headers(&sent, &visit.way, port, api_token.as_deref());
    let mut attempts = if is_repeatable(request) { 2 } else { 1 };
    let answer = loop {
        let OpenedPort { sandbox, instance, .. } = open(env, &visit).await?;
        let options = PortOptions { port, instance_id: instance.ok_or_else(no_instance)? };
        match to_sandbox(request, env, sandbox.as_str(), &options, &headers, &visit.path).await {
            // The workspace was paused or rewound in between.
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
    let server = answer
        .websocket()
        .ok_or_else(|| Error::internal("the server answered 101 without a WebSocket"))?;
    let chosen = headers.get("sec-websocket-protocol").ok().flatten();
    let offered = sent.header("sec-websocket-protocol").map(ToOwned::to_owned);
    let env = env.clone();
    let visit = Visit { port: OpenPortRequest { only_checks: true, ..visit.port }, ..visit };
    let still_allowed = async move || open(&env, &visit).await.map(drop);
    preview::socket::connect(server, chosen, offered.as_deref(), still_allowed)
}

const SWITCHING_PROTOCOLS: u16 = 101;

async fn to_sandbox(
    request: &Request,
    env: &Env,
    id: &str,
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
    let stub = sandbox(env, id)?;
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

/// The answer to a code: sets the cookie, and redirects to the server's page.
fn opened(cookie: &str) -> worker::Result<Response> {
    let headers = Headers::new();
    headers.set("set-cookie", cookie)?;
    headers.set("location", "/")?;
    headers.set("cache-control", "no-store")?;
    headers.set("referrer-policy", "no-referrer")?;
    Ok(Response::empty()?.with_status(303).with_headers(headers))
}

fn page(page: &Page, status: u16) -> worker::Result<Response> {
    let headers = Headers::new();
    for (name, value) in page.headers() {
        headers.set(name, value)?;
    }
    Ok(Response::ok(page.html.as_str())?.with_status(status).with_headers(headers))
}

/// A page for people, JSON for programs.
fn refuse(request: &Request, error: &Error) -> worker::Result<Response> {
    let accept = request.headers().get("accept")?.unwrap_or_default();
    let refused = respond(Err(error.clone()))?;
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
