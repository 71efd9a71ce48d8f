//! One at a time, first come first served.

use futures::channel::oneshot;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

#[derive(Default)]
struct Queue {
    taken: bool,
    waiting: VecDeque<oneshot::Sender<Turn>>,
}

/// A lock whose waiters get it in the order they came.
///
/// The lock itself travels through the channel of the waiter whose turn it is.
/// So a waiter that is dropped, before or after it was handed the lock, drops
/// it too, which hands it on: no cancellation loses it.
#[derive(Clone, Default)]
pub(in crate::usecases) struct Turns {
    queue: Rc<RefCell<Queue>>,
}

/// Held while working; dropping it lets the next one in.
#[must_use]
pub(in crate::usecases) struct Turn {
    queue: Rc<RefCell<Queue>>,
}

impl Turns {
    /// Whether it is somebody's turn.
    pub(in crate::usecases) fn is_taken(&self) -> bool {
        self.queue.borrow().taken
    }

    /// Waits for its turn.
    pub(in crate::usecases) async fn take(&self) -> Turn {
        loop {
            let handed_over = {
                let mut queue = self.queue.borrow_mut();
                if !queue.taken {
                    queue.taken = true;
                    return Turn { queue: self.queue.clone() };
                }
                let (sender, receiver) = oneshot::channel();
                queue.waiting.push_back(sender);
                receiver
            };
            if let Ok(turn) = handed_over.await {
                return turn;
            }
        }
    }
}

/// A lock for each key.
pub(in crate::usecases) struct KeyedTurns<K>(RefCell<BTreeMap<K, Turns>>);

impl<K> Default for KeyedTurns<K> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Clone + Ord> KeyedTurns<K> {
    /// Waits for its turn among those of the same key.
    pub(in crate::usecases) async fn take(&self, key: &K) -> Turn {
        let turns = self.0.borrow_mut().entry(key.clone()).or_default().clone();
        turns.take().await
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let next = {
            let mut queue = self.queue.borrow_mut();
            let next = queue.waiting.pop_front();
            queue.taken = next.is_some();
            next
        };
        if let Some(next) = next {
            // Where that waiter is gone, the turn comes back, is dropped here, and goes on.
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
        let turns = Turns::default();
        let order = RefCell::new(Vec::new());
        let work = |n: u32| {
            let (turns, order) = (turns.clone(), &order);
            async move {
                let _turn = turns.take().await;
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
    fn a_cancelled_waiter_does_not_keep_the_turn() {
        let turns = Turns::default();
        let first = block_on(turns.take());
        let mut gone_before = Box::pin(turns.take());
        let mut gone_after = Box::pin(turns.take());
        let mut last = Box::pin(turns.take());
        assert!((&mut gone_before).now_or_never().is_none());
        assert!((&mut gone_after).now_or_never().is_none());
        assert!((&mut last).now_or_never().is_none());
        drop(gone_before);
        drop(first);
        // The second was handed the turn but never woke up to take it.
        drop(gone_after);
        assert!((&mut last).now_or_never().is_some());
        assert!(turns.take().now_or_never().is_some(), "dropping the last one freed it");
    }
}
