//! Record the commands of a session: how they ended, and the end of what they printed.

use crate::domain::limits::{COMMAND_RECORDED_BYTES, COMMAND_TAIL_BYTES};
use crate::domain::text::redact::Redactor;
use crate::domain::time::rfc3339;
use crate::domain::{
    CodeContextId, CommandLine, CommandRecord, CommandView, Error, Language, Outcome, ProcessName,
    Result, SandboxId, SessionConfig,
};
use crate::ports::sandbox::ExecResult;
use crate::ports::sandbox::exec_event::{ExecEventKind, ExecEventReader};
use crate::ports::{ByteStream, Bytes};
use crate::session::catalogue::EndedCommand;
use crate::session::parts::Context;
use async_trait::async_trait;
use serde_json::json;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Clone, Copy)]
pub(crate) enum Runs<'a> {
    Command(&'a CommandLine, &'a BTreeMap<String, String>),
    Code(&'a str, Language),
    InContext(&'a str, &'a CodeContextId),
}

struct Running {
    redactor: Redactor,
    /// Its output is not redacted yet.
    known: EndedCommand,
}

type AllRunning = Rc<RefCell<BTreeMap<u64, Running>>>;

pub(crate) struct Recorder {
    context: Rc<Context>,
    running: AllRunning,
    begun: Cell<u64>,
}

impl Recorder {
    pub(crate) fn new(context: Rc<Context>) -> Self {
        Self { context, running: AllRunning::default(), begun: Cell::new(0) }
    }

    pub(crate) fn begin(
        &self,
        config: &SessionConfig,
        sandbox_id: &SandboxId,
        runs: Runs<'_>,
    ) -> Recording {
        let shell = |code: &str| CommandLine::Shell(code.to_owned());
        let none = BTreeMap::new();
        let (line, env, language, code_context) = match runs {
            Runs::Command(line, env) => (line.clone(), env, None, None),
            Runs::Code(code, language) => (shell(code), &none, Some(language), None),
            Runs::InContext(code, id) => (shell(code), &none, None, Some(id.clone())),
        };
        let hidden = config.env_vars.values().chain(env.values());
        let redactor = Redactor::of(hidden);
        let known = EndedCommand {
            sandbox_id: sandbox_id.clone(),
            began_at_ms: self.context.now_ms(),
            command: line.map(|word| redactor.redact(word)).cut(COMMAND_RECORDED_BYTES),
            language,
            code_context,
            exit_code: None,
            duration_ms: None,
            process: None,
            stdout: String::new(),
            stderr: String::new(),
        };
        let number = self.begun.get() + 1;
        self.begun.set(number);
        self.running.borrow_mut().insert(number, Running { redactor, known });
        Recording { context: self.context.clone(), running: self.running.clone(), number }
    }

    pub(crate) fn running(&self) -> Vec<CommandRecord> {
        let running = self.running.borrow();
        let shown = |Running { redactor, known }: &Running| CommandRecord {
            command: CommandView {
                seq: None,
                sandbox_id: known.sandbox_id.clone(),
                at: rfc3339(known.began_at_ms),
                command: known.command.clone(),
                language: known.language,
                code_context: known.code_context.clone(),
                exit_code: None,
                duration_ms: None,
                process: None,
            },
            stdout: redactor.tail(&known.stdout, COMMAND_TAIL_BYTES),
            stderr: redactor.tail(&known.stderr, COMMAND_TAIL_BYTES),
        };
        running.values().rev().map(shown).collect()
    }
}

/// If this is dropped before its end is reported, the command is not recorded.
pub(crate) struct Recording {
    context: Rc<Context>,
    running: AllRunning,
    number: u64,
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.running.borrow_mut().remove(&self.number);
    }
}

impl Recording {
    /// A command that never ran is not recorded.
    pub(crate) fn end(self, result: std::result::Result<&ExecResult, &Error>) {
        match result {
            Ok(result) => self.store(|known| {
                ended(known, result);
                known.stdout.clone_from(&result.stdout);
                known.stderr.clone_from(&result.stderr);
            }),
            Err(error) => self.fail(error, None),
        }
    }

