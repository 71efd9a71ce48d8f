//! How long a container is waited for that says nothing.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::limits::CONTAINER_SILENCE_AGAIN_MS;
use crate::ports::clock::Clock;
use futures::future::{Either, select};
use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;

/// Requests to the platform about one container: to begin a command, to end it.
///
/// It may take them one after the other, so one that waits is no sign of
/// anything as long as others are answered, be it with an error.
pub struct Answers {
    clock: Rc<dyn Clock>,
    silence_max_ms: u64,
    last_ms: Cell<i64>,
    silent: Cell<bool>,
}

impl Answers {
    /// Those of a container that is given up once it said nothing for `silence_max_ms`.
    pub fn new(clock: Rc<dyn Clock>, silence_max_ms: u64) -> Self {
        let last_ms = Cell::new(i64::MIN);
        Self { clock, silence_max_ms, last_ms, silent: Cell::default() }
    }

    /// Takes note of an answer, also of one that nobody waits for any more.
    pub fn came(&self) {
        self.last_ms.set(self.clock.now_ms());
        self.silent.set(false);
    }

    /// Another container is started: what the one before did not answer says nothing of it.
    pub fn begin_anew(&self) {
        self.silent.set(false);
    }

    /// Whether a wait was given up, and no answer has come since.
    pub const fn is_silent(&self) -> bool {
        self.silent.get()
    }

    /// A request that follows one which is still not answered waits shortly:
    /// most likely it waits for that one.
    fn limit_ms(&self) -> u64 {
        if self.is_silent() {
            self.silence_max_ms.min(CONTAINER_SILENCE_AGAIN_MS)
        } else {
            self.silence_max_ms
        }
    }

    /// Waits for an answer while the container gives any.
    ///
    /// # Errors
    /// `UNAVAILABLE`. What was asked for may still happen.
    pub async fn wait<T>(&self, answer: impl Future<Output = T>) -> Result<T> {
        let asked_ms = self.clock.now_ms();
        let mut answer = pin!(answer);
        loop {
            let since_ms = asked_ms.max(self.last_ms.get());
            let silent_ms = self.clock.now_ms().saturating_sub(since_ms).max(0).unsigned_abs();
            let left_ms = self.limit_ms().saturating_sub(silent_ms);
            if left_ms == 0 {
                self.silent.set(true);
                return Err(silent(silent_ms));
            }
            if let Either::Left((answer, _)) =
                select(answer.as_mut(), self.clock.sleep_ms(left_ms)).await
            {
                self.came();
                return Ok(answer);
            }
        }
    }
}

fn silent(ms: u64) -> Error {
    Error::new(ErrorCode::Unavailable, "the sandbox's container does not answer")
        .with_outcome(Outcome::Unknown)
        .with_hint("try again; where that fails too, go on in a new workspace: workspace_restore")
        .with_cause(format!("it has answered nothing for {ms} ms"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use futures::FutureExt;
    use futures::channel::oneshot;
    use std::cell::RefCell;

    /// Whoever sleeps wakes when the test moves time on.
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
                // Who slept may be gone.
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

    fn answers() -> (Rc<HandClock>, Answers) {
        let clock = Rc::new(HandClock::default());
        (clock.clone(), Answers::new(clock, 60_000))
    }

    #[test]
    fn silence_ends_a_wait() {
        let (clock, answers) = answers();
        let mut wait = Box::pin(answers.wait(std::future::pending::<()>()));
        assert!((&mut wait).now_or_never().is_none());
        clock.advance(59_999);
        assert!((&mut wait).now_or_never().is_none());
        clock.advance(1);
        let error = (&mut wait).now_or_never().unwrap().unwrap_err();
        assert_eq!((error.code, error.outcome), (ErrorCode::Unavailable, Outcome::Unknown));
    }

    #[test]
    fn after_silence_a_wait_is_short_until_an_answer_comes() {
        let (clock, answers) = answers();
        let given_up_after = |ms: i64| {
            let mut wait = Box::pin(answers.wait(std::future::pending::<()>()));
            assert!((&mut wait).now_or_never().is_none());
            clock.advance(ms - 1);
            assert!((&mut wait).now_or_never().is_none());
            clock.advance(1);
            (&mut wait).now_or_never().unwrap().unwrap_err();
        };
        given_up_after(60_000);
        given_up_after(10_000);
        assert!(answers.is_silent());
        // Of what was given up first, by now.
        answers.came();
        assert!(!answers.is_silent());
        given_up_after(60_000);
        given_up_after(10_000);
    }

    #[test]
    fn while_others_are_answered_a_wait_goes_on() {
        let (clock, answers) = answers();
        let (sender, receiver) = oneshot::channel();
        let mut last_of_many = Box::pin(answers.wait(receiver));
        assert!((&mut last_of_many).now_or_never().is_none());
        for _ in 0..10 {
            clock.advance(59_000);
            assert!((&mut last_of_many).now_or_never().is_none());
            answers.wait(async {}).now_or_never().unwrap().unwrap();
        }
        clock.advance(59_000);
        // Nobody waited for this one any more.
        answers.came();
        clock.advance(59_000);
        assert!((&mut last_of_many).now_or_never().is_none());
        sender.send(7).unwrap();
        assert_eq!((&mut last_of_many).now_or_never().unwrap().unwrap(), Ok(7));
    }
}
