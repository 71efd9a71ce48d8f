//! [`Database`] over an in-memory SQLite: the same engine that Durable Objects have.

use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, Value as Bindable, ValueRef};
use rusqlite::{Connection, OpenFlags, StatementStatus, ToSql, params_from_iter};
use serde_json::Value;
use snapshotter::domain::error::{Error, Result};
use snapshotter::ports::database::{Database, Row, SqlValue};
use std::cell::Cell;

/// An in-memory database.
pub struct MemoryDatabase {
    connection: Connection,
    /// Instructions that SQLite ran so far: what a call costs, on any machine.
    pub steps: Cell<i64>,
    /// Statements so far.
    pub statements: Cell<u64>,
}

impl MemoryDatabase {
    pub fn new() -> Self {
        // One thread has it: no locks.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_in_memory_with_flags(flags).unwrap();
        connection.set_prepared_statement_cache_capacity(400);
        // Else many statements are prepared anew for each value that is bound to them.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).unwrap();
        Self { connection, steps: Cell::default(), statements: Cell::default() }
    }

    /// Removes every row and keeps the schema.
    pub fn empty(&self) {
        let tables = self
            .exec(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'schema_version'",
                &[],
            )
            .unwrap();
        for table in tables {
            self.exec(&format!("DELETE FROM {}", table["name"].as_str().unwrap()), &[]).unwrap();
        }
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
            // As workerd binds a number: what a statement computes with it is no integer.
            SqlValue::Integer(value) => Bindable::Real(*value as f64),
            SqlValue::Text(value) => Bindable::Text(value.clone()),
        }))
    }
}

impl Database for MemoryDatabase {
    fn exec(&self, sql: &str, params: &[SqlValue]) -> Result<Vec<Row>> {
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
