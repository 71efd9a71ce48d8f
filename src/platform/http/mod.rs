//! The Worker's HTTP surface: authenticates, bounds the body, routes, and forwards to the session's
//! object.

mod assets;

use crate::api::access::ByCaller;
use crate::api::http;
use crate::api::http::preview::path_target;
use crate::api::http::{Answer, Found, Identity};
use crate::api::operation::asked::{Asked, Matched};
use crate::api::operation::route::Serve;
use crate::domain::error::{Error, Result};
use crate::domain::ids::SessionId;
use crate::domain::json;
use crate::domain::session::scope::Caller;
use crate::domain::session::ticket::TicketClaims;
use crate::platform::clock::RuntimeClock;
use crate::platform::convert::from_worker;
use crate::platform::messages::{Body, bounded_body, method, render, respond};
use crate::platform::stubs::{OPERATION_PATH, TICKET_PATH, agent_host, ask, post, post_stream};
use crate::platform::wiring::operate;
use crate::platform::{mcp, preview, settings, socket};
use crate::ports::clock::Clock;
use crate::session::UsedTicket;
use serde_json::Value;
#[cfg(feature = "test-hooks")]
use wasm_bindgen::{JsCast, JsValue};
use worker::{Env, Headers, Method, Request, Response, Url};

/// Serves one request.
pub async fn serve(mut request: Request, env: Env) -> worker::Result<Response> {
    if let Some(answer) = preview::serve_host(&mut request, &env).await {
        return answer;
    }
    let Some(origin) = request.headers().get("origin")? else {
        return serve_allowed(request, &env).await;
    };
    let page = match page_of(&request, &origin, &env) {
        Ok(Some(page)) => page,
        Ok(None) => return serve_allowed(request, &env).await,
        Err(error) => return respond(Err(error)),
    };
    if request.method() == Method::Options {
        let headers = Headers::new();
        for (name, value) in http::origin_headers(page).into_iter().chain(http::preflight_headers())
        {
            headers.set(name, &value)?;
        }
        return Ok(Response::empty()?.with_status(204).with_headers(headers));
    }
    let response = serve_allowed(request, &env).await?;
    let headers = response.headers().clone();
    for (name, value) in http::origin_headers(page) {
        headers.set(name, &value)?;
    }
    Ok(response.with_headers(headers))
}

/// The origin of a page that may call, unless it is our own origin.
fn page_of<'a>(request: &Request, origin: &'a str, env: &Env) -> Result<Option<&'a str>> {
    let url = request.url().map_err(|error| from_worker(&error))?;
    let own = url.origin().ascii_serialization();
    http::check_origin(origin, &own, &settings::allowed_origins(env))
}

async fn serve_allowed(request: Request, env: &Env) -> worker::Result<Response> {
    match forward(request, env).await {
        Ok(response) => Ok(response),
        Err(error) => respond(Err(error)),
    }
}

async fn forward(request: Request, env: &Env) -> Result<Response> {
    let url = request.url().map_err(|error| from_worker(&error))?;
    #[cfg(feature = "test-hooks")]
    if url.path() == "/test-memory" {
        return test_memory();
    }
    let received = Received { request, url, env };
    let (method, path) = (method(&received.request), received.url.path());
    if let Some(file) = http::console_file(&method, path) {
        return match file {
            Ok(file) => assets::console(file, received.header("if-none-match"), env).await,
            Err(answer) => finish(answer),
        };
    }
    let segments = segments(path);
    let target = segments.as_deref().ok().and_then(|segments| path_target(path, segments));
    if let Some(target) = target {
        let session = target.as_ref().map(|target| target.session.clone());
        let caller = received.caller(session.map_err(Clone::clone), true).await?;
        let target = target?;
        return preview::serve_path(&received.request, env, target, caller).await;
    }
    // Only authenticated callers learn which paths have routes.
    let nowhere = |answer: Result<Answer>| received.identity().and(answer).and_then(finish);
    match segments.map(|segments| http::find(&method, &segments)) {
        Ok(Found::Route(matched)) => received.serve(&matched).await,
        Ok(Found::OtherMethods(verbs)) => nowhere(Ok(Answer::other_methods(&verbs))),
        Ok(Found::Nothing) => nowhere(Ok(Answer::no_route())),
        Err(error) => nowhere(Err(error)),
    }
}

/// A request, before its body is read.
struct Received<'a> {
    request: Request,
    url: Url,
    env: &'a Env,
}

