//! [`SandboxApi`] over RPC to the `Sandbox` class.

use crate::domain::error::{Error, Result};
use crate::domain::ids::SandboxId;
use crate::platform::container::stream::{readable, stream_from_js};
use crate::platform::convert::{argument_to_js, error_from_js, json_from_js};
use crate::platform::stubs::sandbox;
use crate::ports::crossing::Crossing;
use crate::ports::sandbox::rpc::Transport;
use crate::ports::sandbox::{SandboxApi, Sandboxes};
use futures::future::LocalBoxFuture;
use js_sys::{Array, Function, Promise, Reflect};
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
        let stub = sandbox(&self.env, id.as_str())?;
        Ok(Rc::new(RemoteSandbox { stub: stub.into_rpc::<JsValue>() }))
    }
}

struct RemoteSandbox {
    stub: JsValue,
}

impl Transport for RemoteSandbox {
    fn call<'a>(
        &'a self,
        method: &'a str,
        arguments: Vec<Crossing>,
    ) -> LocalBoxFuture<'a, Result<Crossing>> {
        Box::pin(async move {
            // The arguments are dropped once they are sent, because the call may take long.
            let answering = self.send(method, arguments)?;
            let answer =
                JsFuture::from(answering).await.map_err(|thrown| error_from_js(&thrown))?;
            match stream_from_js(answer.clone()) {
                Some(stream) => Ok(Crossing::Stream(stream)),
                None => json_from_js(answer).map(Crossing::Value),
            }
        })
    }
}

impl RemoteSandbox {
    fn send(&self, method: &str, arguments: Vec<Crossing>) -> Result<Promise> {
        let function: Function = Reflect::get(&self.stub, &method.into())
            .map_err(|thrown| error_from_js(&thrown))?
            .dyn_into()
            .map_err(|_not_callable| Error::internal(format!("stub.{method} is not callable")))?;
        let arguments = arguments.into_iter().map(|argument| match argument {
            Crossing::Value(value) => Ok(argument_to_js(&value)),
            Crossing::Stream(stream) => readable(stream).map(JsValue::from),
        });
        let arguments = arguments.collect::<Result<Array>>()?;
        Reflect::apply(&function, &self.stub, &arguments)
            .map(JsCast::unchecked_into)
            .map_err(|thrown| error_from_js(&thrown))
    }
}
