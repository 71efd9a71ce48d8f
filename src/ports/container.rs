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
    /// Size of the container, if the platform lets the object choose it.
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
    /// Bytes for its stdin. None: stdin is closed at once.
    pub stdin: Option<Vec<u8>>,
    /// How many first bytes of stdout, and of stderr, to keep. The rest is read
    /// and dropped.
    pub output_max_bytes: usize,
    /// How many last bytes of each stream to keep as well. A line marks a gap between the first and
    /// the last bytes: [`Ends`](crate::domain::text::tail::Ends).
    pub output_tail_bytes: usize,
    /// Which output counts against the isolate's budget for content.
    pub room: Needed,
    /// Milliseconds after which the command is killed from outside. A backstop for commands that
    /// bound their own time. None: no limit.
    pub kill_after_ms: Option<u64>,
}

/// Room in the isolate's budget that a command's output needs once a stream is
/// longer than 64 KiB. Without room the output is still read to its end: a
/// container engine with unread output does not report the end of any other
/// command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Needed {
    /// The command always prints little.
    #[default]
    Nothing,
    /// For stdout of a command that can run twice. Without room it runs again
    /// once there is room, or fails with `RATE_LIMITED`.
    Stdout,
    /// For both streams of a caller's command, which runs once. Without room, 64 KiB of each end
    /// are kept.
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

/// An event of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    /// The process printed to stdout.
    Stdout(Vec<u8>),
    /// The process printed to stderr.
    Stderr(Vec<u8>),
    /// Both streams and the process have ended, with this exit code. Nothing
    /// follows.
    Exited(i32),
}

/// A command that runs while its output is read. Dropping it does not end it: the
/// command runs on, unread. To end it, run another command in the container.
#[async_trait(?Send)]
pub trait Process {
    /// Waits for the next event. The command can't print faster than the caller reads.
    ///
    /// Dropping the future before it is ready loses no event.
    async fn next(&mut self) -> Result<Happened>;
}

/// Outcome of a command that may offer a file.
pub enum Offered {
    /// The command has ended without an offer.
    Ended(Output),
    /// The command printed this, up to an empty line, and waits for a decision about its file.
    File(Vec<u8>, Box<dyn Offer>),
}

/// A command that has made a file and reads one line: after `send` it removes the file's
/// name and prints its bytes; after `drop` it removes the file; at the end of its stdin it
/// leaves the file. Dropping this ends the command.
#[async_trait(?Send)]
pub trait Offer {
    /// Streams the file to R2 in one put. Its bytes do not enter WebAssembly memory.
    /// Returns what the command printed to stderr.
    async fn upload(self: Box<Self>, upload: &Upload<'_>) -> Result<Vec<u8>>;

    /// Leaves the file, and waits for the command's end. Returns what the command printed to
    /// stderr.
    async fn keep(self: Box<Self>) -> Result<Vec<u8>>;

    /// Has the command remove the file, and does not wait for that.
    fn discard(self: Box<Self>);
}

/// A program on a terminal of its own. It runs until it ends or is hung up, whether or not
/// anybody reads what it prints.
#[async_trait(?Send)]
pub trait Terminal {
    /// Reads the output so far.
    fn read(&self, read: &mut dyn FnMut(&Printed));

    /// The program's exit code, once it has ended and all of its output is read.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the program has ended and the container does not report its exit code.
    fn exit_code(&self) -> Option<Result<i32>>;

    /// Waits until the program has printed more than `position` bytes in total, or has ended, or
    /// [`Self::wake`] is called.
    async fn changed(&self, position: u64);

    /// Ends each wait in [`Self::changed`].
    fn wake(&self);

    /// Types bytes. Resolves once the terminal has taken them.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the program has ended.
    async fn write(&self, bytes: &[u8]) -> Result<()>;

    /// Hangs up after `ms`, at once for 0: tells the program that its viewer is gone, and kills the
    /// program if it does not end. Calling this again sets another time.
    fn hang_up_in(&self, ms: u64);

