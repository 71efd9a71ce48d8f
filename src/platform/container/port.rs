//! Requests to servers in the object's container.

use crate::domain::arguments::read;
use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::platform::container::js::{JsContainer, words};
use crate::platform::convert::from_worker;
use crate::platform::messages::respond;
use crate::sandbox::{PortOptions, SandboxService};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use worker::{Container, Headers, Request, Response};

/// Header with the [`PortOptions`] of a request to a sandbox's object. A server's answer has this
/// header; our errors lack it.
pub const PORT_HEADER: &str = "x-snapshotter-port";

/// Answers a request of [`serve`](crate::platform::serve) to a server in the sandbox's container.
/// None for other requests.
pub async fn serve_port(
    service: &SandboxService,
    container: &Container,
    request: &Request,
) -> Option<worker::Result<Response>> {
    let options = request.headers().get(PORT_HEADER).ok()??;
    let container = container.as_ref().unchecked_ref();
    service.keep_running().await;
    let answer = send_to_port(service, container, &options, request).await;
    Some(answer.or_else(|error| respond(Err(error))))
}

async fn send_to_port(
    service: &SandboxService,
    container: &JsContainer,
    options: &str,
    request: &Request,
) -> Result<Response> {
    let options = serde_json::from_str(options)
        .map_err(|error| Error::invalid(PORT_HEADER, error))
        .and_then(|value| read::<PortOptions>(PORT_HEADER, value))?;
    let url = request.url().map_err(|error| from_worker(&error))?;
    let send = async || {
        let headers = request.headers().clone();
        headers.delete(PORT_HEADER).map_err(|error| from_worker(&error))?;
        let request = request_of(url.as_str(), request, headers)?;
        let server = container.tcp_port(options.port).map_err(no_answer)?;
        let answer = server.fetch(request.inner()).map_err(no_answer)?;
        let answer = JsFuture::from(answer).await.map_err(no_answer)?;
        Ok(Response::from(answer.unchecked_into::<web_sys::Response>()))
    };
    let answer = service.send_to_port(&options, is_repeatable(request), send).await?;
    let headers = answer.headers().clone();
    headers.set(PORT_HEADER, "served").map_err(|error| from_worker(&error))?;
    Ok(answer.with_headers(headers))
}

/// Whether a failed request may be sent again, although its server may have acted on it before.
pub fn is_repeatable(request: &Request) -> bool {
    let is_safe = matches!(request.inner().method().as_str(), "GET" | "HEAD" | "OPTIONS");
    is_safe && request.inner().body().is_none()
}

/// The same request with other headers, for another address. Returns redirects unfollowed.
pub fn request_of(url: &str, request: &Request, headers: Headers) -> Result<Request> {
    let init = web_sys::RequestInit::new();
    // The crate's own type knows only some methods.
    init.set_method(&request.inner().method());
    init.set_headers(headers.0.as_ref());
    init.set_redirect(web_sys::RequestRedirect::Manual);
    if let Some(body) = request.inner().body() {
        init.set_body(body.as_ref());
    }
    let request = web_sys::Request::new_with_str_and_init(url, &init);
    Ok(Request::from(request.map_err(|thrown| Error::invalid("request", words(&thrown)))?))
}

fn no_answer(thrown: JsValue) -> Error {
    Error::new(ErrorCode::Unavailable, "the server in the workspace does not answer")
        .with_outcome(Outcome::Unknown)
        .with_hint("look at what it printed, and whether it still runs")
        .with_cause(words(&thrown))
}
