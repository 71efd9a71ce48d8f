//! Tools for models, and their type-erased form.

use crate::api::operation::descriptor::Tools;
#[cfg(schemas)]
use crate::api::operation::shape::Shape;
use crate::api::operation::shape::Shaped;
use crate::api::operation::{Descriptor, OperationKind};
use crate::domain::arguments::read;
use crate::domain::json::render;
use crate::domain::session::config::Modules;
use crate::domain::text::readable::readable;
use crate::domain::{Caller, Error, Result, Scope};
use crate::session::{Abort, Session};
use futures::future::LocalBoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// The module of a session that a tool needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Module {
    /// No module: every session has the tool.
    Session,
    /// Files.
    Fs,
    /// Reading files of workspaces and snapshots.
    Look,
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
            Self::Look => modules.fs || modules.snapshot.is_some(),
            Self::Shell => modules.shell.is_some(),
            Self::Code => modules.code.is_some(),
            Self::CodeContexts => modules.code.as_ref().is_some_and(|code| code.stateful),
            Self::Script => modules.script.is_some(),
            Self::Snapshot => modules.snapshot.is_some(),
        }
    }
}

/// The description of a tool for a model and its user, apart from the schemas.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Name in calls.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// The module of the sessions that have the tool.
    pub module: Module,
    /// Whether a model gets the tool by default.
    pub core: bool,
    /// The scope that a call needs. A tool of the scope `read` changes nothing, unless it makes
    /// calls as its caller that need more.
    pub scope: Scope,
    /// Whether a call may destroy something.
    pub destructive: bool,
    /// Whether repeating a call with the same input changes nothing more.
    pub idempotent: bool,
    /// Whether a call may reach things outside the session.
    pub open_world: bool,
    /// Whether scripts may call the tool.
    pub in_scripts: bool,
    /// Text for the model: when to use the tool, what it leaves alone, what to call next.
    pub description: &'static str,
}

impl Tool {
    /// A tool with only the defaults.
    pub const NEW: Self = Self {
        name: "",
        title: "",
        module: Module::Session,
        core: false,
        scope: Scope::Read,
        destructive: false,
        idempotent: false,
        open_world: false,
        in_scripts: false,
        description: "",
    };

    /// The tool's name in a script, without the prefix of all tools, if scripts may call it.
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

/// The hints of MCP. An absent hint would mean destructive, or open-world.
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

/// The context of a tool's call.
pub struct ToolCall<'a> {
    /// The session that the tool acts on.
    pub session: &'a Session,
    /// The caller, as the Worker established it.
    pub caller: &'a Caller,
    /// The caller's signal, which also receives progress.
    pub abort: &'a Abort,
    /// The tools, for a script.
    pub tools: &'a dyn Tools,
}

/// A tool: the arguments that a model may set, and the call of the verb.
pub trait ToolKind: 'static {
    /// The model's input. The model reads its JSON Schema, with the doc comments of its fields.
    type Input: DeserializeOwned + Shaped;

    /// The answer for the model.
    type Output: Serialize + Shaped;

    /// The tool's description, apart from the schemas.
    const TOOL: Tool;

    /// Fields with a map of texts. A model sends a list of `NAME=value` instead, because vendors
    /// refuse schemas of maps with free names. Both forms are accepted.
    const PAIRS: &'static [&'static str] = &[];

    /// Fields for which an empty text is a value. In other fields, an empty text means that the
    /// field is absent, as null does: in a vendor's strict mode, a model must fill every field.
    const EMPTY: &'static [&'static str] = &[];

    /// Text fields of the answer that a person reads first.
    const TEXTS: &'static [&'static str] = &[];

    /// The answer, which was rendered as JSON, as readable text.
    #[must_use]
    fn text(answer: &Value) -> String {
        readable(answer, Self::TEXTS)
    }

    /// Renders the answer as JSON.
    ///
    /// # Errors
    /// `INTERNAL` if the answer can't be JSON.
    fn render(output: Self::Output) -> Result<Value> {
        render(&output)
    }

    /// Calls the tool.
    fn call(call: ToolCall<'_>, input: Self::Input) -> impl Future<Output = Result<Self::Output>>;
}

