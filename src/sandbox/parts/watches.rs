//! Limits the number of watches of a sandbox.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::limits::WATCHES_MAX;
use serde_json::json;
use std::cell::Cell;
use std::rc::Rc;

#[derive(Clone, Default)]
pub(crate) struct Watches(Rc<Cell<usize>>);

impl Watches {
    pub(crate) fn enter(&self) -> Result<Place> {
        if self.0.get() >= WATCHES_MAX {
            return Err(Error::new(
                ErrorCode::QuotaExceeded,
                format!("{WATCHES_MAX} watches of this workspace are being read"),
            )
            .with_hint("cancel one of them")
            .with_details(json!({ "limit": "watches" })));
        }
        self.0.set(self.0.get() + 1);
        Ok(Place(self.clone()))
    }
}

/// One watch, until dropped.
pub(crate) struct Place(Watches);

impl Drop for Place {
    fn drop(&mut self) {
        let count = &self.0.0;
        count.set(count.get().saturating_sub(1));
    }
}
