//! The `Sandbox` Durable Object: one per sandbox, with its container.
//!
//! A shell: it parses calls, runs them on [`SandboxService`], and renders.

use crate::api::sandbox::SandboxCall;
use crate::domain::error::Result;
use crate::platform::clock::RuntimeClock;
use crate::platform::container::stream::{reply_to_js, stream_from_js};
use crate::platform::convert::{error_to_js, json_from_js};
use crate::platform::objects::panic;
use crate::platform::{budgets, metrics, wiring};
use crate::ports::clock::Clock;
use crate::ports::crossing::Crossing;
use crate::sandbox::SandboxService;
use js_sys::Array;
use wasm_bindgen::prelude::*;
use worker::{DurableObject, Env, Request, Response, State, durable_object};

/// A sandbox's Durable Object.
#[durable_object]
pub struct Sandbox {
    /// If the object cannot open its store, it answers every call with this
    /// error.
    service: Result<SandboxService>,
    env: Env,
}

impl DurableObject for Sandbox {
    fn new(state: State, env: Env) -> Self {
        panic::guard();
        Self { service: wiring::sandbox(state, &env), env }
    }

    /// Refuses requests: a sandbox takes calls only over RPC. A test build
    /// answers any request by running the container's contract on the real
    /// container.
    async fn fetch(&self, _request: Request) -> worker::Result<Response> {
        #[cfg(feature = "test-hooks")]
        if let Ok(service) = &self.service {
            let kept = service.check_container().await.map(|()| serde_json::Value::Null);
            return crate::platform::respond(&kept);
        }
        Response::error("a Sandbox has no HTTP surface", 404)
    }
}

#[wasm_bindgen]
impl Sandbox {
    /// Runs one call over RPC, with its positional arguments. A stream among
    /// them comes separately, in `stream`.
    #[wasm_bindgen(js_name = call)]
    pub async fn call(
        &self,
        method: String,
        args: Array,
        stream: JsValue,
    ) -> std::result::Result<JsValue, JsValue> {
        let _held = budgets::hold_input(budgets::text_length(&args))
            .await
            .map_err(|error| error_to_js(&error))?;
        let stream = stream_from_js(stream);
        let call = json_from_js(args.clone().into())
            .and_then(|args| SandboxCall::parse(&method, stream, args));
        // The runtime's frames hold the array for the whole call.
        args.set_length(0);
        let answer = match call {
            Ok(call) => self.run(call).await,
            Err(error) => Err(error),
        };
        metrics::report_soon(&self.env);
        answer.and_then(reply_to_js).map_err(|error| error_to_js(&error))
    }
}

impl Sandbox {
    async fn run(&self, call: SandboxCall) -> Result<Crossing> {
        let service = self.service.as_ref().map_err(Clone::clone)?;
        service.keep_running().await;
        call.run(service, || RuntimeClock.now_ms()).await
    }
}
