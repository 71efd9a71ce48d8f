//! Both ends of the sandbox's RPC, made from the trait.

use crate::domain::arguments::read;
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::json::{read_own, render};
use crate::ports::crossing::Crossing;
use crate::ports::sandbox::{ReadFileResult, SandboxApi};
use crate::ports::stream::Bytes;
use futures::future::LocalBoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::any::{Any, TypeId};
use std::fmt;
use std::mem;

/// Declares a trait, implements it for every [`Transport`], and lists its methods in `METHODS` for
/// the object that serves them.
macro_rules! sandbox_api {
    ($(#[$about:meta])* pub trait $Api:ident {
        $($(#[$doc:meta])* async fn $method:ident(&self $(, $argument:ident: $Type:ty)* $(,)?) -> Result<$Answer:ty>;)*
    }) => {
        $(#[$about])*
        #[async_trait::async_trait(?Send)]
        pub trait $Api {
            $($(#[$doc])* async fn $method(&self $(, $argument: $Type)*) -> Result<$Answer>;)*
        }

        #[async_trait::async_trait(?Send)]
        impl<T: rpc::Transport> $Api for T {
            $(async fn $method(&self $(, $argument: $Type)*) -> Result<$Answer> {
                let arguments = vec![$(rpc::Crosses::send($argument)?),*];
                let method = rpc::published(stringify!($method));
                rpc::Crosses::answer(&method, self.call(&method, arguments).await?)
            })*
        }

        /// All methods.
        pub const METHODS: &[rpc::Method] = &[$(rpc::Method {
            name: stringify!($method),
            parse: |arguments| {
                let mut _arguments = arguments.into_iter();
                $(let $argument = rpc::Crosses::argument(stringify!($argument), _arguments.next())?;)*
                Ok(Box::new(move |sandbox| Box::pin(async move {
                    rpc::Crosses::send(sandbox.$method($($argument),*).await?)
                })))
            },
        }),*];
    };
}
pub(crate) use sandbox_api;

/// Carries calls to a sandbox.
pub trait Transport {
    /// Calls a published method with positional arguments.
    fn call<'a>(
        &'a self,
        method: &'a str,
        arguments: Vec<Crossing>,
    ) -> LocalBoxFuture<'a, Result<Crossing>>;
}

/// A parsed call.
pub type Call = Box<dyn for<'a> FnOnce(&'a dyn SandboxApi) -> LocalBoxFuture<'a, Result<Crossing>>>;

/// A method of a sandbox.
pub struct Method {
    /// Its name in the trait.
    pub name: &'static str,
    /// Parses its positional arguments.
    pub parse: fn(Vec<Crossing>) -> Result<Call>,
}

impl fmt::Debug for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A method's published name, e.g. `readFile` for `read_file`.
#[must_use]
pub fn published(name: &str) -> String {
    let mut upper = false;
    let letter = |letter: char| {
        if mem::replace(&mut upper, letter == '_') {
            return Some(letter.to_ascii_uppercase());
        }
        (letter != '_').then_some(letter)
    };
    name.chars().filter_map(letter).collect()
}

/// A type of arguments and answers.
pub trait Crosses: Sized {
    /// Converts the value. `INTERNAL` if it can't be JSON.
    fn send(self) -> Result<Crossing>;

    /// Parses a caller's argument, or fails with `INVALID_ARGUMENT`.
    fn argument(name: &str, sent: Option<Crossing>) -> Result<Self>;

    /// Parses a method's answer. `INTERNAL` if it has another shape.
    fn answer(method: &str, answered: Crossing) -> Result<Self>;
}

impl Crosses for Bytes {
    fn send(self) -> Result<Crossing> {
        Ok(Crossing::Stream(self))
    }

    fn argument(_name: &str, sent: Option<Crossing>) -> Result<Self> {
        match sent {
            Some(Crossing::Stream(stream)) => Ok(stream),
            _ => Err(Error::invalid("stream", "is missing")),
        }
    }

    fn answer(method: &str, answered: Crossing) -> Result<Self> {
        match answered {
            Crossing::Stream(stream) => Ok(stream),
            Crossing::Value(_) => {
                Err(Error::internal(format!("{method} answered without a stream")))
            }
        }
    }
}

impl<T: Serialize + DeserializeOwned + 'static> Crosses for T {
    /// Moves the content of texts and files instead of copying it.
    fn send(mut self) -> Result<Crossing> {
        let any: &mut dyn Any = &mut self;
        let value = if let Some(text) = any.downcast_mut::<String>() {
            Value::String(mem::take(text))
        } else if let Some(file) = any.downcast_mut::<ReadFileResult>() {
            mem::take(file).into_value()?
        } else {
            render(&self)?
        };
        Ok(Crossing::Value(value))
    }

    /// Options without required fields may be missing or null.
    fn argument(name: &str, sent: Option<Crossing>) -> Result<Self> {
        match sent {
            None | Some(Crossing::Value(Value::Null)) => {
                read(name, json!({})).or_else(|_required| read(name, Value::Null))
            }
            Some(Crossing::Value(value)) => read(name, value),
            Some(Crossing::Stream(_)) => Err(Error::invalid(name, "must not be a stream")),
        }
    }

    /// Ignores the answer if the trait has none: `@cloudflare/sandbox` may send a value.
    fn answer(method: &str, answered: Crossing) -> Result<Self> {
        match answered {
            _ if TypeId::of::<T>() == TypeId::of::<()>() => read_own("an answer", Value::Null),
            Crossing::Value(value) => read_own("an answer", value),
            Crossing::Stream(_) => Err(Error::internal(format!("{method} answered with a stream"))),
        }
    }
}

/// Finds a method by its published name.
///
/// # Errors
/// `UNSUPPORTED` for an unknown name.
pub fn find(name: &str) -> Result<&'static Method> {
    let mut methods = crate::ports::sandbox::METHODS.iter();
    methods.find(|method| published(method.name) == name).ok_or_else(|| {
        Error::new(ErrorCode::Unsupported, format!("the sandbox has no method {name}"))
    })
}
