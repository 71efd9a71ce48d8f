//! Limits the callers' content that all calls of an isolate hold at once: an isolate has 128 MB,
//! and WebAssembly memory never shrinks, so their common peak stays allocated.
//!
//! The runtime lets no request resume another, so each waiter polls on its own timer. It may
//! abandon a request without dropping its values, so holds expire, and silent waiters lose their
//! place.

use crate::domain::{Error, ErrorCode, Result};
use crate::ports::Clock;
use serde_json::json;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

const LOOK_MS: u64 = 20;
/// A waiter that has not polled for this time counts as gone.
const GONE_MS: i64 = 2_000;
/// A hold expires after this. Only slow senders and inputs for a waking workspace take longer.
const HOLD_MS: i64 = 60_000;

#[derive(Default)]
struct State {
    holds: Vec<Hold>,
    /// In order of arrival.
    waiting: VecDeque<Waiter>,
    last_id: u64,
}

struct Hold {
    id: u64,
    of: Option<Rc<str>>,
    bytes: u64,
    until_ms: i64,
}

struct Waiter {
    id: u64,
    of: Option<Rc<str>>,
    bytes: u64,
    looked_ms: i64,
}

impl State {
    /// Whether the waiter's owner would exceed its share, so that others go first.
    fn waits_for_own(&self, waiter: &Waiter, share: u64) -> bool {
        let Some(of) = &waiter.of else { return false };
        let own = self.holds.iter().filter(|hold| hold.of.as_ref() == Some(of));
        own.map(|hold| hold.bytes).sum::<u64>().saturating_add(waiter.bytes) > share
    }
}

/// Bytes that callers share in order of arrival: small calls must not starve a large one.
#[derive(Clone)]
pub struct Budget {
    total: u64,
    share: u64,
    state: Rc<RefCell<State>>,
}

/// A call's place in the queue, and then its bytes, until it is dropped.
#[must_use]
pub struct Held {
    id: u64,
    state: Rc<RefCell<State>>,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut state = self.state.borrow_mut();
        state.holds.retain(|hold| hold.id != self.id);
        state.waiting.retain(|waiter| waiter.id != self.id);
    }
}

impl Budget {
    /// A budget of `total` free bytes.
    #[must_use]
    pub fn new(total: u64) -> Self {
        Self::with_shares(total, total)
    }

    /// A budget of `total` free bytes, at most `share` for an owner.
    #[must_use]
    pub fn with_shares(total: u64, share: u64) -> Self {
        Self { total, share, state: Rc::default() }
    }

    /// Waits for `bytes`, at most the whole budget, in order of arrival and for at most `limit_ms`.
    ///
    /// # Errors
    /// `RATE_LIMITED` with `retryAfterMs`.
    pub async fn hold_within(&self, bytes: u64, clock: &dyn Clock, limit_ms: u64) -> Result<Held> {
        self.hold_of(None, bytes, clock, limit_ms).await
    }

    /// Like [`Self::hold_within`], for an owner, who gets at most its share.
    ///
    /// # Errors
    /// As [`Self::hold_within`].
    pub async fn hold_of(
        &self,
        of: Option<&str>,
        bytes: u64,
        clock: &dyn Clock,
        limit_ms: u64,
    ) -> Result<Held> {
        let bytes = bytes.min(if of.is_some() { self.share } else { self.total });
        let of: Option<Rc<str>> = of.map(Rc::from);
        let held = self.enter(of.clone(), bytes, clock.now_ms());
        let mut waited_ms = 0;
        while !self.take(held.id, of.as_ref(), bytes, clock.now_ms()) {
            if waited_ms >= limit_ms {
                return Err(Error::new(
                    ErrorCode::RateLimited,
                    "too much content is being read and written at once",
                )
                .with_hint("wait for retryAfterMs, then send less at once, or read smaller parts")
                .with_details(json!({ "retryAfterMs": limit_ms })));
            }
            clock.sleep_ms(LOOK_MS).await;
            waited_ms += LOOK_MS;
        }
        Ok(held)
    }

    fn enter(&self, of: Option<Rc<str>>, bytes: u64, now_ms: i64) -> Held {
        let mut state = self.state.borrow_mut();
        state.last_id += 1;
        let id = state.last_id;
        state.waiting.push_back(Waiter { id, of, bytes, looked_ms: now_ms });
        Held { id, state: self.state.clone() }
    }

