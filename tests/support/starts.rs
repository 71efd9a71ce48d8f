//! The queue of starts in memory, over real SQLite.

use super::database::MemoryDatabase;
use super::ports::MemoryLog;
use async_trait::async_trait;
use snapshotter::domain::error::{Error, ErrorCode, Result};
use snapshotter::domain::ids::{SandboxId, StartId};
use snapshotter::domain::starts::{PermitRequest, StartAnswer, StartsView};
use snapshotter::ports::clock::Clock;
use snapshotter::ports::starts::Starts;
use snapshotter::starts::StartsService;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A queue of starts. Clones share it.
#[derive(Clone)]
pub struct MemoryStarts {
    clock: Rc<dyn Clock>,
    limit: Option<u32>,
    pub log: MemoryLog,
    pub database: Rc<MemoryDatabase>,
    service: Rc<RefCell<Rc<StartsService>>>,
    /// Whether the object does not answer.
    pub silent: Rc<Cell<bool>>,
    /// Whether the object does what it is asked, and the answer is lost.
    pub lossy: Rc<Cell<bool>>,
    /// How often it was called.
    pub calls: Rc<Cell<usize>>,
}

impl MemoryStarts {
    pub fn new(limit: Option<u32>, clock: Rc<dyn Clock>) -> Self {
        let (log, database) = (MemoryLog::default(), Rc::new(MemoryDatabase::new()));
        let service =
            StartsService::new(limit, clock.clone(), Rc::new(log.clone()), database.clone());
        let service = Rc::new(RefCell::new(Rc::new(service.unwrap())));
        let (silent, lossy, calls) = (Rc::default(), Rc::default(), Rc::default());
        Self { clock, limit, log, database, service, silent, lossy, calls }
    }

    /// The object is a new one, as after an eviction.
    pub fn restart(&self) {
        let (clock, log) = (self.clock.clone(), Rc::new(self.log.clone()));
        let service = StartsService::new(self.limit, clock, log, self.database.clone());
        *self.service.borrow_mut() = Rc::new(service.unwrap());
    }

    fn call<T>(&self, work: impl FnOnce(&StartsService) -> Result<T>) -> Result<T> {
        self.calls.set(self.calls.get() + 1);
        let silence = || Error::new(ErrorCode::Unavailable, "no answer");
        if self.silent.get() {
            return Err(silence());
        }
        let service = self.service.borrow().clone();
        let answer = work(&service);
        if self.lossy.get() { Err(silence()) } else { answer }
    }
}

#[async_trait(?Send)]
impl Starts for MemoryStarts {
    async fn ask(&self, asked: &PermitRequest) -> Result<StartAnswer> {
        self.call(|service| service.ask(asked))
    }

    async fn end(&self, sandbox: &SandboxId, id: &StartId) -> Result<()> {
        self.call(|service| service.end(sandbox, id))
    }

    async fn leave(&self, sandbox: &SandboxId, id: &StartId) -> Result<()> {
        self.call(|service| service.leave(sandbox, id))
    }

    async fn view(&self, sandboxes: &[SandboxId]) -> Result<StartsView> {
        self.call(|service| service.view(sandboxes))
    }
}
