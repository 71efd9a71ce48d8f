//! Operations: what every surface parses into, and one descriptor for each.
//!
//! A file in [`operations`](crate::api::operations) says all of one operation: its
//! arguments, what it needs of its caller, its routes, its tool, its log fields,
//! and the verb that it calls. The router, the tools, the checks and the log are
//! read from these descriptors.

pub(crate) mod answers;
pub(crate) mod descriptor;
pub(crate) mod tool;

pub use crate::api::operation::answers::{Cancelled, Destroyed, NamedWorkspace, ToolList};
pub use crate::api::operation::descriptor::{Call, Descriptor, Entry, LogFields, OperationKind};
pub use crate::api::operations::inputs::{
    CallTarget, NoArgs, PageArgs, SnapshotTarget, SwitchArgs, WorkspaceTarget,
};
pub use crate::api::operations::snapshots::list::ListArgs;
pub use crate::api::reply::{Reply, Request};
pub use crate::api::run::{reply, run};
pub use crate::api::start::{Started, start};

use crate::api::operation::descriptor::Input;
use crate::api::operations;
use crate::domain::arguments::read;
use crate::domain::call::IdempotencyKey;
use crate::domain::error::{Error, Result};
use crate::domain::ids::OperationId;
use crate::domain::session::scope::{Caller, Needs};
use crate::session::Session;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

/// An operation on a session: its kind and its arguments.
#[derive(Debug)]
pub struct Operation {
    entry: &'static Entry,
    input: Box<dyn Input>,
}

impl Operation {
    /// An operation of a kind that the caller knows.
    pub fn of<K: OperationKind>(input: K::Input) -> Self {
        Self { entry: Entry::of::<K>(), input: Box::new(input) }
    }

    /// Reads an operation from its name and arguments. Null arguments are none.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` saying what is wrong.
    pub fn parse(op: &str, args: Value) -> Result<Self> {
        let entry = operations::by_name(op).ok_or_else(|| {
            let names: Vec<&str> = operations::all().map(|entry| entry.descriptor.name).collect();
            Error::invalid(
                "op",
                format!("unknown variant `{op}`, expected one of {}", names.join(", ")),
            )
        })?;
        let args = if args.is_null() { json!({}) } else { args };
        Ok(Self { entry, input: (entry.parse)(args)? })
    }

    /// What the kind says of itself.
    #[must_use]
    pub fn descriptor(&self) -> &'static Descriptor {
        self.entry.descriptor
    }

    /// Its name: over RPC, in the log, and in its record.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.descriptor().name
    }

    /// Its arguments, if it is of this kind.
    pub(crate) fn input<K: OperationKind>(&self) -> Option<&K::Input> {
        if self.name() != K::DESCRIPTOR.name {
            return None;
        }
        self.input.as_any().downcast_ref()
    }

    /// What it needs of its caller. `docs/access.md` shows it.
    #[must_use]
    pub fn needs(&self) -> Needs {
        (self.entry.needs)(self.input.as_ref())
    }

    /// Checks that depend on what the session does now.
    pub(crate) fn check(&self, session: &Session, caller: &Caller) -> Result<()> {
        (self.entry.check)(session, caller, self.input.as_ref())
    }

    /// What of its arguments may be logged: ids and names of tools, no content.
    pub(crate) fn log_fields(&self) -> LogFields {
        let mut fields = LogFields::default();
        (self.entry.log)(self.input.as_ref(), &mut fields);
        fields
    }

    pub(crate) async fn run(self, call: Call<'_>) -> Result<Reply> {
        (self.entry.run)(call, self.input).await
    }
}

impl Clone for Operation {
    fn clone(&self) -> Self {
        Self { entry: self.entry, input: self.input.clone_box() }
    }
}

impl Serialize for Operation {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Parts<'a> {
            op: &'a str,
            args: &'a dyn erased_serde::Serialize,
        }
        Parts { op: self.name(), args: self.input.as_serialize() }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Operation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Parts {
            op: String,
            args: Value,
        }
        let Parts { op, args } = Parts::deserialize(deserializer)?;
        Self::parse(&op, args).map_err(D::Error::custom)
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