impl Received<'_> {
    fn header(&self, name: &str) -> Option<String> {
        self.request.headers().get(name).ok().flatten()
    }

    fn query(&self) -> Vec<(String, String)> {
        self.url.query_pairs().into_owned().collect()
    }

    fn identity(&self) -> Result<Identity> {
        let secrets = settings::secrets(self.env);
        let authorization = self.header("authorization");
        http::authenticate(authorization.as_deref(), &secrets, RuntimeClock.now_ms())
    }

    /// The ticket of a request that opens a WebSocket without a token.
    fn ticket(&self) -> Result<Option<TicketClaims>> {
        let opens = self.header("upgrade").is_some_and(|to| to.eq_ignore_ascii_case("websocket"));
        if !opens || self.header("authorization").is_some() {
            return Ok(None);
        }
        let subprotocols = self.header("sec-websocket-protocol").unwrap_or_default();
        http::socket_ticket(&subprotocols, &settings::secrets(self.env), RuntimeClock.now_ms())
    }

    /// The sender as a caller in a session. A ticket is only valid for opening a WebSocket, and is
    /// used up by it.
    async fn caller(&self, session: Result<SessionId>, may_be_socket: bool) -> Result<Caller> {
        let ticket = if may_be_socket { self.ticket()? } else { None };
        let Some(TicketClaims { session: own, id, .. }) = ticket else {
            return self.identity()?.in_session(&session?);
        };
        if session? != own {
            return Err(http::of_another_session());
        }
        let path = self.url.path();
        let below = path.match_indices('/').nth(3).and_then(|(at, _)| path.get(at..));
        let used = UsedTicket { id, path: below.unwrap_or_default().to_owned() };
        ask(&agent_host(self.env, &own)?, TICKET_PATH, used).await
    }

    async fn caller_of(&self, matched: &Matched) -> Result<(SessionId, Caller)> {
        let session = matched.session();
        let caller = self.caller(session.clone(), matched.route.socket).await?;
        Ok((session?, caller))
    }

    async fn serve(self, matched: &Matched) -> Result<Response> {
        match matched.route.serve {
            Serve::About => finish(Answer::about(self.header("accept").as_deref())),
            Serve::Health => {
                let health = http::health(&settings::missing(self.env));
                finish(Answer::of(health.and_then(|health| json::render(&health))))
            }
            Serve::OpenApi => assets::openapi(self.header("if-none-match"), self.env).await,
            Serve::Operator(_) => self.serve_operator(matched).await,
            Serve::Mcp => {
                let (session, caller) = self.caller_of(matched).await?;
                mcp::forward(self.request, self.env, &session, caller).await
            }
            Serve::Session(_) => self.serve_session(matched).await,
        }
    }

    async fn serve_operator(mut self, matched: &Matched) -> Result<Response> {
        self.identity()?.operator()?;
        let body = bounded_body(&mut self.request, None).await?;
        let (query, header) = (self.query(), |name: &str| self.header(name));
        let asked = Asked { matched, query: &query, header: &header, body: &body.bytes };
        let answer = operate(self.env, &asked.operator_call()?).await;
        match (answer, matched.route.streams) {
            (Ok(Value::String(text)), Some(media_type)) => plain(&text, media_type),
            (answer, _) => finish(Answer::of(answer)),
        }
    }

    async fn serve_session(mut self, matched: &Matched) -> Result<Response> {
        let (session, caller) = self.caller_of(matched).await?;
        let Body { bytes, held } = match matched.route.receives {
            Some(_) => Body::default(),
            None => bounded_body(&mut self.request, Some(&session)).await?,
        };
        let (query, header) = (self.query(), |name: &str| self.header(name));
        let asked = Asked { matched, query: &query, header: &header, body: &bytes };
        let message = ByCaller { caller, ask: asked.forwarded()? };
        // All content of the message leaves WebAssembly before the next await.
        drop((bytes, held));
        let host = agent_host(self.env, &session)?;
        if matched.route.socket {
            return socket::open(self.request.headers(), &host, &message).await;
        }
        match matched.route.receives.map(|_| self.request.inner().body()) {
            Some(Some(stream)) => post_stream(&host, &message, &stream).await,
            Some(None) => Err(Error::invalid("body", "is missing; send the archive")),
            None => post(&host, OPERATION_PATH, message).await,
        }
    }
}

#[cfg(feature = "test-hooks")]
fn test_memory() -> Result<Response> {
    // `gc` exists only if V8 runs with `--expose-gc`.
    if let Ok(gc) = js_sys::Reflect::get(&js_sys::global(), &"gc".into())
        && let Some(gc) = gc.dyn_ref::<js_sys::Function>()
    {
        let _ = gc.call0(&JsValue::UNDEFINED);
    }
    let pages = core::arch::wasm32::memory_size::<0>();
    let memory = serde_json::json!({ "wasmBytes": pages * 65_536 });
    respond(Ok(memory)).map_err(|error| from_worker(&error))
}

fn plain(text: &str, media_type: &str) -> Result<Response> {
    let response = Response::ok(text).and_then(|response| {
        let headers = Headers::new();
        headers.set("content-type", media_type)?;
        headers.set("cache-control", "no-store")?;
        Ok(response.with_headers(headers))
    });
    response.map_err(|error| from_worker(&error))
}

fn finish(answer: Answer) -> Result<Response> {
    render(answer).map_err(|error| from_worker(&error))
}

fn segments(path: &str) -> Result<Vec<String>> {
    path.split('/')
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
