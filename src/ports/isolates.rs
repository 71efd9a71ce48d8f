//! Isolates: where scripts run.

use crate::domain::Result;
use crate::ports::Bytes;
use async_trait::async_trait;

/// The binding that makes isolates.
pub const LOADER_BINDING: &str = "LOADER";

/// A program for an isolate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// ES modules by name. The first is the main one, whose default export has `fetch`.
    pub modules: Vec<(&'static str, String)>,
    /// Whether the program reaches the Internet.
    pub network: bool,
    /// CPU time in milliseconds, where the platform limits it.
    pub cpu_ms: u64,
    /// Maximum requests, where the platform limits them.
    pub subrequests: u32,
}

/// Result of starting a program.
pub enum Started {
    /// It runs, and this is its answer. Cancelling the stream ends it, except for `waitUntil`.
    Running(Bytes),
    /// It did not start, e.g. because a module does not compile. The text is for its author.
    Refused(String),
}

/// Makes isolates.
#[async_trait(?Send)]
pub trait Isolates {
    /// Whether the Worker has the binding.
    fn are_available(&self) -> bool;

    /// Starts a program in an isolate of its own, which has no bindings and keeps nothing. Its
    /// `fetch` gets `input` as a request's body, and its response's body is the answer. Both are
    /// streamed as fast as they are read. Dropping the future ends the program.
    ///
    /// If the platform ends the program, its message is the `cause` of the stream's error.
    /// `NOT_CONFIGURED` without the binding, `UNAVAILABLE` if the platform fails.
    async fn start(&self, program: &Program, input: Bytes) -> Result<Started>;
}