    /// Cancels a hang-up that has not come yet.
    fn keep(&self);
}

/// An archive file on the container's disk, and its destination in R2.
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

/// An object in R2, of a known size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredObject {
    /// Key.
    pub key: String,
    /// Size in bytes.
    pub size_bytes: u64,
}

/// A stored part of a multipart upload, as R2 wants it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadedPart {
    /// Number of the part, from 1.
    pub part_number: u16,
    /// ETag of the part, as R2 returned it.
    pub etag: String,
}

/// The sandbox's container. If it does not respond, every method fails with
/// `UNAVAILABLE`.
#[async_trait(?Send)]
pub trait Container {
    /// Whether the container runs.
    fn is_running(&self) -> bool;

    /// Whether a request to the container timed out, and the container has not responded since.
    fn is_unresponsive(&self) -> bool;

    /// Has the platform pass requests that leave the container to us. May be called before its
    /// start and while it runs. An interception lasts until the container ends. If the Internet is
    /// off, connections that are not intercepted end at once.
    async fn intercept(&self, interception: &Interception) -> Result<()>;

    /// Starts the container. Returns before it is ready; it is ready once a `run`
    /// succeeds.
    fn start(&self, options: &StartOptions) -> Result<()>;

    /// The name of the container's image, if the platform has names for images.
    fn image(&self) -> Option<String>;

    /// Keeps the container running for `ms` (≤ 6 h) after the object's last activity.
    async fn set_inactivity_timeout(&self, ms: u64) -> Result<()>;

    /// Stops the container. Its disk is lost. Destroying a stopped container succeeds.
    async fn destroy(&self) -> Result<()>;

    /// Why the last started container does not run, in the platform's own words,
    /// if it gave any.
    async fn why_ended(&self) -> Option<String>;

    /// Runs a command to its end.
    async fn run(&self, command: &Command) -> Result<Output>;

    /// Runs a command until it ends or offers a file.
    async fn offer(&self, command: &Command) -> Result<Offered>;

    /// Starts a command and returns at once. `output_max_bytes` and
    /// `kill_after_ms` do not apply.
    async fn spawn(&self, command: &Command) -> Result<Box<dyn Process>>;

    /// Starts a command on a terminal of its own. Its stdin is the terminal's input;
    /// `output_max_bytes` and `kill_after_ms` do not apply.
    async fn open_terminal(&self, command: &Command) -> Result<Rc<dyn Terminal>>;

    /// Streams a command's stdout. The stream breaks off if the command fails.
    /// Its bytes do not enter WebAssembly memory. If the reader goes away, `stop`
    /// runs to end the command. `held` is dropped when the stream ends.
    async fn read_from(
        &self,
        command: &Command,
        stop: Command,
        held: Box<dyn Any>,
    ) -> Result<Bytes>;

    /// Runs a command to its end, with a stream as its stdin. Bytes of the
    /// platform's own streams do not enter WebAssembly memory. If the stream
    /// breaks off, the command is ended or its stdin is closed.
    async fn write_to(&self, command: &Command, stdin: Bytes) -> Result<Output>;

    /// Runs a command to its end. Its stdin is the objects, one after the other. Their
    /// bytes do not enter WebAssembly memory. The command checks their sizes.
    ///
    /// # Errors
    /// `SNAPSHOT_GONE` if an object is missing; `RESTORE_FAILED` if one breaks off; both
    /// with outcome `none`, as the command has been ended before it got all.
    async fn run_with_objects(
        &self,
        command: &Command,
        binding: &str,
        objects: &[StoredObject],
    ) -> Result<Output>;

    /// Streams a file to R2 in one put. Its bytes do not enter WebAssembly
    /// memory.
    async fn upload(&self, upload: &Upload<'_>) -> Result<()>;

    /// Begins a multipart upload and returns its id.
    async fn create_multipart(&self, binding: &str, key: &str) -> Result<String>;

    /// Streams `len_bytes` of a file, from `offset_bytes` on, to R2 as one part.
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
    /// `SNAPSHOT_GONE` if the object is missing; `RESTORE_FAILED` if the file's
    /// size is not `size_bytes`.
    async fn download(&self, binding: &str, key: &str, size_bytes: u64, path: &str) -> Result<()>;
}
