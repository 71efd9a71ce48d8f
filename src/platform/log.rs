//! [`Log`] over the console: one JSON object a line, which `wrangler tail` and
//! Workers Logs index by field.

use crate::ports::log::{Level, Log, LogLine};
use worker::{console_error, console_log, console_warn};

/// The runtime's console.
pub struct ConsoleLog;

impl Log for ConsoleLog {
    fn write(&self, line: LogLine) {
        // A line that does not serialize still tells that there was one.
        let text = serde_json::to_string(&line)
            .unwrap_or_else(|error| format!("{{\"event\":\"log\",\"error\":\"{error}\"}}"));
        match line.level {
            Level::Info => console_log!("{text}"),
            Level::Warn => console_warn!("{text}"),
            Level::Error => console_error!("{text}"),
        }
    }
}
