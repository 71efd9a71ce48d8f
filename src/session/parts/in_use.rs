//! Items that calls of this object use now. In memory only: when the object ends,
//! its calls and their uses end with it.

use std::cell::RefCell;
use std::future::poll_fn;
use std::task::{Poll, Waker};

/// Items in use, listed once per call that uses them.
pub(crate) struct InUse<T> {
    items: RefCell<Vec<T>>,
    /// Wakes the tasks that wait for the end of a use.
    waiting: RefCell<Vec<Waker>>,
}

/// One use of an item, until dropped.
#[must_use]
pub(crate) struct InUseGuard<'a, T: PartialEq> {
    in_use: &'a InUse<T>,
    item: T,
}

impl<T> Default for InUse<T> {
    fn default() -> Self {
        Self { items: RefCell::default(), waiting: RefCell::default() }
    }
}

impl<T: Clone + PartialEq> InUse<T> {
    /// Marks the item as in use until the guard is dropped.
    pub(crate) fn begin(&self, item: T) -> InUseGuard<'_, T> {
        self.items.borrow_mut().push(item.clone());
        InUseGuard { in_use: self, item }
    }

    pub(crate) fn has(&self, item: &T) -> bool {
        self.items.borrow().contains(item)
    }

    pub(crate) fn all(&self) -> Vec<T> {
        self.items.borrow().clone()
    }

    /// Ready once no call uses the item.
    pub(crate) async fn ended(&self, item: &T) {
        poll_fn(|context| {
            if !self.has(item) {
                return Poll::Ready(());
            }
            self.waiting.borrow_mut().push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

impl<T: PartialEq> Drop for InUseGuard<'_, T> {
    fn drop(&mut self) {
        let mut items = self.in_use.items.borrow_mut();
        if let Some(position) = items.iter().position(|item| item == &self.item) {
            items.swap_remove(position);
        }
        drop(items);
        for waiting in self.in_use.waiting.take() {
            waiting.wake();
        }
    }
}
