//! Warm pools in memory, over real SQLite.

use super::faults::Faults;
use async_trait::async_trait;
use snapshotter::domain::error::{Error, ErrorCode, Result};
use snapshotter::domain::ids::PoolId;
use snapshotter::domain::pools::{DestroyedPool, PoolList, TakeRequest, WarmContainer};
use snapshotter::pools::{PoolsPorts, PoolsService};
use snapshotter::ports::pools::Pools;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The pools' object. Clones share it.
#[derive(Clone)]
pub struct MemoryPools {
    limit: Rc<Cell<u32>>,
    ports: PoolsPorts,
    service: Rc<RefCell<Rc<PoolsService>>>,
    /// Breaks what sessions ask.
    pub faults: Faults,
    /// Whether the object does not answer.
    pub silent: Rc<Cell<bool>>,
}

impl MemoryPools {
    pub fn new(limit: u32, ports: PoolsPorts) -> Self {
        let service = PoolsService::new(limit, ports.clone()).unwrap();
        Self {
            limit: Rc::new(Cell::new(limit)),
            ports,
            service: Rc::new(RefCell::new(Rc::new(service))),
            faults: Faults::default(),
            silent: Rc::default(),
        }
    }

    /// The object is a new one, as after a deploy with this limit.
    pub fn restart(&self, limit: u32) {
        self.limit.set(limit);
        let service = PoolsService::new(limit, self.ports.clone()).unwrap();
        *self.service.borrow_mut() = Rc::new(service);
    }

    pub fn service(&self) -> Rc<PoolsService> {
        self.service.borrow().clone()
    }

    fn answers(&self) -> Result<Rc<PoolsService>> {
        if self.silent.get() {
            return Err(Error::new(ErrorCode::Unavailable, "no answer"));
        }
        Ok(self.service())
    }
}

#[async_trait(?Send)]
impl Pools for MemoryPools {
    async fn take(&self, request: &TakeRequest) -> Result<Option<WarmContainer>> {
        let service = self.answers()?;
        self.faults.effect("askPools", || Ok(())).await?;
        let taken = service.take(request).await?;
        self.faults.effect("hearPools", || Ok(taken)).await
    }

    async fn list(&self) -> Result<PoolList> {
        self.answers()?.list()
    }

    async fn destroy(&self, pool: &PoolId) -> Result<DestroyedPool> {
        self.answers()?.destroy(pool).await
    }
}
