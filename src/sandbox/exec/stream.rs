//! Runs a caller's command and streams its output while it runs.

use crate::domain::error::{Error, Result};
use crate::domain::limits::{FOLLOW_EVERY_MS, FOLLOW_MAX_BYTES, STREAM_PULSE_MS};
use crate::domain::text::tail::Ends;
use crate::domain::text::tail::Tail;
use crate::domain::text::utf8::Utf8Pieces;
use crate::ports::container::{Happened, Process};
use crate::ports::log::Level;
use crate::ports::sandbox::exec_event::{ExecEvent, ExecEventKind, SSE_PULSE};
use crate::ports::sandbox::{CommandLine, ExecOptions, ExecResult, LeftInContext, LeftRunning};
use crate::ports::stream::{ByteStream, Bytes};
use crate::sandbox::exec::Exec;
use crate::sandbox::exec::left;
use crate::sandbox::exec::run::{Prepared, go_on, text};
use crate::sandbox::parts::active_streams::ActiveStream;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::container::run::KILLED_EXIT_CODE;
use crate::sandbox::parts::context::Context;
use crate::sandbox::parts::given_up::GivenUp;
use crate::sandbox::parts::refused_hosts::RefusedHosts;
use crate::sandbox::scripts::BACKSTOP_MS;
use async_trait::async_trait;
use futures::FutureExt;
use futures::future::{Either, Fuse, LocalBoxFuture, select};
use serde_json::json;
use std::any::Any;
use std::rc::Rc;

impl Exec<'_> {
    /// Starts a command and returns its events. A failure before it runs is an error of this call;
    /// a later failure, such as a missing `cwd`, is the last event.
    pub(crate) async fn stream_command(
        &self,
        line: CommandLine,
        options: ExecOptions,
    ) -> Result<Bytes> {
        let followed = options.followed;
        let prepared = self.prepare(&line, options).await?;
        self.stream_prepared(prepared, State::New(line), followed, None).await
    }

    /// As [`Self::stream_command`], for the client of a call on a code context. The result has the
    /// output.
    pub(crate) async fn stream_code(
        &self,
        prepared: Prepared,
        call: Box<dyn CodeCall>,
    ) -> Result<Bytes> {
        self.stream_prepared(prepared, State::Running, true, Some(call)).await
    }

    async fn stream_prepared(
        &self,
        prepared: Prepared,
        state: State,
        followed: bool,
        call: Option<Box<dyn CodeCall>>,
    ) -> Result<Bytes> {
        let process = self.container.spawn(&prepared.command).await?;
        let now_ms = self.context.now_ms();
        let limit_ms = i64::try_from(prepared.limit_ms + BACKSTOP_MS).unwrap_or(i64::MAX);
        Ok(Box::new(ExecEvents {
            context: self.context.clone(),
            container: self.container.clone(),
            refused: self.refused.clone(),
            stdout: Printed::new(followed.then(|| prepared.ends())),
            stderr: Printed::new(followed.then(|| prepared.ends())),
            prepared,
            process,
            began_ms: now_ms,
            overdue: false,
            followed,
            send_every_ms: if followed { FOLLOW_EVERY_MS } else { 0 },
            sent_ms: now_ms,
            state,
            call,
            given_up: self.given_up.clone(),
            active: Some(self.active_streams.begin(now_ms.saturating_add(limit_ms))),
            asking: Fuse::terminated(),
        }))
    }
}

/// A call on a code context. The streamed command is its client.
#[async_trait(?Send)]
pub(crate) trait CodeCall {
    /// Reads the call's results, why the context ended if it did, and what still runs. Fails if the
    /// code did not run.
    async fn left(
        &self,
        container: &SandboxContainer,
    ) -> Result<(LeftInContext, Option<LeftRunning>)>;

    /// Removes the call's directory. Best effort: the caller is gone.
    async fn forget(&self, container: &SandboxContainer);
}

enum State {
    New(CommandLine),
    Running,
    /// The exit status. The last output may still be unsent.
    Exited(i32),
    Ended,
}

