//! What calls of this object hold, in its memory: a call ends with its object,
//! and so does what it holds.

use std::cell::RefCell;

/// Items, each as often as a call holds it.
pub(super) struct Holds<T>(RefCell<Vec<T>>);

/// One that a call holds, until dropped.
#[must_use]
pub(super) struct Hold<'a, T: PartialEq> {
    holds: &'a Holds<T>,
    item: T,
}

impl<T> Default for Holds<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<T: Clone + PartialEq> Holds<T> {
    /// Holds an item until the guard is dropped.
    pub(super) fn hold(&self, item: T) -> Hold<'_, T> {
        self.0.borrow_mut().push(item.clone());
        Hold { holds: self, item }
    }

    /// Whether any call holds it.
    pub(super) fn has(&self, item: &T) -> bool {
        self.0.borrow().contains(item)
    }

    /// All that is held.
    pub(super) fn all(&self) -> Vec<T> {
        self.0.borrow().clone()
    }
}

impl<T: PartialEq> Drop for Hold<'_, T> {
    fn drop(&mut self) {
        let mut held = self.holds.0.borrow_mut();
        if let Some(position) = held.iter().position(|item| item == &self.item) {
            held.swap_remove(position);
        }
    }
}
