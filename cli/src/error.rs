//! What can go wrong, as the user reads it, and the exit code of each class.

use crate::output::hint::Instruction;
use serde::Deserialize;
use serde_json::Value;
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
    /// The answer is not one of a Snapshotter of this version.
    Answer(String),
    /// A file, or another thing of this machine.
    Local(String),
    /// Whoever read our output has gone. Nobody is left to tell.
    Pipe,
    /// Already told: only the exit code is left.
    Exit(u8),
}

/// The server's error, with the answer in which it came.
#[derive(Debug)]
pub struct ApiError {
    /// What is shown of it.
    pub body: ErrorBody,
    /// The whole answer.
    pub answer: Value,
}

impl ApiError {
    /// Reads an answer. None: it is no error of ours.
    pub fn read(text: &str) -> Option<Self> {
        let answer: Value = serde_json::from_str(text).ok()?;
        let body = Deserialize::deserialize(answer.get("error")?).ok()?;
        Some(Self { body, answer })
    }
}

crate::api::answer! {
    /// The body of every error.
    pub struct ErrorBody { code: String, message: String, hint: Option<String>, next: Option<Instruction>, details: Option<Value> }
}

impl ErrorBody {
    /// What to do next, with this program's commands.
    pub fn hint(&self) -> Option<String> {
        self.next.as_ref().map(Instruction::say).or_else(|| self.hint.clone())
    }
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

    /// A failure to read or write something of this machine.
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
        // The last two mostly mean that a name is misspelled: the server does not say which it is.
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

/// Writing to standard output or standard error.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Error::Pipe
        } else {
            Error::local("writing the output", error)
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
