//! The revision of MCP that a request uses, and that revision's rules for requests.
//!
//! Both revisions are served at one address and without a protocol session: every request carries,
//! in headers or `_meta`, everything that is needed to serve it.

use crate::api::mcp::jsonrpc::{INVALID_PARAMS, Request, RpcError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Headers are missing or contradict the body.
const HEADER_MISMATCH: i32 = -32_020;
/// The version is not supported. `data.supported` lists the versions that are.
const UNSUPPORTED_VERSION: i32 = -32_022;

const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// A supported revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Revision {
    /// 2025-11-25: begins with `initialize`. The server answers it, and does not remember it.
    #[serde(rename = "2025-11-25")]
    Handshake,
    /// 2026-07-28: every request carries version and capabilities in `_meta`.
    #[serde(rename = "2026-07-28")]
    Stateless,
}

impl Revision {
    /// The supported revisions, newest first.
    pub const ALL: [Self; 2] = [Self::Stateless, Self::Handshake];

    /// The revision's name in the protocol.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Handshake => "2025-11-25",
            Self::Stateless => "2026-07-28",
        }
    }

    /// The revision of a request. Checks the revision's rules for headers and `_meta`.
    ///
    /// # Errors
    /// Errors that both revisions answer with status 400.
    pub fn of(
        request: &Request,
        header: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, RpcError> {
        // Only the older revision has a handshake. Its header is required only after the handshake.
        if request.method == "initialize" {
            return Ok(Self::Handshake);
        }
        let announced = header("mcp-protocol-version");
        let declared = match request.meta(META_VERSION) {
            None => None,
            Some(Value::String(version)) => Some(version.as_str()),
            Some(_) => return Err(missing_meta(META_VERSION, "a string")),
        };
        match (declared, announced.as_deref()) {
            // Without a header, the client may use a version older than the header. Such clients
            // are served by the rules of the older revision.
            (None | Some("2025-11-25"), None | Some("2025-11-25")) => Ok(Self::Handshake),
            (None, Some("2026-07-28")) => Err(missing_meta(META_VERSION, "a string")),
            (None, Some(unknown)) => Err(unsupported(unknown)),
            (Some(_), None) => Err(mismatch("the header MCP-Protocol-Version is missing")),
            (Some(declared), Some(announced)) if declared != announced => {
                Err(mismatch("the header MCP-Protocol-Version does not match the version in _meta"))
            }
            (Some("2026-07-28"), Some(_)) => {
                check_mirrored(request, header)?;
                match request.meta(META_CAPABILITIES) {
                    Some(Value::Object(_)) => Ok(Self::Stateless),
                    _ => Err(missing_meta(META_CAPABILITIES, "an object")),
                }
            }
            (Some(unknown), Some(_)) => Err(unsupported(unknown)),
        }
    }

    /// The revision of a notification, which needs no metadata.
    ///
    /// # Errors
    /// An error to answer with status 400.
    pub fn of_notification(header: &dyn Fn(&str) -> Option<String>) -> Result<Self, RpcError> {
        match header("mcp-protocol-version").as_deref() {
            None | Some("2025-11-25") => Ok(Self::Handshake),
            Some("2026-07-28") => Ok(Self::Stateless),
            Some(unknown) => Err(unsupported(unknown)),
        }
    }
}

