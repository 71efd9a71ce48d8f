//! Events of a running command, as Server-Sent Events in the shape of `@cloudflare/sandbox` 0.12.

use crate::domain::error::{Error, ErrorBody, Result};
use crate::domain::exec::shell::CommandLine;
use crate::domain::json::parse_own;
use crate::domain::limits::EXEC_EVENT_MAX_BYTES;
use crate::domain::time::rfc3339;
use crate::ports::sandbox::contexts::LeftInContext;
use crate::ports::sandbox::exec::ExecResult;
use serde::{Deserialize, Serialize};

/// One event of a running command. The shape of `ExecEvent` in
/// `@cloudflare/sandbox`, except that `error` is this API's error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct ExecEvent {
    /// When it was sent, in RFC 3339.
    pub timestamp: String,
    /// What happened.
    #[serde(flatten)]
    pub kind: ExecEventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ExecEventKind {
    /// The command runs. Always the first event.
    Start {
        /// The command.
        command: CommandLine,
    },
    /// It printed to stdout.
    Stdout {
        /// Whole characters; bytes that are not UTF-8 are replaced.
        data: String,
    },
    /// It printed to stderr.
    Stderr {
        /// Whole characters; bytes that are not UTF-8 are replaced.
        data: String,
    },
    /// It was code in a code context, and left this besides its output. Only between a
    /// sandbox and its host, right before `complete`.
    #[cfg_attr(schemas, schemars(skip))]
    Left {
        /// What it left.
        code: LeftInContext,
    },
    /// It ended. The last event.
    #[serde(rename_all = "camelCase")]
    Complete {
        /// Exit code.
        exit_code: i32,
        /// How it ended. Its output is empty, because the stream has sent it.
        result: ExecResult,
    },
    /// It never ran, or its exit is unknown. The last event.
    Error {
        /// Why.
        error: ErrorBody,
    },
}

impl ExecEvent {
    /// An event at `now_ms`.
    #[must_use]
    pub fn new(now_ms: i64, kind: ExecEventKind) -> Self {
        Self { timestamp: rfc3339(now_ms), kind }
    }

    /// The event of a failure.
    #[must_use]
    pub fn failed(now_ms: i64, error: &Error) -> Self {
        Self::new(now_ms, ExecEventKind::Error { error: error.to_wire().error })
    }

    /// Encodes a Server-Sent Event.
    ///
    /// # Errors
    /// `INTERNAL` if it can't be encoded as JSON.
    pub fn to_sse(&self) -> Result<Vec<u8>> {
        to_sse(self)
    }
}

/// Encodes a Server-Sent Event on one line: JSON has no raw line breaks.
///
/// # Errors
/// `INTERNAL` if it can't be encoded as JSON.
pub fn to_sse(event: &impl Serialize) -> Result<Vec<u8>> {
    let json =
        serde_json::to_string(event).map_err(|error| Error::internal(format!("event: {error}")))?;
    Ok(format!("data: {json}\n\n").into_bytes())
}

/// A keep-alive comment, which readers of Server-Sent Events skip.
pub const SSE_PULSE: &[u8] = b":\n\n";

/// Parses events from bytes that may be cut anywhere.
#[derive(Debug, Default)]
pub struct ExecEventReader {
    rest: Vec<u8>,
}

impl ExecEventReader {
    /// The events that these bytes complete.
    ///
    /// # Errors
    /// `INTERNAL` for an event that is not ours, or too long for ours.
    pub fn read(&mut self, bytes: &[u8]) -> Result<Vec<ExecEvent>> {
        self.rest.extend_from_slice(bytes);
        let Some(end) = self.rest.iter().rposition(|byte| *byte == b'\n') else {
            return match self.rest.len() {
                0..=EXEC_EVENT_MAX_BYTES => Ok(Vec::new()),
                _ => Err(Error::internal("an event of a command is too long")),
            };
        };
        let whole: Vec<u8> = self.rest.drain(..=end).collect();
        whole
            .split(|byte| *byte == b'\n')
            .filter_map(|line| line.strip_prefix(b"data: "))
            .map(|json| parse_own("an event of a command", json))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::error::ErrorCode;
    use serde_json::json;

    fn result() -> ExecResult {
        ExecResult {
            success: false,
            exit_code: 3,
            stdout: String::new(),
            stderr: String::new(),
            stdout_truncated: false,
            stderr_truncated: false,
            timed_out: false,
            duration_ms: 12,
            refused_hosts: Vec::new(),
            left_running: None,
            hint: None,
        }
    }

    fn all() -> Vec<ExecEvent> {
        let error = Error::new(ErrorCode::WorkspaceLost, "gone").to_wire().error;
        [
            ExecEventKind::Start { command: CommandLine::Shell("ls".into()) },
            ExecEventKind::Stdout { data: "é\n\n".into() },
            ExecEventKind::Stderr { data: "no".into() },
            ExecEventKind::Complete { exit_code: 3, result: result() },
            ExecEventKind::Error { error },
        ]
        .into_iter()
        .map(|kind| ExecEvent::new(0, kind))
        .collect()
    }

    #[test]
    fn exec_events_format_unchanged() {
        let shown: Vec<_> =
            all().iter().map(|event| serde_json::to_value(event).unwrap()).collect();
        let at = "1970-01-01T00:00:00.000Z";
        assert_eq!(
            json!(shown),
            json!([
                { "type": "start", "timestamp": at, "command": "ls" },
                { "type": "stdout", "timestamp": at, "data": "é\n\n" },
                { "type": "stderr", "timestamp": at, "data": "no" },
                { "type": "complete", "timestamp": at, "exitCode": 3, "result": {
                    "success": false, "exitCode": 3, "stdout": "", "stderr": "", "stdoutTruncated": false,
                    "stderrTruncated": false, "timedOut": false, "durationMs": 12 } },
                { "type": "error", "timestamp": at, "error": {
                    "code": "WORKSPACE_LOST", "message": "gone", "retryable": false, "outcome": "none",
                    "hint": "call again; if that fails too, restore a snapshot or start fresh" } },
            ])
        );
    }

    #[test]
    fn an_event_that_does_not_end_is_refused() {
        let mut reader = ExecEventReader::default();
        let piece = vec![b'x'; EXEC_EVENT_MAX_BYTES / 4];
        for _ in 0..4 {
            assert_eq!(reader.read(&piece).unwrap(), []);
        }
        assert_eq!(reader.read(b"x").unwrap_err().code, ErrorCode::Internal);
    }

    #[test]
    fn events_are_read_back_wherever_they_are_cut() {
        let mut bytes = SSE_PULSE.to_vec();
        for event in all() {
            bytes.extend(event.to_sse().unwrap());
            bytes.extend(SSE_PULSE);
        }
        for size in 1..bytes.len() {
            let mut reader = ExecEventReader::default();
            let read: Vec<ExecEvent> =
                bytes.chunks(size).flat_map(|part| reader.read(part).unwrap()).collect();
            assert_eq!(read, all(), "{size}");
        }
    }
}
