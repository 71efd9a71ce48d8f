//! What can go wrong, in words for the user, and the exit code of each class.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;

/// An error of this program or of the server.
#[derive(Debug)]
pub enum Error {
    /// The command line or a setting is wrong.
    Usage(String),
    /// The server refused or failed the call. Keeps the whole answer.
    Api(Box<ApiError>),
    /// The server could not be reached, or the connection broke.
    Network(String),
    /// The answer does not come from a Snapshotter of this version.
    Answer(String),
    /// A file or something else on this machine failed.
    Local(String),
    /// The reader of our output has gone, so no message can reach it.
    Pipe,
    /// The error was already printed: only the exit code is left.
    Exit(u8),
}

/// The server's error, with the whole answer.
#[derive(Debug)]
pub struct ApiError {
    /// The part of the answer that is shown.
    pub body: ErrorBody,
    /// The whole answer.
    pub answer: Value,
}

impl ApiError {
    /// Reads an answer. None if it is not an error of a Snapshotter.
    pub fn read(text: &str) -> Option<Self> {
        let answer: Value = serde_json::from_str(text).ok()?;
        let body = Deserialize::deserialize(answer.get("error")?).ok()?;
        Some(Self { body, answer })
    }
}

/// The body of every error. `api::answer` checks that the fields are published.
#[derive(Debug, Clone, Deserialize)]
pub struct ErrorBody {
    pub code: String,
    pub message: String,
    pub hint: Option<String>,
    pub next: Option<Instruction>,
    pub details: Option<Value>,
}

/// A hint as a template.
#[derive(Debug, Clone, Deserialize)]
pub struct Instruction {
    pub text: String,
    pub arguments: Option<BTreeMap<String, String>>,
}

/// Exit code for a wrong command line, or an argument that the server refuses.
pub const USAGE: u8 = 2;
const NOT_FOUND: u8 = 3;
const CONFLICT: u8 = 4;
const ACCESS: u8 = 5;
const LIMIT: u8 = 6;
const UNAVAILABLE: u8 = 7;
const OTHER: u8 = 1;

/// The exit codes, for `--help`, the man page and the README.
pub const EXIT_CODES: &str = "\
Exit codes:
  0    success
  1    any other failure; `grep`: nothing found; `diff --exit-code`: there are changes; `script`: it failed
  2    wrong usage, or the server refuses an argument
  3    not found, expired, deleted, or not this session's
  4    conflict with the present state
  5    no access: the token is missing, wrong or lacks a scope
  6    a limit: too large, too many, too often
  7    the server can't be reached or is unavailable; calling again may help
  N    `run`, `shell`, `contexts run`: the exit code of the command or the code
  128+N  ended by signal N, for example 130 after Ctrl-C";

impl Error {
    /// The exit code for this error's class.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Usage(_) => USAGE,
            Error::Api(error) => exit_code_of(&error.body.code),
            Error::Network(_) => UNAVAILABLE,
            Error::Answer(_) | Error::Local(_) => OTHER,
            Error::Pipe => 128 + 13,
            Error::Exit(code) => *code,
        }
    }

    /// A failure to read or write something on this machine.
    pub fn local(what: impl std::fmt::Display, error: impl std::fmt::Display) -> Self {
        Error::Local(format!("{what}: {error}"))
    }

    /// Whether the server answered with this code.
    pub fn is_code(&self, code: &str) -> bool {
        matches!(self, Error::Api(error) if error.body.code == code)
    }
}

fn exit_code_of(code: &str) -> u8 {
    match code {
        "INVALID_ARGUMENT" => USAGE,
        // These two mostly mean that a name is misspelled: the server does not say which.
        "NOT_FOUND"
        | "SNAPSHOT_EXPIRED"
        | "SNAPSHOT_GONE"
        | "SNAPSHOT_NOT_OWNED"
        | "WORKSPACE_NOT_OWNED" => NOT_FOUND,
        "CONFLICT" | "PRECONDITION_FAILED" => CONFLICT,
        "UNAUTHENTICATED" | "FORBIDDEN" | "CROSS_SESSION_DISABLED" => ACCESS,
        "TOO_LARGE" | "QUOTA_EXCEEDED" | "RATE_LIMITED" => LIMIT,
        "WORKSPACE_LOST" | "NOT_CONFIGURED" | "UNAVAILABLE" | "INTERRUPTED" => UNAVAILABLE,
        _ => OTHER,
    }
}

/// A failure to write to standard output or standard error.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // If a socket's reader closes it with unread output, the connection is reset.
            io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => Error::Pipe,
            _ => Error::local("writing the output", error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_published_code_has_a_class() {
        // Codes that mean neither a wrong call nor a state that the user can change.
        let others =
            ["ABORTED", "UNSUPPORTED", "BACKUP_FAILED", "RESTORE_FAILED", "INTEGRITY", "INTERNAL"];
        let published = crate::api::operations::values::ErrorCode;
        assert!(published.len() > 20);
        for code in published {
            assert_eq!(exit_code_of(code) == OTHER, others.contains(code), "{code}");
        }
    }
}
