//! [`Pools`] over requests to their object.

use crate::api::objects::PoolsCall;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::PoolId;
use crate::domain::limits::POOLS_RESPONSE_TIMEOUT_MS;
use crate::domain::pools::{DestroyedPool, PoolList, TakeRequest, WarmContainer};
use crate::platform::clock::within;
use crate::platform::stubs::{ask, pools};
use crate::ports::pools::Pools;
use async_trait::async_trait;
use worker::Env;

/// The pools behind the binding `POOLS`.
pub struct BoundPools {
    env: Env,
}

impl BoundPools {
    /// The pools of this environment.
    pub const fn new(env: Env) -> Self {
        Self { env }
    }
}

#[async_trait(?Send)]
impl Pools for BoundPools {
    async fn take(&self, request: &TakeRequest) -> Result<Option<WarmContainer>> {
        let object = pools(&self.env)?;
        let call = PoolsCall::Take(request.clone());
        within(POOLS_RESPONSE_TIMEOUT_MS, ask(&object, "/", &call)).await.unwrap_or_else(|| {
            Err(Error::new(ErrorCode::Unavailable, "the warm pools do not answer"))
        })
    }

    async fn list(&self) -> Result<PoolList> {
        ask(&pools(&self.env)?, "/", &PoolsCall::List).await
    }

    async fn destroy(&self, pool: &PoolId) -> Result<DestroyedPool> {
        ask(&pools(&self.env)?, "/", &PoolsCall::Destroy { pool: pool.clone() }).await
    }
}
