//! Locks on workspaces: any number of calls share one, or one call has it
//! exclusively.
//!
//! They exist only in this object's memory: when the object ends, its calls and
//! their locks end with it.

use crate::domain::ids::SandboxId;
use crate::ports::clock::Clock;
use crate::support::fifo_mutex::{FifoGuard, FifoMutex};
use futures::channel::oneshot;
use futures::future::{Either, select};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The locks of a session's workspaces, by sandbox.
pub(crate) struct WorkspaceLocks {
    clock: Rc<dyn Clock>,
    locks: RefCell<BTreeMap<SandboxId, WorkspaceLock>>,
}

#[derive(Clone, Default)]
struct WorkspaceLock {
    mutex: FifoMutex,
    shared: Rc<Cell<usize>>,
    /// Callers that wait until no shared guard is left.
    waiting: Rc<RefCell<Vec<oneshot::Sender<()>>>>,
    last_released_ms: Rc<Cell<i64>>,
}

/// A call's shared lock on a workspace, until dropped.
pub(crate) struct SharedGuard {
    lock: WorkspaceLock,
    clock: Rc<dyn Clock>,
}

impl Drop for SharedGuard {
    fn drop(&mut self) {
        self.lock.shared.set(self.lock.shared.get().saturating_sub(1));
        self.lock.last_released_ms.set(self.clock.now_ms());
        if self.lock.shared.get() == 0 {
            for waiting in self.lock.waiting.take() {
                // The receiver may have given up.
                let _ = waiting.send(());
            }
        }
    }
}

impl WorkspaceLocks {
    pub(crate) fn new(clock: Rc<dyn Clock>) -> Self {
        Self { clock, locks: RefCell::default() }
    }

    fn of(&self, id: &SandboxId) -> WorkspaceLock {
        self.locks.borrow_mut().entry(id.clone()).or_default().clone()
    }

    /// Waits while another call has the workspace exclusively, then shares it.
    pub(crate) async fn shared(&self, id: &SandboxId) -> SharedGuard {
        let lock = self.of(id);
        drop(lock.mutex.lock().await);
        // No await since the mutex was locked: no call gets it exclusively before this counts.
        lock.shared.set(lock.shared.get() + 1);
        SharedGuard { lock, clock: self.clock.clone() }
    }

    /// How many calls share it now.
    pub(crate) fn shared_count(&self, id: &SandboxId) -> usize {
        self.of(id).shared.get()
    }

    /// When a shared lock was last released, in milliseconds since the epoch; 0 if
    /// this object has seen none.
    pub(crate) fn last_released_ms(&self, id: &SandboxId) -> i64 {
        self.of(id).last_released_ms.get()
    }

    /// Locks the workspace exclusively, after all earlier callers. New calls wait;
    /// calls that share it already go on.
    pub(crate) async fn exclusive(&self, id: &SandboxId) -> FifoGuard {
        self.of(id).mutex.lock().await
    }

    /// Whether a call has it exclusively, or waits for it.
    pub(crate) fn is_exclusive(&self, id: &SandboxId) -> bool {
        self.of(id).mutex.is_locked()
    }

    /// As [`Self::exclusive`], and waits until no call shares the workspace. None:
    /// some calls still shared it after `limit_ms`.
    pub(crate) async fn exclusive_when_idle(
        &self,
        id: &SandboxId,
        limit_ms: u64,
    ) -> Option<FifoGuard> {
        let lock = self.of(id);
        let guard = lock.mutex.lock().await;
        let mut over = self.clock.sleep_ms(limit_ms);
        // No new call can share it under this lock, so the count only falls.
        while lock.shared.get() > 0 {
            let (sender, released) = oneshot::channel();
            lock.waiting.borrow_mut().push(sender);
            match select(released, over).await {
                Either::Left((_, rest)) => over = rest,
                Either::Right(_) => return None,
            }
        }
        Some(guard)
    }
}
