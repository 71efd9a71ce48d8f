//! Answers that need no session, and errors as the protocol has them.

use crate::api::http::status;
use crate::api::mcp::jsonrpc;
use crate::api::mcp::jsonrpc::{INTERNAL_ERROR, INVALID_PARAMS, RequestId, RpcError};
use crate::domain::error::Error;
use serde_json::Value;
use serde_json::json;

/// An answer that no session was needed for.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Headers beside those of every answer.
    pub headers: Vec<(&'static str, String)>,
    /// JSON-RPC; nothing where a notification was accepted.
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

/// Names a client of the older revision from its `initialize` on. It is not
/// kept and opens nothing: it only tells one client's request ids from another's.
pub(crate) const CLIENT_HEADER: &str = "mcp-session-id";

/// An error of ours as one of the protocol's. Clients show only its message, so
/// that has the hint too.
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
