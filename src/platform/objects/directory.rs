//! The `Directory` Durable Object, one for all sessions. Only a shell: it parses calls, runs them
//! on [`DirectoryService`], and renders the answers.

use crate::api::objects::DirectoryCall;
use crate::directory::DirectoryService;
use crate::domain::error::Result;
use crate::domain::json::parse_own;
use crate::platform::objects::panic;
use crate::platform::{respond, wiring};
use wasm_bindgen::prelude::*;
use worker::{DurableObject, Env, Request, Response, State, durable_object};

/// The directory's Durable Object.
#[durable_object]
pub struct Directory {
    /// An object that can't open its store answers every call with this error.
    service: Result<DirectoryService>,
}

impl DurableObject for Directory {
    fn new(state: State, _env: Env) -> Self {
        panic::guard();
        Self { service: wiring::directory(&state) }
    }

    async fn fetch(&self, mut request: Request) -> worker::Result<Response> {
        let call = request.bytes().await?;
        let answer = match &self.service {
            Ok(service) => {
                parse_own::<DirectoryCall>("a call", &call).and_then(|call| call.run(service))
            }
            Err(error) => Err(error.clone()),
        };
        respond(answer)
    }
}
