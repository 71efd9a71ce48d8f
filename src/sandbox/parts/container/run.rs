//! Runs commands in the container, and tells the container's end from other failures.

use crate::domain::error::{Error, ErrorCode, Outcome, Result};
use crate::domain::workspace::lost;
use crate::ports::container::{Command, Offered, Output, Process, StoredObject};
use crate::ports::stream::Bytes;
use crate::sandbox::parts::active_streams::ActiveStreams;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::scripts::{BACKSTOP_MS, STOP, limited, script};

/// A dying container kills its commands up to a second before the platform reports that it stopped
/// (seen with workerd and Docker).
const STOP_NOTICE_MS: u64 = 1_000;
const STOP_LOOK_MS: u64 = 100;
/// Exit code of a killed command. Its container may have ended.
pub(crate) const KILLED_EXIT_CODE: i32 = 137;
/// Exit code of `timeout` at its limit.
const TIMED_OUT_EXIT_CODE: i32 = 124;
/// Time for `timeout` to end a script before it is killed from outside.
const BOUND_GRACE_MS: u64 = 5_000;

impl SandboxContainer {
    /// Runs a command in the running container. `WORKSPACE_LOST` if the container ended meanwhile.
    pub(crate) async fn run(&self, command: &Command) -> Result<Output> {
        let output = self.container.run(command).await;
        self.explain_output(output).await
    }

    /// As [`Self::run`], for a script that reads files of programs, such as a pipe without a
    /// writer. At its time limit the container ends the script and all that it started: a signal
    /// from outside would reach only its shell.
    pub(crate) async fn run_bounded(&self, command: &Command) -> Result<Output> {
        self.run(&bounded(command)).await.map(at_its_limit)
    }

    /// As [`Self::run`], for a command whose stdin is objects in R2.
    pub(crate) async fn run_with_objects(
        &self,
        command: &Command,
        binding: &str,
        objects: &[StoredObject],
    ) -> Result<Output> {
        let output = self.container.run_with_objects(command, binding, objects).await;
        self.explain_output(output).await
    }

    async fn explain_output(&self, output: Result<Output>) -> Result<Output> {
        match output {
            Ok(output) if output.exit_code == KILLED_EXIT_CODE && !output.killed => {
                self.check_runs_on().await.map(|()| output)
            }
            Ok(output) => Ok(output),
            Err(error) => Err(self.explain(error).await),
        }
    }

    /// Runs a command in the running container until it ends or offers a file.
    pub(crate) async fn offer(&self, command: &Command) -> Result<Offered> {
        match self.container.offer(command).await {
            Ok(Offered::Ended(output))
                if output.exit_code == KILLED_EXIT_CODE && !output.killed =>
            {
                self.check_runs_on().await.map(|()| Offered::Ended(output))
            }
            Ok(offered) => Ok(offered),
            Err(error) => Err(self.explain(error).await),
        }
    }

    /// Begins a command whose output is read while it runs.
    pub(crate) async fn spawn(&self, command: &Command) -> Result<Box<dyn Process>> {
        match self.container.spawn(command).await {
            Ok(process) => Ok(process),
            Err(error) => Err(self.explain(error).await),
        }
    }

    pub(crate) async fn write_to(&self, command: &Command, stream: Bytes) -> Result<Output> {
        match self.container.write_to(command, stream).await {
            Ok(output) => Ok(output),
            Err(error) => Err(self.explain(error).await),
        }
    }

    /// As [`Self::write_to`], bounded as by [`Self::run_bounded`].
    pub(crate) async fn write_to_bounded(
        &self,
        command: &Command,
        stream: Bytes,
    ) -> Result<Output> {
        self.write_to(&bounded(command), stream).await.map(at_its_limit)
    }

    /// Streams a command's output, for at most `limit_ms`. If the reader leaves, the command ends
    /// with its process group, whose id is in the file `group`.
    pub(crate) async fn read_from(
        &self,
        command: Command,
        group: &str,
        limit_ms: u64,
        streams: &ActiveStreams,
    ) -> Result<Bytes> {
        let most_ms = i64::try_from(limit_ms + BACKSTOP_MS).unwrap_or(i64::MAX);
        let active = streams.begin(self.context.now_ms().saturating_add(most_ms));
        let (command, stop) = (limited(command, limit_ms), script(STOP, &[group]));
        match self.container.read_from(&command, stop, Box::new(active)).await {
            Ok(bytes) => Ok(bytes),
            Err(error) => Err(self.explain(error).await),
        }
    }

    /// Checks, after a command was killed, that its container still runs.
    pub(crate) async fn check_runs_on(&self) -> Result<()> {
        if self.runs_on().await { Ok(()) } else { Err(self.ended("it was killed")) }
    }

    /// Turns an error of a command or a transfer into the caller's error: `WORKSPACE_LOST` if the
    /// container has ended, because its files are gone; else the same error.
    pub(crate) async fn explain(&self, error: Error) -> Error {
        let by_container = matches!(
            error.code,
            ErrorCode::Unavailable | ErrorCode::BackupFailed | ErrorCode::RestoreFailed
        );
        if !by_container {
            return error;
        }
        // The next call reads the disk's id again.
        *self.known.borrow_mut() = None;
        if self.runs_on().await {
            return error;
        }
        self.ended(&error.cause.unwrap_or(error.message))
    }

    /// Whether the container runs after the platform had time to notice its end.
    async fn runs_on(&self) -> bool {
        for _ in 0..STOP_NOTICE_MS / STOP_LOOK_MS {
            if !self.is_running() {
                return false;
            }
            self.context.ports.clock.sleep_ms(STOP_LOOK_MS).await;
        }
        self.is_running()
    }

    fn ended(&self, cause: &str) -> Error {
        *self.known.borrow_mut() = None;
        lost().with_outcome(Outcome::Unknown).with_cause(format!("the container ended: {cause}"))
    }
}

/// A command that the container itself ends at its time limit.
fn bounded(command: &Command) -> Command {
    let Some(limit_ms) = command.kill_after_ms else { return command.clone() };
    let limit = limit_ms.div_ceil(1_000).to_string();
    let bound = ["timeout", "--kill-after=2", &limit].map(str::to_owned);
    Command {
        argv: bound.into_iter().chain(command.argv.iter().cloned()).collect(),
        kill_after_ms: Some(limit_ms + BOUND_GRACE_MS),
        ..command.clone()
    }
}

/// Marks the output of a bounded command as killed if its limit ended it.
fn at_its_limit(output: Output) -> Output {
    let killed = output.killed || output.exit_code == TIMED_OUT_EXIT_CODE;
    Output { killed, ..output }
}
