//! Tools: input from models, and answers in MCP's form.

use crate::api::mcp::answer::{refused, with_hint};
use crate::api::mcp::jsonrpc::{INVALID_PARAMS, RpcError};
use crate::api::tools::is_no_such_tool;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::limits::{
    MCP_OUTPUT_DEFAULT_BYTES, MCP_OUTPUT_MAX_BYTES, MCP_READ_DEFAULT_BYTES, MCP_READ_MAX_BYTES,
};
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

/// Bounds the answer to a model, by a field of the tool's input. The default is a
/// size that a model can take in. A model may ask for more, up to the most that one
/// answer should carry. The tool itself refuses a field of a wrong type.
pub(crate) fn for_model(tool: &str, mut input: Map<String, Value>) -> Map<String, Value> {
    let (field, default, most) = match tool {
        "workspace_run" | "workspace_run_code" | "workspace_run_in_code_context" => {
            ("maxOutputBytes", MCP_OUTPUT_DEFAULT_BYTES, MCP_OUTPUT_MAX_BYTES)
        }
        "workspace_read_file" | "workspace_snapshot_read" => {
            ("length", MCP_READ_DEFAULT_BYTES, MCP_READ_MAX_BYTES)
        }
        _ => return input,
    };
    match input.get(field) {
        None | Some(Value::Null) => {
            input.insert(field.to_owned(), json!(default));
        }
        Some(asked) if asked.as_u64().is_some_and(|bytes| bytes > most) => {
            input.insert(field.to_owned(), json!(most));
        }
        Some(_) => {}
    }
    input
}

/// The result of `tools/call`. A tool's failure is a result too, so that the model
/// reads it; an error of the protocol goes to the program.
pub(crate) fn called(answer: Result<Value>) -> Result<Value, RpcError> {
    match answer {
        Ok(output) => Ok(json!({
            "content": [{ "type": "text", "text": output.to_string() }],
            "structuredContent": output,
        })),
        Err(error) if is_no_such_tool(&error) => {
            let message = with_hint("Unknown tool".to_owned(), &error);
            Err(RpcError::new(INVALID_PARAMS, message).with_data(json!(error.to_wire())))
        }
        Err(error) if error.code == ErrorCode::Internal => Err(refused(&error)),
        Err(error) => Ok(failed(&error)),
    }
}

/// It has no `structuredContent`, which would have to match the output schema.
fn failed(error: &Error) -> Value {
    let envelope = json!(error.to_wire());
    json!({ "content": [{ "type": "text", "text": envelope.to_string() }], "isError": true })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_gets_little_unless_it_asks_for_more() {
        let input = |tool: &str, input: Value| {
            Value::Object(for_model(tool, input.as_object().cloned().unwrap_or_default()))
        };
        for tool in ["workspace_run", "workspace_run_code", "workspace_run_in_code_context"] {
            assert_eq!(input(tool, json!({})), json!({ "maxOutputBytes": 16 * 1024 }));
            for kept in [json!(2_000), json!("much"), json!(-1)] {
                assert_eq!(input(tool, json!({ "maxOutputBytes": kept }))["maxOutputBytes"], kept);
            }
            let most = json!({ "maxOutputBytes": MCP_OUTPUT_MAX_BYTES });
            assert_eq!(input(tool, json!({ "maxOutputBytes": 1 << 20 })), most);
        }
        for tool in ["workspace_read_file", "workspace_snapshot_read"] {
            let read = |part: Value| input(tool, part);
            assert_eq!(read(json!({ "path": "a" })), json!({ "path": "a", "length": 32 * 1024 }));
            let most = json!({ "length": MCP_READ_MAX_BYTES });
            assert_eq!(read(json!({ "length": 8_388_608 })), most);
        }
        assert_eq!(input("workspace_ls", json!({})), json!({}));
    }
}