struct ExecEvents {
    context: Rc<Context>,
    container: Rc<SandboxContainer>,
    refused: Rc<RefusedHosts>,
    prepared: Prepared,
    process: Box<dyn Process>,
    began_ms: i64,
    /// Whether we ended the command because its time limit did not.
    overdue: bool,
    followed: bool,
    /// Least time between two sends. Output in between is sent together.
    send_every_ms: u64,
    sent_ms: i64,
    stdout: Printed,
    stderr: Printed,
    state: State,
    call: Option<Box<dyn CodeCall>>,
    given_up: Rc<GivenUp>,
    /// None after the end.
    active: Option<ActiveStream>,
    /// Asks the command to go on in the background, once the caller has waited long enough.
    asking: Fuse<LocalBoxFuture<'static, ()>>,
}

struct Printed {
    pieces: Utf8Pieces,
    unsent: Tail,
    /// The part for the result. None: the result has no output.
    kept: Option<Ends>,
}

impl Printed {
    fn new(kept: Option<Ends>) -> Self {
        let (pieces, unsent) = Default::default();
        Self { pieces, unsent, kept }
    }

    /// Maximum bytes sent at once. No limit if the result has no output.
    fn sent_max_bytes(&self) -> usize {
        if self.kept.is_some() { FOLLOW_MAX_BYTES } else { usize::MAX }
    }

    fn push(&mut self, bytes: &[u8]) {
        if let Some(kept) = &mut self.kept {
            kept.push(bytes);
        }
        self.unsent.push(&self.pieces.push(bytes), self.sent_max_bytes());
    }

    /// Adds the bytes of an incomplete last character.
    fn finish(&mut self) {
        self.unsent.push(&self.pieces.finish(), self.sent_max_bytes());
    }

    fn take(&mut self) -> Option<String> {
        (!self.unsent.is_empty()).then(|| self.unsent.take(self.sent_max_bytes()))
    }

    /// Returns the output as `exec` does, and whether it is cut.
    fn take_kept(&mut self) -> (String, bool) {
        let Some(kept) = self.kept.take() else { return Default::default() };
        let is_cut = kept.is_cut();
        (text(&kept.into_bytes(), is_cut), is_cut)
    }
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
                    match self.happens().await {
                        None => {
                            let sent = self.send_printed()?;
                            return Ok(Some(sent.unwrap_or_else(|| SSE_PULSE.to_vec())));
                        }
                        Some(Ok(Happened::Stdout(bytes))) => self.stdout.push(&bytes),
                        Some(Ok(Happened::Stderr(bytes))) => self.stderr.push(&bytes),
                        Some(Ok(Happened::Exited(status))) => self.state = State::Exited(status),
                        Some(Err(error)) => {
                            let error = self.container.explain(error).await;
                            return self.fail(&error);
                        }
                    }
                    if self.is_send_due()
                        && let Some(sent) = self.send_printed()?
                    {
                        return Ok(Some(sent));
                    }
                }
                State::Exited(status) => {
                    let status = *status;
                    self.stdout.finish();
                    self.stderr.finish();
                    if let Some(sent) = self.send_printed()? {
                        return Ok(Some(sent));
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
            let Self { container, prepared, process, stdout, stderr, .. } = self;
            let mut keeps = |happened: &Happened| match happened {
                Happened::Stdout(bytes) => stdout.push(bytes),
                Happened::Stderr(bytes) => stderr.push(bytes),
                Happened::Exited(_) => {}
            };
            container.stop_reading(&prepared.group, process.as_mut(), &mut keeps).await;
            self.keep_printed().await;
            if let Some(call) = &self.call {
                call.forget(&self.container).await;
            }
        }
    }

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}

impl ExecEvents {
    /// Keeps the output so far as the log of a background process.
    async fn keep_printed(&mut self) {
        let Some(name) = &self.prepared.keep_as else { return };
        let (stdout, _) = self.stdout.take_kept();
        let (stderr, _) = self.stderr.take_kept();
        self.given_up.keep(name, &self.prepared.shown, self.began_ms, &stdout, &stderr).await;
    }

    /// Waits for the next event. None: nothing happened within a pulse.
    async fn happens(&mut self) -> Option<Result<Happened>> {
        let spent_ms = self.context.now_ms().saturating_sub(self.began_ms).unsigned_abs();
        if spent_ms > self.prepared.limit_ms + BACKSTOP_MS && !self.overdue {
            // `timeout` in the container did not end the command, or the command left something
            // running.
            self.overdue = true;
            self.container.stop(&self.prepared.group).await;
        }
        let mut pulse_ms = STREAM_PULSE_MS;
        if !(self.stdout.unsent.is_empty() && self.stderr.unsent.is_empty()) {
            pulse_ms = self.send_every_ms;
        }
        match self.prepared.wait_ms {
            Some(wait_ms) if wait_ms <= spent_ms => {
                self.prepared.wait_ms = None;
                self.asking = self.ask_to_go_on().fuse();
            }
            Some(wait_ms) => pulse_ms = pulse_ms.min(wait_ms - spent_ms),
            None => {}
        }
        // Its output is read meanwhile: see `SandboxContainer::stop_reading`.
        let pause = select(&mut self.asking, self.context.ports.clock.sleep_ms(pulse_ms));
        match select(self.process.next(), pause).await {
            Either::Left((happened, _)) => Some(happened),
            Either::Right(_) => None,
        }
    }

