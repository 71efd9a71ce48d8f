//! The `Sandbox` Durable Object: one per sandbox, with its container. Only a shell: it parses
//! calls, runs them on [`SandboxService`], and renders the answers.

use crate::api::sandbox::SandboxCall;
use crate::domain::error::Result;
use crate::platform::clock::RuntimeClock;
use crate::platform::container::egress::serve_egress;
use crate::platform::container::port::serve_port;
use crate::platform::container::stream::{reply_to_js, stream_from_js};
use crate::platform::convert::{error_to_js, json_from_js};
use crate::platform::gateway::serve_buckets;
use crate::platform::objects::panic;
use crate::platform::{budgets, metrics, wiring};
use crate::ports::clock::Clock;
use crate::ports::crossing::Crossing;
use crate::sandbox::SandboxService;
use js_sys::Array;
use wasm_bindgen::prelude::*;
use worker::{Container, DurableObject, Env, Request, Response, State, durable_object};

/// A sandbox's Durable Object.
#[durable_object]
pub struct Sandbox {
    /// An object that can't open its store answers every call with this error.
    service: Result<SandboxService>,
    /// The container, for requests to its servers. None if the class has no container.
    container: Option<Container>,
    env: Env,
}

impl DurableObject for Sandbox {
    fn new(state: State, env: Env) -> Self {
        panic::guard();
        Self { container: state.container(), service: wiring::sandbox(state, &env), env }
    }

    /// Decides about requests that leave the container, and passes the Worker's requests on to
    /// servers in it. Refuses all others, because a sandbox takes calls over RPC. A test build
    /// answers those by running the contract tests on the real container.
    async fn fetch(&self, request: Request) -> worker::Result<Response> {
        if let Ok(service) = &self.service
            && let Some(answer) =
                serve_egress(service, &request).or_else(|| serve_buckets(service, &request))
        {
            return answer;
        }
        if let (Ok(service), Some(container)) = (&self.service, &self.container)
            && let Some(answer) = serve_port(service, container, &request).await
        {
            metrics::report_soon(&self.env);
            return answer;
        }
        #[cfg(feature = "test-hooks")]
        if let Ok(service) = &self.service {
            let kept = service.check_container().await.map(|()| serde_json::Value::Null);
            return crate::platform::respond(kept);
        }
        Response::error("a Sandbox has no HTTP surface", 404)
    }
}

#[wasm_bindgen]
impl Sandbox {
    /// Runs one call over RPC, with its positional arguments. If one of them is a stream, it comes
    /// separately, in `stream`.
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
        // The runtime's stack frames keep the array alive for the whole call.
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
