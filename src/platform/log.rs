//! [`Log`] over the console: one JSON object per line, whose fields `wrangler tail` and Workers
//! Logs index. Each line is also counted for the metrics.

use crate::platform::metrics;
use crate::ports::log::{Level, Log, LogLine};
use worker::{console_error, console_log, console_warn};

/// The runtime's console.
pub struct ConsoleLog;

impl Log for ConsoleLog {
    fn write(&self, line: LogLine) {
        metrics::count(&line);
        // If a line does not serialize, we still log that there was a line.
        let text = serde_json::to_string(&line)
            .unwrap_or_else(|error| format!("{{\"event\":\"log\",\"error\":\"{error}\"}}"));
        match line.level {
            Level::Info => console_log!("{text}"),
            Level::Warn => console_warn!("{text}"),
            Level::Error => console_error!("{text}"),
        }
    }
}
