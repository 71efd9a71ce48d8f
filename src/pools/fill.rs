//! Starts missing containers of pools.

use crate::domain::limits::{
    POOL_FILL_AT_ONCE, POOL_FILL_MAX_MS, POOL_RETRY_MAX_MS, POOL_RETRY_MS, SLEEP_AFTER_MAX_MS,
};
use crate::domain::pools::PoolSpec;
use crate::domain::snapshot::backup::is_expired;
use crate::domain::time::pause_ms;
use crate::domain::{BackupMeta, Error, ErrorCode, InstanceId, Result, SandboxId};
use crate::pools::PoolsService;
use crate::pools::store::{Container, ContainerState, Pool};
use crate::ports::Level;
use crate::ports::random::random_bytes;
use crate::ports::sandbox::{ConfigureOptions, RestoreBackupOptions, RestoreMachine, StoredBackup};
use crate::support::backup_objects::read_meta;
use futures::future::{Either, join_all, select};
use serde_json::json;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::pin::pin;
use std::rc::Rc;

/// Marks a container as being filled by this object, until dropped.
struct Filling<'a> {
    all: &'a RefCell<BTreeSet<SandboxId>>,
    id: SandboxId,
}

impl<'a> Filling<'a> {
    fn begin(all: &'a RefCell<BTreeSet<SandboxId>>, id: &SandboxId) -> Self {
        all.borrow_mut().insert(id.clone());
        Self { all, id: id.clone() }
    }
}

impl Drop for Filling<'_> {
    fn drop(&mut self) {
        self.all.borrow_mut().remove(&self.id);
    }
}

impl PoolsService {
    /// Starts some of the missing containers, and returns when they are ready or have failed.
    pub(super) async fn fill(&self) -> Result<()> {
        // There is no await before the rows are written: each container counts from now on.
        let mut begun = Vec::new();
        for pool in self.lacking()? {
            let random = random_bytes(self.ports.random.as_ref())?;
            let container = Container {
                sandbox_id: SandboxId::pooled(random),
                pool_id: pool.id.clone(),
                state: ContainerState::Filling,
                instance_id: None,
                session_id: None,
                since_ms: self.now_ms(),
            };
            self.store.put_container(&container)?;
            let filling = Filling::begin(&self.filling, &container.sandbox_id);
            begun.push(self.fill_one(pool, container, filling));
        }
        // A fill that fails does not break off the others.
        join_all(begun).await.into_iter().collect()
    }

    /// The pools that may have another container now. A pool that lacks several is listed several
    /// times.
    fn lacking(&self) -> Result<Vec<Rc<Pool>>> {
        let mut lacking = Vec::new();
        for (pool, has, allowed) in self.filled()? {
            if pool.retry_at_ms <= self.now_ms() {
                lacking.extend(std::iter::repeat_n(Rc::new(pool), allowed.saturating_sub(has)));
            }
        }
        lacking.truncate(POOL_FILL_AT_ONCE);
        Ok(lacking)
    }

    async fn fill_one(
        &self,
        pool: Rc<Pool>,
        container: Container,
        filling: Filling<'_>,
    ) -> Result<()> {
        let id = &container.sandbox_id;
        let started_ms = self.now_ms();
        let filled = self.restore_in_time(&pool.spec, id).await;
        drop(filling);
        // The pool may have been destroyed meanwhile.
        let wanted = self.store.container(id)?.filter(|row| row.state == ContainerState::Filling);
        let now_ms = self.now_ms();
        let Some(mut row) = wanted else {
            return self.end(&container).await;
        };
        row.since_ms = now_ms;
        let problem = match filled {
            Ok(instance) => {
                row.state = ContainerState::Ready;
                row.instance_id = Some(instance);
                let fields = json!({
                    "pool": pool.id, "sandbox": id, "durationMs": now_ms - started_ms,
                });
                self.note("pool.filled", Level::Info, fields);
                None
            }
            Err(error) => {
                row.state = ContainerState::Ending;
                let fields = json!({
                    "pool": pool.id, "sandbox": id, "code": error.code, "cause": error.cause,
                });
                self.note("pool.unfilled", Level::Warn, fields);
                Some(error)
            }
        };
        self.store.put_container(&row)?;
        let Some(mut pool) = self.store.pool(&pool.id)? else { return Ok(()) };
        (pool.failures, pool.retry_at_ms) = match &problem {
            None => (0, 0),
            Some(_) => {
                let pause_ms = pause_ms(pool.failures, POOL_RETRY_MS, POOL_RETRY_MAX_MS);
                (pool.failures.saturating_add(1), now_ms.saturating_add(pause_ms))
            }
        };
        pool.problem = problem.map(|error| error.to_wire().error);
        self.store.put_pool(&pool)
    }

    /// Like [`Self::restore`], but within the time that the platform gives an alarm.
    async fn restore_in_time(&self, spec: &PoolSpec, id: &SandboxId) -> Result<InstanceId> {
        let limit = self.ports.clock.sleep_ms(POOL_FILL_MAX_MS);
        match select(pin!(self.restore(spec, id)), limit).await {
            Either::Left((filled, _)) => filled,
            Either::Right(_) => {
                let minutes = POOL_FILL_MAX_MS / 60_000;
                let message = format!("the container was not ready within {minutes} minutes");
                Err(Error::new(ErrorCode::Unavailable, message))
            }
        }
    }

    async fn restore(&self, spec: &PoolSpec, id: &SandboxId) -> Result<InstanceId> {
        let meta = self.find_published(spec).await?;
        let sandbox = self.ports.sandboxes.get(id)?;
        let configuration = ConfigureOptions {
            sleep_after_ms: Some(SLEEP_AFTER_MAX_MS),
            enable_internet: Some(spec.internet),
            instance_type: spec.instance_type.clone(),
            persist_machine: spec.persist_machine.clone(),
            ..ConfigureOptions::default()
        };
        sandbox.configure(configuration).await?;
        let backup = StoredBackup { id: meta.id.clone(), binding: spec.binding.clone() };
        let force_image = spec.force_image;
        let options = RestoreBackupOptions {
            binding: Some(spec.binding.clone()),
            fresh_sandbox: true,
            machine: spec.persist_machine.as_ref().map(|_| RestoreMachine { backup, force_image }),
            ..RestoreBackupOptions::default()
        };
        Ok(sandbox.restore_backup(meta.handle(), options).await?.instance_id)
    }

    /// The record of the pool's snapshot. `SNAPSHOT_GONE` if the snapshot does not exist, has
    /// expired or is no longer published.
    pub(super) async fn find_published(&self, spec: &PoolSpec) -> Result<BackupMeta> {
        let bucket = self.ports.buckets.open(&spec.binding)?;
        let meta = read_meta(bucket.as_ref(), &spec.backup_id).await?;
        let now_ms = self.now_ms();
        let is_offered = |meta: &BackupMeta| {
            let created = meta.created_at_ms();
            meta.snapshotter.as_ref().is_some_and(|ours| ours.published)
                && created.is_ok_and(|created_ms| !is_expired(now_ms, created_ms, meta.ttl))
        };
        meta.filter(is_offered).ok_or_else(|| {
            let id = &spec.backup_id;
            Error::new(ErrorCode::SnapshotGone, format!("snapshot {id} is no longer published"))
        })
    }
}
