//! An operation's descriptor, and the type-erased form that the surfaces use.

use crate::api::operation::{Method, Reply, Route};
use crate::domain::arguments::read_inner;
use crate::domain::json::render;
use crate::domain::{Caller, Error, Needs, Result, SnapshotSelector, ToolSelection, WorkspaceRef};
use crate::ports::Bytes;
use crate::session::{Abort, ScriptTools, Session};
use futures::future::LocalBoxFuture;
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::any::Any;
use std::fmt;

/// An operation on a session: its kind and its arguments.
#[derive(Debug)]
pub struct Operation {
    pub(crate) entry: &'static Entry,
    pub(crate) input: Box<dyn Input>,
}

impl Operation {
    /// Makes an operation of a kind known at compile time.
    pub fn of<K: OperationKind>(input: K::Input) -> Self {
        Self { entry: Entry::of::<K>(), input: Box::new(input) }
    }

    /// The descriptor of the operation's kind.
    #[must_use]
    pub fn descriptor(&self) -> &'static Descriptor {
        self.entry.descriptor
    }

    /// The operation's name: over RPC, in the log, and in its record.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.descriptor().name
    }

    /// The operation's arguments, if it is of this kind.
    pub(crate) fn input<K: OperationKind>(&self) -> Option<&K::Input> {
        if self.name() != K::DESCRIPTOR.name {
            return None;
        }
        self.input.as_any().downcast_ref()
    }

    /// What the caller needs.
    #[must_use]
    pub fn needs(&self) -> Needs {
        (self.entry.needs)(self.input.as_ref())
    }

    /// Checks that depend on the session's present state.
    pub(crate) fn check(&self, session: &Session, caller: &Caller) -> Result<()> {
        (self.entry.check)(session, caller, self.input.as_ref())
    }

    /// The arguments that may be logged: ids and names of tools, but no content.
    pub(crate) fn log_fields(&self) -> LogFields {
        let mut fields = LogFields::default();
        (self.entry.log)(self.input.as_ref(), &mut fields);
        fields
    }

    pub(crate) async fn run(self, call: Call<'_>) -> Result<Reply> {
        let fields = self.log_fields();
        let tool = fields.0.get("tool").and_then(Value::as_str);
        call.abort.name(tool.unwrap_or(self.name()).to_owned());
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

/// One kind of operation: its arguments, its descriptor, and its verb.
pub trait OperationKind: 'static {
    /// The arguments, as callers send them.
    type Input: Serialize + DeserializeOwned + fmt::Debug + Clone + 'static;

    /// The description for every surface.
    const DESCRIPTOR: Descriptor;

    /// The operation's method over RPC. None if only the Worker or HTTP calls it.
    const METHOD: Option<Method> = None;

    /// What the caller needs. Overridden if this depends on the arguments.
    fn needs(_input: &Self::Input) -> Needs {
        Self::DESCRIPTOR.needs
    }

    /// Refuses a call because of the session's present state. Runs after the
    /// check of [`Self::needs`].
    ///
    /// # Errors
    /// `FORBIDDEN`.
    fn check(_session: &Session, _caller: &Caller, _input: &Self::Input) -> Result<()> {
        Ok(())
    }

    /// Notes the arguments that may be logged: ids, but no content.
    fn log(_input: &Self::Input, _fields: &mut LogFields) {}

    /// Runs the operation.
    fn run(call: Call<'_>, input: Self::Input) -> impl Future<Output = Result<Reply>>;
}

/// What operations need of the tools, which stand above them: the session's tools for scripts, as if
/// called by the script's caller.
pub trait Tools: ScriptTools {
    /// Refuses a name that no tool has.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` with the names of all tools.
    fn check_selection(&self, selection: &ToolSelection) -> Result<()>;
}

/// The context of an operation.
pub struct Call<'a> {
    /// The session to work on.
    pub session: &'a Session,
    /// The caller, as the Worker established it.
    pub caller: &'a Caller,
    /// The caller's signal, which also receives progress.
    pub abort: &'a Abort,
    /// The tools. A call of a tool runs an operation, so this comes from what runs operations.
    pub tools: &'a dyn Tools,
    /// The stream that the operation reads, if any.
    pub body: Option<Bytes>,
}

impl Call<'_> {
    /// Takes the stream that the operation reads. `what` names the content in the error.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` without a stream.
    pub fn stream(&mut self, what: &str) -> Result<Bytes> {
        self.body
            .take()
            .ok_or_else(|| Error::invalid("stream", format!("must be a stream of bytes: {what}")))
    }
}

/// Describes an operation to every surface.
#[derive(Debug, Clone, Copy)]
pub struct Descriptor {
    /// Name over RPC, in the log and in records. Published.
    pub name: &'static str,
    /// What the operation needs of its caller.
    pub needs: Needs,
    /// Whether the operation ends or removes something. The rate limit of calls does not apply to
    /// it, so that a flood can be stopped.
    pub stops: bool,
    /// Whether the operation counts against the rate limit of snapshots.
    pub takes_snapshot: bool,
    /// Whether the operation can be recorded: repeated under a key, or run without a waiting
    /// caller.
    pub recorded: bool,
    /// Whether the operation records what it makes before its first effect. If no such record
    /// exists after a restart, nothing was begun.
    pub names_subject: bool,
    /// Whether the operation makes calls as its caller, with tools for scripts.
    pub acts_as_caller: bool,
    /// The secret field of the answer, which the operation's record leaves out.
    pub secret: Option<&'static str>,
    /// The operation's routes. Most operations have one; operations for the Worker alone have none.
    pub routes: &'static [Route],
}

