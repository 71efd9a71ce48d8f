//! What a row of the table says.

use super::request::Asked;
use crate::domain::error::{ErrorCode, Result};
use crate::surface::operation::Operation;
use serde_json::Value;

/// The methods that routes have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// Reads.
    Get,
    /// Creates, or does.
    Post,
    /// Sets; again changes nothing.
    Put,
    /// Sets what it names and leaves the rest.
    Patch,
    /// Removes; again succeeds.
    Delete,
}

impl Verb {
    /// As requests spell it.
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

/// A query parameter.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// Its name, which is the argument's.
    pub name: &'static str,
    /// What it may be.
    pub kind: ParamKind,
    /// For people.
    pub description: &'static str,
}

/// What a query parameter may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// `true` or `false`.
    Flag,
    /// A whole number from 0 to this.
    Count {
        /// Largest.
        max: u32,
    },
    /// Text of at most so many bytes.
    Text {
        /// Most bytes.
        max: usize,
    },
    /// The same, any number of times.
    Texts {
        /// Most bytes of each.
        max: usize,
    },
}

/// Who answers, and how the request is understood.
#[derive(Clone, Copy)]
pub enum Serve {
    /// The session's object, by an operation.
    Session(fn(&Asked<'_>) -> Result<Operation>),
    /// The session's object, in its own protocol: see `surface::mcp`.
    Mcp,
}

impl std::fmt::Debug for Serve {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Session(_) => "Session",
            Self::Mcp => "Mcp",
        })
    }
}

/// A type whose JSON a route takes or gives.
pub trait Shaped {}

impl<T: ?Sized> Shaped for T {}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// Method.
    pub verb: Verb,
    /// Path, with `{parameters}`.
    pub path: &'static str,
    /// Name of the route, unique: OpenAPI's `operationId`.
    pub id: &'static str,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// What else to know of it.
    pub description: &'static str,
    /// Query parameters. All others are refused.
    pub query: &'static [Param],
    /// Whether it takes a body.
    pub takes_body: bool,
    /// Status of success.
    pub status: u16,
    /// Where what it created is found, under `/v1/sessions/{session}`.
    pub location: Option<fn(&Value) -> Option<String>>,
    /// Error codes that are particular to it.
    pub errors: &'static [ErrorCode],
    /// Can be cancelled, by the name in the header `Operation-Id`.
    pub cancellable: bool,
    /// Who answers.
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
            takes_body: false,
            status: 200,
            location: None,
            errors: &[],
            cancellable: false,
            serve: Serve::Session(operation),
        }
    }

    /// Served otherwise than by one operation.
    #[must_use]
    pub const fn served(mut self, serve: Serve) -> Self {
        self.serve = serve;
        self
    }

    /// Says more.
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

    /// Takes a JSON object of this type as its body; none at all is `{}`.
    #[must_use]
    pub const fn takes<T: Shaped>(mut self) -> Self {
        self.takes_body = true;
        self
    }

    /// Answers this type.
    #[must_use]
    pub const fn answers<T: Shaped>(self) -> Self {
        self
    }

    /// Creates what is then found at a path of the session.
    #[must_use]
    pub const fn creates(mut self, location: fn(&Value) -> Option<String>) -> Self {
        self.status = 201;
        self.location = Some(location);
        self
    }

    /// Can fail with these, beside what every route can.
    #[must_use]
    pub const fn errors(mut self, errors: &'static [ErrorCode]) -> Self {
        self.errors = errors;
        self
    }

    /// Can be cancelled.
    #[must_use]
    pub const fn cancellable(mut self) -> Self {
        self.cancellable = true;
        self
    }

    /// The values of the parameters in the path, if it is this route's.
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
