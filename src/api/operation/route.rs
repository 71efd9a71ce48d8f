//! A row of the table of routes.

use crate::api::operation::shape::{Shape, Shaped};
use crate::api::operation::{Asked, Operation, OperatorCall, Param};
use crate::domain::{Error, ErrorCode, Result};
use serde_json::Value;

/// The methods that routes have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// Reads.
    Get,
    /// Creates or runs something.
    Post,
    /// Sets something. A repetition changes nothing.
    Put,
    /// Sets the named fields and leaves the rest.
    Patch,
    /// Removes something. A repetition succeeds.
    Delete,
}

impl Verb {
    /// The method's name in requests.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// Who serves a route, and how the request is read.
#[derive(Debug, Clone, Copy)]
pub enum Serve {
    /// The session's object runs an operation.
    Session(fn(&Asked<'_>) -> Result<Operation>),
    /// The Worker itself serves it, across sessions, and only to the operator.
    Operator(fn(&Asked<'_>) -> Result<OperatorCall>),
    /// The session's object serves it over MCP: see `api::mcp`.
    Mcp,
    /// The Worker itself describes the product, to anyone.
    About,
    /// The Worker itself says whether it is configured, to anyone.
    Health,
    /// The Worker itself describes all routes, to anyone.
    OpenApi,
}

impl Serve {
    /// Whether the route is answered without a token.
    #[must_use]
    pub const fn is_public(self) -> bool {
        matches!(self, Self::About | Self::Health | Self::OpenApi)
    }
}

/// A link from an answer to another request that uses its values.
#[derive(Debug, Clone, Copy)]
pub struct Link {
    /// The link's name, unique in its route.
    pub name: &'static str,
    /// The other route's id.
    pub to: &'static str,
    /// Parameters of the other path, and the places of their values in this answer.
    pub path: &'static [(&'static str, &'static str)],
    /// The other request's body, as JSON. A text that begins with `$` is the place of the value in
    /// this answer.
    pub body: Option<&'static str>,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// Method.
    pub verb: Verb,
    /// Path, with `{parameters}`.
    pub path: &'static str,
    /// Name of the route, unique: OpenAPI's `operationId`.
    pub id: &'static str,
    /// What the route does, in a few words.
    pub summary: &'static str,
    /// More about the route.
    pub description: &'static str,
    /// Query parameters. All others are refused.
    pub query: &'static [Param],
    /// The type of the body.
    pub body: Option<Shape>,
    /// An example body, as JSON.
    pub example: Option<&'static str>,
    /// The type of the answer.
    pub answer: Option<Shape>,
    /// Links from the answer to other requests.
    pub links: &'static [Link],
    /// Status of success.
    pub status: u16,
    /// Media type of a body that is a stream. The HTTP surface does not read the stream.
    pub receives: Option<&'static str>,
    /// Media type of an answer that is a stream.
    pub streams: Option<&'static str>,
    /// Whether the connection becomes a WebSocket, whose messages are frames of two streams.
    pub socket: bool,
    /// Whether the answer is a file, whole or one range of it, with an `ETag`.
    pub file: bool,
    /// Finds the path of the created thing, under `/v1/sessions/{session}`, in the answer.
    pub location: Option<fn(&Value) -> Option<String>>,
    /// Error codes in addition to those of every route.
    pub errors: &'static [ErrorCode],
    /// Whether a call can be cancelled, by the name in the header `Operation-Id`.
    pub cancellable: bool,
    /// Whether a call can be repeated under an `Idempotency-Key`.
    pub keyed: bool,
    /// Whether a call can outlast its request: takes `Prefer: respond-async`.
    pub deferrable: bool,
    /// Whether the route acts on the active workspace. `If-Match` then names the workspace that
    /// must be active.
    pub guarded: bool,
    /// Whether the answer is the active workspace's ref, with its id as `ETag`.
    pub tagged: bool,
    /// Why the command line has no command for the route, if it has none.
    pub no_command: Option<&'static str>,
    /// Why the console does not call the route, if it does not.
    pub no_view: Option<&'static str>,
    /// Who serves the route.
    pub serve: Serve,
}

impl Route {
    /// A route to an operation of the session in the path.
    #[must_use]
    pub const fn session(
        verb: Verb,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
        operation: fn(&Asked<'_>) -> Result<Operation>,
    ) -> Self {
        Self {
            verb,
            path,
            id,
            summary,
            description: "",
            query: &[],
            body: None,
            example: None,
            answer: None,
            links: &[],
            status: 200,
            receives: None,
            streams: None,
            socket: false,
            file: false,
            location: None,
            errors: &[],
            cancellable: false,
            keyed: false,
            deferrable: false,
            guarded: false,
            tagged: false,
            no_command: None,
            no_view: None,
            serve: Serve::Session(operation),
        }
    }

    /// A route for the operator, which acts across sessions.
    #[must_use]
    pub const fn operator(
        verb: Verb,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
        call: fn(&Asked<'_>) -> Result<OperatorCall>,
    ) -> Self {
        Self::session(verb, path, id, summary, no_operation).served(Serve::Operator(call))
    }

    /// Sets who serves the route, if it is not one operation.
    #[must_use]
    pub const fn served(mut self, serve: Serve) -> Self {
        self.serve = serve;
        self
    }

    /// Adds a description.
    #[must_use]
    pub const fn describe(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// Takes these query parameters.
    #[must_use]
    pub const fn query(mut self, query: &'static [Param]) -> Self {
        self.query = query;
        self
    }

    /// Takes a JSON object of this type as its body. An absent body counts as `{}`.
    #[must_use]
    pub const fn takes<T: Shaped>(mut self) -> Self {
        self.body = Some(T::SHAPE);
        self
    }

    /// Adds an example body.
    #[must_use]
    pub const fn example(mut self, json: &'static str) -> Self {
        self.example = Some(json);
        self
    }

    /// Answers this type.
    #[must_use]
    pub const fn answers<T: Shaped>(mut self) -> Self {
        self.answer = Some(T::SHAPE);
        self
    }

    /// Adds links to other routes.
    #[must_use]
    pub const fn leads(mut self, links: &'static [Link]) -> Self {
        self.links = links;
        self
    }

    /// Reads a body of this type as a stream.
    #[must_use]
    pub const fn receives(mut self, media_type: &'static str) -> Self {
        self.receives = Some(media_type);
        self
    }

    /// Answers with a stream of this type.
    #[must_use]
    pub const fn streams(mut self, media_type: &'static str) -> Self {
        self.streams = Some(media_type);
        self
    }

    /// Becomes a WebSocket.
    #[must_use]
    pub const fn socket(mut self) -> Self {
        self.socket = true;
        self.status = 101;
        self
    }

    /// Answers a file.
    #[must_use]
    pub const fn file(mut self) -> Self {
        self.file = true;
        self.streams("application/octet-stream")
    }

    /// Creates something. `location` finds its path under the session in the answer.
    #[must_use]
    pub const fn creates(mut self, location: fn(&Value) -> Option<String>) -> Self {
        self.status = 201;
        self.location = Some(location);
        self
    }

    /// Can fail with these codes, in addition to those of every route.
    #[must_use]
    pub const fn errors(mut self, errors: &'static [ErrorCode]) -> Self {
        self.errors = errors;
        self
    }

    /// Can be repeated under a key.
    #[must_use]
    pub const fn keyed(mut self) -> Self {
        self.keyed = true;
        self
    }

    /// Can be repeated under a key, run without a waiting caller, and be cancelled.
    #[must_use]
    pub const fn recorded(mut self) -> Self {
        self.deferrable = true;
        self.keyed().cancellable()
    }

    /// Acts only while the workspace that `If-Match` names is active.
    #[must_use]
    pub const fn guarded(mut self) -> Self {
        self.guarded = true;
        self
    }

    /// Answers which workspace is active, with an `ETag`.
    #[must_use]
    pub const fn tagged(mut self) -> Self {
        self.tagged = true;
        self
    }

    /// Can be cancelled.
    #[must_use]
    pub const fn cancellable(mut self) -> Self {
        self.cancellable = true;
        self
    }

    /// Has no command, for this reason.
    #[must_use]
    pub const fn without_command(mut self, reason: &'static str) -> Self {
        self.no_command = Some(reason);
        self
    }

    /// Is not called by the console, for this reason.
    #[must_use]
    pub const fn without_view(mut self, reason: &'static str) -> Self {
        self.no_view = Some(reason);
        self
    }

    /// The values of the path's parameters, if the path matches this route.
    #[must_use]
    pub fn captures(&self, segments: &[String]) -> Option<Vec<(&'static str, String)>> {
        let mut captured = Vec::new();
        let mut found = segments.iter();
        for wanted in self.path.split('/').skip(1) {
            let found = found.next()?;
            match wanted.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
                Some(name) => captured.push((name, found.clone())),
                None if wanted == found => {}
                None => return None,
            }
        }
        found.next().is_none().then_some(captured)
    }
}

fn no_operation(_: &Asked<'_>) -> Result<Operation> {
    Err(Error::internal("not an operation of a session"))
}

pub(crate) const TAR: &str = "application/x-tar";

/// Server-Sent Events.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";

/// Error codes of a call on one snapshot that needs no container.
pub(crate) const REACHES: &[ErrorCode] = &[
    ErrorCode::SnapshotNotOwned,
    ErrorCode::CrossSessionDisabled,
    ErrorCode::Conflict,
    ErrorCode::SnapshotGone,
    ErrorCode::TooLarge,
    ErrorCode::Unsupported,
    ErrorCode::Integrity,
];

/// Error codes of a call on the active workspace, which may have to wake first.
pub(crate) const ENTERS: &[ErrorCode] = &[
    ErrorCode::Conflict,
    ErrorCode::WorkspaceLost,
    ErrorCode::TooLarge,
    ErrorCode::QuotaExceeded,
    ErrorCode::Aborted,
    ErrorCode::Unsupported,
    ErrorCode::RestoreFailed,
];

/// Error codes of work on snapshots in a container. Includes the two lists above.
pub(crate) const WORKS: &[ErrorCode] = &[
    ErrorCode::SnapshotNotOwned,
    ErrorCode::WorkspaceNotOwned,
    ErrorCode::CrossSessionDisabled,
    ErrorCode::Conflict,
    ErrorCode::WorkspaceLost,
    ErrorCode::SnapshotExpired,
    ErrorCode::SnapshotGone,
    ErrorCode::TooLarge,
    ErrorCode::QuotaExceeded,
    ErrorCode::Aborted,
    ErrorCode::Unsupported,
    ErrorCode::BackupFailed,
    ErrorCode::RestoreFailed,
    ErrorCode::Integrity,
];

/// A text field of an answer.
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}
