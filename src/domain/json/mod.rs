//! JSON: reads and writes our own values.

pub mod reader;

use crate::domain::json::reader::Reader;
use crate::domain::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::error::Category;
use std::fmt;

/// The fault of JSON text, for the log. Unlike serde's messages, it does not quote the text.
#[must_use]
pub fn fault(error: &serde_json::Error) -> String {
    let kind = match error.classify() {
        Category::Io => "could not be read",
        Category::Syntax => "is no JSON",
        Category::Data => ANOTHER_SHAPE,
        Category::Eof => "ends too early",
    };
    match error.line() {
        0 => kind.to_owned(),
        line => format!("{kind}, at line {line}, column {}", error.column()),
    }
}

const ANOTHER_SHAPE: &str = "is of another shape";

/// Reads one of our own values. `what` names it in the log.
///
/// # Errors
/// `INTERNAL` for another shape: another version wrote it, or it is damaged.
pub fn read_own<T: DeserializeOwned>(what: impl fmt::Display, value: Value) -> Result<T> {
    T::deserialize(Reader(value))
        .map_err(|_quotes_it| Error::internal(format!("{what} {ANOTHER_SHAPE}")))
}

/// Reads one of our own values from JSON text.
///
/// # Errors
/// As [`read_own`]; also `INTERNAL` for text that is not JSON.
pub fn parse_own<T: DeserializeOwned>(what: impl fmt::Display, text: &[u8]) -> Result<T> {
    match serde_json::from_slice(text) {
        Ok(value) => read_own(what, value),
        Err(error) => Err(Error::internal(format!("{what} {}", fault(&error)))),
    }
}

/// Reads one of our own values from storage.
///
/// # Errors
/// As [`parse_own`].
pub fn parse_stored<T: DeserializeOwned>(what: impl fmt::Display, text: &str) -> Result<T> {
    parse_own(format_args!("stored {what}:"), text.as_bytes())
}

/// Converts one of our values to JSON.
///
/// # Errors
/// `INTERNAL` if it does not serialize: a bug.
pub fn render<T: Serialize>(value: &T) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| Error::internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_told_without_what_was_read() {
        let fault_of = |text: &str| fault(&serde_json::from_str::<[u64; 1]>(text).unwrap_err());
        assert_eq!(fault_of("[\"secret\"]"), "is of another shape, at line 1, column 9");
        assert_eq!(fault_of("secret"), "is no JSON, at line 1, column 1");
        assert_eq!(fault_of("[1"), "ends too early, at line 1, column 2");
        let error = read_own::<u64>("it", "secret".into()).unwrap_err();
        assert_eq!(error.cause.as_deref(), Some("it is of another shape"));
    }
}
