//! Containers that run before a session needs them.

use crate::domain::pools::{DestroyedPool, PoolList, TakeRequest, WarmContainer};
use crate::domain::{PoolId, Result};
use async_trait::async_trait;

/// All warm pools.
#[async_trait(?Send)]
pub trait Pools {
    /// Takes a container of a pool for a session. None: no container is ready. Either way, the pool
    /// exists from now on, and is filled. Repeating the call gives the session the same container.
    ///
    /// # Errors
    /// `NOT_CONFIGURED` if the Worker has no pools; others if they do not answer.
    async fn take(&self, request: &TakeRequest) -> Result<Option<WarmContainer>>;

    /// Lists the pools.
    async fn list(&self) -> Result<PoolList>;

    /// Destroys a pool and its containers, without those that sessions have taken. Repeating it
    /// changes nothing.
    async fn destroy(&self, pool: &PoolId) -> Result<DestroyedPool>;
}