    pub(crate) fn go_on(self, process: &ProcessName) {
        self.store(|known| known.process = Some(process.clone()));
    }

    /// Records that the command's end is unknown. The log of `kept` may have its output.
    pub(crate) fn fail(self, error: &Error, kept: Option<&ProcessName>) {
        if error.outcome == Outcome::Unknown {
            self.give_up(kept);
        }
    }

    pub(crate) fn heard(&self, stdout: &str, stderr: &str) {
        if let Some(Running { redactor, known }) = self.running.borrow_mut().get_mut(&self.number) {
            let kept = COMMAND_TAIL_BYTES + redactor.reach_bytes();
            push(&mut known.stdout, stdout, kept);
            push(&mut known.stderr, stderr, kept);
        }
    }

    /// Passes a command's events on, and records it at their end, or when their reader goes away.
    pub(crate) fn of_events(self, events: Bytes) -> Bytes {
        Box::new(RecordedEvents {
            events,
            reader: ExecEventReader::default(),
            recording: Some(self),
        })
    }

    fn give_up(self, kept: Option<&ProcessName>) {
        let now_ms = self.context.now_ms();
        self.store(|known| {
            known.duration_ms = u64::try_from(now_ms - known.began_at_ms).ok();
            known.process = kept.cloned();
        });
    }

    fn store(self, change: impl FnOnce(&mut EndedCommand)) {
        let Some(running) = self.running.borrow_mut().remove(&self.number) else { return };
        let Running { redactor, mut known } = running;
        change(&mut known);
        known.stdout = redactor.tail(&known.stdout, COMMAND_TAIL_BYTES);
        known.stderr = redactor.tail(&known.stderr, COMMAND_TAIL_BYTES);
        // The command has run: its caller gets the result, recorded or not.
        if let Err(error) = self.context.catalogue.add_command(known) {
            let fields = json!({ "code": error.code, "cause": error.cause });
            self.context.warn("command.unrecorded", fields);
        }
    }
}

fn ended(known: &mut EndedCommand, result: &ExecResult) {
    let went_on = result.left_running.as_ref().filter(|_| result.exit_code < 0);
    known.process = went_on.and_then(|left| left.process.clone());
    known.exit_code = went_on.is_none().then_some(result.exit_code);
    known.duration_ms = Some(result.duration_ms);
}

/// Appends to a text whose last `kept` bytes are needed.
fn push(text: &mut String, more: &str, kept: usize) {
    text.push_str(more);
    // Not for each piece, because this moves the remaining text.
    if text.len() > kept.saturating_mul(2) {
        text.drain(..text.ceil_char_boundary(text.len() - kept));
    }
}

struct RecordedEvents {
    events: Bytes,
    reader: ExecEventReader,
    recording: Option<Recording>,
}

impl RecordedEvents {
    fn note(&mut self, bytes: &[u8]) -> Result<()> {
        for event in self.reader.read(bytes)? {
            let Some(recording) = &self.recording else { return Ok(()) };
            match event.kind {
                ExecEventKind::Stdout { data } => recording.heard(&data, ""),
                ExecEventKind::Stderr { data } => recording.heard("", &data),
                ExecEventKind::Start { .. } | ExecEventKind::Left { .. } => {}
                ExecEventKind::Complete { result, .. } => {
                    if let Some(recording) = self.recording.take() {
                        recording.store(|known| ended(known, &result));
                    }
                }
                ExecEventKind::Error { error } => {
                    if let Some(recording) = self.recording.take() {
                        recording.fail(&error.into(), None);
                    }
                }
            }
        }
        Ok(())
    }
}

#[async_trait(?Send)]
impl ByteStream for RecordedEvents {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let bytes = self.events.next().await?;
        if let Some(bytes) = &bytes {
            self.note(bytes)?;
        }
        Ok(bytes)
    }

    async fn cancel(&mut self) {
        self.events.cancel().await;
        if let Some(recording) = self.recording.take() {
            recording.give_up(None);
        }
    }

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}
