//! JSON-RPC 2.0 in MCP's restricted form: one message per body, ids that are strings or integers
//! and never null, and parameters that are an object.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value, json};

/// The body is not JSON.
pub const PARSE_ERROR: i32 = -32_700;
/// The body is JSON but not a message.
pub const INVALID_REQUEST: i32 = -32_600;
/// The client's revision has no such method.
pub const METHOD_NOT_FOUND: i32 = -32_601;
/// The parameters violate their schema, or name something unknown.
pub const INVALID_PARAMS: i32 = -32_602;
/// The server failed.
pub const INTERNAL_ERROR: i32 = -32_603;

/// A client's id for a request, or its token for progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RequestId {
    /// An integer that fits 64 bits.
    Integer(Number),
    /// A string.
    Text(String),
}

impl RequestId {
    /// Reads an id. None if the value can't be an id.
    #[must_use]
    pub fn parse(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self::Text(text.clone())),
            Value::Number(number) if !number.is_f64() => Some(Self::Integer(number.clone())),
            _ => None,
        }
    }
}

/// A JSON-RPC error.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RpcError {
    /// One of the numbers that MCP defines.
    pub code: i32,
    /// A message for people.
    pub message: String,
    /// Machine-readable details.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl RpcError {
    /// An error without details.
    #[must_use]
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The error for parameters that violate their schema.
    #[must_use]
    pub fn params(message: impl std::fmt::Display) -> Self {
        Self::new(INVALID_PARAMS, format!("Invalid params: {message}"))
    }

    /// Adds machine-readable details.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }
}

/// A message that a client may send here.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// A message that expects an answer.
    Request(Request),
    /// A message that expects no answer.
    Notification {
        /// The name of the event.
        method: String,
        /// Details of the event.
        params: Map<String, Value>,
    },
}

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The request's id, which the answer repeats.
    pub id: RequestId,
    /// The method's name.
    pub method: String,
    /// The method's parameters.
    pub params: Map<String, Value>,
}

impl Request {
    /// A field of the parameters' `_meta`.
    #[must_use]
    pub fn meta(&self, key: &str) -> Option<&Value> {
        self.params.get("_meta")?.get(key)
    }
}

/// A body that is not a message: the error, and the id if it is readable.
#[derive(Debug, Clone, PartialEq)]
pub struct Malformed {
    /// The id for the answer.
    pub id: Option<RequestId>,
    /// The error.
    pub error: RpcError,
}

/// Reads a body.
///
/// # Errors
/// [`Malformed`] with the error.
pub fn parse(body: &[u8]) -> Result<Message, Malformed> {
    let value: Value = serde_json::from_slice(body).map_err(|error| Malformed {
        id: None,
        error: RpcError::new(PARSE_ERROR, format!("Parse error: {error}")),
    })?;
    let mut fields = match value {
        Value::Object(fields) => fields,
        Value::Array(_) => return Err(invalid(None, "send one message per request, not a batch")),
        _ => return Err(invalid(None, "a message is an object")),
    };
    let id = fields.get("id").map(RequestId::parse);
    let known = || id.clone().flatten();
    if fields.get("jsonrpc") != Some(&json!("2.0")) {
        return Err(invalid(known(), "jsonrpc must be \"2.0\""));
    }
    let method = match fields.remove("method") {
        Some(Value::String(method)) => method,
        Some(_) => return Err(invalid(known(), "method must be a string")),
        None if fields.contains_key("result") || fields.contains_key("error") => {
            return Err(invalid(
                known(),
                "this server sends no requests, so it accepts no responses",
            ));
        }
        None => return Err(invalid(known(), "method is missing")),
    };
    let params = match fields.remove("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => {
            let error = RpcError::params("params must be an object");
            return Err(Malformed { id: known(), error });
        }
    };
    match id {
        None => Ok(Message::Notification { method, params }),
        Some(Some(id)) => Ok(Message::Request(Request { id, method, params })),
        Some(None) => Err(invalid(None, "id must be a string or an integer of 64 bits")),
    }
}

