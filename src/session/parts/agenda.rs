//! What the object remembers of its alarm's work, which is in `recovery/agenda.rs`.

use crate::session::parts::InUse;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// What this object knows of its alarm's work. The rows hold the rest.
pub(crate) struct Agenda {
    /// When the heartbeat is due.
    pub(crate) beat_ms: Cell<i64>,
    /// Whether a pass over the pieces has begun and not yet reached the last one.
    pub(crate) looking: Cell<bool>,
    /// One entry for each pass in progress.
    pub(crate) looks: InUse<()>,
    pub(crate) running: InUse<&'static str>,
    /// Whether this object has put off the upkeep that was overdue when it began.
    pub(crate) spread: Cell<bool>,
    /// Pieces that are left alone even if their rows are due.
    pub(crate) held: RefCell<BTreeMap<&'static str, Held>>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Held {
    pub(crate) until_ms: i64,
    /// How often the piece has failed in a row.
    pub(crate) failures: u32,
}

impl Default for Agenda {
    fn default() -> Self {
        Self {
            beat_ms: Cell::new(i64::MAX),
            looking: Cell::default(),
            looks: InUse::default(),
            running: InUse::default(),
            spread: Cell::default(),
            held: RefCell::default(),
        }
    }
}
