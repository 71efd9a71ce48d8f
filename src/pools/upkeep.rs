//! The work of the alarm: checking, ending and filling.

use crate::domain::limits::{POOL_CHECK_MS, POOL_IDLE_MS, POOL_RETRY_MS, POOL_TAKEN_MS};
use crate::domain::{ErrorCode, PoolId, Result};
use crate::pools::PoolsService;
use crate::pools::store::{Container, ContainerState, Pool};
use crate::ports::Level;
use serde_json::json;
use std::cmp::Ordering;

impl PoolsService {
    /// Ends containers and pools that should not run, starts missing containers, and sets the next
    /// alarm.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails. The platform then repeats the alarm.
    pub async fn recover(&self) -> Result<()> {
        if self.next_ms()?.is_none() {
            return Ok(());
        }
        // If this object ends, the next one continues then.
        self.ports.alarm.schedule_by(self.now_ms() + POOL_CHECK_MS).await?;
        self.forget()?;
        self.end_idle()?;
        self.check().await?;
        self.end_surplus()?;
        self.end_all().await?;
        self.fill().await?;
        match self.next_ms()? {
            Some(at_ms) => self.ports.alarm.set(at_ms.max(self.now_ms())).await,
            None => Ok(()),
        }
    }

    /// Forgets containers that sessions took a while ago, and ends those that an earlier object did
    /// not finish filling.
    fn forget(&self) -> Result<()> {
        let taken_ms = i64::try_from(POOL_TAKEN_MS).unwrap_or(i64::MAX);
        for container in self.store.containers()? {
            let id = &container.sandbox_id;
            match container.state {
                ContainerState::Taken if container.since_ms + taken_ms <= self.now_ms() => {
                    self.store.delete_container(id)?;
                }
                ContainerState::Filling if !self.filling.borrow().contains(id) => {
                    self.doom(container)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Ends pools for which no session has asked in a long time.
    fn end_idle(&self) -> Result<()> {
        for pool in self.store.pools()? {
            if pool.used_at_ms + POOL_IDLE_MS <= self.now_ms() {
                self.note("pool.idle", Level::Info, json!({ "pool": pool.id }));
                self.end_pool(&pool.id)?;
            }
        }
        Ok(())
    }

    /// Ends pools whose snapshot is no longer published, and containers that have stopped.
    async fn check(&self) -> Result<()> {
        for pool in self.store.pools()? {
            if pool.checked_at_ms + POOL_CHECK_MS > self.now_ms() {
                continue;
            }
            match self.find_published(&pool.spec).await {
                Ok(_published) => {}
                Err(error) if error.code == ErrorCode::SnapshotGone => {
                    self.note("pool.withdrawn", Level::Info, json!({ "pool": pool.id }));
                    self.end_pool(&pool.id)?;
                    continue;
                }
                // This can't be determined now. A session that takes a container asks the owner
                // anyway.
                Err(_) => {}
            }
            self.end_stopped(&pool.id).await?;
            if let Some(now) = self.store.pool(&pool.id)? {
                self.store.put_pool(&Pool { checked_at_ms: self.now_ms(), ..now })?;
            }
        }
        Ok(())
    }

    async fn end_stopped(&self, pool: &PoolId) -> Result<()> {
        for container in self.store.containers()? {
            if container.pool_id != *pool || container.state != ContainerState::Ready {
                continue;
            }
            let disk = self.ports.sandboxes.get(&container.sandbox_id)?.disk().await;
            // A session may have taken the container meanwhile.
            let row = self.store.container(&container.sandbox_id)?;
            match (disk, row) {
                (Ok(disk), Some(row))
                    if row.state == ContainerState::Ready && disk != row.instance_id =>
                {
                    self.doom(row)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Ends the oldest containers of pools that have more than they may have.
    fn end_surplus(&self) -> Result<()> {
        for (pool, has, allowed) in self.filled()? {
            let mut ready = self.store.containers()?;
            ready.retain(|it| it.pool_id == pool.id && it.state == ContainerState::Ready);
            for container in ready.into_iter().take(has.saturating_sub(allowed)) {
                self.doom(container)?;
            }
        }
        Ok(())
    }

    /// Deletes a pool, and returns the containers that have to be destroyed.
    pub(super) fn end_pool(&self, id: &PoolId) -> Result<Vec<Container>> {
        self.store.delete_pool(id)?;
        let mut doomed = Vec::new();
        for container in self.store.containers()? {
            if container.pool_id == *id && container.state != ContainerState::Taken {
                doomed.push(container.clone());
                self.doom(container)?;
            }
        }
        Ok(doomed)
    }

    fn doom(&self, container: Container) -> Result<()> {
        let (state, since_ms) = (ContainerState::Ending, self.now_ms());
        self.store.put_container(&Container { state, since_ms, ..container })
    }

    /// Destroys all marked containers. Failed destructions are repeated later.
    async fn end_all(&self) -> Result<()> {
        for container in self.store.containers()? {
            if container.state != ContainerState::Ending {
                continue;
            }
            if let Err(error) = self.end(&container).await {
                let fields = json!({ "sandbox": container.sandbox_id, "code": error.code });
                self.note("pool.undestroyed", Level::Warn, fields);
            }
        }
        Ok(())
    }

    /// Destroys a container and forgets it. If it is still being filled, its fill does this again
    /// at the end.
    pub(super) async fn end(&self, container: &Container) -> Result<()> {
        let id = &container.sandbox_id;
        self.ports.sandboxes.get(id)?.destroy().await?;
        if self.filling.borrow().contains(id) { Ok(()) } else { self.store.delete_container(id) }
    }

    /// When the alarm is needed next. None if there is nothing to do.
    fn next_ms(&self) -> Result<Option<i64>> {
        let taken_ms = i64::try_from(POOL_TAKEN_MS).unwrap_or(i64::MAX);
        let mut due: Vec<i64> = Vec::new();
        for (pool, has, allowed) in self.filled()? {
            match has.cmp(&allowed) {
                Ordering::Less => due.push(pool.retry_at_ms),
                Ordering::Equal => {}
                Ordering::Greater => due.push(self.now_ms()),
            }
            due.push(pool.checked_at_ms + POOL_CHECK_MS);
            due.push(pool.used_at_ms + POOL_IDLE_MS);
        }
        for container in self.store.containers()? {
            due.push(match container.state {
                ContainerState::Ending => self.now_ms() + POOL_RETRY_MS,
                ContainerState::Taken => container.since_ms + taken_ms,
                ContainerState::Ready | ContainerState::Filling => continue,
            });
        }
        Ok(due.into_iter().min())
    }
}
