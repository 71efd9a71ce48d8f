//! [`SandboxApi`] over RPC to the `Sandbox` class.

pub(crate) mod api;

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::SandboxId;
use crate::platform::container::stream::stream_from_js;
use crate::platform::convert::{answer_from_js, error_from_js, from_worker};
use crate::ports::sandbox::{SandboxApi, Sandboxes};
use crate::ports::stream::Bytes;
use js_sys::{Array, Function, Promise, Reflect};
use serde::de::DeserializeOwned;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use worker::Env;

/// The namespace behind the binding `SANDBOX`.
pub struct BoundSandboxes {
    env: Env,
}

impl BoundSandboxes {
    /// The namespace of this environment.
    pub fn new(env: Env) -> Self {
        Self { env }
    }
}

impl Sandboxes for BoundSandboxes {
    fn get(&self, id: &SandboxId) -> Result<Rc<dyn SandboxApi>> {
        let namespace = self.env.durable_object("SANDBOX").map_err(|error| {
            Error::new(ErrorCode::NotConfigured, "the Durable Object binding SANDBOX is missing")
                .with_hint("add it under [[durable_objects.bindings]] in wrangler.toml")
                .with_cause(error.to_string())
        })?;
        let stub = namespace.get_by_name(id.as_str()).map_err(|error| from_worker(&error))?;
        Ok(Rc::new(RemoteSandbox { stub: stub.into_rpc::<JsValue>() }))
    }
}

struct RemoteSandbox {
    stub: JsValue,
}

impl RemoteSandbox {
    /// Drops the arguments once they are sent: the call may take long.
    async fn call(&self, method: &str, args: Vec<JsValue>) -> Result<JsValue> {
        let function: Function = Reflect::get(&self.stub, &method.into())
            .map_err(|thrown| error_from_js(&thrown))?
            .dyn_into()
            .map_err(|_not_callable| Error::internal(format!("stub.{method} is not callable")))?;
        let promise: Promise =
            Reflect::apply(&function, &self.stub, &args.into_iter().collect::<Array>())
                .map_err(|thrown| error_from_js(&thrown))?
                .unchecked_into();
        JsFuture::from(promise).await.map_err(|thrown| error_from_js(&thrown))
    }

    async fn ask<T: DeserializeOwned>(&self, method: &str, args: Vec<JsValue>) -> Result<T> {
        answer_from_js(self.call(method, args).await?)
    }

    async fn ask_stream(&self, method: &str, args: Vec<JsValue>) -> Result<Bytes> {
        stream_from_js(self.call(method, args).await?)
            .ok_or_else(|| Error::internal(format!("{method} answered without a stream")))
    }
}
