//! The directory's operations: short statements over one object's SQLite. A session registers once
//! in its life, so one object serves all sessions.

use crate::domain::json::{parse_stored, render};
use crate::domain::metrics::Counters;
use crate::domain::time::rfc3339;
use crate::domain::{EventView, Result, SessionId, StoredEvent};
use crate::ports::database::query;
use crate::ports::directory::{Counts, ListedSession};
use crate::ports::{Clock, Database};
use crate::support::event_log;
use crate::support::schema_version::migrate;
use serde::Deserialize;
use std::rc::Rc;

const MIGRATIONS: [&[&[&str]]; 1] = [&[TABLES]];

/// All counters are in one row: each report then writes only one row.
const TABLES: &[&str] = &[
    "CREATE TABLE sessions (
        session_id TEXT PRIMARY KEY,
        registered_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID",
    "CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at_ms INTEGER NOT NULL,
        kind TEXT NOT NULL,
        payload TEXT NOT NULL
    ) STRICT",
    "CREATE TABLE counters (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        counters TEXT NOT NULL,
        sessions INTEGER NOT NULL
    ) STRICT",
    "INSERT INTO counters (id, counters, sessions) VALUES (1, '{}', 0)",
];

#[derive(Deserialize)]
struct StoredCounts {
    counters: String,
    sessions: u64,
}

#[derive(Deserialize)]
struct StoredSession {
    session_id: SessionId,
    registered_at_ms: i64,
}

/// The directory, over its object's SQLite.
pub struct DirectoryService {
    clock: Rc<dyn Clock>,
    database: Rc<dyn Database>,
}

impl DirectoryService {
    /// Opens the directory and migrates an older schema.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails or a newer version wrote the schema.
    pub fn new(clock: Rc<dyn Clock>, database: Rc<dyn Database>) -> Result<Self> {
        migrate(database.as_ref(), &MIGRATIONS)?;
        Ok(Self { clock, database })
    }

    /// Adds a session to the list. Its first registration time stays.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails.
    pub fn register(&self, session: &SessionId) -> Result<()> {
        let sql = "INSERT INTO sessions (session_id, registered_at_ms) VALUES (?, ?)
             ON CONFLICT (session_id) DO NOTHING RETURNING session_id";
        let params = [session.as_str().into(), self.clock.now_ms().into()];
        if !self.database.exec(sql, &params)?.is_empty() {
            let sql = "UPDATE counters SET sessions = sessions + 1 WHERE id = 1";
            self.database.exec(sql, &[])?;
        }
        Ok(())
    }

    /// Lists the sessions after this id, ordered by id.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails.
    pub fn sessions(&self, after: Option<&SessionId>, limit: u32) -> Result<Vec<ListedSession>> {
        let sql = "SELECT session_id, registered_at_ms FROM sessions WHERE session_id > ?
             ORDER BY session_id LIMIT ?";
        // No id is empty, so every id sorts after "".
        let after = after.map_or("", SessionId::as_str);
        let rows: Vec<StoredSession> =
            query(self.database.as_ref(), sql, &[after.into(), i64::from(limit).into()])?;
        let listed = |row: StoredSession| ListedSession {
            session: row.session_id,
            registered_at: rfc3339(row.registered_at_ms),
        };
        Ok(rows.into_iter().map(listed).collect())
    }

    /// Adds all these events to the log, or none.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails.
    pub fn note(&self, events: &[StoredEvent]) -> Result<()> {
        let now_ms = self.clock.now_ms();
        events.iter().try_for_each(|event| event_log::add(self.database.as_ref(), now_ms, event))
    }

    /// Lists the log's events before `before_seq`, newest first.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails.
    pub fn events(&self, before_seq: Option<i64>, limit: u32) -> Result<Vec<EventView>> {
        event_log::list(self.database.as_ref(), before_seq, limit)
    }

    /// Adds to the counters.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails.
    pub fn count(&self, counters: &Counters) -> Result<()> {
        let mut all = self.counts()?.counters;
        all.merge(counters.clone());
        let text = render(&all)?.to_string();
        let sql = "UPDATE counters SET counters = ? WHERE id = 1";
        self.database.exec(sql, &[text.into()]).map(drop)
    }

    /// The counters, and the number of sessions.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails.
    pub fn counts(&self) -> Result<Counts> {
        let sql = "SELECT counters, sessions FROM counters WHERE id = 1";
        let rows: Vec<StoredCounts> = query(self.database.as_ref(), sql, &[])?;
        let Some(row) = rows.first() else { return Ok(Counts::default()) };
        let counters = parse_stored("counters", &row.counters)?;
        Ok(Counts { counters, sessions: row.sessions })
    }
}
