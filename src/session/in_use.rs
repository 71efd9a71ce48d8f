//! Items that calls of this object use now. In memory only: when the object ends,
//! its calls and their uses end with it.

use std::cell::RefCell;

/// Items in use, listed once per call that uses them.
pub(crate) struct InUse<T>(RefCell<Vec<T>>);

/// One use of an item, until dropped.
#[must_use]
pub(crate) struct InUseGuard<'a, T: PartialEq> {
    in_use: &'a InUse<T>,
    item: T,
}

impl<T> Default for InUse<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<T: Clone + PartialEq> InUse<T> {
    /// Marks the item as in use until the guard is dropped.
    pub(crate) fn begin(&self, item: T) -> InUseGuard<'_, T> {
        self.0.borrow_mut().push(item.clone());
        InUseGuard { in_use: self, item }
    }

    pub(crate) fn has(&self, item: &T) -> bool {
        self.0.borrow().contains(item)
    }

    pub(crate) fn all(&self) -> Vec<T> {
        self.0.borrow().clone()
    }
}

impl<T: PartialEq> Drop for InUseGuard<'_, T> {
    fn drop(&mut self) {
        let mut items = self.in_use.0.borrow_mut();
        if let Some(position) = items.iter().position(|item| item == &self.item) {
            items.swap_remove(position);
        }
    }
}