/// Refuses headers that contradict the body: a proxy on the way may have acted on
/// them.
fn check_mirrored(
    request: &Request,
    header: &dyn Fn(&str) -> Option<String>,
) -> Result<(), RpcError> {
    if header("mcp-method").as_deref() != Some(request.method.as_str()) {
        return Err(mismatch("the header Mcp-Method does not match the method"));
    }
    let named = match request.method.as_str() {
        "tools/call" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    // If the body has no such name, the method itself refuses the parameters.
    let Some(Value::String(name)) = request.params.get(named) else { return Ok(()) };
    let mirrored = header("mcp-name").and_then(|value| decoded(&value));
    if mirrored.as_deref() != Some(name) {
        return Err(mismatch(&format!("the header Mcp-Name does not match {named}")));
    }
    Ok(())
}

/// A header value, which may be wrapped as `=?base64?…?=`.
fn decoded(value: &str) -> Option<String> {
    let wrapped = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    let Some(wrapped) = wrapped else { return Some(value.to_owned()) };
    String::from_utf8(STANDARD.decode(wrapped).ok()?).ok()
}

fn missing_meta(key: &str, kind: &str) -> RpcError {
    RpcError::new(INVALID_PARAMS, format!("Invalid params: _meta must have {key}, {kind}"))
}

fn mismatch(problem: &str) -> RpcError {
    RpcError::new(HEADER_MISMATCH, format!("Header mismatch: {problem}"))
}

fn unsupported(requested: &str) -> RpcError {
    let supported = Revision::ALL.map(Revision::as_str);
    RpcError::new(UNSUPPORTED_VERSION, "Unsupported protocol version")
        .with_data(json!({ "supported": supported, "requested": requested }))
}

#[cfg(test)]
mod tests {
    use super::super::jsonrpc::{Message, parse};
    use super::*;

    fn of(method: &str, params: Value, headers: &[(&str, &str)]) -> Result<Revision, i32> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let Ok(Message::Request(request)) = parse(body.to_string().as_bytes()) else {
            panic!("{body}")
        };
        let header = |name: &str| {
            headers.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        Revision::of(&request, &header).map_err(|error| error.code)
    }

    fn modern(version: &str, more: Value) -> Value {
        let mut params = json!({ "_meta": { META_VERSION: version, META_CAPABILITIES: {} } });
        if let (Some(params), Value::Object(more)) = (params.as_object_mut(), more) {
            params.extend(more);
        }
        params
    }

    const NEW: (&str, &str) = ("mcp-protocol-version", "2026-07-28");
    const OLD: (&str, &str) = ("mcp-protocol-version", "2025-11-25");

    #[test]
    fn the_older_revision_needs_no_metadata() {
        assert_eq!(of("tools/list", json!({}), &[]), Ok(Revision::Handshake));
        assert_eq!(of("tools/list", json!({ "_meta": {} }), &[OLD]), Ok(Revision::Handshake));
        let unknown = ("mcp-protocol-version", "2024-11-05");
        assert_eq!(of("tools/list", json!({}), &[unknown]), Err(UNSUPPORTED_VERSION));
        assert_eq!(of("initialize", json!({}), &[unknown]), Ok(Revision::Handshake));
        assert_eq!(
            of("initialize", modern("2026-07-28", json!({})), &[NEW]),
            Ok(Revision::Handshake)
        );
    }

    #[test]
    fn the_newer_revision_says_everything_twice() {
        let list = ("mcp-method", "tools/list");
        let params = || modern("2026-07-28", json!({}));
        assert_eq!(of("tools/list", params(), &[NEW, list]), Ok(Revision::Stateless));
        assert_eq!(of("tools/list", params(), &[list]), Err(HEADER_MISMATCH));
        assert_eq!(of("tools/list", params(), &[OLD, list]), Err(HEADER_MISMATCH));
        assert_eq!(of("tools/list", params(), &[NEW]), Err(HEADER_MISMATCH));
        assert_eq!(
            of("tools/list", params(), &[NEW, ("mcp-method", "ping")]),
            Err(HEADER_MISMATCH)
        );
        assert_eq!(of("tools/list", json!({}), &[NEW, list]), Err(INVALID_PARAMS));
        let unfinished = json!({ "_meta": { META_VERSION: "2026-07-28" } });
        assert_eq!(of("tools/list", unfinished, &[NEW, list]), Err(INVALID_PARAMS));
        let odd = json!({ "_meta": { META_VERSION: 20260728 } });
        assert_eq!(of("tools/list", odd, &[NEW, list]), Err(INVALID_PARAMS));
        let later = ("mcp-protocol-version", "2027-01-01");
        let params = modern("2027-01-01", json!({}));
        assert_eq!(of("tools/list", params, &[later, list]), Err(UNSUPPORTED_VERSION));
    }

    #[test]
    fn a_name_is_mirrored_plain_or_wrapped() {
        let call = ("mcp-method", "tools/call");
        let params = || modern("2026-07-28", json!({ "name": "größe" }));
        let named = |value| of("tools/call", params(), &[NEW, call, ("mcp-name", value)]);
        assert_eq!(named("=?base64?Z3LDtsOfZQ==?="), Ok(Revision::Stateless));
        assert_eq!(named("größe"), Ok(Revision::Stateless));
        for wrong in ["", "other", "=?base64?!?=", "=?base64?/w==?=", "=?BASE64?Z3LDtsOfZQ==?="] {
            assert_eq!(named(wrong), Err(HEADER_MISMATCH), "{wrong}");
        }
        assert_eq!(of("tools/call", params(), &[NEW, call]), Err(HEADER_MISMATCH));
        let nameless = modern("2026-07-28", json!({ "name": 1 }));
        assert_eq!(of("tools/call", nameless, &[NEW, call]), Ok(Revision::Stateless));
    }
}
