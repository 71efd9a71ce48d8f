//! A fair async mutex.

use futures::channel::oneshot;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

#[derive(Default)]
struct Queue {
    locked: bool,
    waiting: VecDeque<oneshot::Sender<FifoGuard>>,
}

/// A mutex whose waiters get the lock in order of arrival. Unlocking sends a guard to the next
/// waiter. If that waiter is dropped, before or after it receives the guard, so is the guard, which
/// then goes to the next one: no cancellation loses the lock.
#[derive(Clone, Default)]
pub(crate) struct FifoMutex {
    queue: Rc<RefCell<Queue>>,
}

/// Dropping it hands the lock to the next waiter.
#[must_use]
pub(crate) struct FifoGuard {
    queue: Rc<RefCell<Queue>>,
}

impl FifoMutex {
    pub(crate) fn is_locked(&self) -> bool {
        self.queue.borrow().locked
    }

    pub(crate) async fn lock(&self) -> FifoGuard {
        loop {
            let handed_over = {
                let mut queue = self.queue.borrow_mut();
                if !queue.locked {
                    queue.locked = true;
                    return FifoGuard { queue: self.queue.clone() };
                }
                let (sender, receiver) = oneshot::channel();
                queue.waiting.push_back(sender);
                receiver
            };
            if let Ok(guard) = handed_over.await {
                return guard;
            }
        }
    }
}

/// A mutex for each key.
pub(crate) struct KeyedMutex<K>(RefCell<BTreeMap<K, FifoMutex>>);

impl<K> Default for KeyedMutex<K> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Clone + Ord> KeyedMutex<K> {
    pub(crate) async fn lock(&self, key: &K) -> FifoGuard {
        let mutex = {
            let mut mutexes = self.0.borrow_mut();
            // Keys are ids, and an object may live for long. No await lies between this and the
            // lock below, so nobody holds a mutex that is dropped here.
            mutexes.retain(|_, mutex| mutex.is_locked());
            mutexes.entry(key.clone()).or_default().clone()
        };
        mutex.lock().await
    }
}

impl Drop for FifoGuard {
    fn drop(&mut self) {
        let next = {
            let mut queue = self.queue.borrow_mut();
            let next = queue.waiting.pop_front();
            queue.locked = next.is_some();
            next
        };
        if let Some(next) = next {
            // If that waiter is gone, `send` returns the guard. Dropping it passes the lock on.
            drop(next.send(Self { queue: self.queue.clone() }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;
    use futures::executor::block_on;

    #[test]
    fn waiters_come_in_order() {
        let mutex = FifoMutex::default();
        let order = RefCell::new(Vec::new());
        let work = |n: u32| {
            let (mutex, order) = (mutex.clone(), &order);
            async move {
                let _guard = mutex.lock().await;
                order.borrow_mut().push(n);
                futures::pending!();
                order.borrow_mut().push(n);
            }
        };
        let (mut a, mut b, mut c) =
            (Box::pin(work(1).fuse()), Box::pin(work(2).fuse()), Box::pin(work(3).fuse()));
        assert!((&mut a).now_or_never().is_none());
        assert!((&mut b).now_or_never().is_none());
        assert!((&mut c).now_or_never().is_none());
        assert_eq!(*order.borrow(), [1]);
        assert!((&mut a).now_or_never().is_some());
        assert!((&mut b).now_or_never().is_none());
        assert!((&mut b).now_or_never().is_some());
        assert!((&mut c).now_or_never().is_none());
        assert!((&mut c).now_or_never().is_some());
        assert_eq!(*order.borrow(), [1, 1, 2, 2, 3, 3]);
    }

    #[test]
    fn keys_that_nobody_locks_are_forgotten() {
        let mutex = KeyedMutex::<u32>::default();
        let first = block_on(mutex.lock(&1));
        assert!(mutex.lock(&1).now_or_never().is_none());
        let _second = block_on(mutex.lock(&2));
        drop(first);
        let third = block_on(mutex.lock(&3));
        assert_eq!(mutex.0.borrow().keys().collect::<Vec<_>>(), [&2, &3]);
        drop(third);
        let _again = block_on(mutex.lock(&1));
        assert_eq!(mutex.0.borrow().keys().collect::<Vec<_>>(), [&1, &2]);
    }

    #[test]
    fn a_cancelled_waiter_does_not_keep_the_lock() {
        let mutex = FifoMutex::default();
        let first = block_on(mutex.lock());
        let mut gone_before = Box::pin(mutex.lock());
        let mut gone_after = Box::pin(mutex.lock());
        let mut last = Box::pin(mutex.lock());
        assert!((&mut gone_before).now_or_never().is_none());
        assert!((&mut gone_after).now_or_never().is_none());
        assert!((&mut last).now_or_never().is_none());
        drop(gone_before);
        drop(first);
        // The mutex sent the guard to `gone_after`, which was not polled again.
        drop(gone_after);
        assert!((&mut last).now_or_never().is_some());
        assert!(mutex.lock().now_or_never().is_some(), "dropping the last one freed it");
    }
}
