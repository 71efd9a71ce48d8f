//! `operator pools` and `operator destroy-pool`.

use crate::api::{answer, operations as op, read};
use crate::error::{Error, ErrorBody};
use crate::output::Out;
use crate::output::format::{age, count};
use crate::remote::Remote;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

answer! {
    /// All warm pools.
    pub struct PoolList { limit: u64, pools: Vec<PoolView> }

    /// A warm pool.
    pub struct PoolView {
        id: String,
        snapshot_id: String,
        size: u64,
        allowed: u64,
        ready: u64,
        filling: u64,
        used_at: String,
        problem: Option<ErrorBody>,
    }

    /// A pool that was destroyed.
    pub struct DestroyedPool { destroyed: u64 }
}

/// Lists the warm pools.
pub fn list(remote: &Remote) -> Result<(), Error> {
    remote.show(&op::list_pools::call()?.doing("Asking"), table)
}

/// Destroys a pool.
pub fn destroy(remote: &Remote, pool: &str) -> Result<(), Error> {
    let call = op::destroy_pool::call(pool)?;
    remote.show(&call.doing("Destroying containers"), |out, answer| {
        let DestroyedPool { destroyed } = read(answer)?;
        out.line(format!("destroyed {}", count(destroyed, "container")))
    })
}

fn table(out: &Out, answer: &Value) -> Result<(), Error> {
    let list: PoolList = read(answer)?;
    let now = Timestamp::now();
    let problems: Vec<String> = list
        .pools
        .iter()
        .filter_map(|pool| {
            let ErrorBody { code, message, .. } = pool.problem.as_ref()?;
            Some(format!("pool {}: {message} ({code})", pool.id))
        })
        .collect();
    let rows = list.pools.into_iter().map(|pool| {
        let PoolView { id, snapshot_id, size, allowed, ready, filling, used_at, .. } = pool;
        let count = if allowed < size { format!("{allowed} of {size}") } else { size.to_string() };
        [id, snapshot_id, count, ready.to_string(), filling.to_string(), age(&used_at, now)]
    });
    out.table(["POOL", "SNAPSHOT", "SIZE", "READY", "FILLING", "USED"], rows.collect())?;
    out.line(format!("all pools may keep {}", count(list.limit, "container")))?;
    problems.into_iter().try_for_each(|problem| out.note(problem))
}
