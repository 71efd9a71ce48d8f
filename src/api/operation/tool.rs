//! A tool of a model, and its erased form.

#[cfg(all(test, schemas))]
use crate::api::schema::shape::Shape;
use crate::api::schema::shape::Shaped;
use crate::domain::arguments::read;
use crate::domain::error::Result;
use crate::domain::json::render;
use crate::session::{Abort, Session};
use futures::future::LocalBoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::json;

/// What every tool gets.
pub struct ToolCall<'a> {
    /// The session whose tool it is.
    pub session: &'a Session,
    /// Its caller's signal, and where its progress goes.
    pub abort: &'a Abort,
}

/// One tool: what of an operation a model may set, and how it calls the verb.
pub trait ToolKind: 'static {
    /// What the model sends.
    type Input: DeserializeOwned + Shaped;

    /// What it gets.
    type Output: Serialize + Shaped;

    /// Name, as `catalogue.json` describes it.
    const TOOL: &'static str;

    /// Its answer as JSON.
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
pub struct ToolEntry {
    /// Its name.
    pub name: &'static str,
    pub(crate) check: fn(Value) -> Result<()>,
    pub(crate) serve: Serve,
    #[cfg(all(test, schemas))]
    pub(crate) input: Shape,
    #[cfg(all(test, schemas))]
    pub(crate) output: Shape,
}

impl ToolEntry {
    /// The entry of a tool.
    #[must_use]
    pub const fn of<T: ToolKind>() -> &'static Self {
        const {
            &Self {
                name: T::TOOL,
                check: check::<T>,
                serve: serve::<T>,
                #[cfg(all(test, schemas))]
                input: <T::Input as Shaped>::SHAPE,
                #[cfg(all(test, schemas))]
                output: <T::Output as Shaped>::SHAPE,
            }
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
        .map_err(|error| error.with_hint("correct it after the tool's input schema"))
}
