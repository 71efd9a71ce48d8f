//! Lists and destroys warm pools.

use crate::domain::pools::{DestroyedPool, PoolList};
use crate::domain::{PoolId, Result};
use crate::operator::Operator;

impl Operator {
    /// Lists the warm pools.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the pools' object does not answer.
    pub async fn list_pools(&self) -> Result<PoolList> {
        match &self.ports.pools {
            Some(pools) => pools.list().await,
            None => Ok(PoolList::default()),
        }
    }

    /// Destroys a pool and its containers. Succeeds if the pool does not exist.
    ///
    /// # Errors
    /// `UNAVAILABLE` if a container could not be destroyed yet.
    pub async fn destroy_pool(&self, pool: &PoolId) -> Result<DestroyedPool> {
        match &self.ports.pools {
            Some(pools) => pools.destroy(pool).await,
            None => Ok(DestroyedPool { destroyed: 0 }),
        }
    }
}
