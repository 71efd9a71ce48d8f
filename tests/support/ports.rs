//! The small ports: time that tests move, counted randomness, a log in memory.

use super::faults::Faults;
use async_trait::async_trait;
use snapshotter::domain::error::Result;
use snapshotter::domain::limits::LOCK_WAIT_MS;
use snapshotter::ports::alarm::Alarm;
use snapshotter::ports::clock::Clock;
use snapshotter::ports::log::{Log, LogLine};
use snapshotter::ports::random::Random;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Time that only tests move; sleeping moves it too.
#[derive(Clone)]
pub struct TestClock(pub Rc<Cell<i64>>, pub Patience);

/// Whether sleeps never end, so that the awaited event comes first.
#[derive(Clone, Default)]
pub struct Patience {
    stopped: Rc<Cell<bool>>,
    /// Whether calls wait for a workspace in vain.
    lapses: Rc<Cell<bool>>,
}

impl TestClock {
    pub fn new() -> Self {
        Self(Rc::new(Cell::new(1_800_000_000_000)), Patience::default())
    }

    /// Whether a wait for a workspace that another call has reaches its limit at once. Otherwise
    /// it ends only with that call.
    pub fn lapse(&self, lapses: bool) {
        self.1.lapses.set(lapses);
    }

    pub fn stop(&self) {
        self.1.stopped.set(true);
    }

    pub fn start(&self) {
        self.1.stopped.set(false);
    }

    pub fn advance(&self, ms: i64) {
        self.0.set(self.0.get() + ms);
    }
}

#[async_trait(?Send)]
impl Clock for TestClock {
    fn now_ms(&self) -> i64 {
        self.0.get()
    }

    async fn sleep_ms(&self, ms: u64) {
        if self.1.stopped.get() || (ms == LOCK_WAIT_MS && !self.1.lapses.get()) {
            return std::future::pending().await;
        }
        self.advance(i64::try_from(ms).unwrap());
    }
}

/// Distinct bytes each time.
#[derive(Clone, Default)]
pub struct CountingRandom(Rc<Cell<u64>>);

impl Random for CountingRandom {
    fn fill(&self, bytes: &mut [u8]) -> Result<()> {
        let count = self.0.replace(self.0.get() + 1);
        bytes.fill(0);
        for (to, from) in bytes.iter_mut().zip(count.to_le_bytes()) {
            *to = from;
        }
        Ok(())
    }
}

/// The log lines as written.
#[derive(Clone, Default)]
pub struct MemoryLog(pub Rc<RefCell<Vec<LogLine>>>);

impl Log for MemoryLog {
    fn write(&self, line: LogLine) {
        self.0.borrow_mut().push(line);
    }
}

/// An alarm that tests fire by hand.
#[derive(Clone, Default)]
pub struct TestAlarm {
    pub at_ms: Rc<Cell<Option<i64>>>,
    pub faults: Faults,
}

#[async_trait(?Send)]
impl Alarm for TestAlarm {
    async fn due_ms(&self) -> Result<Option<i64>> {
        Ok(self.at_ms.get())
    }

    async fn set(&self, at_ms: i64) -> Result<()> {
        self.faults
            .effect("alarm", || {
                self.at_ms.set(Some(at_ms));
                Ok(())
            })
            .await
    }
}
