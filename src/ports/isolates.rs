//! Isolates: where scripts run.

use crate::domain::Result;
use crate::ports::Bytes;
use async_trait::async_trait;

/// The binding that isolates are made through.
pub const LOADER_BINDING: &str = "LOADER";

/// A program for an isolate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// ES modules by name. The first is the main one: its default export has `fetch`.
    pub modules: Vec<(&'static str, String)>,
    /// Whether the program reaches the Internet.
    pub network: bool,
    /// CPU time that the program may use, in milliseconds, where the platform limits it.
    pub cpu_ms: u64,
    /// Requests that the program may make, where the platform limits them.
    pub subrequests: u32,
}

/// Result of starting a program.
pub enum Started {
    /// The program runs, and this is its answer. Cancelling the stream ends the program, except
    /// what it passed to `waitUntil`.
    Running(Bytes),
    /// The program did not start, for example because a module does not compile. The text is for
    /// the program's author.
    Refused(String),
}

/// Makes isolates.
#[async_trait(?Send)]
pub trait Isolates {
    /// Whether the Worker has the binding.
    fn are_available(&self) -> bool;

    /// Starts a program in an isolate of its own, which has no bindings and keeps nothing. The
    /// program's `fetch` gets `input` as the body of a request; the body of its response is the
    /// answer. Both are streamed while the program runs, as fast as they are read.
    ///
    /// If the platform ends the program, its message is the `cause` of the stream's error.
    ///
    /// Dropping the future ends the program.
    ///
    /// # Errors
    /// `NOT_CONFIGURED` without the binding; `UNAVAILABLE` if the platform fails.
    async fn start(&self, program: &Program, input: Bytes) -> Result<Started>;
}
