//! State of archives that is kept between calls. The sessions of an isolate share it.

use crate::domain::error::Result;
use crate::domain::limits::{BUDGET_WAIT_MS, TAR_INDEXES_BYTES, TAR_PARKED_BYTES};
use crate::ports::clock::Clock;
use crate::support::budget::{Budget, Held};
use crate::tar_zst::index::Index;
use crate::tar_zst::unpack::Unpacker;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Indexes of the archives that were read last, and positions at which decompressing stopped.
#[derive(Clone)]
pub struct TarMemory {
    /// Lets only one archive be decompressed at a time, because each takes megabytes.
    turns: Budget,
    kept: Rc<RefCell<Kept>>,
}

#[derive(Default)]
struct Kept {
    /// Indexes by archive. The last used one is at the end.
    indexes: VecDeque<(Rc<str>, Rc<Index>)>,
    parked: VecDeque<(Rc<str>, Unpacker)>,
}

impl Default for TarMemory {
    fn default() -> Self {
        Self { turns: Budget::new(1), kept: Rc::default() }
    }
}

impl TarMemory {
    /// Waits until no other call decompresses.
    ///
    /// # Errors
    /// `RATE_LIMITED`.
    pub(super) async fn turn(&self, clock: &dyn Clock) -> Result<Held> {
        self.turns.hold_within(1, clock, BUDGET_WAIT_MS).await
    }

    pub(super) fn index(&self, archive: &str) -> Option<Rc<Index>> {
        let indexes = &mut self.kept.borrow_mut().indexes;
        let at = indexes.iter().position(|(key, _)| &**key == archive)?;
        let found = indexes.remove(at)?;
        let index = found.1.clone();
        indexes.push_back(found);
        Some(index)
    }

    pub(super) fn keep(&self, archive: &Rc<str>, index: &Rc<Index>) {
        let indexes = &mut self.kept.borrow_mut().indexes;
        indexes.push_back((archive.clone(), index.clone()));
        let held = |indexes: &VecDeque<(Rc<str>, Rc<Index>)>| {
            indexes.iter().map(|(_, index)| index.held_bytes()).sum::<usize>()
        };
        while indexes.len() > 1 && held(indexes) > TAR_INDEXES_BYTES {
            indexes.pop_front();
        }
    }

    /// The unpacker of an archive that is parked nearest before a position.
    pub(super) fn resume(&self, archive: &str, at: u64) -> Option<Unpacker> {
        let parked = &mut self.kept.borrow_mut().parked;
        let before = parked
            .iter()
            .enumerate()
            .filter(|(_, (key, unpacker))| &**key == archive && unpacker.at() <= at);
        let (nearest, _) = before.max_by_key(|(_, (_, unpacker))| unpacker.at())?;
        parked.remove(nearest).map(|(_, unpacker)| unpacker)
    }

    /// Keeps an unpacker at the position where it stopped. The oldest ones make room.
    pub(super) fn park(&self, archive: &Rc<str>, unpacker: Unpacker) {
        let parked = &mut self.kept.borrow_mut().parked;
        parked.push_back((archive.clone(), unpacker));
        self.make_room(parked, 0);
    }

    /// Frees memory that another unpacker will need.
    pub(super) fn expect(&self, bytes: u64) {
        self.make_room(&mut self.kept.borrow_mut().parked, bytes);
    }

    fn make_room(&self, parked: &mut VecDeque<(Rc<str>, Unpacker)>, more: u64) {
        let held = |parked: &VecDeque<(Rc<str>, Unpacker)>| {
            parked.iter().map(|(_, unpacker)| unpacker.held_bytes()).sum::<u64>()
        };
        while parked.len() > 1 && held(parked) + more > TAR_PARKED_BYTES {
            parked.pop_front();
        }
    }
}
