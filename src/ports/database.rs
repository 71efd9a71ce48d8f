//! The object's SQLite.

use crate::domain::json::{parse_stored, read_own, render};
use crate::domain::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Larger than any row's `seq`. JavaScript still represents it exactly.
pub const SEQ_MAX: i64 = (1 << 53) - 1;

/// A value bound to a `?`.
#[derive(Debug, Clone, PartialEq)]
pub enum SqlValue {
    /// NULL.
    Null,
    /// An integer within JavaScript's safe range, ±(2^53 − 1).
    Integer(i64),
    /// Text.
    Text(String),
}

impl From<i64> for SqlValue {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<u64> for SqlValue {
    fn from(value: u64) -> Self {
        Self::Integer(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<bool> for SqlValue {
    fn from(value: bool) -> Self {
        Self::Integer(value.into())
    }
}

impl From<&str> for SqlValue {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for SqlValue {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl<T: Into<Self>> From<Option<T>> for SqlValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A row by column name: null, integers and text.
pub type Row = Map<String, Value>;

/// Synchronous SQL. The runtime commits all or none of the statements between two `await`s.
pub trait Database {
    /// Runs one statement and returns its rows. `INTERNAL` with SQLite's message as its cause.
    fn exec(&self, sql: &str, params: &[SqlValue]) -> Result<Vec<Row>>;
}

/// Runs a query and reads its rows.
///
/// # Errors
/// As [`Database::exec`]; `INTERNAL` if a row is not a `T`: the store is damaged.
pub fn query<T: DeserializeOwned>(
    database: &dyn Database,
    sql: &str,
    params: &[SqlValue],
) -> Result<Vec<T>> {
    database
        .exec(sql, params)?
        .into_iter()
        .map(|row| read_own(format_args!("a row of `{sql}`"), Value::Object(row)))
        .collect()
}

/// Runs a query of one column and reads its values.
///
/// # Errors
/// As [`query`].
pub fn values<T: DeserializeOwned>(
    database: &dyn Database,
    sql: &str,
    params: &[SqlValue],
) -> Result<Vec<T>> {
    let rows = database.exec(sql, params)?.into_iter();
    rows.filter_map(|row| row.into_iter().next())
        .map(|(_, value)| read_own(format_args!("a value of `{sql}`"), value))
        .collect()
}

/// Takes a column out of a row.
///
/// # Errors
/// `INTERNAL` if it is missing or not a `T`: the store is damaged.
pub fn column<T: DeserializeOwned>(row: &mut Row, name: &str) -> Result<T> {
    let value = row.remove(name).ok_or_else(|| Error::internal(format!("no column {name}")))?;
    read_own(format_args!("column {name}"), value)
}

/// Takes a column of JSON out of a row. NULL becomes JSON's null.
///
/// # Errors
/// As [`column()`].
pub fn json_column<T: DeserializeOwned>(row: &mut Row, name: &str) -> Result<T> {
    let text: Option<String> = column(row, name)?;
    parse_stored(format_args!("column {name}"), text.as_deref().unwrap_or("null"))
}

/// The value for a column of JSON; NULL for `None`.
///
/// # Errors
/// `INTERNAL` if it does not serialize: a bug.
pub fn json_value<T: Serialize>(value: Option<&T>) -> Result<SqlValue> {
    let text = value.map(|value| render(value).map(|value| value.to_string())).transpose()?;
    Ok(text.into())
}

/// Adds a row.
///
/// # Errors
/// As [`Database::exec`].
pub fn insert(database: &dyn Database, table: &str, row: Vec<(&str, SqlValue)>) -> Result<()> {
    let (columns, params): (Vec<&str>, Vec<SqlValue>) = row.into_iter().unzip();
    let (places, columns) = (vec!["?"; columns.len()].join(", "), columns.join(", "));
    let sql = format!("INSERT INTO {table} ({columns}) VALUES ({places})");
    database.exec(&sql, &params).map(drop)
}
