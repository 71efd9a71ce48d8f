//! The directory in memory, over real SQLite.

use super::database::MemoryDatabase;
use super::faults::Faults;
use super::ports::TestClock;
use async_trait::async_trait;
use snapshotter::directory::DirectoryService;
use snapshotter::domain::error::Result;
use snapshotter::domain::ids::SessionId;
use snapshotter::domain::metrics::Counters;
use snapshotter::domain::session::event::{EventView, StoredEvent};
use snapshotter::ports::directory::{Counts, Directory, ListedSession};
use std::cell::Cell;
use std::rc::Rc;

/// A directory. Clones share it.
#[derive(Clone)]
pub struct MemoryDirectory {
    pub service: Rc<DirectoryService>,
    /// Whether the Worker has a directory.
    pub bound: Rc<Cell<bool>>,
    faults: Faults,
}

impl MemoryDirectory {
    pub fn new(clock: TestClock, faults: Faults) -> Self {
        Self::over(Rc::new(MemoryDatabase::new()), clock, faults)
    }

    pub fn over(database: Rc<MemoryDatabase>, clock: TestClock, faults: Faults) -> Self {
        let service = DirectoryService::new(Rc::new(clock), database);
        Self { service: Rc::new(service.unwrap()), bound: Rc::new(Cell::new(true)), faults }
    }

    /// The same directory for a caller with other faults.
    pub fn breaking_by(&self, faults: Faults) -> Self {
        Self { faults, ..self.clone() }
    }

    /// The ids that it lists.
    pub fn listed(&self) -> Vec<String> {
        let sessions = self.service.sessions(None, 1_000).unwrap();
        sessions.into_iter().map(|listed| listed.session.to_string()).collect()
    }
}

#[async_trait(?Send)]
impl Directory for MemoryDirectory {
    fn is_bound(&self) -> bool {
        self.bound.get()
    }

    async fn register(&self, session: &SessionId) -> Result<()> {
        self.faults.effect("register", || self.service.register(session)).await
    }

    async fn sessions(&self, after: Option<&SessionId>, limit: u32) -> Result<Vec<ListedSession>> {
        self.faults.effect("sessions", || self.service.sessions(after, limit)).await
    }

    async fn note(&self, events: &[StoredEvent]) -> Result<()> {
        self.faults.effect("note", || self.service.note(events)).await
    }

    async fn events(&self, before_seq: Option<i64>, limit: u32) -> Result<Vec<EventView>> {
        self.faults.effect("events", || self.service.events(before_seq, limit)).await
    }

    async fn count(&self, counters: &Counters) -> Result<()> {
        self.faults.effect("count", || self.service.count(counters)).await
    }

    async fn counts(&self) -> Result<Counts> {
        self.faults.effect("counts", || self.service.counts()).await
    }
}