fn invalid(id: Option<RequestId>, problem: &str) -> Malformed {
    Malformed { id, error: RpcError::new(INVALID_REQUEST, format!("Invalid request: {problem}")) }
}

/// The answer to a successful request.
#[must_use]
pub fn result(id: &RequestId, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// The answer to a failed request. MCP has no null id: an unreadable id is left out.
#[must_use]
pub fn error(id: Option<&RequestId>, error: &RpcError) -> Value {
    match id {
        Some(id) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
        None => json!({ "jsonrpc": "2.0", "error": error }),
    }
}

/// A notification.
#[must_use]
pub fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: &str) -> Malformed {
        match parse(body.as_bytes()) {
            Err(malformed) => malformed,
            Ok(message) => panic!("{body} was read as {message:?}"),
        }
    }

    #[test]
    fn what_is_no_json_is_a_parse_error() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let deep_params = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{}1{}}}"#,
            r#"{"a":"#.repeat(500),
            "}".repeat(500)
        );
        for body in ["", "{", "nul", "\u{feff}{}", "{}{}", r#"{"id":1e999}"#, &deep, &deep_params] {
            assert_eq!(refused(body).error.code, PARSE_ERROR);
        }
        assert_eq!(parse(b"\xff\xfe").unwrap_err().error.code, PARSE_ERROR);
    }

    #[test]
    fn what_is_no_message_is_an_invalid_request() {
        for (body, says) in [
            ("[]", "batch"),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "batch"),
            ("1", "object"),
            ("null", "object"),
            (r#""ping""#, "object"),
            ("{}", "jsonrpc"),
            (r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, "jsonrpc"),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, "jsonrpc"),
            (r#"{"jsonrpc":"2.0"}"#, "method"),
            (r#"{"jsonrpc":"2.0","id":1,"method":null}"#, "method"),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, "method"),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "sends no requests"),
            (r#"{"jsonrpc":"2.0","id":1,"error":{}}"#, "sends no requests"),
        ] {
            let malformed = refused(body);
            assert_eq!(malformed.error.code, INVALID_REQUEST, "{body}");
            assert!(malformed.error.message.contains(says), "{body}: {}", malformed.error.message);
        }
    }

    #[test]
    fn an_id_is_a_string_or_an_integer() {
        let with =
            |id: &str| parse(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#).as_bytes());
        for id in ["0", "-1", "9007199254740993", "18446744073709551615", r#""""#, r#""a b\n""#] {
            let Ok(Message::Request(request)) = with(id) else { panic!("{id} was refused") };
            assert_eq!(serde_json::to_string(&request.id).unwrap(), id);
            // The id travels to the session's object and back as JSON.
            let text = serde_json::to_string(&request.id).unwrap();
            assert_eq!(serde_json::from_str::<RequestId>(&text).unwrap(), request.id);
        }
        for id in
            ["null", "true", "1.5", "1e3", "123456789012345678901234567890", "[]", r#"{"a":1}"#]
        {
            let malformed = with(id).unwrap_err();
            assert_eq!((malformed.error.code, malformed.id), (INVALID_REQUEST, None), "{id}");
        }
    }

    #[test]
    fn parameters_are_an_object_or_absent() {
        for params in ["[]", "null", "1", r#""x""#] {
            let malformed =
                refused(&format!(r#"{{"jsonrpc":"2.0","id":"a","method":"m","params":{params}}}"#));
            assert_eq!(malformed.error.code, INVALID_PARAMS);
            assert_eq!(malformed.id, Some(RequestId::Text("a".to_owned())));
        }
        let message =
            parse(br#"{"jsonrpc":"2.0","method":"m","more":[1],"params":{"x":1}}"#).unwrap();
        let Message::Notification { method, params } = message else { panic!("{message:?}") };
        assert_eq!((method.as_str(), params.len()), ("m", 1));
    }
}
