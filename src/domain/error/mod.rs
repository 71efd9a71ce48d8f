//! The one error type: a stable code, whether to retry, and what the failed call left behind.

pub(crate) mod code;
pub(crate) mod next;

pub use crate::domain::error::code::ErrorCode;
pub use crate::domain::error::next::{Hint, Instruction, Next};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// Result of every operation of the product.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a failed call has left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Nothing has changed.
    None,
    /// The effect holds although the call failed.
    Committed,
    /// Not known here; the message says how to find out.
    Unknown,
}

/// An error for a caller, and its internal cause for the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    /// Stable code.
    pub code: ErrorCode,
    /// What happened, in the caller's terms.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// What the failed call left behind.
    pub outcome: Outcome,
    /// What to do next.
    pub hint: Option<String>,
    /// The hint as a template, if it names operations. Each surface fills in its own names.
    pub next: Option<Box<Instruction>>,
    /// Machine-readable details.
    pub details: Option<Value>,
    /// For the log only; never sent to a caller.
    pub cause: Option<String>,
}

impl Error {
    /// An error of a call that changed nothing, with its code's hint.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            retryable: code.retryable(),
            outcome: Outcome::None,
            hint: Some(code.hint().to_owned()),
            next: None,
            details: None,
            cause: None,
        }
    }

    /// `INVALID_ARGUMENT` about one field.
    #[must_use]
    pub fn invalid(field: &str, problem: impl fmt::Display) -> Self {
        Self::new(ErrorCode::InvalidArgument, format!("{field}: {problem}"))
            .with_details(serde_json::json!({ "field": field }))
    }

    /// A bug. Only the log gets `cause`.
    #[must_use]
    pub fn internal(cause: impl Into<String>) -> Self {
        Self::new(ErrorCode::Internal, "an internal error; the operator finds it in the log")
            .with_outcome(Outcome::Unknown)
            .with_cause(cause)
    }

    /// Replaces the hint: a text that suits every surface, or [`Next`] if it names an operation.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<Hint>) -> Self {
        let Hint { text, next } = hint.into();
        (self.hint, self.next) = (Some(text), next);
        self
    }

    /// Adds a next step after the hint.
    #[must_use]
    pub fn and_then(self, next: Next) -> Self {
        let Instruction { text, mut arguments } = next.into();
        let text = match (&self.next, &self.hint) {
            (Some(first), _) => {
                arguments.extend(first.arguments.clone());
                format!("{}; then {text}", first.text)
            }
            (None, Some(first)) => format!("{first}; then {text}"),
            (None, None) => text,
        };
        self.with_hint(Instruction { text, arguments })
    }

    /// Adds machine-readable details.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// Sets what the failed call left behind.
    #[must_use]
    pub fn with_outcome(mut self, outcome: Outcome) -> Self {
        self.outcome = outcome;
        self
    }

    /// Records the internal cause for the log.
    #[must_use]
    pub fn with_cause(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// The published shape: `{ "error": { code, message, retryable, outcome, hint?, next?, … } }`.
    #[must_use]
    pub fn to_wire(&self) -> ErrorEnvelope {
        ErrorEnvelope {
            error: ErrorBody {
                code: self.code,
                message: self.message.clone(),
                retryable: self.retryable,
                outcome: self.outcome,
                hint: self.hint.clone(),
                next: self.next.as_deref().cloned(),
                details: self.details.clone(),
            },
        }
    }
}

impl fmt::Display for Error {
    /// `CODE: message`, so that the code survives where only the message is passed on.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Error {}

/// The error object of every surface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct ErrorEnvelope {
    /// The error itself.
    pub error: ErrorBody,
}

/// The fields of a published error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct ErrorBody {
    /// Stable code.
    pub code: ErrorCode,
    /// For the caller.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// What the failed call left behind.
    pub outcome: Outcome,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The hint as a template, if it names operations: for programs that have their own names for
    /// operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Instruction>,
    /// Machine-readable details.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

impl From<ErrorBody> for Error {
    fn from(body: ErrorBody) -> Self {
        Self {
            code: body.code,
            message: body.message,
            retryable: body.retryable,
            outcome: body.outcome,
            // Another Worker's object may run a version whose errors have no hints.
            hint: body.hint.or_else(|| Some(body.code.hint().to_owned())),
            next: body.next.map(Box::new),
            details: body.details,
            cause: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_reads_back_as_itself() {
        for code in ErrorCode::ALL {
            assert_eq!(ErrorCode::parse(code.as_str()), Some(code));
            let json = serde_json::to_string(&code).unwrap();
            assert_eq!(json, format!("\"{code}\""));
        }
    }

    #[test]
    fn whatever_fails_says_what_to_do_next() {
        for code in ErrorCode::ALL {
            let error = Error::new(code, "no");
            let hint = error.hint.clone().unwrap();
            assert!(hint.len() > 10 && !hint.ends_with('.'), "{code}: {hint}");
            let sent = ErrorBody { hint: None, ..error.to_wire().error };
            assert_eq!(Error::from(sent).hint, Some(hint), "{code}: also where it came without");
        }
    }

    #[test]
    fn a_hint_may_have_two_steps() {
        let error = || Error::new(ErrorCode::Conflict, "no");
        let lost = |process: &str| Next::ReadKeptOutput { process: process.into() };
        for (first, process) in [("wait".into(), None), (Hint::from(lost("p")), Some("p"))] {
            let both = error().with_hint(first.clone()).and_then(Next::Switch);
            let hint = both.hint.unwrap();
            assert_eq!(hint, format!("{}; then switch to it with setActiveWorkspace", first.text));
            let next = both.next.unwrap();
            assert_eq!(next.to_string(), hint);
            assert_eq!(next.arguments.get("process").map(String::as_str), process);
        }
        let plain = error().with_hint(Next::Switch).with_hint("wait");
        assert_eq!((plain.hint.as_deref(), plain.next), (Some("wait"), None));
    }

    #[test]
    fn error_envelope_format_unchanged() {
        let error = Error::invalid("ttlSeconds", "must be at least 61")
            .with_hint("leave it out for 30 days")
            .with_cause("secret internals");
        assert_eq!(
            serde_json::to_string(&error.to_wire()).unwrap(),
            r#"{"error":{"code":"INVALID_ARGUMENT","message":"ttlSeconds: must be at least 61","retryable":false,"outcome":"none","hint":"leave it out for 30 days","details":{"field":"ttlSeconds"}}}"#
        );
    }
}
