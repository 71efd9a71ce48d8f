//! Warm pools, over one object's SQLite. A pool's containers run with the files of a published
//! snapshot before a session needs them. One object has all pools, so that `MAX_POOL_CONTAINERS`
//! holds for all of them. A row is written before each effect, and the alarm finishes what a crash
//! left. Pools never destroy a container that a session has taken.

mod fill;
mod store;
mod upkeep;

use crate::domain::limits::POOL_TAKEN_MS;
use crate::domain::pools::shares;
use crate::domain::pools::{DestroyedPool, PoolList, PoolView, TakeRequest, WarmContainer};
use crate::domain::time::rfc3339;
use crate::domain::{PoolId, Result, SandboxId};
use crate::pools::store::{Container, ContainerState, Pool, Store};
use crate::ports::sandbox::{ConfigureOptions, Sandboxes};
use crate::ports::{Alarm, Buckets, Clock, Database, Level, Log, LogLine, Random};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The ports that pools use.
#[derive(Clone)]
pub struct PoolsPorts {
    /// Time.
    pub clock: Rc<dyn Clock>,
    /// Randomness.
    pub random: Rc<dyn Random>,
    /// Log lines.
    pub log: Rc<dyn Log>,
    /// The object's SQLite.
    pub database: Rc<dyn Database>,
    /// The object's alarm.
    pub alarm: Rc<dyn Alarm>,
    /// R2.
    pub buckets: Rc<dyn Buckets>,
    /// The sandbox namespace.
    pub sandboxes: Rc<dyn Sandboxes>,
}

/// Keeps warm pools.
pub struct PoolsService {
    ports: PoolsPorts,
    /// How many containers all pools together may have.
    limit: u32,
    store: Store,
    /// The containers that this object is filling.
    filling: RefCell<BTreeSet<SandboxId>>,
}

impl PoolsService {
    /// Opens the pools, with at most `limit` containers in all of them together.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails or a newer version wrote the schema.
    pub fn new(limit: u32, ports: PoolsPorts) -> Result<Self> {
        let store = Store::open(ports.database.clone())?;
        Ok(Self { ports, limit, store, filling: RefCell::default() })
    }

    /// Takes a container for a session. None if no container is ready. In both cases, the pool
    /// exists from now on, and the alarm fills it. If its session does not continue, the container
    /// stops by itself.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails.
    pub async fn take(&self, request: &TakeRequest) -> Result<Option<WarmContainer>> {
        self.ports.alarm.schedule_by(self.now_ms()).await?;
        let id = request.spec.id()?;
        self.use_pool(&id, request)?;
        loop {
            // There is no await between this line and the row, so a container is taken only once.
            let Some(mut found) = self.to_take(&id, request)? else {
                self.note("pool.empty", Level::Info, json!({ "pool": id }));
                return Ok(None);
            };
            let was_taken = found.state == ContainerState::Taken;
            found.state = ContainerState::Taken;
            found.session_id = Some(request.session.clone());
            // Each take has its own time: a failed take sees whether another one came after it.
            found.since_ms = self.now_ms().max(found.since_ms + 1);
            self.store.put_container(&found)?;
            if let Some(taken) = self.hand_over(&found).await {
                let fields = json!({ "pool": id, "sandbox": taken.sandbox });
                self.note("pool.taken", Level::Info, fields);
                return Ok(Some(taken));
            }
            let row = self.store.container(&found.sandbox_id)?;
            if row.is_none_or(|row| row.since_ms != found.since_ms) {
                // A repeated request of the session took the container meanwhile, and may have
                // received it. This request does not take it back, because both could take it from
                // each other for ever.
                return Ok(None);
            }
            if was_taken {
                // Whatever runs there now belongs to the session.
                self.store.delete_container(&found.sandbox_id)?;
            } else {
                found.state = ContainerState::Ending;
                self.store.put_container(&found)?;
            }
        }
    }

