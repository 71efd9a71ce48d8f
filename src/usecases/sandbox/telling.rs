//! Which commands run whose output is being told, archives on their way out
//! among them: while one does, its container is in use.

use crate::ports::clock::Clock;
use std::cell::RefCell;
use std::rc::Rc;

/// Until when each of them may run, in milliseconds since the epoch.
#[derive(Clone, Default)]
pub(super) struct Telling(Rc<RefCell<Vec<Rc<i64>>>>);

/// One of them, until dropped.
pub(super) struct Told {
    telling: Telling,
    until_ms: Rc<i64>,
}

impl Telling {
    pub(super) fn enter(&self, until_ms: i64) -> Told {
        let until_ms = Rc::new(until_ms);
        self.0.borrow_mut().push(until_ms.clone());
        Told { telling: self.clone(), until_ms }
    }

    /// A stream that nobody reads or cancels any more may never be dropped: its
    /// command's time limit counts too.
    pub(super) fn is_any(&self, clock: &dyn Clock) -> bool {
        self.0.borrow().iter().any(|until_ms| **until_ms > clock.now_ms())
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        self.telling.0.borrow_mut().retain(|other| !Rc::ptr_eq(other, &self.until_ms));
    }
}
