//! HTTP answers, and errors in MCP's form.

use crate::api::http::status;
use crate::api::mcp::jsonrpc;
use crate::api::mcp::jsonrpc::{INTERNAL_ERROR, INVALID_PARAMS, RequestId, RpcError};
use crate::domain::Error;
use crate::domain::limits::MCP_OUTPUT_TOTAL_BYTES;
use serde_json::{Value, json};

/// An answer over HTTP.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Headers in addition to those of every answer.
    pub headers: Vec<(&'static str, String)>,
    /// A JSON-RPC message. None for an accepted notification.
    pub body: Option<Value>,
}

impl Answer {
    /// The answer to a notification.
    #[must_use]
    pub const fn accepted() -> Self {
        Self { status: 202, headers: Vec::new(), body: None }
    }

    pub(crate) fn refusal(status: u16, id: Option<&RequestId>, error: &RpcError) -> Self {
        Self { status, headers: Vec::new(), body: Some(jsonrpc::error(id, error)) }
    }
}

/// The header that names a client of the older revision after its `initialize`. The server does not
/// store the name, and the name gives no access: it only separates the clients' request ids.
pub(crate) const CLIENT_HEADER: &str = "mcp-session-id";

/// Turns one of our errors into an MCP error. Clients show only the message, so the message
/// includes the hint.
pub(crate) fn refused(error: &Error) -> RpcError {
    let code = if status(error.code) < 500 { INVALID_PARAMS } else { INTERNAL_ERROR };
    RpcError::new(code, with_hint(error.to_string(), error)).with_data(json!(error.to_wire()))
}

pub(crate) fn with_hint(message: String, error: &Error) -> String {
    match &error.hint {
        Some(hint) => format!("{message} ({hint})"),
        None => message,
    }
}

// A command's output in progress notifications. It is bounded for each call, so that a flood does
// not swamp the client. The code that reads the command's output bounds each piece.

/// Output that waits to be sent, and the number of bytes sent so far.
#[derive(Default)]
pub(crate) struct Printed {
    stdout: String,
    stderr: String,
    taken_bytes: usize,
}

impl Printed {
    /// Adds output from stdout.
    pub(crate) fn stdout(&mut self, text: &str) {
        self.stdout.push_str(text);
    }

    /// Adds output from stderr.
    pub(crate) fn stderr(&mut self, text: &str) {
        self.stderr.push_str(text);
    }

    /// Takes the waiting output, with the name of its stream.
    pub(crate) fn take(&mut self) -> Vec<(&'static str, String)> {
        let mut taken = Vec::new();
        for (name, printed) in [("stdout", &mut self.stdout), ("stderr", &mut self.stderr)] {
            let mut text = std::mem::take(printed);
            if text.is_empty() || self.taken_bytes >= MCP_OUTPUT_TOTAL_BYTES {
                continue;
            }
            self.taken_bytes += text.len();
            if self.taken_bytes >= MCP_OUTPUT_TOTAL_BYTES {
                text.push_str("\n[no more is shown here; the result has the rest]");
            }
            taken.push((name, text));
        }
        taken
    }
}
