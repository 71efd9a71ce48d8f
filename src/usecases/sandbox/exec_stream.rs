//! Run a caller's command and tell what it prints while it runs.

use super::SandboxService;
use super::ensure_running::{KILLED_EXIT_CODE, Machine};
use super::exec::{BACKSTOP_MS, Prepared};
use super::scripts::{STOP, script};
use crate::domain::error::{Error, Result};
use crate::domain::limits::STREAM_PULSE_MS;
use crate::domain::utf8::Utf8Pieces;
use crate::ports::clock::Clock;
use crate::ports::container::{Happened, Process};
use crate::ports::exec_event::{ExecEvent, ExecEventKind, SSE_PULSE};
use crate::ports::log::{Level, Log, LogLine};
use crate::ports::sandbox::{CommandLine, ExecOptions, ExecResult};
use crate::ports::stream::{ByteStream, Bytes};
use async_trait::async_trait;
use futures::future::{Either, select};
use serde_json::json;
use std::any::Any;
use std::pin::pin;
use std::rc::Rc;

impl SandboxService {
    /// Starts a command and returns its events. Whatever fails before it runs
    /// is an error here; whatever fails later is the last event.
    ///
    /// # Errors
    /// As [`Self::run_command`], but for a `cwd` that does not exist.
    pub(super) async fn stream_command(
        &self,
        line: CommandLine,
        options: ExecOptions,
    ) -> Result<Bytes> {
        let prepared = self.prepare(&line, options).await?;
        let process = match self.machine.container().spawn(&prepared.command).await {
            Ok(process) => process,
            Err(error) => return Err(self.machine.explain(error).await),
        };
        let now_ms = self.ports.clock.now_ms();
        Ok(Box::new(ExecEvents {
            label: self.label.clone(),
            machine: self.machine.clone(),
            clock: self.ports.clock.clone(),
            log: self.ports.log.clone(),
            prepared,
            process,
            began_ms: now_ms,
            stdout: Utf8Pieces::default(),
            stderr: Utf8Pieces::default(),
            state: State::New(line),
        }))
    }
}

/// How long the end of a command that is not wanted any more may take.
const REST_MS: u64 = 10_000;

enum State {
    New(CommandLine),
    Running,
    /// It ended so; what was cut off of its last characters comes before.
    Exited(i32),
    Ended,
}

/// A running command as a stream of events.
struct ExecEvents {
    label: String,
    machine: Rc<Machine>,
    clock: Rc<dyn Clock>,
    log: Rc<dyn Log>,
    prepared: Prepared,
    process: Box<dyn Process>,
    began_ms: i64,
    stdout: Utf8Pieces,
    stderr: Utf8Pieces,
    state: State,
}

#[async_trait(?Send)]
impl ByteStream for ExecEvents {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        loop {
            match &self.state {
                State::New(line) => {
                    let kind = ExecEventKind::Start { command: line.clone() };
                    self.state = State::Running;
                    return self.event(kind);
                }
                State::Running => {
                    let happened = match self.happens().await {
                        Some(happened) => happened,
                        None => return Ok(Some(SSE_PULSE.to_vec())),
                    };
                    match happened {
                        Ok(Happened::Stdout(bytes)) => {
                            let data = self.stdout.push(&bytes);
                            if !data.is_empty() {
                                return self.event(ExecEventKind::Stdout { data });
                            }
                        }
                        Ok(Happened::Stderr(bytes)) => {
                            let data = self.stderr.push(&bytes);
                            if !data.is_empty() {
                                return self.event(ExecEventKind::Stderr { data });
                            }
                        }
                        Ok(Happened::Exited(status)) => self.state = State::Exited(status),
                        Err(error) => {
                            let error = self.machine.explain(error).await;
                            return self.fail(&error);
                        }
                    }
                }
                State::Exited(status) => {
                    let status = *status;
                    let data = self.stdout.finish();
                    if !data.is_empty() {
                        return self.event(ExecEventKind::Stdout { data });
                    }
                    let data = self.stderr.finish();
                    if !data.is_empty() {
                        return self.event(ExecEventKind::Stderr { data });
                    }
                    return self.complete(status).await;
                }
                State::Ended => return Ok(None),
            }
        }
    }

    async fn cancel(&mut self) {
        if !matches!(self.state, State::Ended) {
            self.state = State::Ended;
            self.note("cancelled");
            let Self { machine, log, label, prepared, process, clock, .. } = self;
            let stop = stop(machine, log.as_ref(), label, &prepared.group);
            // What it still prints is read meanwhile: an engine that can't get rid of the output of one process
            // tells the end of no other.
            let rest = async {
                while let Ok(Happened::Stdout(_) | Happened::Stderr(_)) = process.next().await {}
            };
            let both = async { futures::join!(stop, rest) };
            select(pin!(both), clock.sleep_ms(REST_MS)).await;
        }
    }

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}

