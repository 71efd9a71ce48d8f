//! The `AgentHost` Durable Object: one per session, named by the session's id.
//!
//! A shell: it turns RPC and HTTP into operations, and the alarm into `settle`.

use super::clock::RuntimeClock;
use super::convert::{error_to_js, json_from_js, to_js};
use super::http::respond;
use super::log::ConsoleLog;
use super::mcp;
use super::panic;
use super::wiring::{self, incident_id};
use crate::domain::error::{Error, Result};
use crate::surface::operation::{self, Operation};
use crate::usecases::host::Host;
use serde_json::Value;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use worker::{DurableObject, Env, Request, Response, State, durable_object};

/// The object.
#[durable_object(alarm)]
pub struct AgentHost {
    /// An object that cannot open its catalogue answers every call with why.
    host: Result<Rc<Host>>,
}

impl DurableObject for AgentHost {
    fn new(state: State, env: Env) -> Self {
        panic::guard();
        Self { host: wiring::host(&state, &env).map(Rc::new) }
    }

    /// The Worker's own HTTP surface forwards operations here, authenticated.
    async fn fetch(&self, mut request: Request) -> worker::Result<Response> {
        if request.path() == mcp::CALL_PATH {
            return mcp::answer(&self.host, request).await;
        }
        let answer = match request.json::<Operation>().await {
            Ok(operation) => self.run(operation).await,
            Err(error) => Err(Error::invalid("operation", error)),
        };
        respond(&answer)
    }

    async fn alarm(&self) -> worker::Result<Response> {
        let settled = match &self.host {
            Ok(host) => host.settle().await,
            Err(error) => Err(error.clone()),
        };
        match settled {
            Ok(()) => Response::empty(),
            // The runtime tries a failed alarm again.
            Err(error) => Err(worker::Error::RustError(error.to_string())),
        }
    }
}

#[wasm_bindgen]
impl AgentHost {
    /// One operation over RPC. `entry/agent-host.ts` names them one by one.
    #[wasm_bindgen(js_name = call)]
    pub async fn call(&self, op: String, args: JsValue) -> std::result::Result<JsValue, JsValue> {
        let operation = json_from_js(args).and_then(|args| Operation::parse(&op, args));
        let answer = match operation {
            Ok(operation) => self.run(operation).await,
            Err(error) => Err(error),
        };
        answer.and_then(|value| to_js(&value)).map_err(|error| error_to_js(&error))
    }
}

impl AgentHost {
    async fn run(&self, operation: Operation) -> Result<Value> {
        let host = self.host.as_ref().map_err(Clone::clone)?;
        host.wake().await?;
        operation::run(host, operation, &RuntimeClock, &ConsoleLog, incident_id).await
    }
}
