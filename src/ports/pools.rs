//! Containers that run before a session needs them.

use crate::domain::pools::{DestroyedPool, PoolList, TakeRequest, WarmContainer};
use crate::domain::{PoolId, Result};
use async_trait::async_trait;

/// All warm pools.
#[async_trait(?Send)]
pub trait Pools {
    /// Takes a ready container of a pool, if any. The pool exists from now on, and is filled.
    /// Asking again gives the same container. `NOT_CONFIGURED` if the Worker has no pools.
    async fn take(&self, request: &TakeRequest) -> Result<Option<WarmContainer>>;

    /// Lists the pools.
    async fn list(&self) -> Result<PoolList>;

    /// Destroys a pool, if it exists, and its containers that no session has taken.
    async fn destroy(&self, pool: &PoolId) -> Result<DestroyedPool>;
}
