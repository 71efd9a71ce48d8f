//! Requests that leave the container. The platform passes them to `entry/egress.ts`, which asks the
//! sandbox's object about each.

use crate::domain::arguments::read;
use crate::domain::egress::{EgressRequest, Interception};
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::json::render;
use crate::platform::container::js::{JsFetcher, get, object, unavailable};
use crate::platform::container::port::PORT_HEADER;
use crate::platform::container::responding::RespondingContainer;
use crate::platform::messages::respond;
use crate::sandbox::SandboxService;
use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use worker::{Request, Response};

/// Header with the [`EgressRequest`] for the object's decision.
const HEADER: &str = "x-snapshotter-egress";
/// Host name of the entrypoint's questions.
const ASKED: &str = "egress.sandbox";
/// The name of the entrypoint in `entry/`.
const ENTRYPOINT: &str = "Egress";

/// Creates the entrypoint that receives an object's requests.
#[derive(Clone)]
pub struct EgressEntrypoint {
    /// `ctx.exports`.
    exports: JsValue,
    /// Id of the deciding object.
    id: String,
}

impl EgressEntrypoint {
    pub const fn new(exports: JsValue, id: String) -> Self {
        Self { exports, id }
    }

    fn bind(&self) -> Result<JsFetcher> {
        let Ok(entrypoint) = get(&self.exports, ENTRYPOINT).dyn_into::<Function>() else {
            let message = format!("the Worker exports no {ENTRYPOINT}");
            return Err(Error::new(ErrorCode::NotConfigured, message)
                .with_hint("export it from the Worker's main module, as entry/index.ts does"));
        };
        let props: Object = object(&[("sandbox", self.id.as_str().into())]);
        let options = object(&[("props", props.into())]);
        // `Function.call` can't be used: it would be a remote method of the entrypoint.
        let bound = Reflect::apply(&entrypoint, &JsValue::UNDEFINED, &Array::of1(&options));
        let bound = bound.map_err(unavailable)?;
        Ok(bound.unchecked_into())
    }
}

/// Intercepts requests of the container.
pub async fn intercept(
    container: &RespondingContainer,
    entrypoint: &EgressEntrypoint,
    interception: &Interception,
) -> Result<()> {
    let to = entrypoint.bind()?;
    let js = &container.js;
    if interception.all_http {
        container.answer(js.intercept_all_http(&to).map_err(unavailable)?).await?;
    }
    for host in &interception.http {
        container.answer(js.intercept_http(host, &to).map_err(unavailable)?).await?;
    }
    for host in &interception.https {
        container.answer(js.intercept_https(host, &to).map_err(unavailable)?).await?;
    }
    Ok(())
}

/// Answers the entrypoint's question about a request. None for other requests. The answer contains
/// secrets. A visitor of a server in the container can send this header, too, but then
/// [`serve_port`](super::port::serve_port)'s header is there as well.
#[cfg_attr(
    not(feature = "worker-exports"),
    expect(dead_code, reason = "the objects of the Worker call it")
)]
pub fn serve_egress(
    service: &SandboxService,
    request: &Request,
) -> Option<worker::Result<Response>> {
    let asked = request.headers().get(HEADER).ok()??;
    if request.headers().has(PORT_HEADER).ok()? || request.url().ok()?.host_str() != Some(ASKED) {
        return None;
    }
    let verdict = serde_json::from_str(&asked)
        .map_err(|error| Error::invalid(HEADER, error))
        .and_then(|value| read::<EgressRequest>(HEADER, value))
        .and_then(|asked| service.decide(&asked))
        .and_then(|verdict| render(&verdict));
    Some(respond(verdict))
}
