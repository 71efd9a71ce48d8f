//! A recorded call: callers look up its outcome, and a repetition gets the recorded answer.

pub mod subject;

use crate::domain::json::parse_stored;
use crate::domain::limits::IDEMPOTENCY_KEY_MAX_CHARS;
use crate::domain::time::rfc3339;
use crate::domain::{Error, ErrorBody, ErrorCode, OperationId, Outcome, Result, Rights, Subject};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How long to wait before repeating a call whose first attempt still runs, in milliseconds.
pub const RETRY_AFTER_MS: u64 = 1_000;

/// A caller's key for a call, which makes repeating it safe: 1 to 255 visible ASCII characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Parses a key.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        let fits = (1..=IDEMPOTENCY_KEY_MAX_CHARS).contains(&text.len());
        if fits && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(Self(text.to_owned()));
        }
        Err(Error::invalid(
            "idempotencyKey",
            format!("must be 1 to {IDEMPOTENCY_KEY_MAX_CHARS} visible ASCII characters"),
        ))
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for IdempotencyKey {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<IdempotencyKey> for String {
    fn from(key: IdempotencyKey) -> Self {
        key.0
    }
}

/// The state of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OperationState {
    /// It runs, or is being recovered after a restart.
    Running,
    /// It has a result.
    Succeeded,
    /// It has an error.
    Failed,
    /// The object restarted while it ran; the error says what holds.
    Interrupted,
    /// Its caller gave up.
    Cancelled,
}

impl OperationState {
    /// The state as stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
            Self::Cancelled => "cancelled",
        }
    }

    /// The state of a call that ended with this answer.
    #[must_use]
    pub fn after(answer: &Result<Value>) -> Self {
        match answer {
            Ok(_) => Self::Succeeded,
            Err(error) if error.code == ErrorCode::Aborted => Self::Cancelled,
            Err(_) => Self::Failed,
        }
    }
}

/// Whether repetitions get this answer. A call that changed nothing and failed with a retryable
/// error or `NOT_CONFIGURED` runs again.
#[must_use]
pub fn is_final(answer: &Result<Value>) -> bool {
    let passes = |error: &Error| error.retryable || error.code == ErrorCode::NotConfigured;
    !matches!(answer, Err(error) if passes(error) && error.outcome == Outcome::None)
}

/// A recorded call, from its row.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RecordedCall {
    /// The call's position in the order of the session's calls.
    pub seq: i64,
    /// The call's name.
    pub id: OperationId,
    /// Name of the operation or tool.
    pub op: String,
    /// The idempotency key. Removed when a repetition with this key must run again.
    pub key: Option<String>,
    /// Hash of the whole request. The same key with a different request is refused.
    pub fingerprint: String,
    /// State.
    pub state: OperationState,
    /// The last step that the call began.
    pub step: Option<String>,
    /// What the call makes or changes: the text of a [`Subject`].
    pub subject: Option<String>,
    /// What other callers need to act on the call, as JSON.
    pub rights: String,
    /// When the call began, in milliseconds since the epoch.
    pub started_at_ms: i64,
    /// When the call ended, in milliseconds since the epoch.
    pub ended_at_ms: Option<i64>,
    /// The result or error as JSON, once the call has ended.
    pub answer: Option<String>,
}

impl RecordedCall {
    /// The answer. None while the call runs.
    ///
    /// # Errors
    /// `INTERNAL` if the stored answer does not parse.
    pub fn answer(&self) -> Result<Option<Result<Value>>> {
        let Some(text) = self.answer.as_deref().filter(|_| self.state != OperationState::Running)
        else {
            return Ok(None);
        };
        let what = || format!("answer of operation {}", self.id);
        if self.state == OperationState::Succeeded {
            return Ok(Some(Ok(parse_stored(what(), text)?)));
        }
        let error: ErrorBody = parse_stored(what(), text)?;
        Ok(Some(Err(error.into())))
    }

    /// What the call makes or changes, if recorded.
    ///
    /// # Errors
    /// `INTERNAL` if this version does not know the subject.
    pub fn subject(&self) -> Result<Option<Subject>> {
        self.subject.as_deref().map(str::parse).transpose()
    }

    /// The call as callers see it.
    ///
    /// # Errors
    /// As [`Self::answer`].
    pub fn view(&self) -> Result<OperationView> {
        let (result, error) = match self.answer()? {
            Some(Ok(value)) => (Some(value), None),
            Some(Err(error)) => (None, Some(error.to_wire().error)),
            None => (None, None),
        };
        Ok(OperationView { step: self.step.clone(), result, error, ..self.state() })
    }

    /// What others need to cancel the call, repeat it or see its record.
    ///
    /// # Errors
    /// `INTERNAL` if the store is damaged.
    pub fn rights(&self) -> Result<Rights> {
        parse_stored(format!("rights of operation {}", self.id), &self.rights)
    }

    /// The call without step, result and error, for callers who may not see more.
    #[must_use]
    pub fn state(&self) -> OperationView {
        OperationView {
            id: self.id.clone(),
            op: self.op.clone(),
            state: self.state,
            step: None,
            started_at: rfc3339(self.started_at_ms),
            ended_at: self.ended_at_ms.map(rfc3339),
            result: None,
            error: None,
        }
    }

    /// The call without its result, for lists.
    ///
    /// # Errors
    /// As [`Self::answer`].
    pub fn summary(&self) -> Result<OperationView> {
        Ok(OperationView { result: None, ..self.view()? })
    }

    /// The error for a repetition while the first call still runs.
    #[must_use]
    pub fn still_running(&self) -> Error {
        let mut error = Error::new(
            ErrorCode::Conflict,
            format!("the first call with this idempotency key, {}, is still running", self.id),
        )
        .with_hint("wait and repeat it, or look at the operation")
        .with_details(json!({ "operationId": self.id, "retryAfterMs": RETRY_AFTER_MS }));
        error.retryable = true;
        error
    }
}

/// A recorded call as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OperationView {
    /// Its name.
    pub id: OperationId,
    /// Name of the operation or tool.
    pub op: String,
    /// Its state.
    pub state: OperationState,
    /// The step that it last began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// RFC 3339.
    pub started_at: String,
    /// RFC 3339, once it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// What the call answered, if it succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorBody>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_visible_and_bounded() {
        for good in ["a", "\"8e03978e-40d5\"", &"~".repeat(255)] {
            assert!(IdempotencyKey::parse(good).is_ok(), "{good}");
        }
        for bad in ["", " ", "a b", "\u{e9}", "a\n", &"a".repeat(256)] {
            assert!(IdempotencyKey::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn what_may_pass_and_changed_nothing_is_not_remembered() {
        let error = |code, outcome| Err(Error::new(code, "").with_outcome(outcome));
        assert!(is_final(&Ok(Value::Null)));
        assert!(is_final(&error(ErrorCode::Conflict, Outcome::None)));
        assert!(is_final(&error(ErrorCode::Unavailable, Outcome::Unknown)));
        assert!(!is_final(&error(ErrorCode::Unavailable, Outcome::None)));
        assert!(!is_final(&error(ErrorCode::NotConfigured, Outcome::None)));
    }
}