impl Descriptor {
    /// A descriptor without flags, secret or routes.
    #[must_use]
    pub const fn new(name: &'static str, needs: Needs) -> Self {
        Self {
            name,
            needs,
            stops: false,
            takes_snapshot: false,
            recorded: false,
            names_subject: false,
            acts_as_caller: false,
            secret: None,
            routes: &[],
        }
    }
}

/// Fields of an operation's log line.
#[derive(Debug, Default)]
pub struct LogFields(pub(crate) Map<String, Value>);

impl LogFields {
    /// Notes a field.
    pub fn note(&mut self, field: &str, value: impl Serialize) {
        self.0.insert(field.to_owned(), json!(value));
    }

    /// Notes a snapshot's id. A name is the caller's text, so it is not logged.
    pub fn snapshot(&mut self, selector: &SnapshotSelector) {
        match selector {
            SnapshotSelector::Ref(named) => self.note("backupId", &named.payload.backup.id),
            SnapshotSelector::Id(id) => self.note("backupId", id),
            SnapshotSelector::Name(_) => self.note("backupId", "by name"),
            SnapshotSelector::Turn(_) => self.note("backupId", "by turn"),
            SnapshotSelector::Latest => self.note("backupId", "latest"),
            SnapshotSelector::Head => self.note("backupId", "head"),
        }
    }

    /// Notes a workspace.
    pub fn workspace(&mut self, named: &WorkspaceRef) {
        self.note("sandboxId", named.sandbox_id());
    }

    /// Notes the workspace that the caller chose. None: the active one.
    pub fn chosen(&mut self, named: Option<&WorkspaceRef>) {
        if let Some(named) = named {
            self.workspace(named);
        }
    }
}

/// Renders an answer as JSON.
///
/// # Errors
/// `INTERNAL` if the answer can't be JSON.
pub fn answer(value: &impl Serialize) -> Result<Reply> {
    render(value).map(Reply::Value)
}

/// An operation's arguments with their type erased.
pub(crate) trait Input: fmt::Debug {
    fn as_any(&self) -> &dyn Any;
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
    fn as_serialize(&self) -> &dyn erased_serde::Serialize;
    fn clone_box(&self) -> Box<dyn Input>;
}

impl<T: Serialize + fmt::Debug + Clone + 'static> Input for T {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }

    fn as_serialize(&self) -> &dyn erased_serde::Serialize {
        self
    }

    fn clone_box(&self) -> Box<dyn Input> {
        Box::new(self.clone())
    }
}

type Run = for<'a> fn(Call<'a>, Box<dyn Input>) -> LocalBoxFuture<'a, Result<Reply>>;

/// An operation with its type erased.
pub struct Entry {
    /// The operation's descriptor.
    pub descriptor: &'static Descriptor,
    /// The operation's method over RPC.
    #[cfg(schemas)]
    pub method: Option<Method>,
    pub(crate) parse: fn(Value) -> Result<Box<dyn Input>>,
    pub(crate) needs: fn(&dyn Input) -> Needs,
    pub(crate) check: fn(&Session, &Caller, &dyn Input) -> Result<()>,
    pub(crate) log: fn(&dyn Input, &mut LogFields),
    pub(crate) run: Run,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.descriptor.name)
    }
}

impl Entry {
    /// The entry of a kind.
    #[must_use]
    pub const fn of<K: OperationKind>() -> &'static Self {
        const {
            &Self {
                descriptor: &K::DESCRIPTOR,
                #[cfg(schemas)]
                method: K::METHOD,
                parse: parse::<K>,
                needs: needs::<K>,
                check: check::<K>,
                log: log::<K>,
                run: run::<K>,
            }
        }
    }
}

fn parse<K: OperationKind>(args: Value) -> Result<Box<dyn Input>> {
    let input: K::Input = read_inner("arguments", &["config", "edit"], args)?;
    Ok(Box::new(input))
}

fn typed<K: OperationKind>(input: &dyn Input) -> Option<&K::Input> {
    input.as_any().downcast_ref()
}

fn needs<K: OperationKind>(input: &dyn Input) -> Needs {
    typed::<K>(input).map_or(K::DESCRIPTOR.needs, K::needs)
}

fn check<K: OperationKind>(session: &Session, caller: &Caller, input: &dyn Input) -> Result<()> {
    typed::<K>(input).map_or_else(|| Err(mistyped::<K>()), |input| K::check(session, caller, input))
}

fn log<K: OperationKind>(input: &dyn Input, fields: &mut LogFields) {
    if let Some(input) = typed::<K>(input) {
        K::log(input, fields);
    }
}

fn run<K: OperationKind>(
    call: Call<'_>,
    input: Box<dyn Input>,
) -> LocalBoxFuture<'_, Result<Reply>> {
    Box::pin(async move {
        let input = input.into_any().downcast::<K::Input>();
        K::run(call, *input.map_err(|_other| mistyped::<K>())?).await
    })
}

fn mistyped<K: OperationKind>() -> Error {
    Error::internal(format!("the arguments of {} are another operation's", K::DESCRIPTOR.name))
}
