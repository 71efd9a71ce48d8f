//! Warm pools.

use crate::domain::pools::{PoolSpec, TakeRequest};
use crate::domain::{BackupId, Result, SessionId};
use crate::ports::contract::check;
use crate::ports::pools::Pools;

/// The first request makes a pool, the last one sets its size, and a destroyed pool is gone. There
/// must be no pool, and is none afterwards.
///
/// # Errors
/// As [`crate::ports::contract::bucket`].
pub async fn pools(pools: &dyn Pools) -> Result<()> {
    check(pools.list().await?.pools.is_empty(), "there is no pool")?;
    let spec = PoolSpec {
        binding: "BACKUP_BUCKET".to_owned(),
        backup_id: BackupId::from_random([7; 16]),
        internet: true,
        instance_type: None,
        persist_machine: None,
        force_image: false,
    };
    let id = spec.id()?;
    let session = SessionId::parse("contract")?;
    for size in [2, 1] {
        let request = TakeRequest { spec: spec.clone(), size, session: session.clone() };
        check(pools.take(&request).await?.is_none(), "nothing is ready in a new pool")?;
        let list = pools.list().await?;
        let shown = list.pools.first();
        let fits = shown.is_some_and(|pool| {
            (&pool.id, &pool.snapshot_id, pool.size) == (&id, &spec.backup_id, size)
        });
        check(fits && list.pools.len() == 1, "equal requests have one pool, of the last size")?;
    }
    check(pools.destroy(&id).await?.destroyed == 0, "an empty pool has nothing to destroy")?;
    check(pools.destroy(&id).await?.destroyed == 0, "a destroy may be repeated")?;
    check(pools.list().await?.pools.is_empty(), "a destroyed pool is gone")
}
