//! The `Starts` Durable Object, one for all sandboxes. Only a shell: it parses calls, runs them on
//! [`StartsService`], and renders the answers.

use crate::api::objects::StartsCall;
use crate::domain::error::Result;
use crate::domain::json::parse_own;
use crate::platform::objects::panic;
use crate::platform::{metrics, respond, wiring};
use crate::starts::StartsService;
use wasm_bindgen::prelude::*;
use worker::{DurableObject, Env, Request, Response, State, durable_object};

/// The Durable Object with the queue of starts.
#[durable_object]
pub struct Starts {
    /// An object that can't open its store answers every call with this error.
    service: Result<StartsService>,
    env: Env,
}

impl DurableObject for Starts {
    fn new(state: State, env: Env) -> Self {
        panic::guard();
        Self { service: wiring::starts(&state, &env), env }
    }

    async fn fetch(&self, mut request: Request) -> worker::Result<Response> {
        let call = request.bytes().await?;
        let answer = match &self.service {
            Ok(service) => {
                parse_own::<StartsCall>("a call", &call).and_then(|call| call.run(service))
            }
            Err(error) => Err(error.clone()),
        };
        metrics::report_soon(&self.env);
        respond(answer)
    }
}
