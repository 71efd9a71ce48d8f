//! The container of one sandbox, and the transfers between it and R2.

use crate::domain::error::Result;
use crate::ports::stream::Bytes;
use async_trait::async_trait;
use std::any::Any;
use std::collections::BTreeMap;

/// How to start the container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartOptions {
    /// Whether it reaches the Internet.
    pub enable_internet: bool,
    /// Its size, where the platform lets the object choose.
    pub instance_type: Option<String>,
}

/// A command to run to its end. No shell is implied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Environment, beside `PATH`.
    pub env: BTreeMap<String, String>,
    /// Working directory; the container's own if none.
    pub cwd: Option<String>,
    /// Bytes for its stdin; closed at once if none.
    pub stdin: Option<Vec<u8>>,
    /// First bytes of stdout, and of stderr, to keep; the rest is read and dropped.
    pub output_max_bytes: usize,
    /// Last bytes of each to keep beside the first. Where something is left out
    /// between them, a line says so: [`Ends`](crate::domain::text::head_and_tail::Ends).
    pub output_tail_bytes: usize,
    /// What of its output counts as content that this isolate holds.
    pub room: Needed,
    /// Time after which it is killed from outside, in milliseconds; a backstop
    /// for commands that bound themselves. None: no limit.
    pub kill_after_ms: Option<u64>,
}

/// Room in an isolate that a command's output needs once a stream is longer
/// than 64 KiB. Without room its output is still read to the end: an engine that
/// can't get rid of it tells the end of no other command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Needed {
    /// What it prints is always little.
    #[default]
    Nothing,
    /// For stdout of a command that can run twice: it runs again once there is
    /// room, or fails with `RATE_LIMITED`.
    Stdout,
    /// For both streams of a caller's command, which runs once: without room
    /// 64 KiB of either end are kept.
    Both,
}

/// What a command left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Exit code.
    pub exit_code: i32,
    /// What was kept of stdout.
    pub stdout: Vec<u8>,
    /// What was kept of stderr.
    pub stderr: Vec<u8>,
    /// Whether stdout was longer.
    pub stdout_truncated: bool,
    /// Whether stderr was longer.
    pub stderr_truncated: bool,
    /// Whether the backstop killed it.
    pub killed: bool,
}

/// What a process did next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    /// It printed to stdout.
    Stdout(Vec<u8>),
    /// It printed to stderr.
    Stderr(Vec<u8>),
    /// Both have ended and so has it, with this exit code. Nothing follows.
    Exited(i32),
}

/// A command that runs while its output is read. One that is dropped runs on,
/// unread: who wants it to end says so in the container.
#[async_trait(?Send)]
pub trait Process {
    /// What happens next. It prints no faster than it is read here.
    ///
    /// A future that is dropped before it is ready has taken nothing.
    async fn next(&mut self) -> Result<Happened>;
}

/// One archive file on the container's disk and the object it goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload<'a> {
    /// File in the container.
    pub path: &'a str,
    /// R2 binding.
    pub binding: &'a str,
    /// Key.
    pub key: &'a str,
    /// Size of the file; the transfer fails if it turns out different.
    pub size_bytes: u64,
    /// SHA-256, which R2 checks.
    pub sha256: [u8; 32],
}

/// The parts of a multipart upload already stored, as R2 wants them back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadedPart {
    /// From 1.
    pub part_number: u16,
    /// As R2 gave it.
    pub etag: String,
}

/// The sandbox's container. Every failure to answer is `UNAVAILABLE`.
#[async_trait(?Send)]
pub trait Container {
    /// Whether it runs.
    fn is_running(&self) -> bool;

    /// Whether a request to it was given up, and it has answered none since.
    fn is_unresponsive(&self) -> bool;

    /// Starts it. Returns before it is ready: the first `run` tells.
    fn start(&self, options: &StartOptions) -> Result<()>;

    /// Keeps it running for `ms` (≤ 6 h) after the object's last activity.
    async fn set_inactivity_timeout(&self, ms: u64) -> Result<()>;

    /// Stops it; its disk is gone. Destroying one that does not run succeeds.
    async fn destroy(&self) -> Result<()>;

    /// Why the container that was started last does not run, in the platform's
    /// own words, if it gave any.
    async fn why_ended(&self) -> Option<String>;

    /// Runs a command to its end.
    async fn run(&self, command: &Command) -> Result<Output>;

    /// Starts a command and returns at once. `output_max_bytes` and
    /// `kill_after_ms` do not apply.
    async fn spawn(&self, command: &Command) -> Result<Box<dyn Process>>;

    /// What a command prints to stdout, as a stream that breaks off where the
    /// command fails. Bytes do not enter WebAssembly memory. Where its
    /// reader is gone, `stop` is run to end it. `held` is dropped at its end.
    async fn read_from(
        &self,
        command: &Command,
        stop: Command,
        held: Box<dyn Any>,
    ) -> Result<Bytes>;

    /// Runs a command to its end whose stdin is a stream. Bytes of one that is
    /// the platform's own do not enter WebAssembly memory. Where a stream breaks
    /// off, the command is ended, or finds its stdin at its end.
    async fn write_to(&self, command: &Command, stdin: Bytes) -> Result<Output>;

    /// Streams a file to R2 as one put. Bytes do not enter WebAssembly memory.
    async fn upload(&self, upload: &Upload<'_>) -> Result<()>;

    /// Begins a multipart upload and returns its id.
    async fn create_multipart(&self, binding: &str, key: &str) -> Result<String>;

    /// Streams `len_bytes` of a file from `offset_bytes` to R2 as one part.
    async fn upload_part(
        &self,
        upload: &Upload<'_>,
        upload_id: &str,
        part_number: u16,
        offset_bytes: u64,
        len_bytes: u64,
    ) -> Result<UploadedPart>;

    /// Completes a multipart upload.
    async fn complete_multipart(
        &self,
        upload: &Upload<'_>,
        upload_id: &str,
        parts: &[UploadedPart],
    ) -> Result<()>;

    /// Streams an object of `size_bytes` into a file of the container.
    ///
    /// # Errors
    /// `SNAPSHOT_GONE` where the object is missing; `RESTORE_FAILED` where the
    /// file did not come out at `size_bytes`.
    async fn download(&self, binding: &str, key: &str, size_bytes: u64, path: &str) -> Result<()>;
}
