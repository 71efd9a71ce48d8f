//! The container of one sandbox, and the transfers between it and R2.

use crate::domain::Result;
use crate::domain::egress::Interception;
use crate::domain::exec::terminal::Printed;
use crate::ports::Bytes;
use async_trait::async_trait;
use std::any::Any;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How to start the container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartOptions {
    /// Whether the container reaches the Internet.
    pub enable_internet: bool,
    /// Size of the container, where the platform lets the object choose.
    pub instance_type: Option<String>,
}

/// A command to run, without a shell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// Environment, in addition to `PATH`.
    pub env: BTreeMap<String, String>,
    /// Working directory. Default: the container's own.
    pub cwd: Option<String>,
    /// Bytes for stdin. None: it is closed at once.
    pub stdin: Option<Vec<u8>>,
    /// How many first bytes of each stream to keep. The rest is read and dropped.
    pub output_max_bytes: usize,
    /// How many last bytes of each stream to keep. A line marks the gap:
    /// [`Ends`](crate::domain::text::tail::Ends).
    pub output_tail_bytes: usize,
    /// Which output counts against the isolate's budget.
    pub room: Needed,
    /// Milliseconds until the command is killed from outside, if its own limit fails. None: never.
    pub kill_after_ms: Option<u64>,
}

/// Room in the isolate's budget for output beyond 64 KiB of a stream. Without room, the output is
/// still read: a container engine with unread output reports the end of no other command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Needed {
    /// It always prints little.
    #[default]
    Nothing,
    /// For stdout of a command that can run twice. Without room: later, or `RATE_LIMITED`.
    Stdout,
    /// For both streams of a caller's command. Without room, keeps 64 KiB of each end.
    Both,
}

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Exit code.
    pub exit_code: i32,
    /// The kept part of stdout.
    pub stdout: Vec<u8>,
    /// The kept part of stderr.
    pub stderr: Vec<u8>,
    /// Whether stdout was longer.
    pub stdout_truncated: bool,
    /// Whether stderr was longer.
    pub stderr_truncated: bool,
    /// Whether the backstop killed the command.
    pub killed: bool,
}

/// What a process did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    /// The process printed to stdout.
    Stdout(Vec<u8>),
    /// The process printed to stderr.
    Stderr(Vec<u8>),
    /// Both streams and the process have ended. Nothing follows.
    Exited(i32),
}

/// A running command whose output is read. Dropping it does not end the command, which runs on,
/// unread. Another command in the container can end it.
#[async_trait(?Send)]
pub trait Process {
    /// Waits for the next event. The command prints no faster than the caller reads. Dropping the
    /// future before it is ready loses no event.
    async fn next(&mut self) -> Result<Happened>;
}

/// What a command did that may offer a file.
pub enum Offered {
    /// The command has ended without an offer.
    Ended(Output),
    /// It printed this, up to an empty line, and waits for a decision about its file.
    File(Vec<u8>, Box<dyn Offer>),
}

/// A command that has made a file and reads one line: after `send` it prints the file and removes
/// its name; after `drop` it removes the file; at stdin's end it leaves it. Dropping this ends it.
#[async_trait(?Send)]
pub trait Offer {
    /// Streams the file to R2 in one put, outside WebAssembly memory. Returns the command's stderr.
    async fn upload(self: Box<Self>, upload: &Upload<'_>) -> Result<Vec<u8>>;

    /// Leaves the file and waits for the command's end. Returns its stderr.
    async fn keep(self: Box<Self>) -> Result<Vec<u8>>;

    /// Has the command remove the file, without waiting for that.
    fn discard(self: Box<Self>);
}

/// A program on a terminal of its own. It runs until it ends or is hung up, read or not.
#[async_trait(?Send)]
pub trait Terminal {
    /// Reads the output so far.
    fn read(&self, read: &mut dyn FnMut(&Printed));

    /// The exit code, once the program has ended and its output is read. `UNAVAILABLE` if the
    /// container does not report one.
    fn exit_code(&self) -> Option<Result<i32>>;

    /// Waits for more than `position` printed bytes in total, the program's end, or [`Self::wake`].
    async fn changed(&self, position: u64);

    /// Ends all waits in [`Self::changed`].
    fn wake(&self);

    /// Types bytes. Resolves once the terminal has them. `UNAVAILABLE` if the program has ended.
    async fn write(&self, bytes: &[u8]) -> Result<()>;

