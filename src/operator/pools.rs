//! Lists and destroys warm pools.

use crate::domain::error::Result;
use crate::domain::ids::PoolId;
use crate::domain::pools::{DestroyedPool, PoolList};
use crate::operator::Operator;

impl Operator {
    /// Lists the warm pools.
    ///
    /// # Errors
    /// `UNAVAILABLE` if they do not answer.
    pub async fn list_pools(&self) -> Result<PoolList> {
        match &self.ports.pools {
            Some(pools) => pools.list().await,
            None => Ok(PoolList::default()),
        }
    }

    /// Destroys a pool and its containers. A pool that is not there is destroyed, too.
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
