//! A call: an operation, and how its answer is rendered for an MCP client. The
//! Worker forwards it to the session's object.

use crate::api::mcp::answer::{Answer, CLIENT_HEADER, refused};
use crate::api::mcp::jsonrpc::{RequestId, RpcError};
use crate::api::mcp::revision::Revision;
use crate::api::mcp::{jsonrpc, resources, tools};
use crate::api::operation::{Invocation, Operation};
use crate::api::tools::list_tools::{ListTools, ListToolsArgs};
use crate::api::words::Surface;
use crate::domain::{Result, SessionId};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a model should know before it uses a tool.
pub(crate) const INSTRUCTIONS: &str = "A Linux workspace of your own, with snapshots. Files and commands act on the \
    active workspace. Take a snapshot (workspace_snapshot) before a risky change. Go back in place with \
    workspace_rewind, which first saves the current files as a snapshot, or into a new workspace with \
    workspace_restore. Try several ways with workspace_fork, compare them with workspace_compare, and keep one with workspace_promote. \
    Snapshots are also resources. An idle container stops: processes and everything outside the workspace, such as \
    installed packages, are then lost, unless the session persists the machine. A failed call says in its hint what to do next.";

pub(crate) fn capabilities() -> Value {
    json!({ "tools": {}, "resources": {} })
}

/// The result of `initialize`. It does not depend on the version that the client asked for, because
/// only one revision has a handshake.
pub(crate) fn initialized() -> Value {
    json!({
        "protocolVersion": Revision::Handshake.as_str(),
        "capabilities": capabilities(),
        "serverInfo": server_info(),
        "instructions": INSTRUCTIONS,
    })
}

/// The operation for an MCP request.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// The client's revision.
    pub revision: Revision,
    /// The request's id.
    pub id: RequestId,
    /// The operation and its arguments.
    pub invocation: Invocation,
    /// The result that the client asked for.
    pub shape: Shape,
    /// Whether to answer with a stream of events.
    pub streamed: bool,
    /// The token of progress notifications, if the client wants them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<RequestId>,
}

/// The form of the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Shape {
    /// The result of `initialize`.
    Initialized {
        /// The client's name for its later calls.
        client: Option<String>,
    },
    /// The result of `tools/list`.
    Tools,
    /// The result of `tools/call`.
    Called {
        /// The tool's name.
        tool: String,
    },
    /// The result of `resources/list`.
    Resources,
    /// The result of `resources/read`.
    Resource {
        /// The URI as the client wrote it.
        uri: String,
    },
}

/// How long, and by whom, a result may be cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caching {
    ttl_ms: u64,
    scope: &'static str,
}

impl Shape {
    /// The result is the same for everyone until a deploy.
    pub(crate) const DISCOVERED: Caching = Caching { ttl_ms: 3_600_000, scope: "public" };
    /// The result contains the session's id.
    pub(crate) const TEMPLATES: Caching = Caching { ttl_ms: 3_600_000, scope: "private" };

    const fn caching(&self) -> Option<Caching> {
        match self {
            // The result depends on the session's policy, which never changes, on the deployed code
            // and on the selected tools. After a change of code or tools, a client lists the former
            // tools for a while.
            Self::Tools => Some(Caching { ttl_ms: 300_000, scope: "private" }),
            Self::Initialized { .. } | Self::Called { .. } => None,
            // Any call may take or delete a snapshot.
            Self::Resources | Self::Resource { .. } => {
                Some(Caching { ttl_ms: 0, scope: "private" })
            }
        }
    }
}

impl Call {
    /// The HTTP answer, unless it is streamed.
    #[must_use]
    pub fn answer(&self, session: &SessionId, answer: Result<Value>) -> Answer {
        let headers = match &self.shape {
            Shape::Initialized { client: Some(client) } if answer.is_ok() => {
                vec![(CLIENT_HEADER, client.clone())]
            }
            _ => Vec::new(),
        };
        Answer { status: 200, headers, body: Some(self.response(session, answer)) }
    }

    /// The parts of a call that its answer needs: all but the operation's arguments.
    #[must_use]
    pub fn without_input(&self) -> Self {
        Self {
            revision: self.revision,
            id: self.id.clone(),
            invocation: Operation::of::<ListTools>(ListToolsArgs::default()).into(),
            shape: self.shape.clone(),
            streamed: self.streamed,
            progress_token: self.progress_token.clone(),
        }
    }

    /// The JSON-RPC answer.
    #[must_use]
    pub fn response(&self, session: &SessionId, answer: Result<Value>) -> Value {
        match self.result(session, answer) {
            Ok(result) => {
                jsonrpc::result(&self.id, complete(self.revision, result, self.shape.caching()))
            }
            Err(error) => jsonrpc::error(Some(&self.id), &error),
        }
    }

    fn result(&self, session: &SessionId, answer: Result<Value>) -> Result<Value, RpcError> {
        let answer = Surface::for_model(answer);
        match &self.shape {
            Shape::Initialized { .. } => {
                answer.map(|_tools| initialized()).map_err(|error| refused(&error))
            }
            // The operation already returns the method's result.
            Shape::Tools => answer.map_err(|error| refused(&error)),
            Shape::Called { tool } => tools::called(tool, answer),
            Shape::Resources => resources::listed(session, answer),
            Shape::Resource { uri } => resources::read(self.revision, uri, answer),
        }
    }
}

/// Adds the fields that the revision requires of a result.
pub(crate) fn complete(revision: Revision, result: Value, caching: Option<Caching>) -> Value {
    let mut fields = match (revision, result) {
        (Revision::Stateless, Value::Object(fields)) => fields,
        (_, result) => return result,
    };
    fields.insert("resultType".to_owned(), json!("complete"));
    if let Value::Object(meta) = fields.entry("_meta").or_insert_with(|| json!({})) {
        meta.insert("io.modelcontextprotocol/serverInfo".to_owned(), server_info());
    }
    if let Some(Caching { ttl_ms, scope }) = caching {
        fields.insert("ttlMs".to_owned(), json!(ttl_ms));
        fields.insert("cacheScope".to_owned(), json!(scope));
    }
    Value::Object(fields)
}

/// The server's name and version.
pub(crate) fn server_info() -> Value {
    json!({ "name": "snapshotter", "title": "Snapshotter", "version": env!("CARGO_PKG_VERSION") })
}
