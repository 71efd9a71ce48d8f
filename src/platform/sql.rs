//! [`Database`] over the object's SQLite.

use crate::domain::error::{Error, Result};
use crate::platform::convert::from_worker;
use crate::ports::database::{Database, Row, SqlValue};
use serde_json::Value;
use worker::{SqlStorage, SqlStorageValue};

/// The object's SQLite.
pub struct ObjectSql {
    sql: SqlStorage,
}

impl ObjectSql {
    /// The database of the object with this storage.
    pub const fn new(sql: SqlStorage) -> Self {
        Self { sql }
    }
}

impl Database for ObjectSql {
    fn exec(&self, sql: &str, params: &[SqlValue]) -> Result<Vec<Row>> {
        let bindings: Vec<SqlStorageValue> = params.iter().cloned().map(bind).collect();
        let failed = |error: worker::Error| {
            Error::internal(format!(
                "SQLite, `{sql}`: {}",
                from_worker(&error).cause.unwrap_or_default()
            ))
        };
        let cursor = self.sql.exec(sql, bindings).map_err(failed)?;
        let columns = cursor.column_names();
        cursor
            .raw()
            .map(|row| {
                columns
                    .iter()
                    .cloned()
                    .zip(row.map_err(failed)?)
                    .map(|(column, value)| Ok((column, read(value)?)))
                    .collect()
            })
            .collect()
    }
}

fn bind(value: SqlValue) -> SqlStorageValue {
    match value {
        SqlValue::Null => SqlStorageValue::Null,
        SqlValue::Integer(value) => SqlStorageValue::Integer(value),
        SqlValue::Text(value) => SqlStorageValue::String(value),
    }
}

fn read(value: SqlStorageValue) -> Result<Value> {
    match value {
        SqlStorageValue::Null => Ok(Value::Null),
        SqlStorageValue::Integer(value) => Ok(value.into()),
        SqlStorageValue::String(value) => Ok(value.into()),
        SqlStorageValue::Boolean(_) | SqlStorageValue::Float(_) | SqlStorageValue::Blob(_) => {
            Err(Error::internal("a column is neither integer nor text"))
        }
    }
}
