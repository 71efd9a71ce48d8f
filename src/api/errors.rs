//! Errors that other objects throw: ours, and the runtime's own.

use crate::domain::json::read_own;
use crate::domain::{Error, ErrorBody, ErrorCode, Outcome};
use serde_json::Value;

/// The readable parts of an error that a remote call threw.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RemoteError {
    /// `message`.
    pub message: String,
    /// Those of `code`, `retryable`, `outcome`, `hint`, `next` and `details` that the error has.
    pub properties: Value,
}

impl From<RemoteError> for Error {
    /// Our own errors go to the caller, but not to the log: they may repeat the caller's text, and
    /// the other object has logged the cause. A runtime error's message goes only to the log.
    fn from(remote: RemoteError) -> Self {
        ours(&remote).unwrap_or_else(|| of_runtime(&remote).with_cause(remote.message))
    }
}

/// Reads an error of ours from its properties. A runtime with a compatibility date before
/// 2026-04-21 drops them, but the message still begins with the code.
fn ours(remote: &RemoteError) -> Option<Error> {
    let (code, text) = remote.message.split_once(": ")?;
    let code = ErrorCode::parse(code)?;
    let mut properties = remote.properties.clone();
    if let Some(fields) = properties.as_object_mut() {
        fields.insert("message".to_owned(), text.into());
        fields.insert("code".to_owned(), code.as_str().into());
        if let Ok(body) = read_own::<ErrorBody>("an error", properties) {
            return Some(body.into());
        }
    }
    Some(Error::new(code, text).with_outcome(Outcome::Unknown))
}

fn of_runtime(remote: &RemoteError) -> Error {
    let says = |phrase: &str| remote.message.contains(phrase);
    if says("does not implement the method") || says("is not a function") {
        return Error::new(
            ErrorCode::Unsupported,
            "the bound object has no such method: it has another class, or another version of it",
        );
    }
    // Messages of workerd when the other object restarts or its machine is lost.
    let interrupted = [
        "Durable Object reset",
        "Durable Object storage",
        "Network connection lost",
        "code was updated",
        "exceeded its memory limit",
        "disconnected",
        "Internal error in Durable Object",
    ];
    if interrupted.into_iter().any(says) {
        return Error::new(
            ErrorCode::Interrupted,
            "the object that does the work restarted mid-way",
        )
        .with_outcome(Outcome::Unknown)
        .with_hint("check the current state, then try again");
    }
    Error::internal(String::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(message: &str, properties: Value) -> Error {
        RemoteError { message: message.into(), properties }.into()
    }

    #[test]
    fn ours_survive_whole_and_by_message_alone() {
        let sent = Error::new(ErrorCode::WorkspaceLost, "the files are gone").with_hint("restore");
        let properties = json!({ "retryable": false, "outcome": "none", "hint": "restore" });
        let whole = read(&sent.to_string(), properties);
        assert_eq!(whole, sent, "and nothing of it goes to the log");
        let bare = read(&sent.to_string(), json!({}));
        assert_eq!(
            (bare.code, bare.message.as_str()),
            (ErrorCode::WorkspaceLost, "the files are gone")
        );
        assert_eq!(bare.outcome, Outcome::Unknown);
    }

    #[test]
    fn what_the_runtime_says_is_understood() {
        for (message, code) in [
            (
                "The RPC receiver does not implement the method \"isRunning\".",
                ErrorCode::Unsupported,
            ),
            ("Network connection lost.", ErrorCode::Interrupted),
            ("boom", ErrorCode::Internal),
        ] {
            let error = read(message, Value::Null);
            assert_eq!(error.code, code, "{message}");
            assert!(!error.message.contains(message), "internals stay in the log");
        }
    }
}
