//! The Workers platform: the only code that names `worker`, `wasm_bindgen` or `js_sys`.
//!
//! A Worker that depends on this crate without the feature `worker-exports` builds its own objects
//! with [`host()`] and [`sandbox()`]. It can serve HTTP with [`serve`]; its objects then answer
//! with [`answer`] and [`serve_port`]. Each of its entry points calls [`guard`] first, and last
//! [`report_soon`], which reports the counts for `GET /v1/metrics`.

pub(crate) mod alarm;
pub(crate) mod budgets;
pub mod clients;
pub(crate) mod clock;
pub(crate) mod container;
pub(crate) mod convert;
pub(crate) mod gateway;
pub(crate) mod http;
pub(crate) mod log;
pub(crate) mod mcp;
pub(crate) mod messages;
pub(crate) mod metrics;
pub mod objects;
pub(crate) mod preview;
pub(crate) mod r2;
pub(crate) mod random;
pub(crate) mod settings;
pub(crate) mod socket;
pub(crate) mod sql;
pub(crate) mod stubs;
pub(crate) mod wiring;

pub use crate::platform::clock::RuntimeClock;
pub use crate::platform::container::port::serve_port;
pub use crate::platform::convert::{error_to_js, json_from_js, to_js};
pub use crate::platform::gateway::serve_bucket;
pub use crate::platform::http::serve;
pub use crate::platform::log::ConsoleLog;
pub use crate::platform::messages::respond;
pub use crate::platform::metrics::{report_soon, reported};
pub use crate::platform::objects::answer::answer;
pub use crate::platform::objects::panic::guard;
pub use crate::platform::wiring::{alarms, directory, host, incident_id, pools, sandbox, starts};

#[cfg(feature = "worker-exports")]
mod export {
    use wasm_bindgen::JsValue;
    use wasm_bindgen::prelude::wasm_bindgen;
    use worker::{Context, Env, Request, Response, event};

    /// Answers a container's request to its buckets, for `entry/egress.ts`. `sandbox` is the id of
    /// the container's object.
    #[wasm_bindgen(js_name = serveBucket)]
    pub async fn serve_bucket(
        request: web_sys::Request,
        env: Env,
        sandbox: String,
    ) -> Result<web_sys::Response, JsValue> {
        crate::platform::guard();
        let answer = crate::platform::serve_bucket(Request::from(request), env, &sandbox).await;
        answer.map(web_sys::Response::from).map_err(JsValue::from)
    }

    #[event(fetch)]
    async fn fetch(request: Request, env: Env, context: Context) -> worker::Result<Response> {
        crate::platform::guard();
        let answer = crate::platform::serve(request, env.clone()).await;
        if let Some(reported) = crate::platform::reported(&env) {
            context.wait_until(reported);
        }
        answer
    }
}
