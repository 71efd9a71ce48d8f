//! Operations. Every surface parses calls into operations, and each operation has one descriptor.
//!
//! [`operations`](crate::api::operations) defines each operation in one place: its
//! arguments, what the caller needs, its routes, its tool, its log fields, and the
//! verb that it calls. The router, the tools, the checks and the log read these
//! descriptors.

pub(crate) mod absence;
pub(crate) mod asked;
pub(crate) mod descriptor;
pub(crate) mod inputs;
pub(crate) mod method;
pub mod operator;
pub(crate) mod param;
pub(crate) mod route;
pub(crate) mod shape;
pub(crate) mod tool;

pub(crate) use crate::api::operation::asked::Asked;
pub(crate) use crate::api::operation::descriptor::answer;
pub use crate::api::operation::descriptor::{
    Call, Descriptor, Entry, LogFields, Operation, OperationKind,
};
pub(crate) use crate::api::operation::inputs::NamedWorkspace;
pub use crate::api::operation::inputs::{
    CallTarget, NoArgs, PageArgs, SnapshotTarget, SwitchArgs, WorkspaceTarget,
};
pub use crate::api::operation::method::{Method, Resolves};
pub(crate) use crate::api::operation::operator::OperatorCall;
pub(crate) use crate::api::operation::param::{
    CROSS, CURSOR, DIRECTORY, LIMIT, Param, ParamKind, WORKSPACE, flag,
};
pub(crate) use crate::api::operation::route::{
    ENTERS, EVENT_STREAM, Link, REACHES, Route, Serve, TAR, Verb, WORKS, text,
};
pub use crate::api::operation::tool::ToolCall;
pub(crate) use crate::api::operation::tool::{Module, Tool, ToolEntry, ToolKind};
pub use crate::api::operations::snapshots::list::ListArgs;
pub use crate::api::reply::Reply;
pub use crate::api::run::{CallersTools, reply, run};
pub use crate::api::start::{Started, start};
use crate::domain::arguments::read;
use crate::domain::{IdempotencyKey, OperationId, Result};
use crate::ports::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request for an operation, with the stream that it reads, if any.
pub struct Request {
    /// The operation, and how the caller controls it.
    pub invocation: Invocation,
    /// The stream that the caller sends while the operation runs.
    pub body: Option<Bytes>,
}

impl From<Invocation> for Request {
    fn from(invocation: Invocation) -> Self {
        Self { invocation, body: None }
    }
}

/// How the caller controls a call. This is the same for all operations.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Control {
    /// A name by which the call can be cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<OperationId>,
    /// A key for the request: a repetition with the same key gets the first answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
    /// Whether to answer at once with the operation, and do the work without the caller. Only over
    /// HTTP.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub respond_async: bool,
    /// Whether the caller's signal was aborted before the call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub aborted: bool,
}

/// An operation as a caller sends it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Invocation {
    /// The operation to run.
    pub operation: Operation,
    /// How the caller controls the call.
    #[serde(default)]
    pub control: Control,
}

impl Invocation {
    /// Reads an invocation from its parts. Null means no arguments or no options.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` saying what is wrong.
    pub fn parse(op: &str, args: Value, control: Value) -> Result<Self> {
        let operation = Operation::parse(op, args)?;
        let control: Option<Control> = read("options", control)?;
        Ok(Self { operation, control: control.unwrap_or_default() })
    }
}

impl From<Operation> for Invocation {
    fn from(operation: Operation) -> Self {
        Self { operation, control: Control::default() }
    }
}
