//! [`Database`] over an in-memory SQLite, the engine that Durable Objects have.

use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, Value as Bindable, ValueRef};
use rusqlite::{Connection, OpenFlags, StatementStatus, ToSql, params_from_iter};
use serde_json::Value;
use snapshotter::domain::error::{Error, Result};
use snapshotter::ports::database::{Database, Row, SqlValue};
use std::cell::Cell;
use std::collections::HashSet;
use std::sync::{LazyLock, Mutex};

/// An in-memory database.
pub struct MemoryDatabase {
    connection: Connection,
    /// Instructions that SQLite ran so far: what a call costs, on any machine.
    pub steps: Cell<i64>,
    /// Statements so far.
    pub statements: Cell<u64>,
    migrating: Cell<bool>,
}

impl MemoryDatabase {
    pub fn new() -> Self {
        // Only one thread uses the database, so it needs no locks.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_in_memory_with_flags(flags).unwrap();
        connection.set_prepared_statement_cache_capacity(400);
        // Otherwise SQLite prepares many statements again for each bound value.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).unwrap();
        Self {
            connection,
            steps: Cell::default(),
            statements: Cell::default(),
            migrating: Cell::default(),
        }
    }

    /// Removes every row and keeps the schema.
    pub fn empty(&self) {
        let tables = self
            .run(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'schema_version'",
                &[],
            )
            .unwrap();
        for table in tables {
            self.run(&format!("DELETE FROM {}", table["name"].as_str().unwrap()), &[]).unwrap();
        }
    }

    /// The statements that made the tables and indexes, for a golden file.
    pub fn schema(&self) -> String {
        let sql = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name";
        let rows = self.run(sql, &[]).unwrap();
        rows.iter().map(|row| row["sql"].as_str().unwrap().to_owned() + ";\n").collect()
    }

    /// How many rows were written so far.
    pub fn changes(&self) -> u64 {
        self.connection.total_changes()
    }
}

struct Bound<'a>(&'a SqlValue);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Owned(match self.0 {
            SqlValue::Null => Bindable::Null,
            // workerd binds a number as a float: a statement's result with it is no integer.
            SqlValue::Integer(value) => Bindable::Real(*value as f64),
            SqlValue::Text(value) => Bindable::Text(value.clone()),
        }))
    }
}

/// Tables that grow with what a session does.
const GROWING: &[&str] = &[
    "snapshots",
    "earlier",
    "found",
    "workspaces",
    "heads",
    "events",
    "operations",
    "rewinds",
    "leases",
    "claimers",
    "backups",
    "sessions",
];

/// Indexes with few rows: running or live things.
const SMALL: &[&str] =
    &["workspaces_live", "rewinds_running", "operations_running", "snapshots_unsynced"];

/// Statements that may read more than they find, and why.
const ALLOWED: &[(&str, &str)] = &[
    ("SUM(large_bytes) OVER", "answers of 64 MiB in all, of 4 KiB or more each"),
    ("FROM operations ORDER BY seq LIMIT", "the first rows"),
    (
        "FROM backups WHERE state =",
        "a sandbox keeps rows of what it writes, and of what ended within days",
    ),
];

/// Why a statement's plan scans a whole growing table, if it does.
fn reads_all(sql: &str, step: &str) -> bool {
    let mut words = step.split_whitespace();
    let scans =
        words.next() == Some("SCAN") && words.next().is_some_and(|table| GROWING.contains(&table));
    let small = SMALL.iter().any(|index| step.ends_with(&format!("INDEX {index}")));
    // Ordered by an index, and with a limit.
    let first_few = step.contains("INDEX") && sql.contains("LIMIT");
    let by_state = step.contains("INDEX snapshots_by_state (state=?)")
        && !sql.contains("LIMIT")
        && !sql.contains("state IN ('pending', 'deleting')")
        && !sql.contains("state = 'released'")
        && !sql.contains("state = 'lost'");
    (scans && !small && !first_few) || by_state
}

static CHECKED: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);

impl MemoryDatabase {
    /// Fails the test if the product's statement scans a whole growing table.
    fn check_plan(&self, sql: &str) {
        // A migration runs once.
        let starts = |word| sql.trim_start().starts_with(word);
        let defines = ["CREATE", "ALTER", "DROP"].into_iter().any(starts);
        if defines || self.migrating.get() {
            let ends = sql.contains("INTO schema_version");
            self.migrating.set(!ends && !sql.contains("IF NOT EXISTS schema_version"));
            return;
        }
        // First, because tests run few statements, each a thousand times.
        if CHECKED.lock().unwrap().contains(sql) {
            return;
        }
        CHECKED.lock().unwrap().insert(sql.to_owned());
        // Plans over all rows, which only tests run.
        let plans = sql.ends_with("FROM snapshots WHERE +state = 'ready'");
        if plans || ALLOWED.iter().any(|(part, _)| sql.contains(part)) {
            return;
        }
        // A statement that cannot run fails on its own.
        let Ok(mut statement) = self.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        else {
            return;
        };
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().unwrap() {
            let step: String = row.get(3).unwrap();
            assert!(!reads_all(sql, &step), "`{step}` reads a whole table that grows: {sql}");
        }
    }

    /// Runs a statement of a test, which may read what it likes.
    pub fn run(&self, sql: &str, params: &[SqlValue]) -> Result<Vec<Row>> {
        self.statements.set(self.statements.get() + 1);
        let run = || -> rusqlite::Result<Vec<Row>> {
            let mut statement = self.connection.prepare_cached(sql)?;
            let columns: Vec<String> =
                statement.column_names().into_iter().map(str::to_owned).collect();
            let mut rows = statement.query(params_from_iter(params.iter().map(Bound)))?;
            let mut read = Vec::new();
            while let Some(row) = rows.next()? {
                let mut fields = Row::new();
                for (index, column) in columns.iter().enumerate() {
                    let value = match row.get_ref(index)? {
                        ValueRef::Null => Value::Null,
                        ValueRef::Integer(value) => value.into(),
                        ValueRef::Real(value) if value.fract() == 0.0 => (value as i64).into(),
                        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
                        other => panic!("column {column} is {}", other.data_type()),
                    };
                    fields.insert(column.clone(), value);
                }
                read.push(fields);
            }
            drop(rows);
            let steps = statement.reset_status(StatementStatus::VmStep);
            self.steps.set(self.steps.get() + i64::from(steps));
            Ok(read)
        };
        run().map_err(|error| Error::internal(format!("SQLite, `{sql}`: {error}")))
    }
}

impl Database for MemoryDatabase {
    fn exec(&self, sql: &str, params: &[SqlValue]) -> Result<Vec<Row>> {
        self.check_plan(sql);
        self.run(sql, params)
    }
}
