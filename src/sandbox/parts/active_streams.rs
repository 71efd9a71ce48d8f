//! Commands and exports that are still streaming. Their container is in use.

use crate::ports::clock::Clock;
use std::cell::RefCell;
use std::rc::Rc;

/// The time until which each stream may run, in milliseconds since the epoch.
#[derive(Clone, Default)]
pub(crate) struct ActiveStreams(Rc<RefCell<Vec<Rc<i64>>>>);

/// One active stream, until dropped.
pub(crate) struct ActiveStream {
    streams: ActiveStreams,
    until_ms: Rc<i64>,
}

impl ActiveStreams {
    pub(crate) fn begin(&self, until_ms: i64) -> ActiveStream {
        let until_ms = Rc::new(until_ms);
        self.0.borrow_mut().push(until_ms.clone());
        ActiveStream { streams: self.clone(), until_ms }
    }

    /// Whether any stream is active. An abandoned stream may never be dropped, so it also ends at
    /// its time limit.
    pub(crate) fn is_any(&self, clock: &dyn Clock) -> bool {
        self.0.borrow().iter().any(|until_ms| **until_ms > clock.now_ms())
    }
}

impl Drop for ActiveStream {
    fn drop(&mut self) {
        self.streams.0.borrow_mut().retain(|other| !Rc::ptr_eq(other, &self.until_ms));
    }
}
