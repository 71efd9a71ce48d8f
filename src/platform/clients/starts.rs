//! [`Starts`] over requests to its object.

use crate::api::objects::StartsCall;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::{SandboxId, StartId};
use crate::domain::limits::STARTS_RESPONSE_TIMEOUT_MS;
use crate::domain::starts::{PermitRequest, StartAnswer, StartsView};
use crate::platform::clock::within;
use crate::platform::stubs::{ask, starts};
use crate::ports::starts::Starts;
use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde_json::Value;
use worker::Env;

/// The queue behind the binding `STARTS`.
pub struct BoundStarts {
    env: Env,
}

impl BoundStarts {
    /// The queue of this environment, if it has one.
    pub const fn new(env: Env) -> Self {
        Self { env }
    }

    async fn call<T: DeserializeOwned>(&self, call: &StartsCall) -> Result<T> {
        let object = starts(&self.env)?;
        within(STARTS_RESPONSE_TIMEOUT_MS, ask(&object, "/", call)).await.unwrap_or_else(|| {
            Err(Error::new(ErrorCode::Unavailable, "the queue of starts does not answer"))
        })
    }
}

#[async_trait(?Send)]
impl Starts for BoundStarts {
    async fn ask(&self, asked: &PermitRequest) -> Result<StartAnswer> {
        self.call(&StartsCall::Ask(asked.clone())).await
    }

    async fn end(&self, sandbox: &SandboxId, id: &StartId) -> Result<()> {
        let call = StartsCall::End { sandbox: sandbox.clone(), id: id.clone() };
        self.call::<Value>(&call).await.map(drop)
    }

    async fn leave(&self, sandbox: &SandboxId, id: &StartId) -> Result<()> {
        let call = StartsCall::Leave { sandbox: sandbox.clone(), id: id.clone() };
        self.call::<Value>(&call).await.map(drop)
    }

    async fn view(&self, sandboxes: &[SandboxId]) -> Result<StartsView> {
        self.call(&StartsCall::View { sandboxes: sandboxes.to_vec() }).await
    }
}
