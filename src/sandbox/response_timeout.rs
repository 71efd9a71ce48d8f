//! Timeout for an unresponsive container.

use crate::domain::error::{Error, ErrorCode, Next, Outcome, Result};
use crate::domain::limits::CONTAINER_RESPONSE_TIMEOUT_AGAIN_MS;
use crate::ports::clock::Clock;
use futures::future::{Either, select};
use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;

/// Times requests to the platform about one container, such as beginning or ending a command. The
/// platform may serve requests one after another, so a waiting request proves nothing while others
/// get responses, even errors.
pub struct ResponseTimeout {
    clock: Rc<dyn Clock>,
    limit_ms: u64,
    last_ms: Cell<i64>,
    unresponsive: Cell<bool>,
}

impl ResponseTimeout {
    /// Ends a wait once the container has not responded for `limit_ms`.
    pub fn new(clock: Rc<dyn Clock>, limit_ms: u64) -> Self {
        let last_ms = Cell::new(i64::MIN);
        Self { clock, limit_ms, last_ms, unresponsive: Cell::default() }
    }

    /// Notes a response, even one that nobody waits for any more.
    pub fn note_response(&self) {
        self.last_ms.set(self.clock.now_ms());
        self.unresponsive.set(false);
    }

    /// Forgets timeouts of the last container, because another one starts.
    pub fn reset(&self) {
        self.unresponsive.set(false);
    }

    /// Whether a request timed out, and no response has come since.
    pub const fn is_unresponsive(&self) -> bool {
        self.unresponsive.get()
    }

    /// The limit for a new wait. It is shorter after a timeout: the new request most likely waits
    /// behind the one that got no response.
    fn current_limit_ms(&self) -> u64 {
        if self.is_unresponsive() {
            self.limit_ms.min(CONTAINER_RESPONSE_TIMEOUT_AGAIN_MS)
        } else {
            self.limit_ms
        }
    }

    /// Waits for a response, as long as the container responds to anything.
    ///
    /// # Errors
    /// `UNAVAILABLE`. The request may still take effect.
    pub async fn wait<T>(&self, response: impl Future<Output = T>) -> Result<T> {
        let sent_ms = self.clock.now_ms();
        let mut response = pin!(response);
        loop {
            let since_ms = sent_ms.max(self.last_ms.get());
            let waited_ms = self.clock.now_ms().saturating_sub(since_ms).max(0).unsigned_abs();
            let left_ms = self.current_limit_ms().saturating_sub(waited_ms);
            if left_ms == 0 {
                self.unresponsive.set(true);
                return Err(unresponsive(waited_ms));
            }
            if let Either::Left((response, _)) =
                select(response.as_mut(), self.clock.sleep_ms(left_ms)).await
            {
                self.note_response();
                return Ok(response);
            }
        }
    }
}

fn unresponsive(ms: u64) -> Error {
    Error::new(ErrorCode::Unavailable, "the sandbox's container does not respond")
        .with_outcome(Outcome::Unknown)
        .with_hint(Next::RestoreNew)
        .with_cause(format!("no response for {ms} ms"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use futures::FutureExt;
    use futures::channel::oneshot;
    use std::cell::RefCell;

    #[derive(Default)]
    struct HandClock {
        now_ms: Cell<i64>,
        sleepers: RefCell<Vec<(i64, oneshot::Sender<()>)>>,
    }

    impl HandClock {
        fn advance(&self, ms: i64) {
            let now_ms = self.now_ms.get() + ms;
            self.now_ms.set(now_ms);
            let (due, rest) =
                self.sleepers.take().into_iter().partition(|(at_ms, _)| *at_ms <= now_ms);
            *self.sleepers.borrow_mut() = rest;
            let due: Vec<(i64, oneshot::Sender<()>)> = due;
            for (_, sleeper) in due {
                // The sleeper may have been dropped.
                let _ = sleeper.send(());
            }
        }
    }

    #[async_trait(?Send)]
    impl Clock for HandClock {
        fn now_ms(&self) -> i64 {
            self.now_ms.get()
        }

        async fn sleep_ms(&self, ms: u64) {
            let (sender, woken) = oneshot::channel();
            let at_ms = self.now_ms.get() + i64::try_from(ms).unwrap();
            self.sleepers.borrow_mut().push((at_ms, sender));
            let _ = woken.await;
        }
    }

    fn new_timeout() -> (Rc<HandClock>, ResponseTimeout) {
        let clock = Rc::new(HandClock::default());
        (clock.clone(), ResponseTimeout::new(clock, 60_000))
    }

    #[test]
    fn no_response_ends_a_wait() {
        let (clock, timeout) = new_timeout();
        let mut wait = Box::pin(timeout.wait(std::future::pending::<()>()));
        assert!((&mut wait).now_or_never().is_none());
        clock.advance(59_999);
        assert!((&mut wait).now_or_never().is_none());
        clock.advance(1);
        let error = (&mut wait).now_or_never().unwrap().unwrap_err();
        assert_eq!((error.code, error.outcome), (ErrorCode::Unavailable, Outcome::Unknown));
    }

    #[test]
    fn after_a_timeout_a_wait_is_short_until_a_response_comes() {
        let (clock, timeout) = new_timeout();
        let given_up_after = |ms: i64| {
            let mut wait = Box::pin(timeout.wait(std::future::pending::<()>()));
            assert!((&mut wait).now_or_never().is_none());
            clock.advance(ms - 1);
            assert!((&mut wait).now_or_never().is_none());
            clock.advance(1);
            (&mut wait).now_or_never().unwrap().unwrap_err();
        };
        given_up_after(60_000);
        given_up_after(10_000);
        assert!(timeout.is_unresponsive());
        // The response to the first request.
        timeout.note_response();
        assert!(!timeout.is_unresponsive());
        given_up_after(60_000);
        given_up_after(10_000);
    }

    #[test]
    fn while_others_get_responses_a_wait_goes_on() {
        let (clock, timeout) = new_timeout();
        let (sender, receiver) = oneshot::channel();
        let mut last_of_many = Box::pin(timeout.wait(receiver));
        assert!((&mut last_of_many).now_or_never().is_none());
        for _ in 0..10 {
            clock.advance(59_000);
            assert!((&mut last_of_many).now_or_never().is_none());
            timeout.wait(async {}).now_or_never().unwrap().unwrap();
        }
        clock.advance(59_000);
        // A response that nobody waits for any more.
        timeout.note_response();
        clock.advance(59_000);
        assert!((&mut last_of_many).now_or_never().is_none());
        sender.send(7).unwrap();
        assert_eq!((&mut last_of_many).now_or_never().unwrap().unwrap(), Ok(7));
    }
}
