//! The Model Context Protocol over Streamable HTTP, revisions 2025-11-25 and
//! 2026-07-28, at `/v1/sessions/{session}/mcp`. Pure; `platform` moves the bytes.
//!
//! The protocol keeps no state between requests. The Worker reads a message ([`receive`]) and
//! answers requests that need no session. Every other request becomes a [`Call`], an operation as
//! on any other surface. The session's object runs the operation and answers, at once or as a
//! stream ([`stream`]).

pub(crate) mod answer;
pub(crate) mod call;
pub(crate) mod jsonrpc;
pub(crate) mod methods;
pub(crate) mod resources;
pub(crate) mod revision;
pub mod stream;
pub(crate) mod tools;

pub use crate::api::mcp::answer::Answer;
pub use crate::api::mcp::call::{Call, Shape};
pub use crate::api::mcp::jsonrpc::RequestId;
pub use crate::api::mcp::revision::Revision;

use crate::api::mcp::answer::{CLIENT_HEADER, refused};
use crate::api::mcp::jsonrpc::{INVALID_REQUEST, METHOD_NOT_FOUND, Message, RpcError};
use crate::api::mcp::methods::{Asker, Dealt};
use crate::api::operation::Operation;
use crate::api::tools::list_tools::TOOLS;
use crate::domain::{SessionId, ToolSelection};

/// The head of an HTTP request.
#[derive(Clone, Copy)]
pub struct Head<'a> {
    /// `POST`, `GET`, …
    pub method: &'a str,
    /// Looks up a header by its lowercase name.
    pub header: &'a dyn Fn(&str) -> Option<String>,
    /// Query parameters, percent-decoded.
    pub query: &'a [(String, String)],
}

/// The header that selects the listed tools, like the query's parameter [`TOOLS`].
const TOOLS_HEADER: &str = "snapshotter-tools";

impl Head<'_> {
    /// The tools that the client asks for. None: the tools that the session's configuration
    /// selects.
    fn tools(self) -> Result<Option<ToolSelection>, RpcError> {
        let asked = self.query.iter().find(|(name, _)| name == TOOLS.name);
        let asked = asked.map(|(_, value)| value.clone()).or_else(|| (self.header)(TOOLS_HEADER));
        asked.map(|text| ToolSelection::parse(&text)).transpose().map_err(|error| refused(&error))
    }
}

/// How to continue with a request.
#[derive(Debug, Clone)]
pub enum Received {
    /// The answer is ready.
    Answer(Answer),
    /// The session's object has to answer this call.
    Call(Box<Call>),
    /// The session's object runs the operation; the client gets 202 (accepted).
    Notify(Operation),
}

/// Refuses a request because of its head, before its body is read.
///
/// # Errors
/// The answer, with status 405 or 406.
pub fn check_head(head: Head<'_>) -> Result<(), Answer> {
    let refusal = |status, problem: &str| {
        let error = RpcError::new(INVALID_REQUEST, format!("Invalid request: {problem}"));
        Answer::refusal(status, None, &error)
    };
    if head.method != "POST" {
        let mut answer = refusal(405, "send messages by POST; there is no stream to GET");
        answer.headers.push(("allow", "POST".to_owned()));
        return Err(answer);
    }
    if !Accepts::of(head).json {
        return Err(refusal(406, "accept application/json and text/event-stream"));
    }
    Ok(())
}

/// Handles a request whose head passed [`check_head`]. `new_client` makes a name
/// for a client that sends `initialize`.
#[must_use]
pub fn receive(
    session: &SessionId,
    head: Head<'_>,
    body: &[u8],
    new_client: impl FnOnce() -> Option<String>,
) -> Received {
    let client = (head.header)(CLIENT_HEADER);
    let message = match jsonrpc::parse(body) {
        Ok(message) => message,
        Err(malformed) => {
            let answer = Answer::refusal(400, malformed.id.as_ref(), &malformed.error);
            return Received::Answer(answer);
        }
    };
    let request = match message {
        Message::Request(request) => request,
        Message::Notification { method, params } => {
            return match Revision::of_notification(head.header) {
                Ok(revision) => methods::notified(revision, client.as_deref(), &method, &params)
                    .map_or_else(|| Received::Answer(Answer::accepted()), Received::Notify),
                Err(error) => Received::Answer(Answer::refusal(400, None, &error)),
            };
        }
    };
    let id = request.id.clone();
    let revision = match Revision::of(&request, head.header) {
        Ok(revision) => revision,
        Err(error) => return Received::Answer(Answer::refusal(400, Some(&id), &error)),
    };
    let streams = Accepts::of(head).events;
    let dealt = head.tools().and_then(|tools| {
        let asker = Asker { session, revision, client: client.as_deref(), streams, tools };
        methods::deal(&asker, request)
    });
    match dealt {
        Ok(Dealt::Call(mut call)) => {
            if let Shape::Initialized { client } = &mut call.shape {
                *client = new_client();
            }
            Received::Call(call)
        }
        Ok(Dealt::Result(result)) => {
            let body = Some(jsonrpc::result(&id, result));
            Received::Answer(Answer { status: 200, headers: Vec::new(), body })
        }
        Err(error) => {
            let status = match (error.code, revision) {
                (METHOD_NOT_FOUND, Revision::Stateless) => 404,
                _ => 200,
            };
            Received::Answer(Answer::refusal(status, Some(&id), &error))
        }
    }
}

/// The media types that a client accepts.
struct Accepts {
    json: bool,
    events: bool,
}

impl Accepts {
    fn of(head: Head<'_>) -> Self {
        let Some(accept) = (head.header)("accept") else {
            return Self { json: true, events: false };
        };
        let types: Vec<String> = accept
            .split(',')
            .filter_map(|range| range.split(';').next())
            .map(|range| range.trim().to_ascii_lowercase())
            .collect();
        let lists = |wanted: &str| types.iter().any(|listed| listed == wanted);
        Self {
            json: lists("application/json") || lists("application/*") || lists("*/*"),
            // Events are sent only if the client names their type: a client that accepts anything
            // gets JSON, which is easier to read.
            events: lists("text/event-stream"),
        }
    }
}
