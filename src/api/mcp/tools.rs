//! Input of tools from models, and answers in MCP's form.

use crate::api::mcp::answer::{refused, with_hint};
use crate::api::mcp::jsonrpc::{INVALID_PARAMS, RpcError};
use crate::api::tools;
use crate::api::tools::is_no_such_tool;
use crate::domain::limits::{MCP_OUTPUT_MAX_BYTES, MCP_READ_DEFAULT_BYTES, MCP_READ_MAX_BYTES};
use crate::domain::text::readable::readable;
use crate::domain::{Error, ErrorCode, Result};
use serde_json::{Map, Value, json};

/// Limits the answer to a model through a field of the tool's input, because an MCP answer has its
/// content twice. The tool itself refuses a field of a wrong type.
pub(crate) fn for_model(tool: &str, mut input: Map<String, Value>) -> Map<String, Value> {
    let (field, default, most) = match tool {
        "workspace_run" | "workspace_run_code" | "workspace_run_in_code_context" => {
            ("maxOutputBytes", None, MCP_OUTPUT_MAX_BYTES)
        }
        "workspace_read_file" => ("maxBytes", Some(MCP_READ_DEFAULT_BYTES), MCP_READ_MAX_BYTES),
        _ => return input,
    };
    let bound = match input.get(field) {
        None | Some(Value::Null) => default,
        Some(asked) => asked.as_u64().filter(|bytes| *bytes > most).map(|_| most),
    };
    if let Some(bound) = bound {
        input.insert(field.to_owned(), json!(bound));
    }
    input
}

/// The result of `tools/call`. A tool's failure is a result, too, so that the model reads it. A
/// protocol error would go to the program.
pub(crate) fn called(tool: &str, answer: Result<Value>) -> Result<Value, RpcError> {
    match answer {
        Ok(mut output) => {
            // Images become content items of their own, not text.
            let images = output.as_object_mut().and_then(|fields| fields.remove("images"));
            let text = match tools::by_name(tool) {
                Some(entry) => (entry.text)(&output),
                None => output.to_string(),
            };
            let mut content = vec![json!({ "type": "text", "text": text })];
            let listed = images.as_ref().and_then(Value::as_array).into_iter().flatten();
            content.extend(listed.filter_map(image_content));
            if let (Some(images), Some(fields)) = (images, output.as_object_mut()) {
                fields.insert("images".to_owned(), images);
            }
            Ok(json!({ "content": content, "structuredContent": output }))
        }
        Err(error) if is_no_such_tool(&error) => {
            let message = with_hint("Unknown tool".to_owned(), &error);
            Err(RpcError::new(INVALID_PARAMS, message).with_data(json!(error.to_wire())))
        }
        Err(error) if error.code == ErrorCode::Internal => Err(refused(&error)),
        Err(error) => Ok(failed(&error)),
    }
}

fn image_content(image: &Value) -> Option<Value> {
    let (data, mime_type) = (image.get("data")?, image.get("mimeType")?);
    Some(json!({ "type": "image", "data": data, "mimeType": mime_type }))
}

/// The field of a failure for programs. `structuredContent` would have to match the output schema.
const ERROR_META: &str = "snapshotter/error";

fn failed(error: &Error) -> Value {
    let fields = json!(error.to_wire().error);
    let mut facts = fields.clone();
    let said = format!("{}: {}", error.code.as_str(), error.message);
    if let Some(facts) = facts.as_object_mut() {
        facts.remove("code");
        facts.insert("message".to_owned(), said.into());
    }
    let text = readable(&facts, &["message", "hint"]);
    json!({
        "content": [{ "type": "text", "text": text }],
        "isError": true,
        "_meta": { ERROR_META: fields },
    })
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
            assert_eq!(input(tool, json!({})), json!({}), "the tool has a default");
            for kept in [json!(2_000), json!("much"), json!(-1)] {
                assert_eq!(input(tool, json!({ "maxOutputBytes": kept }))["maxOutputBytes"], kept);
            }
            let most = json!({ "maxOutputBytes": MCP_OUTPUT_MAX_BYTES });
            assert_eq!(input(tool, json!({ "maxOutputBytes": 1 << 20 })), most);
        }
        let read = |part: Value| input("workspace_read_file", part);
        assert_eq!(read(json!({ "path": "a" })), json!({ "path": "a", "maxBytes": 32 * 1024 }));
        let most = json!({ "maxBytes": MCP_READ_MAX_BYTES });
        assert_eq!(read(json!({ "maxBytes": 8_388_608 })), most);
        assert_eq!(input("workspace_ls", json!({})), json!({}));
    }
}
