//! Structured log lines, one for each operation.

use serde::Serialize;
use serde_json::{Map, Value};

/// Severity of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// An expected event.
    Info,
    /// Worth a review: a crossing into another session, a shared sandbox, a retry.
    Warn,
    /// A failure.
    Error,
}

/// A log line: ids, sizes, times and codes; never content or a secret.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogLine {
    /// Severity.
    pub level: Level,
    /// What happened, e.g. `snapshot`.
    pub event: String,
    /// All other fields.
    #[serde(flatten)]
    pub fields: Map<String, Value>,
}

impl LogLine {
    /// A line with `fields`, if they are an object.
    #[must_use]
    pub fn new(level: Level, event: impl Into<String>, fields: Value) -> Self {
        let fields = match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        Self { level, event: event.into(), fields }
    }
}

/// The destination of log lines.
pub trait Log {
    /// Writes one line.
    fn write(&self, line: LogLine);
}
