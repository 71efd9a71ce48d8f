//! The `AgentHost` Durable Object: one per session, named by the session's id. Only a shell: it
//! turns RPC and HTTP into operations, and the alarm into `recover`.

use crate::api::operation::Request as Asked;
use crate::api::operation::{Invocation, Reply};
use crate::api::words::Surface;
use crate::domain::arguments::read;
use crate::domain::error::{Error, Result};
use crate::domain::limits::ALARM_WAITS_MS;
use crate::domain::session::scope::Caller;
use crate::platform::clock::within;
use crate::platform::container::stream::{reply_to_js, stream_from_js};
use crate::platform::convert::{error_to_js, json_from_js};
use crate::platform::objects::answer::answer;
use crate::platform::objects::panic;
use crate::platform::{budgets, metrics, wiring};
use crate::ports::crossing::Crossing;
use crate::session::{Abort, Alarms, Session};
use futures::channel::oneshot;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use worker::{DurableObject, Env, Request, Response, State, durable_object};

/// A session's Durable Object.
#[durable_object(alarm)]
pub struct AgentHost {
    /// An object that can't open its catalogue answers every call with this error.
    host: Result<Rc<Session>>,
    alarms: Rc<Alarms>,
    env: Env,
}

impl DurableObject for AgentHost {
    fn new(state: State, env: Env) -> Self {
        panic::guard();
        Self {
            host: wiring::host(&state, &env).map(Rc::new),
            alarms: Rc::new(wiring::alarms(&state)),
            env,
        }
    }

    async fn fetch(&self, request: Request) -> worker::Result<Response> {
        let answer = answer(&self.host, request).await;
        metrics::report_soon(&self.env);
        answer
    }

    async fn alarm(&self) -> worker::Result<Response> {
        let recovered = match &self.host {
            Ok(host) => self.recover(host.clone()).await,
            Err(error) => self.alarms.ended(Err(error.clone())).await,
        };
        metrics::report_soon(&self.env);
        match recovered {
            Ok(()) => Response::empty(),
            // The runtime retries a failed alarm.
            Err(error) => Err(worker::Error::RustError(error.to_string())),
        }
    }
}

#[wasm_bindgen]
impl AgentHost {
    /// Runs one operation over RPC. `stream` is the stream that the operation reads, if any.
    /// `scopes` are those to which the caller restricted itself. `entry/methods.ts` has a method
    /// for each operation.
    #[wasm_bindgen(js_name = call)]
    pub async fn call(
        &self,
        op: String,
        args: JsValue,
        control: JsValue,
        scopes: JsValue,
        stream: JsValue,
    ) -> std::result::Result<JsValue, JsValue> {
        let _held = budgets::hold_message(budgets::text_length(&args))
            .await
            .map_err(|error| error_to_js(&error))?;
        let parsed = json_from_js(args)
            .and_then(|args| Invocation::parse(&op, args, json_from_js(control)?))
            .map(|invocation| Asked { invocation, body: stream_from_js(stream) });
        let answer = match (parsed, binding(scopes)) {
            (Ok(asked), Ok(caller)) => self.run(&caller, asked).await,
            (Err(error), _) | (_, Err(error)) => Err(error),
        };
        metrics::report_soon(&self.env);
        let surface = Surface::Rpc.of_call(&op);
        let crossing = answer.map(|reply| match Crossing::from(reply) {
            Crossing::Value(value) => Crossing::Value(surface.value(value)),
            stream @ Crossing::Stream(_) => stream,
        });
        crossing.and_then(reply_to_js).map_err(|error| error_to_js(&surface.error(error)))
    }
}

impl AgentHost {
    /// Only one alarm runs at a time. So long work continues beside the next alarms, and heartbeats
    /// keep the object in memory.
    async fn recover(&self, host: Rc<Session>) -> Result<()> {
        let (done, ended) = oneshot::channel();
        let (working, alarms) = (host.clone(), self.alarms.clone());
        spawn_local(async move {
            let recovered = alarms.ended(working.recover().await).await;
            // If the work took too long, nobody waits for its result any more.
            let _ = done.send(recovered);
        });
        match within(ALARM_WAITS_MS, ended).await {
            Some(Ok(recovered)) => recovered,
            Some(Err(dropped)) => Err(Error::internal(format!("the alarm's work: {dropped}"))),
            None => host.stay_loaded().await,
        }
    }

    async fn run(&self, caller: &Caller, asked: Asked) -> Result<Reply> {
        let host = self.host.as_ref().map_err(Clone::clone)?;
        wiring::reply(host, caller, asked, &Abort::default()).await
    }
}

/// Null scopes mean that the caller has not restricted itself.
fn binding(scopes: JsValue) -> Result<Caller> {
    let scopes = read("scopes", json_from_js(scopes)?)?;
    Ok(Caller::Binding { scopes })
}
