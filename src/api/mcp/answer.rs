//! HTTP answers, and errors in MCP's form.

use crate::api::http::status;
use crate::api::mcp::jsonrpc;
use crate::api::mcp::jsonrpc::{INTERNAL_ERROR, INVALID_PARAMS, RequestId, RpcError};
use crate::domain::Error;
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
