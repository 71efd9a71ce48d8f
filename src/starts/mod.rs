//! The queue of starts over one object's SQLite. The rows let a new object continue where the last
//! one stopped: permits stay counted, and starts keep their places. Only the time by which a start
//! is expected to ask again is not stored, because it changes with each request.

use crate::domain::starts::{PermitRequest, StartAnswer, StartQueue, StartRow, StartsView};
use crate::domain::{Result, SandboxId, StartId};
use crate::ports::database::{query, values};
use crate::ports::{Clock, Database, Level, Log, LogLine};
use crate::support::schema_version::migrate;
use serde_json::json;
use std::cell::RefCell;
use std::rc::Rc;

const MIGRATIONS: [&[&[&str]]; 1] = [&[TABLES]];

/// The queue keeps the place of a start that will be retried until `kept_until_ms`.
const TABLES: &[&str] = &[
    "CREATE TABLE starts (
        sandbox_id TEXT PRIMARY KEY,
        start_id TEXT NOT NULL,
        served_as TEXT NOT NULL,
        since_ms INTEGER NOT NULL,
        round INTEGER NOT NULL,
        leased_until_ms INTEGER,
        kept_until_ms INTEGER
    ) STRICT, WITHOUT ROWID",
    "CREATE TABLE rounds (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        round INTEGER NOT NULL
    ) STRICT",
];

/// Grants permits to start.
pub struct StartsService {
    clock: Rc<dyn Clock>,
    log: Rc<dyn Log>,
    database: Rc<dyn Database>,
    /// None if starts are not limited.
    queue: Option<RefCell<StartQueue>>,
}

impl StartsService {
    /// Opens the queue, with at most `limit` starts at once.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails or a newer version wrote the schema.
    pub fn new(
        limit: Option<u32>,
        clock: Rc<dyn Clock>,
        log: Rc<dyn Log>,
        database: Rc<dyn Database>,
    ) -> Result<Self> {
        migrate(database.as_ref(), &MIGRATIONS)?;
        let queue =
            limit.map(|limit| read(limit, database.as_ref(), clock.now_ms())).transpose()?;
        Ok(Self { clock, log, database, queue: queue.map(RefCell::new) })
    }

    /// Decides whether this container may start now. No await in here: requests are answered one
    /// after the other, and each answer's rows are stored with it.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails.
    pub fn ask(&self, asked: &PermitRequest) -> Result<StartAnswer> {
        let Some(queue) = &self.queue else { return Ok(StartAnswer::Granted) };
        self.remove_lapsed(queue)?;
        let mut queue = queue.borrow_mut();
        if let Some(other) = queue.inherit(asked) {
            self.delete(&other)?;
        }
        let (before, round) = (queue.row(&asked.sandbox).cloned(), queue.round());
        let answer = queue.ask(asked, self.clock.now_ms());
        let after = queue.row(&asked.sandbox);
        if let Some(row) = after.filter(|row| before.as_ref() != Some(row)) {
            self.store(row)?;
        }
        if queue.round() != round {
            let sql = "INSERT INTO rounds (id, round) VALUES (1, ?)
                 ON CONFLICT (id) DO UPDATE SET round = excluded.round";
            self.database.exec(sql, &[queue.round().into()])?;
        }
        Ok(answer)
    }

    /// Ends a request. Does nothing if the request has ended or another one has replaced it.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails.
    pub fn end(&self, sandbox: &SandboxId, id: &StartId) -> Result<()> {
        let Some(queue) = &self.queue else { return Ok(()) };
        match queue.borrow_mut().end(sandbox, id) {
            Some(row) => self.delete(&row.sandbox_id),
            None => Ok(()),
        }
    }

    /// Ends a request's wait, and keeps its place for a retry.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails.
    pub fn leave(&self, sandbox: &SandboxId, id: &StartId) -> Result<()> {
        let Some(queue) = &self.queue else { return Ok(()) };
        let kept = queue.borrow_mut().leave(sandbox, id, self.clock.now_ms()).cloned();
        match kept {
            Some(row) => self.store(&row),
            None => self.end(sandbox, id),
        }
    }

    /// Running and waiting starts.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails.
    pub fn view(&self, sandboxes: &[SandboxId]) -> Result<StartsView> {
        let Some(queue) = &self.queue else { return Ok(StartsView::default()) };
        self.remove_lapsed(queue)?;
        let queue = queue.borrow();
        Ok(StartsView {
            limit: u32::try_from(queue.limit()).ok(),
            starting: queue.starting() as u64,
            waiting: queue.waiting() as u64,
            waits: queue.waits(&sandboxes.iter().cloned().collect()),
        })
    }

    fn remove_lapsed(&self, queue: &RefCell<StartQueue>) -> Result<()> {
        for row in queue.borrow_mut().remove_lapsed(self.clock.now_ms()) {
            self.delete(&row.sandbox_id)?;
            if row.kept_until_ms.is_some() {
                continue;
            }
            let was = if row.leased_until_ms.is_some() { "starting" } else { "waiting" };
            let fields = json!({ "sandbox": row.sandbox_id, "sinceMs": row.since_ms, "was": was });
            self.log.write(LogLine::new(Level::Warn, "starts.lapsed", fields));
        }
        Ok(())
    }

    fn store(&self, row: &StartRow) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO starts
             (sandbox_id, start_id, served_as, since_ms, round, leased_until_ms, kept_until_ms)
             VALUES (?, ?, ?, ?, ?, ?, ?)";
        let params = [
            row.sandbox_id.as_str().into(),
            row.start_id.as_str().into(),
            row.served_as.as_str().into(),
            row.since_ms.into(),
            row.round.into(),
            row.leased_until_ms.into(),
            row.kept_until_ms.into(),
        ];
        self.database.exec(sql, &params).map(drop)
    }

    fn delete(&self, sandbox: &SandboxId) -> Result<()> {
        let sql = "DELETE FROM starts WHERE sandbox_id = ?";
        self.database.exec(sql, &[sandbox.as_str().into()]).map(drop)
    }
}

fn read(limit: u32, database: &dyn Database, now_ms: i64) -> Result<StartQueue> {
    let rows = query(database, "SELECT * FROM starts", &[])?;
    let round = values(database, "SELECT round FROM rounds", &[])?.pop().unwrap_or(0);
    Ok(StartQueue::new(limit, round, rows, now_ms))
}
