//! The watches that end once their workspace is no longer the active one.

use crate::domain::SandboxId;
use crate::session::parts::Abort;
use std::cell::RefCell;
use std::rc::Rc;

#[derive(Clone, Default)]
pub(crate) struct Watchers(Rc<RefCell<Vec<(SandboxId, Abort)>>>);

impl Watchers {
    pub(crate) fn leave(&self, id: &SandboxId) {
        self.0.borrow_mut().retain(|(watched, left)| {
            if watched == id {
                left.abort();
            }
            watched != id
        });
    }

    pub(crate) fn add(&self, id: SandboxId) -> Abort {
        let left = Abort::default();
        self.0.borrow_mut().push((id, left.clone()));
        left
    }

    pub(crate) fn remove(&self, ended: &Abort) {
        self.0.borrow_mut().retain(|(_, left)| !left.is(ended));
    }
}