    /// Hangs up in `ms`: signals the program, and kills it if it does not end. A later call replaces
    /// an earlier one.
    fn hang_up_in(&self, ms: u64);

    /// Cancels a future hang-up.
    fn keep(&self);
}

/// An archive on the container's disk, and its destination in R2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload<'a> {
    /// File in the container.
    pub path: &'a str,
    /// R2 binding.
    pub binding: &'a str,
    /// Key.
    pub key: &'a str,
    /// Size of the file. The transfer fails at another one.
    pub size_bytes: u64,
    /// Checked by R2.
    pub sha256: [u8; 32],
}

/// An object of known size in R2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredObject {
    /// Key.
    pub key: String,
    /// Size in bytes.
    pub size_bytes: u64,
}

/// A stored part of a multipart upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadedPart {
    /// Number of the part, from 1.
    pub part_number: u16,
    /// ETag of the part, as R2 returned it.
    pub etag: String,
}

/// The sandbox's container. All methods fail with `UNAVAILABLE` if it does not respond.
#[async_trait(?Send)]
pub trait Container {
    /// Whether the container runs.
    fn is_running(&self) -> bool;

    /// Whether a request timed out, and the container has not responded since.
    fn is_unresponsive(&self) -> bool;

    /// Intercepts requests that leave the container, from its start or from now on, until it ends.
    /// If the Internet is off, other connections end at once.
    async fn intercept(&self, interception: &Interception) -> Result<()>;

    /// Starts the container, and returns before it is ready: when a `run` succeeds.
    fn start(&self, options: &StartOptions) -> Result<()>;

    /// The image's name, if the platform has one.
    fn image(&self) -> Option<String>;

    /// Keeps it running for `ms` (≤ 6 h) after the object's last activity.
    async fn set_inactivity_timeout(&self, ms: u64) -> Result<()>;

    /// Stops the container, if it runs. Its disk is lost.
    async fn destroy(&self) -> Result<()>;

    /// Why the last started container does not run, in the platform's words, if any.
    async fn why_ended(&self) -> Option<String>;

    /// Runs a command to its end.
    async fn run(&self, command: &Command) -> Result<Output>;

    /// Runs a command until it ends or offers a file.
    async fn offer(&self, command: &Command) -> Result<Offered>;

    /// Starts a command and returns at once. Ignores `output_max_bytes` and `kill_after_ms`.
    async fn spawn(&self, command: &Command) -> Result<Box<dyn Process>>;

    /// Starts a command on a terminal, its stdin. Ignores `output_max_bytes` and `kill_after_ms`.
    async fn open_terminal(&self, command: &Command) -> Result<Rc<dyn Terminal>>;

    /// Streams a command's stdout, outside WebAssembly memory. The stream breaks off if the command
    /// fails. If its reader goes away, `stop` runs to end the command. Drops `held` at its end.
    async fn read_from(
        &self,
        command: &Command,
        stop: Command,
        held: Box<dyn Any>,
    ) -> Result<Bytes>;

    /// Runs a command to its end, with a stream as its stdin. The platform's streams stay outside
    /// WebAssembly memory. If the stream breaks off, the command is ended or its stdin closed.
    async fn write_to(&self, command: &Command, stdin: Bytes) -> Result<Output>;

    /// Runs a command to its end, with the objects, one after the other, as its stdin, outside
    /// WebAssembly memory. The command checks their sizes. `SNAPSHOT_GONE` if one is missing,
    /// `RESTORE_FAILED` if one breaks off; then the command was ended early, with outcome `none`.
    async fn run_with_objects(
        &self,
        command: &Command,
        binding: &str,
        objects: &[StoredObject],
    ) -> Result<Output>;

    /// Streams a file to R2 in one put, outside WebAssembly memory.
    async fn upload(&self, upload: &Upload<'_>) -> Result<()>;

    /// Begins a multipart upload and returns its id.
    async fn create_multipart(&self, binding: &str, key: &str) -> Result<String>;

    /// Streams `len_bytes` of a file, from `offset_bytes` on, to R2 as a part.
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

    /// Streams an object into a file. `SNAPSHOT_GONE` if it is missing, `RESTORE_FAILED` if the
    /// file's size is not `size_bytes`.
    async fn download(&self, binding: &str, key: &str, size_bytes: u64, path: &str) -> Result<()>;
}
