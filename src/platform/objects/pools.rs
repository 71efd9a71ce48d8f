//! The `Pools` Durable Object, one for all warm pools. Only a shell: it parses calls, runs them on
//! [`PoolsService`], and renders the answers.

use crate::api::objects::PoolsCall;
use crate::domain::error::Result;
use crate::domain::json::parse_own;
use crate::platform::objects::panic;
use crate::platform::{metrics, respond, wiring};
use crate::pools::PoolsService;
use wasm_bindgen::prelude::*;
use worker::{DurableObject, Env, Request, Response, State, durable_object};

/// The Durable Object with the warm pools.
#[durable_object(alarm)]
pub struct Pools {
    /// An object that can't open its store answers every call with this error.
    service: Result<PoolsService>,
    env: Env,
}

impl DurableObject for Pools {
    fn new(state: State, env: Env) -> Self {
        panic::guard();
        Self { service: wiring::pools(&state, &env), env }
    }

    async fn fetch(&self, mut request: Request) -> worker::Result<Response> {
        let call = request.bytes().await?;
        let answer = match (self.service.as_ref(), parse_own::<PoolsCall>("a call", &call)) {
            (Ok(service), Ok(call)) => call.run(service).await,
            (Err(error), _) => Err(error.clone()),
            (_, Err(error)) => Err(error),
        };
        metrics::report_soon(&self.env);
        respond(answer)
    }

    async fn alarm(&self) -> worker::Result<Response> {
        let recovered = match &self.service {
            Ok(service) => service.recover().await,
            Err(error) => Err(error.clone()),
        };
        metrics::report_soon(&self.env);
        match recovered {
            Ok(()) => Response::empty(),
            // The runtime retries a failed alarm.
            Err(error) => Err(worker::Error::RustError(error.to_string())),
        }
    }
}