type Serve = for<'a> fn(ToolCall<'a>, Value) -> LocalBoxFuture<'a, Result<Value>>;

/// A tool with its types erased.
#[derive(Debug)]
pub struct ToolEntry {
    /// The tool's description.
    pub tool: Tool,
    /// The operation that the tool calls, if any. Calls of the tool are rate-limited and recorded
    /// as calls of the operation.
    pub operation: Option<&'static Descriptor>,
    pub(crate) check: fn(Value) -> Result<()>,
    pub(crate) serve: Serve,
    pub(crate) text: fn(&Value) -> String,
    #[cfg(schemas)]
    pub(crate) input: Shape,
    #[cfg(schemas)]
    pub(crate) output: Shape,
    #[cfg(all(test, schemas))]
    pub(crate) pairs: &'static [&'static str],
}

impl ToolEntry {
    /// The entry of a tool without an operation.
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
            text: T::text,
            #[cfg(schemas)]
            input: <T::Input as Shaped>::SHAPE,
            #[cfg(schemas)]
            output: <T::Output as Shaped>::SHAPE,
            #[cfg(all(test, schemas))]
            pairs: T::PAIRS,
        }
    }
}

fn check<T: ToolKind>(input: Value) -> Result<()> {
    parse::<T>(input).map(drop)
}

fn serve<T: ToolKind>(call: ToolCall<'_>, input: Value) -> LocalBoxFuture<'_, Result<Value>> {
    Box::pin(async move { T::render(T::call(call, parse::<T>(input)?).await?) })
}

fn parse<T: ToolKind>(input: Value) -> Result<T::Input> {
    given(input, T::PAIRS, T::EMPTY)
        .and_then(|input| read("input", input))
        .map_err(|error| error.with_hint("correct it to match the tool's input schema"))
}

/// The input without absent fields, and with maps instead of pairs.
fn given(mut input: Value, pairs: &[&str], empty: &[&str]) -> Result<Value> {
    if input.is_null() {
        return Ok(json!({}));
    }
    let Some(fields) = input.as_object_mut() else { return Ok(input) };
    fields.retain(|name, value| {
        !value.is_null() && (value.as_str() != Some("") || empty.contains(&name.as_str()))
    });
    for name in pairs {
        if let Some(Value::Array(listed)) = fields.get(*name) {
            let map = listed.iter().enumerate().map(|(at, pair)| {
                let (key, value) =
                    pair.as_str().and_then(|pair| pair.split_once('=')).ok_or_else(|| {
                        Error::invalid(&format!("{name}.{at}"), "must be text such as NAME=value")
                    })?;
                Ok((key.to_owned(), json!(value)))
            });
            let map = map.collect::<Result<Map<String, Value>>>()?;
            fields.insert((*name).to_owned(), map.into());
        }
    }
    Ok(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_strict_model_must_fill_may_be_null_or_empty() {
        let input = json!({ "name": "", "cwd": null, "content": "", "paths": [], "count": 0 });
        let kept = json!({ "content": "", "paths": [], "count": 0 });
        assert_eq!(given(input, &[], &["content"]).unwrap(), kept);
        assert_eq!(given(Value::Null, &[], &[]).unwrap(), json!({}));
    }

    #[test]
    fn a_map_may_be_a_list_of_pairs() {
        let env = |env: Value| given(json!({ "env": env }), &["env"], &[]);
        let map = json!({ "env": { "A": "1=2", "B": "" } });
        assert_eq!(env(json!(["A=1=2", "B="])).unwrap(), map);
        assert_eq!(env(map["env"].clone()).unwrap(), map);
        for wrong in [json!(["A"]), json!([1])] {
            let error = env(wrong).unwrap_err();
            assert_eq!(error.details, Some(json!({ "field": "env.0" })));
        }
    }
}
