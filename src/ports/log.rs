//! One structured line per operation.

use serde::Serialize;
use serde_json::{Map, Value};

/// How loud a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As expected.
    Info,
    /// For a reviewer: a crossing, a shared sandbox, a retry.
    Warn,
    /// A failure.
    Error,
}

/// A log line. It carries ids, sizes, times and codes; never content, never a secret.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogLine {
    /// How loud.
    pub level: Level,
    /// What happened, e.g. `snapshot`.
    pub event: String,
    /// Everything else.
    #[serde(flatten)]
    pub fields: Map<String, Value>,
}

impl LogLine {
    /// A line with fields; anything but an object is no fields.
    #[must_use]
    pub fn new(level: Level, event: impl Into<String>, fields: Value) -> Self {
        let fields = match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        Self { level, event: event.into(), fields }
    }
}

/// Where lines go.
pub trait Log {
    /// Writes one line.
    fn write(&self, line: LogLine);
}