impl ExecEvents {
    /// What happens within a pulse, or none.
    async fn happens(&mut self) -> Option<Result<Happened>> {
        let spent_ms = self.clock.now_ms().saturating_sub(self.began_ms).unsigned_abs();
        if spent_ms > self.prepared.limit_ms + BACKSTOP_MS {
            // `timeout` in the container has not done its work.
            stop(&self.machine, self.log.as_ref(), &self.label, &self.prepared.group).await;
        }
        match select(self.process.next(), self.clock.sleep_ms(STREAM_PULSE_MS)).await {
            Either::Left((happened, _)) => Some(happened),
            Either::Right(((), _)) => None,
        }
    }

    fn event(&self, kind: ExecEventKind) -> Result<Option<Vec<u8>>> {
        ExecEvent::new(self.clock.now_ms(), kind).to_sse().map(Some)
    }

    async fn complete(&mut self, status: i32) -> Result<Option<Vec<u8>>> {
        if status == KILLED_EXIT_CODE
            && let Err(error) = self.machine.check_runs_on().await
        {
            return self.fail(&error);
        }
        let ended = match self.prepared.ended(&self.machine, status, false).await {
            Ok(ended) => ended,
            Err(error) => return self.fail(&error),
        };
        self.state = State::Ended;
        self.note("ok");
        let took_ms = self.clock.now_ms().saturating_sub(self.began_ms);
        let result = ExecResult {
            success: ended.exit_code == 0,
            exit_code: ended.exit_code,
            stdout: String::new(),
            stderr: String::new(),
            stdout_truncated: false,
            stderr_truncated: false,
            timed_out: ended.timed_out,
            duration: took_ms.unsigned_abs(),
        };
        self.event(ExecEventKind::Complete { exit_code: ended.exit_code, result })
    }

    fn fail(&mut self, error: &Error) -> Result<Option<Vec<u8>>> {
        self.state = State::Ended;
        self.note(error.code.as_str());
        ExecEvent::failed(self.clock.now_ms(), error).to_sse().map(Some)
    }

    /// The stream's own end has a line: the call's was written when it began.
    fn note(&self, outcome: &str) {
        let took_ms = self.clock.now_ms().saturating_sub(self.began_ms);
        self.log.write(LogLine::new(
            Level::Info,
            "sandbox.exec_stream.end",
            json!({ "sandbox": self.label, "outcome": outcome, "durationMs": took_ms }),
        ));
    }
}

/// Ends a command and all of its process group.
async fn stop(machine: &Machine, log: &dyn Log, label: &str, group: &str) {
    if let Err(error) = machine.container().run(&script(STOP, &[group])).await {
        // The container has ended, and the command with it; or its time limit ends it.
        log.write(LogLine::new(
            Level::Warn,
            "sandbox.stop",
            json!({ "sandbox": label, "code": error.code, "cause": error.cause }),
        ));
    }
}
