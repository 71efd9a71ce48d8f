//! A tool for a model, and its type-erased form.

use crate::api::operation::descriptor::{Descriptor, OperationKind};
#[cfg(schemas)]
use crate::api::schema::shape::Shape;
use crate::api::schema::shape::Shaped;
use crate::domain::arguments::read;
use crate::domain::error::Result;
use crate::domain::json::render;
use crate::domain::session::config::Modules;
use crate::domain::session::scope::{Caller, Scope};
use crate::session::{Abort, Session};
use futures::future::LocalBoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The module of a session that a tool needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Module {
    /// Every session has it.
    Session,
    /// Files.
    Fs,
    /// Commands.
    Shell,
    /// Code.
    Code,
    /// Code contexts.
    CodeContexts,
    /// Scripts.
    Script,
    /// Snapshots, and workspaces made from them.
    Snapshot,
}

impl Module {
    pub(crate) fn is_in(self, modules: &Modules) -> bool {
        match self {
            Self::Session => true,
            Self::Fs => modules.fs,
            Self::Shell => modules.shell.is_some(),
            Self::Code => modules.code.is_some(),
            Self::CodeContexts => modules.code.as_ref().is_some_and(|code| code.stateful),
            Self::Script => modules.script.is_some(),
            Self::Snapshot => modules.snapshot.is_some(),
        }
    }
}

/// What a model and its user read of a tool, beside its schemas.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Name to call it by.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// The sessions that have it.
    pub module: Module,
    /// The scope that a call needs. A tool of the scope `read` changes nothing, unless it
    /// makes calls that need more of their caller.
    pub scope: Scope,
    /// A call may destroy something.
    pub destructive: bool,
    /// A second call with the same input changes nothing more.
    pub idempotent: bool,
    /// A call may reach things outside the session.
    pub open_world: bool,
    /// Scripts may call it.
    pub in_scripts: bool,
    /// For the model: when to use it, what it leaves alone, what to call next.
    pub description: &'static str,
}

impl Tool {
    /// The least that a tool can be.
    pub const NEW: Self = Self {
        name: "",
        title: "",
        module: Module::Session,
        scope: Scope::Read,
        destructive: false,
        idempotent: false,
        open_world: false,
        in_scripts: false,
        description: "",
    };

    /// Its name in a script, if scripts may call it: without the prefix of all tools.
    pub(crate) fn script_name(&self) -> Option<&'static str> {
        self.in_scripts.then(|| self.name.strip_prefix("workspace_")).flatten()
    }

    pub(crate) fn only_reads(&self) -> bool {
        self.scope == Scope::Read
    }

    pub(crate) fn hints(&self) -> ToolHints {
        let read_only = self.only_reads() && !self.destructive;
        ToolHints {
            read_only_hint: read_only,
            destructive_hint: self.destructive,
            idempotent_hint: self.idempotent || read_only,
            open_world_hint: self.open_world,
        }
    }
}

/// The hints of MCP. An absent one would mean destructive, or open-world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "MCP's format")]
pub struct ToolHints {
    /// It changes nothing.
    pub read_only_hint: bool,
    /// It may remove or replace something.
    pub destructive_hint: bool,
    /// A repetition changes nothing more.
    pub idempotent_hint: bool,
    /// It may reach the Internet.
    pub open_world_hint: bool,
}

/// What every tool gets.
pub struct ToolCall<'a> {
    /// The session whose tool it is.
    pub session: &'a Session,
    /// The caller, as the Worker established it.
    pub caller: &'a Caller,
    /// Its caller's signal, and where its progress goes.
    pub abort: &'a Abort,
}

/// One tool: the arguments that a model may set, and how it calls the verb.
pub trait ToolKind: 'static {
    /// What the model sends. Its JSON Schema, with the doc comments of its fields,
    /// is what the model reads.
    type Input: DeserializeOwned + Shaped;

    /// What the model gets.
    type Output: Serialize + Shaped;

    /// What it reads beside the schemas.
    const TOOL: Tool;

    /// Renders its answer as JSON.
    ///
    /// # Errors
    /// `INTERNAL` where it is no JSON.
    fn render(output: Self::Output) -> Result<Value> {
        render(&output)
    }

    /// Does it.
    fn call(call: ToolCall<'_>, input: Self::Input) -> impl Future<Output = Result<Self::Output>>;
}

type Serve = for<'a> fn(ToolCall<'a>, Value) -> LocalBoxFuture<'a, Result<Value>>;

/// A tool with its types erased.
#[derive(Debug)]
pub struct ToolEntry {
    /// What a model reads of it.
    pub tool: Tool,
    /// The operation that it is, too: a call of it is rated and recorded as one of that.
    pub operation: Option<&'static Descriptor>,
    pub(crate) check: fn(Value) -> Result<()>,
    pub(crate) serve: Serve,
    #[cfg(schemas)]
    pub(crate) input: Shape,
    #[cfg(schemas)]
    pub(crate) output: Shape,
}

impl ToolEntry {
    /// The entry of a tool that is no operation.
    #[must_use]
    pub const fn of<T: ToolKind>() -> &'static Self {
        const { &Self::new::<T>(None) }
    }

    /// The entry of an operation's tool.
    #[must_use]
    pub const fn of_operation<T: ToolKind + OperationKind>() -> &'static Self {
        const { &Self::new::<T>(Some(&T::DESCRIPTOR)) }
    }

    const fn new<T: ToolKind>(operation: Option<&'static Descriptor>) -> Self {
        Self {
            tool: T::TOOL,
            operation,
            check: check::<T>,
            serve: serve::<T>,
            #[cfg(schemas)]
            input: <T::Input as Shaped>::SHAPE,
            #[cfg(schemas)]
            output: <T::Output as Shaped>::SHAPE,
        }
    }
}

fn check<T: ToolKind>(input: Value) -> Result<()> {
    parse::<T::Input>(input).map(drop)
}

fn serve<T: ToolKind>(call: ToolCall<'_>, input: Value) -> LocalBoxFuture<'_, Result<Value>> {
    Box::pin(async move { T::render(T::call(call, parse(input)?).await?) })
}

fn parse<T: DeserializeOwned>(input: Value) -> Result<T> {
    let input = if input.is_null() { json!({}) } else { input };
    read("input", input)
        .map_err(|error| error.with_hint("correct it to match the tool's input schema"))
}
