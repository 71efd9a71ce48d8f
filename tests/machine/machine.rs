//! [`Container`] on this machine. Scripts run for real, on a directory in place of
//! the sandbox's own one, and on the paths that a test gives.

use crate::support::bucket::{MemoryBucket, OneBucket};
use crate::support::container::MemoryContainer;
use crate::support::database::MemoryDatabase;
use crate::support::faults::Faults;
use crate::support::ports::{CountingRandom, MemoryLog, TestClock};
use crate::support::stream::MemoryBytes;
use async_trait::async_trait;
use snapshotter::domain::egress::Interception;
use snapshotter::domain::error::{Error, ErrorCode, Result};
use snapshotter::domain::limits::CODE_CONTEXT_IDLE_SECS;
use snapshotter::domain::text::tail::Ends;
use snapshotter::ports::container::{
    Command, Container, Happened, Offered, Output, Process, StartOptions, StoredObject, Terminal,
    Upload, UploadedPart,
};
use snapshotter::ports::sandbox::{ConfigureOptions, SandboxApi};
use snapshotter::ports::stream::Bytes;
use snapshotter::sandbox::{SandboxPorts, SandboxService, TransferSizes};
use std::any::Any;
use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;

/// A directory that is removed when the test ends.
pub struct TempDir(PathBuf);

impl TempDir {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let unique =
            format!("snapshotter-{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(unique);
        fs::create_dir(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // A failed test may have left the directory in any state.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A sandbox on this machine.
pub fn sandbox(own: &TempDir) -> SandboxService {
    sandbox_with_path(own, &std::env::var_os("PATH").unwrap())
}

/// A sandbox whose programs are in the directories `path`.
pub fn sandbox_with_path(own: &TempDir, path: &OsStr) -> SandboxService {
    sandbox_with(own, path, CODE_CONTEXT_IDLE_SECS, None)
}

/// The same, whose scripts about files have this many seconds.
pub fn hasty_sandbox_with_path(own: &TempDir, path: &OsStr, seconds: u32) -> SandboxService {
    sandbox_with(own, path, CODE_CONTEXT_IDLE_SECS, Some(seconds))
}

/// A sandbox whose code contexts end after `seconds` without a call.
pub fn sandbox_with_idle_contexts(own: &TempDir, seconds: u32) -> SandboxService {
    sandbox_with(own, &std::env::var_os("PATH").unwrap(), seconds, None)
}

fn sandbox_with(
    own: &TempDir,
    path: &OsStr,
    idle_secs: u32,
    bound_secs: Option<u32>,
) -> SandboxService {
    let bucket = MemoryBucket::new(Faults::default());
    let ports = SandboxPorts {
        clock: Rc::new(TestClock::new()),
        random: Rc::new(CountingRandom::default()),
        log: Rc::new(MemoryLog::default()),
        database: Rc::new(MemoryDatabase::new()),
        buckets: Rc::new(OneBucket(bucket.clone())),
        container: Rc::new(Machine {
            own: own.path().to_str().unwrap().to_owned(),
            transfers: MemoryContainer::new(bucket, Faults::default()),
            started: Cell::new(false),
            path: path.to_owned(),
            idle_secs,
            bound_secs,
        }),
        starts: None,
    };
    let sandbox =
        SandboxService::new("machine".to_owned(), TransferSizes::default(), ports).unwrap();
    let options = ConfigureOptions { enable_internet: Some(true), ..ConfigureOptions::default() };
    futures::executor::block_on(sandbox.configure(options)).unwrap();
    sandbox
}

/// The sandbox's own directory in a container.
const OWN_DIR: &str = "/var/lib/snapshotter";

/// A child, with one thread each for stdout and stderr.
struct Running {
    child: process::Child,
    happened: mpsc::Receiver<Happened>,
}

#[async_trait(?Send)]
impl Process for Running {
    async fn next(&mut self) -> Result<Happened> {
        // Both threads have ended, so the child has ended or soon will.
        Ok(self
            .happened
            .recv()
            .unwrap_or_else(|_| Happened::Exited(self.child.wait().unwrap().code().unwrap_or(137))))
    }
}

fn forward(
    mut pipe: impl Read + Send + 'static,
    to: mpsc::Sender<Happened>,
    happened: fn(Vec<u8>) -> Happened,
) {
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            // The test may stop reading once it has what it needs.
            let _ = to.send(happened(buffer[..count].to_vec()));
        }
    });
}

struct Machine {
    /// Replaces [`OWN_DIR`].
    own: String,
    transfers: MemoryContainer,
    started: Cell<bool>,
    /// Where programs are looked for.
    path: OsString,
    /// Replaces [`CODE_CONTEXT_IDLE_SECS`], where that is a word of a command.
    idle_secs: u32,
    /// Replaces the seconds of a command that `timeout` bounds.
    bound_secs: Option<u32>,
}

