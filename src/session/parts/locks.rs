//! Locks on workspaces: any number of calls share one, or one call has it exclusively. They are in
//! memory only: calls and their locks end with the object.

use crate::domain::limits::LOCK_WAIT_MS;
use crate::domain::time::rfc3339;
use crate::domain::{Error, ErrorCode, Outcome, Result, SandboxId};
use crate::ports::Clock;
use crate::session::Abort;
use crate::support::fifo_mutex::{FifoGuard, FifoMutex};
use futures::channel::oneshot;
use futures::future::{Either, select};
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;

pub(crate) struct WorkspaceLocks {
    clock: Rc<dyn Clock>,
    locks: RefCell<BTreeMap<SandboxId, WorkspaceLock>>,
    /// The signal of the call that is being polled now.
    signal: RefCell<Abort>,
}

#[derive(Clone, Default)]
struct WorkspaceLock {
    mutex: FifoMutex,
    /// What holds the lock exclusively and since when, in milliseconds since the epoch.
    holder: Rc<Cell<(&'static str, i64)>>,
    shared: Rc<Cell<usize>>,
    waiting: Rc<RefCell<Vec<oneshot::Sender<()>>>>,
    last_released_ms: Rc<Cell<i64>>,
}

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
        Self { clock, locks: RefCell::default(), signal: RefCell::default() }
    }

    /// Polls a call's work with its signal at hand: a wait for a lock, however deep in the
    /// call, ends when the caller gives up.
    pub(crate) async fn with_signal<T>(&self, abort: &Abort, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        poll_fn(|context| {
            let outer = self.signal.replace(abort.clone());
            let polled = work.as_mut().poll(context);
            self.signal.replace(outer);
            polled
        })
        .await
    }

    fn of(&self, id: &SandboxId) -> WorkspaceLock {
        self.locks.borrow_mut().entry(id.clone()).or_default().clone()
    }

    /// Waits while another call has the workspace exclusively, at most [`LOCK_WAIT_MS`].
    pub(crate) async fn shared(&self, id: &SandboxId) -> Result<SharedGuard> {
        let lock = self.of(id);
        drop(self.locked(id, &lock).await?);
        // No await since the mutex was locked: no call gets it exclusively before this counts.
        lock.shared.set(lock.shared.get() + 1);
        Ok(SharedGuard { lock, clock: self.clock.clone() })
    }

    pub(crate) fn shared_count(&self, id: &SandboxId) -> usize {
        self.of(id).shared.get()
    }

    /// 0 if this object has seen no release.
    pub(crate) fn last_released_ms(&self, id: &SandboxId) -> i64 {
        self.of(id).last_released_ms.get()
    }

    /// Locks the workspace exclusively, after all earlier callers. New calls wait; those that share
    /// it already go on. `holder` tells waiting callers who has it.
    pub(crate) async fn exclusive(
        &self,
        id: &SandboxId,
        holder: &'static str,
    ) -> Result<FifoGuard> {
        let lock = self.of(id);
        let guard = self.locked(id, &lock).await?;
        lock.holder.set((holder, self.clock.now_ms()));
        Ok(guard)
    }

    /// As [`Self::exclusive`], after a destroy: its caller can't give up any more.
    pub(crate) async fn exclusive_to_destroy(&self, id: &SandboxId) -> Result<FifoGuard> {
        let exclusive = self.exclusive(id, "the end of its container");
        let exclusive = self.with_signal(&Abort::default(), exclusive).await;
        exclusive.map_err(|error| error.with_outcome(Outcome::Unknown))
    }

    pub(crate) fn is_exclusive(&self, id: &SandboxId) -> bool {
        self.of(id).mutex.is_locked()
    }

    /// As [`Self::exclusive`], once no call shares the workspace. None: some did after `limit_ms`.
    pub(crate) async fn exclusive_when_idle(
        &self,
        id: &SandboxId,
        holder: &'static str,
        limit_ms: u64,
    ) -> Result<Option<FifoGuard>> {
        let guard = self.exclusive(id, holder).await?;
        let lock = self.of(id);
        let signal = self.signal.borrow().clone();
        let given_up = pin!(signal.given_up());
        let mut over = select(self.clock.sleep_ms(limit_ms), given_up);
        // No new call can share it under this lock, so the count only falls.
        while lock.shared.get() > 0 {
            let (sender, released) = oneshot::channel();
            lock.waiting.borrow_mut().push(sender);
            match select(released, over).await {
                Either::Left((_, rest)) => over = rest,
                Either::Right(_) => {
                    signal.check()?;
                    return Ok(None);
                }
            }
        }
        Ok(Some(guard))
    }

    async fn locked(&self, id: &SandboxId, lock: &WorkspaceLock) -> Result<FifoGuard> {
        let signal = self.signal.borrow().clone();
        let (locked, given_up) = (pin!(lock.mutex.lock()), pin!(signal.given_up()));
        let over = select(self.clock.sleep_ms(LOCK_WAIT_MS), given_up);
        match select(locked, over).await {
            Either::Left((guard, _)) => Ok(guard),
            Either::Right(_) => {
                signal.check()?;
                Err(held(id, lock.holder.get()))
            }
        }
    }
}

fn held(id: &SandboxId, (holder, since_ms): (&str, i64)) -> Error {
    let since = rfc3339(since_ms);
    Error::new(ErrorCode::Unavailable, format!("{holder} has held workspace {id} since {since}"))
        .with_hint(
            "retry; if it takes too long, cancel the call that holds the workspace, or destroy the workspace's container",
        )
        .with_details(json!({ "holder": holder, "since": since }))
}
