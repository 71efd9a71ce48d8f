//! MCP methods. The Worker answers a request at once, or turns it into an operation for the
//! session's object.

use crate::api::mcp::call::{Call, INSTRUCTIONS, Shape, capabilities, complete};
use crate::api::mcp::jsonrpc::{METHOD_NOT_FOUND, Request, RequestId, RpcError};
use crate::api::mcp::revision::Revision;
use crate::api::mcp::{resources, tools};
use crate::api::operation::{CallTarget, Control, Invocation, Operation};
use crate::api::operations::calls::Cancel;
use crate::api::operations::snapshots::list::{ListArgs, ListSnapshots};
use crate::api::tools::call_tool::{CallTool, CallToolArgs};
use crate::api::tools::list_tools::{ListTools, ListToolsArgs};
use crate::domain::json::reader::Reader;
use crate::domain::{OperationId, SessionId, ToolSelection};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// How a request is handled.
pub(crate) enum Dealt {
    /// The whole answer.
    Result(Value),
    /// A call for the session's object.
    Call(Box<Call>),
}

/// What a method needs to know about the client.
pub(crate) struct Asker<'a> {
    pub session: &'a SessionId,
    pub revision: Revision,
    /// Separates this client's request ids from other clients' ids.
    pub client: Option<&'a str>,
    /// Whether the client reads event streams.
    pub streams: bool,
    /// The tools to list. None: the tools that the session's configuration selects.
    pub tools: Option<ToolSelection>,
}

#[derive(Deserialize)]
struct CallParams {
    name: String,
    arguments: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct PageParams {
    cursor: Option<String>,
}

#[derive(Deserialize)]
struct ReadParams {
    uri: String,
}

/// Handles a request that has passed the checks of its revision.
pub(crate) fn deal(asker: &Asker<'_>, request: Request) -> Result<Dealt, RpcError> {
    let revision = asker.revision;
    let call = |operation: Operation, shape| {
        let call = Call {
            revision,
            id: request.id.clone(),
            invocation: operation.into(),
            shape,
            streamed: false,
            progress_token: None,
        };
        Ok(Dealt::Call(Box::new(call)))
    };
    let list = || Operation::of::<ListTools>(ListToolsArgs { tools: asker.tools.clone() });
    match (request.method.as_str(), revision) {
        ("initialize", Revision::Handshake) => match request.params.get("protocolVersion") {
            // Listing the tools fails unless the session was opened. `initialize` must fail then,
            // too.
            Some(Value::String(_)) => call(list(), Shape::Initialized { client: None }),
            _ => Err(RpcError::params("protocolVersion must be a string")),
        },
        ("ping", Revision::Handshake) => Ok(Dealt::Result(json!({}))),
        ("server/discover", Revision::Stateless) => {
            Ok(Dealt::Result(complete(revision, discovered(), Some(Shape::DISCOVERED))))
        }
        ("tools/list", _) => {
            unpaged(&request)?;
            call(list(), Shape::Tools)
        }
        ("tools/call", _) => tool_call(asker, request),
        ("resources/list", _) => {
            let PageParams { cursor } = params(request.params.clone())?;
            call(
                Operation::of::<ListSnapshots>(ListArgs { cursor, ..ListArgs::default() }),
                Shape::Resources,
            )
        }
        ("resources/read", _) => {
            let ReadParams { uri } = params(request.params.clone())?;
            let operation = resources::parse_uri(revision, asker.session, &uri)?;
            call(operation, Shape::Resource { uri })
        }
        ("resources/templates/list", _) => {
            unpaged(&request)?;
            let templates = resources::templates(asker.session);
            Ok(Dealt::Result(complete(revision, templates, Some(Shape::TEMPLATES))))
        }
        (method, _) => Err(RpcError::new(METHOD_NOT_FOUND, format!("Method not found: {method}"))),
    }
}

fn tool_call(asker: &Asker<'_>, request: Request) -> Result<Dealt, RpcError> {
    let progress_token = request.meta("progressToken").map(|token| {
        RequestId::parse(token)
            .ok_or_else(|| RpcError::params("progressToken must be a string or an integer"))
    });
    // The arguments are moved, not copied: one of them may be a file.
    let CallParams { name, arguments } = params(request.params)?;
    let progress_token = progress_token.transpose()?;
    // In the newer revision, a client cancels by closing the stream: the call needs
    // no name.
    let operation_id = match (asker.revision, asker.client) {
        (Revision::Handshake, Some(client)) => operation_id(client, &request.id),
        _ => None,
    };
    let control = Control { operation_id, ..Control::default() };
    let input = Value::Object(tools::for_model(&name, arguments.unwrap_or_default()));
    let shape = Shape::Called { tool: name.clone() };
    Ok(Dealt::Call(Box::new(Call {
        revision: asker.revision,
        id: request.id,
        invocation: Invocation {
            operation: Operation::of::<CallTool>(CallToolArgs {
                name,
                input,
                expected_active: None,
            }),
            control,
        },
        shape,
        streamed: asker.streams,
        progress_token,
    })))
}

/// The operation for a notification. Most notifications have none.
pub(crate) fn notified(
    revision: Revision,
    client: Option<&str>,
    method: &str,
    params: &Map<String, Value>,
) -> Option<Operation> {
    if method != "notifications/cancelled" || revision != Revision::Handshake {
        return None;
    }
    let request_id = RequestId::parse(params.get("requestId")?)?;
    let operation_id = operation_id(client?, &request_id)?;
    Some(Operation::of::<Cancel>(CallTarget { operation_id }))
}

/// The name by which a client's call can be cancelled. The name depends on the client: two clients
/// of a session may both count requests from 0, and neither may cancel the other's.
fn operation_id(client: &str, id: &RequestId) -> Option<OperationId> {
    let hash = Sha256::digest(json!([client, id]).to_string());
    OperationId::parse(&format!("mcp-{}", URL_SAFE_NO_PAD.encode(hash))).ok()
}

fn params<T: DeserializeOwned>(params: Map<String, Value>) -> Result<T, RpcError> {
    T::deserialize(Reader(Value::Object(params))).map_err(RpcError::params)
}

/// Refuses a cursor. A list without pages returns no cursor, so every cursor is invalid.
fn unpaged(request: &Request) -> Result<(), RpcError> {
    match params(request.params.clone())? {
        PageParams { cursor: None } => Ok(()),
        PageParams { cursor: Some(_) } => {
            Err(RpcError::params("cursor: is not one that this list returned"))
        }
    }
}

fn discovered() -> Value {
    json!({
        "supportedVersions": Revision::ALL.map(Revision::as_str),
        "capabilities": capabilities(),
        "instructions": INSTRUCTIONS,
    })
}
