//! Operations: what every surface parses into, and one descriptor for each.
//!
//! A file in [`operations`](crate::api::operations) says all of one operation: its
//! arguments, what it needs of its caller, its routes, its tool, its log fields,
//! and the verb that it calls. The router, the tools, the checks and the log are
//! read from these descriptors.

pub(crate) mod answers;
pub(crate) mod descriptor;
pub(crate) mod tool;

pub use crate::api::operation::descriptor::{
    Call, Descriptor, Entry, LogFields, Operation, OperationKind,
};
pub use crate::api::operations::inputs::{
    CallTarget, NoArgs, PageArgs, SnapshotTarget, SwitchArgs, WorkspaceTarget,
};
pub use crate::api::operations::snapshots::list::ListArgs;
pub use crate::api::reply::Reply;
pub use crate::api::run::{reply, run};
pub use crate::api::start::{Started, start};
use crate::domain::error::Result;
use crate::ports::stream::Bytes;
use serde_json::Value;

use crate::domain::arguments::read;
use crate::domain::call::IdempotencyKey;
use crate::domain::ids::OperationId;
use serde::Deserialize;
use serde::Serialize;

/// An operation as it is asked for, with the stream that it reads if it does.
pub struct Request {
    /// What to do, and how the caller keeps a hold on it.
    pub invocation: Invocation,
    /// What the caller sends while the operation runs.
    pub body: Option<Bytes>,
}

impl From<Invocation> for Request {
    fn from(invocation: Invocation) -> Self {
        Self { invocation, body: None }
    }
}

/// How the caller keeps a hold on a call, whatever operation it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Control {
    /// Name to cancel the call by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<OperationId>,
    /// Name of the request: a repetition with it gets the first one's answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<IdempotencyKey>,
    /// Answer at once with the operation, and do the work without the caller.
    /// Only over HTTP.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub respond_async: bool,
    /// The caller's signal was aborted before the call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub aborted: bool,
}

/// An operation as a caller sends it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Invocation {
    /// What to do.
    pub operation: Operation,
    /// How the caller keeps a hold on it.
    #[serde(default)]
    pub control: Control,
}

impl Invocation {
    /// Reads an invocation from its parts. Null is none.
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