impl Machine {
    /// A child, and the thread that writes the child's input.
    fn start(&self, command: &Command) -> (process::Child, JoinHandle<()>) {
        let idle = CODE_CONTEXT_IDLE_SECS.to_string();
        let argv = command.argv.iter().map(|word| match word {
            word if *word == idle => self.idle_secs.to_string(),
            word => word.replace(OWN_DIR, &self.own),
        });
        let mut argv: Vec<String> = argv.collect();
        if let (Some(seconds), "timeout") = (self.bound_secs, argv[0].as_str()) {
            argv[2] = seconds.to_string();
        }
        let mut child = process::Command::new(&argv[0])
            .args(&argv[1..])
            .env_clear()
            .env("PATH", &self.path)
            .envs(command.env.iter().map(|(name, value)| (name, value.replace(OWN_DIR, &self.own))))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let bytes = command.stdin.clone().unwrap_or_default();
        // A thread writes while others read the output: otherwise both sides could wait
        // for each other. A child that closed its input without reading it is no failure.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&bytes)));
        (child, writer)
    }
}

#[async_trait(?Send)]
impl Container for Machine {
    fn is_running(&self) -> bool {
        self.started.get()
    }

    fn is_unresponsive(&self) -> bool {
        false
    }

    async fn intercept(&self, _interception: &Interception) -> Result<()> {
        Ok(())
    }

    fn start(&self, _options: &StartOptions) -> Result<()> {
        self.started.set(true);
        Ok(())
    }

    fn image(&self) -> Option<String> {
        None
    }

    async fn set_inactivity_timeout(&self, _ms: u64) -> Result<()> {
        Ok(())
    }

    async fn destroy(&self) -> Result<()> {
        Ok(())
    }

    async fn why_ended(&self) -> Option<String> {
        None
    }

    async fn offer(&self, command: &Command) -> Result<Offered> {
        self.transfers.offer(command).await
    }

    /// Real ones are in tests/e2e/terminal.test.ts.
    async fn open_terminal(&self, command: &Command) -> Result<Rc<dyn Terminal>> {
        self.transfers.open_terminal(command).await
    }

    async fn spawn(&self, command: &Command) -> Result<Box<dyn Process>> {
        let (mut child, _writer) = self.start(command);
        let (sender, happened) = mpsc::channel();
        forward(child.stdout.take().unwrap(), sender.clone(), Happened::Stdout);
        forward(child.stderr.take().unwrap(), sender, Happened::Stderr);
        Ok(Box::new(Running { child, happened }))
    }

    async fn run(&self, command: &Command) -> Result<Output> {
        let (child, writer) = self.start(command);
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        let kept = |bytes: Vec<u8>| {
            let mut ends = Ends::new(command.output_max_bytes, command.output_tail_bytes);
            ends.push(&bytes);
            let truncated = ends.is_cut();
            (ends.into_bytes(), truncated)
        };
        let (stdout, stdout_truncated) = kept(output.stdout);
        let (stderr, stderr_truncated) = kept(output.stderr);
        let exit_code = output.status.code().unwrap();
        Ok(Output { exit_code, stdout, stderr, stdout_truncated, stderr_truncated, killed: false })
    }

    async fn read_from(
        &self,
        command: &Command,
        _stop: Command,
        held: Box<dyn Any>,
    ) -> Result<Bytes> {
        let output = self.run(&Command { output_max_bytes: 1 << 30, ..command.clone() }).await?;
        let broken = (output.exit_code != 0)
            .then(|| Error::new(ErrorCode::Unavailable, String::from_utf8_lossy(&output.stderr)));
        Ok(Box::new(MemoryBytes::ending([output.stdout], broken).holding(held)))
    }

    async fn write_to(&self, command: &Command, mut stdin: Bytes) -> Result<Output> {
        let mut bytes = Vec::new();
        // One that breaks off looks like one that ended.
        while let Ok(Some(chunk)) = stdin.next().await {
            bytes.extend(chunk);
        }
        self.run(&Command { stdin: Some(bytes), ..command.clone() }).await
    }

    async fn run_with_objects(
        &self,
        command: &Command,
        binding: &str,
        objects: &[StoredObject],
    ) -> Result<Output> {
        self.transfers.run_with_objects(command, binding, objects).await
    }

    async fn upload(&self, upload: &Upload<'_>) -> Result<()> {
        self.transfers.upload(upload).await
    }

    async fn create_multipart(&self, binding: &str, key: &str) -> Result<String> {
        self.transfers.create_multipart(binding, key).await
    }

    async fn upload_part(
        &self,
        upload: &Upload<'_>,
        upload_id: &str,
        part_number: u16,
        offset_bytes: u64,
        len_bytes: u64,
    ) -> Result<UploadedPart> {
        self.transfers.upload_part(upload, upload_id, part_number, offset_bytes, len_bytes).await
    }

    async fn complete_multipart(
        &self,
        upload: &Upload<'_>,
        upload_id: &str,
        parts: &[UploadedPart],
    ) -> Result<()> {
        self.transfers.complete_multipart(upload, upload_id, parts).await
    }

    async fn download(&self, binding: &str, key: &str, size_bytes: u64, path: &str) -> Result<()> {
        self.transfers.download(binding, key, size_bytes, path).await
    }
}
