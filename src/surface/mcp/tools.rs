//! Tools: the one catalogue, as MCP lists and answers it.

use super::jsonrpc::{INVALID_PARAMS, RpcError};
use super::refused;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::tools::is_no_such_tool;
use serde_json::{Value, json};

/// The result of `tools/call`. A tool that fails is a result too, for the
/// model to read; an error of the protocol is for the program.
pub(super) fn called(answer: Result<Value>) -> Result<Value, RpcError> {
    match answer {
        Ok(output) => Ok(json!({
            "content": [{ "type": "text", "text": output.to_string() }],
            "structuredContent": output,
        })),
        Err(error) if is_no_such_tool(&error) => {
            Err(RpcError::new(INVALID_PARAMS, "Unknown tool").with_data(json!(error.to_wire())))
        }
        Err(error) if error.code == ErrorCode::Internal => Err(refused(&error)),
        Err(error) => Ok(failed(&error)),
    }
}

/// Without `structuredContent`, which would have to keep the tool's output schema.
fn failed(error: &Error) -> Value {
    let envelope = json!(error.to_wire());
    json!({ "content": [{ "type": "text", "text": envelope.to_string() }], "isError": true })
}
