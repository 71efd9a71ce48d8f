//! Times as text.

use crate::domain::{Error, Result};
use chrono::{DateTime, SecondsFormat};

/// Milliseconds since the epoch as RFC 3339 in UTC, formatted like JavaScript's `toISOString`.
#[must_use]
pub fn rfc3339(ms: i64) -> String {
    DateTime::from_timestamp_millis(ms)
        .unwrap_or_default()
        .to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Parses RFC 3339 into milliseconds since the epoch.
///
/// # Errors
/// `INVALID_ARGUMENT` naming `field`.
pub fn parse_rfc3339(field: &str, text: &str) -> Result<i64> {
    DateTime::parse_from_rfc3339(text)
        .map(|time| time.timestamp_millis())
        .map_err(|error| Error::invalid(field, format!("is not RFC 3339: {error}")))
}