    fn ask_to_go_on(&self) -> LocalBoxFuture<'static, ()> {
        let (context, container) = (self.context.clone(), self.container.clone());
        let news = self.prepared.news();
        async move { go_on(&context, &container, &news).await }.boxed_local()
    }

    fn is_send_due(&self) -> bool {
        let silent_ms = self.context.now_ms().saturating_sub(self.sent_ms).unsigned_abs();
        silent_ms >= self.send_every_ms
    }

    fn send_printed(&mut self) -> Result<Option<Vec<u8>>> {
        self.sent_ms = self.context.now_ms();
        let stdout = self.stdout.take().map(|data| ExecEventKind::Stdout { data });
        let stderr = self.stderr.take().map(|data| ExecEventKind::Stderr { data });
        let mut sent = Vec::new();
        for kind in stdout.into_iter().chain(stderr) {
            sent.extend(ExecEvent::new(self.sent_ms, kind).to_sse()?);
        }
        Ok((!sent.is_empty()).then_some(sent))
    }

    fn event(&self, kind: ExecEventKind) -> Result<Option<Vec<u8>>> {
        ExecEvent::new(self.context.now_ms(), kind).to_sse().map(Some)
    }

    async fn complete(&mut self, status: i32) -> Result<Option<Vec<u8>>> {
        if status == KILLED_EXIT_CODE
            && let Err(error) = self.container.check_runs_on().await
        {
            return self.fail(&error);
        }
        let mut ended = match self.prepared.ended(&self.container, status, self.overdue).await {
            Ok(ended) => ended,
            Err(error) => return self.fail(&error),
        };
        let mut left_running = ended.left_running.take();
        let mut sent = Vec::new();
        if let Some(call) = &self.call {
            let (code, left) = match call.left(&self.container).await {
                Ok(both) => both,
                Err(error) => return self.fail(&error),
            };
            left_running = left;
            let left = ExecEvent::new(self.context.now_ms(), ExecEventKind::Left { code });
            sent = left.to_sse()?;
        }
        self.state = State::Ended;
        self.note("ok");
        let took_ms = self.context.now_ms().saturating_sub(self.began_ms);
        // The host logs refused hosts. A streamed answer does not pass through the host, so the
        // next answer reports them again.
        let refused = if self.followed { self.refused.take()? } else { self.refused.look()? };
        let (stdout, stdout_truncated) = self.stdout.take_kept();
        let (stderr, stderr_truncated) = self.stderr.take_kept();
        let result = ExecResult {
            success: ended.exit_code == 0,
            exit_code: ended.exit_code,
            stdout,
            stderr,
            stdout_truncated,
            stderr_truncated,
            timed_out: ended.timed_out,
            duration_ms: took_ms.unsigned_abs(),
            refused_hosts: refused.hosts,
            hint: ended.hint(left::hint(left_running.as_ref(), refused.hint, self.given_up.take())),
            left_running,
        };
        let complete = ExecEventKind::Complete { exit_code: ended.exit_code, result };
        sent.extend(ExecEvent::new(self.context.now_ms(), complete).to_sse()?);
        Ok(Some(sent))
    }

    fn fail(&mut self, error: &Error) -> Result<Option<Vec<u8>>> {
        self.state = State::Ended;
        self.note(error.code.as_str());
        ExecEvent::failed(self.context.now_ms(), error).to_sse().map(Some)
    }

    /// Logs the end of the stream. The call's own line was written when the stream began.
    fn note(&mut self, outcome: &str) {
        self.active = None;
        let took_ms = self.context.now_ms().saturating_sub(self.began_ms);
        let fields = json!({ "outcome": outcome, "durationMs": took_ms });
        self.context.note(Level::Info, "sandbox.exec_stream.end", fields);
    }
}