    /// Whether the polling waiter now holds its bytes.
    fn take(&self, id: u64, of: Option<&Rc<str>>, bytes: u64, now_ms: i64) -> bool {
        let mut state = self.state.borrow_mut();
        state.holds.retain(|hold| now_ms < hold.until_ms);
        match state.waiting.iter_mut().find(|waiter| waiter.id == id) {
            Some(waiter) => waiter.looked_ms = now_ms,
            // The waiter polled too late and lost its place.
            None => {
                let of = of.cloned();
                state.waiting.push_back(Waiter { id, of, bytes, looked_ms: now_ms });
            }
        }
        state.waiting.retain(|waiter| now_ms - waiter.looked_ms < GONE_MS);
        let taken: u64 = state.holds.iter().map(|hold| hold.bytes).sum();
        let first = state.waiting.iter().find(|waiter| !state.waits_for_own(waiter, self.share));
        let is_first = first.is_some_and(|waiter| waiter.id == id);
        if !is_first || taken + bytes > self.total {
            return false;
        }
        state.waiting.retain(|waiter| waiter.id != id);
        let until_ms = now_ms.saturating_add(HOLD_MS);
        state.holds.push(Hold { id, of: of.cloned(), bytes, until_ms });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use futures::executor::block_on;
    use std::cell::Cell;

    #[derive(Default)]
    struct Sleeping(Cell<i64>);

    #[async_trait(?Send)]
    impl Clock for Sleeping {
        fn now_ms(&self) -> i64 {
            self.0.get()
        }
        async fn sleep_ms(&self, ms: u64) {
            self.0.set(self.0.get() + i64::try_from(ms).unwrap());
        }
    }

    #[test]
    fn callers_come_in_order_and_small_ones_do_not_overtake() {
        let budget = Budget::new(10);
        let hold = |bytes| {
            let held = budget.enter(None, 0, 0);
            (budget.take(held.id, None, bytes, 0), held)
        };
        let ((true, one), (true, two)) = (hold(4), hold(4)) else { panic!("there was room") };
        let (got, large) = hold(8);
        assert!(!got);
        let (got, small) = hold(1);
        assert!(!got, "two are free, and one came before");
        drop(one);
        assert!(!budget.take(large.id, None, 8, 0));
        drop(two);
        assert!(!budget.take(small.id, None, 1, 0), "still not its turn");
        assert!(budget.take(large.id, None, 8, 0));
        assert!(budget.take(small.id, None, 1, 0));
        assert!(!hold(2).0);
        drop((large, small));
        assert!(block_on(budget.hold_within(99, &Sleeping::default(), 0)).is_ok(), "all it is");
    }

    #[test]
    fn one_owner_holds_no_more_than_its_share_and_others_pass_it() {
        let budget = Budget::with_shares(10, 6);
        let clock = Sleeping::default();
        let hold = |of, bytes| block_on(budget.hold_of(Some(of), bytes, &clock, 0));
        let first = hold("one", 4).unwrap();
        assert!(hold("one", 4).is_err(), "four are free, but not for this owner");
        let small = hold("one", 2).unwrap();
        // If an owner waits for its own share, others pass it.
        let one: Rc<str> = "one".into();
        let waiting = budget.enter(Some(one.clone()), 4, clock.now_ms());
        let other = hold("other", 4).unwrap();
        assert!(!budget.take(waiting.id, Some(&one), 4, clock.now_ms()));
        drop(first);
        assert!(budget.take(waiting.id, Some(&one), 4, clock.now_ms()));
        drop((small, other, waiting));
        let all = hold("one", 99).unwrap();
        assert!(hold("other", 4).is_ok(), "a large one gets no more than the share");
        drop(all);
    }

    #[test]
    fn a_waiter_that_is_gone_is_passed_over() {
        let budget = Budget::new(10);
        let first = budget.enter(None, 0, 0);
        assert!(budget.take(first.id, None, 10, 0));
        let dropped = budget.enter(None, 0, 0);
        let abandoned = budget.enter(None, 0, 0);
        let last = budget.enter(None, 0, 0);
        drop((first, dropped));
        assert!(!budget.take(last.id, None, 10, GONE_MS - 1));
        assert!(budget.take(last.id, None, 10, GONE_MS));
        assert!(!budget.take(abandoned.id, None, 10, GONE_MS), "it queues again");
        drop(last);
        assert!(budget.take(abandoned.id, None, 10, GONE_MS));
    }

    #[test]
    fn a_lease_that_nobody_gives_back_ends() {
        let budget = Budget::new(10);
        let abandoned = budget.enter(None, 0, 0);
        assert!(budget.take(abandoned.id, None, 10, 0));
        let next = budget.enter(None, 0, 0);
        assert!(!budget.take(next.id, None, 1, HOLD_MS - 1));
        assert!(budget.take(next.id, None, 1, HOLD_MS));
    }

    #[test]
    fn a_caller_that_waits_too_long_is_told_when_to_come_back() {
        let (budget, clock) = (Budget::new(10), Sleeping::default());
        let held = block_on(budget.hold_within(10, &clock, 0)).unwrap();
        let error = block_on(budget.hold_within(1, &clock, 700)).err().unwrap();
        assert_eq!(error.code, ErrorCode::RateLimited);
        assert_eq!(error.details, Some(json!({ "retryAfterMs": 700 })));
        assert_eq!(clock.now_ms(), 700);
        drop(held);
        assert!(block_on(budget.hold_within(10, &clock, 0)).is_ok(), "it left the queue");
    }
}
