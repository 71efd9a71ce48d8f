//! Time for many calls at once: it moves to the next sleeper's time once all calls wait.

use async_trait::async_trait;
use snapshotter::ports::clock::Clock;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// A clock whose sleepers wait for each other. Clones share it.
#[derive(Clone)]
pub struct VirtualClock {
    now_ms: Rc<Cell<i64>>,
    /// Who wakes when, in the order of their sleeps.
    sleepers: Rc<RefCell<BTreeMap<(i64, u64), Waker>>>,
    sleeps: Rc<Cell<u64>>,
}

impl VirtualClock {
    pub fn new() -> Self {
        let now_ms = Rc::new(Cell::new(1_800_000_000_000));
        Self { now_ms, sleepers: Rc::default(), sleeps: Rc::default() }
    }

    /// Runs work to its end. Panics if it waits for something other than time.
    pub fn run<T>(&self, work: impl Future<Output = T>) -> T {
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        let mut work = pin!(work);
        loop {
            woken.0.store(false, Ordering::Relaxed);
            if let Poll::Ready(done) = work.as_mut().poll(&mut Context::from_waker(&waker)) {
                return done;
            }
            if woken.0.load(Ordering::Relaxed) {
                continue;
            }
            let next = self.sleepers.borrow_mut().pop_first();
            let ((at_ms, _), sleeper) = next.expect("it waits for something other than time");
            self.now_ms.set(self.now_ms.get().max(at_ms));
            sleeper.wake();
        }
    }
}

/// Whether something can go on without time passing.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[async_trait(?Send)]
impl Clock for VirtualClock {
    fn now_ms(&self) -> i64 {
        self.now_ms.get()
    }

    async fn sleep_ms(&self, ms: u64) {
        let at_ms = self.now_ms.get() + i64::try_from(ms).unwrap();
        let nth = self.sleeps.replace(self.sleeps.get() + 1);
        futures::future::poll_fn(|context| {
            if self.now_ms.get() >= at_ms && !self.sleepers.borrow().contains_key(&(at_ms, nth)) {
                return Poll::Ready(());
            }
            self.sleepers.borrow_mut().insert((at_ms, nth), context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}
