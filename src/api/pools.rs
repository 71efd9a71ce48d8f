//! Calls of the Worker's other objects to the object `Pools`.

use crate::domain::json::render;
use crate::domain::pools::TakeRequest;
use crate::domain::{PoolId, Result};
use crate::pools::PoolsService;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A call to the object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", content = "args", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PoolsCall {
    /// Take a container.
    Take(TakeRequest),
    /// List the pools.
    List,
    /// Destroy a pool.
    Destroy {
        /// The pool.
        pool: PoolId,
    },
}

impl PoolsCall {
    /// Runs the call.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails; `UNAVAILABLE` for containers that could not be destroyed.
    pub async fn run(&self, pools: &PoolsService) -> Result<Value> {
        match self {
            Self::Take(request) => render(&pools.take(request).await?),
            Self::List => render(&pools.list()?),
            Self::Destroy { pool } => render(&pools.destroy(pool).await?),
        }
    }
}
