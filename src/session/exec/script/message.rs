//! What passes between a session and a script: a line of JSON for each message.

use crate::domain::{Error, ErrorBody, Result};
use serde::Serialize;
use serde_json::{Map, Value};

/// What a script sends. It shares its isolate with the harness, so it can send anything.
#[derive(Debug, PartialEq)]
pub(super) struct Message {
    /// Console output since the last message.
    pub logs: String,
    pub kind: Kind,
}

#[derive(Debug, PartialEq)]
pub(super) enum Kind {
    /// The script calls a tool.
    Call(Asked),
    /// The script has ended.
    Done(Done),
}

/// A call of a tool.
#[derive(Debug, PartialEq)]
pub(super) struct Asked {
    pub id: u64,
    pub tool: String,
    pub input: Value,
}

/// The last message of a script.
#[derive(Debug, PartialEq)]
pub(super) struct Done {
    pub value: Option<Value>,
    pub value_text: Option<String>,
    pub error: Option<String>,
}

impl Message {
    /// Reads a line. None: the harness would not have sent it.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let mut fields: Map<String, Value> = serde_json::from_slice(line).ok()?;
        let logs = text(&mut fields, "logs").unwrap_or_default();
        let kind = match (fields.remove("call"), fields.remove("done")) {
            (Some(id), None) => Kind::Call(Asked {
                id: id.as_u64()?,
                tool: text(&mut fields, "tool")?,
                input: fields.remove("input").unwrap_or_default(),
            }),
            (None, Some(Value::Object(mut done))) => Kind::Done(Done {
                value: done.remove("value"),
                value_text: text(&mut done, "valueText"),
                error: text(&mut done, "error"),
            }),
            _ => return None,
        };
        Some(Self { logs, kind })
    }
}

fn text(fields: &mut Map<String, Value>, name: &str) -> Option<String> {
    match fields.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// The answer to a call, as a line.
///
/// # Errors
/// `INTERNAL` if it does not serialize, which would be a bug.
pub(super) fn answer(id: u64, answered: Result<Value>) -> Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Answer {
        answer: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<ErrorBody>,
    }
    let (value, error) = match answered {
        Ok(value) => (Some(value), None),
        Err(error) => (None, Some(error.to_wire().error)),
    };
    let mut line = serde_json::to_vec(&Answer { answer: id, value, error })
        .map_err(|error| Error::internal(error.to_string()))?;
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ErrorCode;
    use serde_json::json;

    #[test]
    fn only_what_the_harness_sends_is_read() {
        let parse = |value: Value| Message::parse(value.to_string().as_bytes());
        let asked = parse(json!({ "call": 3, "tool": "ls", "input": { "a": 1 }, "logs": "x\n" }));
        let call = Kind::Call(Asked { id: 3, tool: "ls".to_owned(), input: json!({ "a": 1 }) });
        assert_eq!(asked, Some(Message { logs: "x\n".to_owned(), kind: call }));
        let done = parse(json!({ "done": { "value": null } }));
        let value = Done { value: Some(Value::Null), value_text: None, error: None };
        assert_eq!(done, Some(Message { logs: String::new(), kind: Kind::Done(value) }));
        for forged in [
            json!({}),
            json!([1]),
            json!({ "call": -1, "tool": "ls" }),
            json!({ "call": 1 }),
            json!({ "call": 1, "tool": ["ls"] }),
            json!({ "done": true }),
            json!({ "done": {}, "call": 1, "tool": "ls" }),
        ] {
            assert_eq!(parse(forged.clone()), None, "{forged}");
        }
        assert_eq!(Message::parse(&[b'['; 100_000]), None, "nested too deep");
        assert_eq!(Message::parse(b"\xff"), None);
    }

    #[test]
    fn an_answer_is_one_line_without_the_cause() {
        let line = answer(7, Ok(json!({ "text": "a\nb" }))).unwrap();
        assert_eq!(line, b"{\"answer\":7,\"value\":{\"text\":\"a\\nb\"}}\n");
        let error = Error::new(ErrorCode::NotFound, "no such file").with_cause("/secret");
        let line = String::from_utf8(answer(8, Err(error)).unwrap()).unwrap();
        assert!(line.contains("\"code\":\"NOT_FOUND\"") && line.contains("\"hint\""), "{line}");
        assert!(!line.contains("secret"));
    }
}