    /// All pools and their containers.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails.
    pub fn list(&self) -> Result<PoolList> {
        let (pools, containers) = (self.store.pools()?, self.store.containers()?);
        let allowed = self.allowed(&pools);
        let pools = pools.into_iter().zip(allowed).map(|(pool, allowed)| {
            let count = |state| {
                let here = containers.iter().filter(|it| it.pool_id == pool.id);
                u32::try_from(here.filter(|it| it.state == state).count()).unwrap_or(u32::MAX)
            };
            PoolView {
                snapshot_id: pool.spec.backup_id.clone(),
                size: pool.size,
                allowed,
                ready: count(ContainerState::Ready),
                filling: count(ContainerState::Filling),
                used_at: rfc3339(pool.used_at_ms),
                problem: pool.problem,
                id: pool.id,
            }
        });
        Ok(PoolList { limit: self.limit, pools: pools.collect() })
    }

    /// Destroys a pool and its containers. Containers that sessions have taken are kept.
    ///
    /// # Errors
    /// `UNAVAILABLE` if a container could not be destroyed yet. The alarm then continues.
    pub async fn destroy(&self, id: &PoolId) -> Result<DestroyedPool> {
        self.ports.alarm.schedule_by(self.now_ms()).await?;
        let doomed = self.end_pool(id)?;
        let mut destroyed = 0;
        for container in doomed {
            self.end(&container).await?;
            destroyed += 1;
        }
        Ok(DestroyedPool { destroyed })
    }

    /// Makes the pool, or notes its use.
    fn use_pool(&self, id: &PoolId, request: &TakeRequest) -> Result<()> {
        let now_ms = self.now_ms();
        let pool = self.store.pool(id)?.unwrap_or_else(|| Pool {
            id: id.clone(),
            spec: request.spec.clone(),
            size: 0,
            used_at_ms: now_ms,
            // The session has just read the snapshot's record.
            checked_at_ms: now_ms,
            failures: 0,
            retry_at_ms: 0,
            problem: None,
        });
        self.store.put_pool(&Pool { size: request.size, used_at_ms: now_ms, ..pool })
    }

    /// The container that the session has already taken, or else the oldest one that is ready.
    fn to_take(&self, id: &PoolId, request: &TakeRequest) -> Result<Option<Container>> {
        let mut here = self.store.containers()?;
        here.retain(|container| container.pool_id == *id);
        let is_own = |container: &&Container| {
            container.state == ContainerState::Taken
                && container.session_id.as_ref() == Some(&request.session)
        };
        let is_ready = |container: &&Container| container.state == ContainerState::Ready;
        let own = here.iter().find(is_own);
        Ok(own.or_else(|| here.iter().find(is_ready)).cloned())
    }

    /// Checks that a container still runs with its files. Lets it stop soon if the session does not
    /// continue.
    async fn hand_over(&self, container: &Container) -> Option<WarmContainer> {
        let instance = container.instance_id.clone()?;
        let handed = async {
            let sandbox = self.ports.sandboxes.get(&container.sandbox_id)?;
            let soon =
                ConfigureOptions { sleep_after_ms: Some(POOL_TAKEN_MS), ..Default::default() };
            sandbox.configure(soon).await?;
            sandbox.disk().await
        };
        match handed.await {
            Ok(disk) if disk.as_ref() == Some(&instance) => {
                Some(WarmContainer { sandbox: container.sandbox_id.clone(), instance })
            }
            Ok(_another) => None,
            Err(error) => {
                let fields = json!({ "sandbox": container.sandbox_id, "code": error.code });
                self.note("pool.unusable", Level::Warn, fields);
                None
            }
        }
    }

    /// All pools, each with the number of its containers and the number that it may have.
    fn filled(&self) -> Result<Vec<(Pool, usize, usize)>> {
        let (pools, containers) = (self.store.pools()?, self.store.containers()?);
        let allowed = self.allowed(&pools);
        let with_counts = pools.into_iter().zip(allowed).map(|(pool, allowed)| {
            let has = containers.iter().filter(|it| it.pool_id == pool.id && it.is_kept()).count();
            (pool, has, allowed as usize)
        });
        Ok(with_counts.collect())
    }

    fn allowed(&self, pools: &[Pool]) -> Vec<u32> {
        let sizes: Vec<u32> = pools.iter().map(|pool| pool.size).collect();
        shares(self.limit, &sizes)
    }

    fn now_ms(&self) -> i64 {
        self.ports.clock.now_ms()
    }

    fn note(&self, event: &str, level: Level, fields: Value) {
        self.ports.log.write(LogLine::new(level, event, fields));
    }
}
