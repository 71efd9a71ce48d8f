//! Run a script: JavaScript in an isolate beside the session, without a container.

mod conversation;

use crate::domain::exec::code::ScriptNetwork;
use crate::domain::limits::{
    SCRIPT_CODE_MAX_BYTES, SCRIPT_CPU_MAX_MS, SCRIPT_ERROR_MAX_BYTES, SCRIPT_LOGS_MAX_BYTES,
    SCRIPT_SUBREQUESTS_MAX, SCRIPT_VALUE_MAX_BYTES,
};
use crate::domain::{Error, ErrorCode, Result, ScriptCapability};
use crate::ports::isolates::{LOADER_BINDING, Program};
use crate::ports::{ByteStream, Bytes};
use crate::session::Session;
use crate::session::exec::script::conversation::Conversation;
use crate::session::parts::scripts::Scripts;
use crate::session::parts::{Abort, Context};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{self, Poll, Waker};

const HARNESS: &str = include_str!("harness.js");
const GUARD: &str = include_str!("guard.js");

parts!(RunScript { context: Context, scripts: Scripts });

impl Session {
    /// Runs a script in an isolate that reaches only `tools`, and the network if the session allows
    /// it. A script that fails is a result. Starts no container itself.
    ///
    /// # Errors
    /// `UNSUPPORTED`; `NOT_CONFIGURED`; `TOO_LARGE`; `QUOTA_EXCEEDED`; `ABORTED`.
    pub async fn run_script(
        &self,
        request: ScriptRequest,
        tools: &dyn ScriptTools,
        abort: &Abort,
    ) -> Result<ScriptResult> {
        let run_script = RunScript::from(self);
        let open = run_script.context.require_open()?;
        let Some(settings) = &open.config.modules.script else { return Err(module_missing()) };
        if request.code.len() > SCRIPT_CODE_MAX_BYTES {
            let problem = format!("code: has more than {SCRIPT_CODE_MAX_BYTES} bytes");
            return Err(Error::new(ErrorCode::TooLarge, problem)
                .with_hint("read long data from a file of the session"));
        }
        let ports = &run_script.context.ports;
        if !ports.isolates.are_available() {
            return Err(loader_missing());
        }
        let _running = run_script.scripts.begin()?;
        abort.step("running the script")?;
        let conversation = Conversation {
            isolates: ports.isolates.as_ref(),
            clock: ports.clock.as_ref(),
            program: program(&request.code, &tools.names(), settings),
            max_duration_ms: settings.max_duration_ms,
            tools,
            abort,
        };
        conversation.run().await
    }
}

fn program(code: &str, tools: &[&str], settings: &ScriptCapability) -> Program {
    let network = settings.network == ScriptNetwork::Allow;
    let config = json!({
        "tools": tools,
        "network": network,
        // With room to say that the rest is left out.
        "logsMaxChars": SCRIPT_LOGS_MAX_BYTES - 100,
        "valueMaxBytes": SCRIPT_VALUE_MAX_BYTES,
        "errorMaxChars": SCRIPT_ERROR_MAX_BYTES,
    });
    Program {
        modules: vec![
            ("harness.js", HARNESS.to_owned()),
            ("guard.js", GUARD.to_owned()),
            ("config.js", format!("export default {config};")),
            // The script's lines keep their numbers. A script that closes the function early runs
            // in the same isolate, where it can do no more.
            ("script.js", format!("export default async (workspace) => {{ {code}\n}};")),
        ],
        network,
        cpu_ms: settings.max_duration_ms.min(SCRIPT_CPU_MAX_MS),
        subrequests: SCRIPT_SUBREQUESTS_MAX,
    }
}

fn module_missing() -> Error {
    Error::new(ErrorCode::Unsupported, "this session has no script module")
        .with_hint("use a session whose first open declares capabilities.script")
}

pub(crate) fn loader_missing() -> Error {
    let problem =
        format!("capabilities.script needs the binding {LOADER_BINDING}, which is missing");
    Error::new(ErrorCode::NotConfigured, problem).with_hint(format!(
        "add [[worker_loaders]] with binding = \"{LOADER_BINDING}\" to wrangler.toml, or leave capabilities.script out"
    ))
}

/// A script to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScriptRequest {
    /// Body of an async function.
    pub code: String,
}

/// How a script ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScriptResult {
    /// The value that it returned, if JSON can express it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Otherwise the value as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_text: Option<String>,
    /// Console output.
    pub logs: String,
    /// Why it failed, with the stack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether its time limit ended it.
    pub timed_out: bool,
    /// Number of tool calls.
    pub calls: u32,
    /// How long it ran, in milliseconds.
    pub duration_ms: u64,
}

/// What a script may call.
#[async_trait(?Send)]
pub trait ScriptTools {
    /// The tools' names in the script.
    fn names(&self) -> Vec<&'static str>;

    /// Calls a tool. The name and the input are whatever the script sent.
    ///
    /// # Errors
    /// The refusals and errors of the tool.
    async fn call(&self, name: &str, input: Value, abort: &Abort) -> Result<Value>;
}

#[derive(Default)]
struct Queue {
    lines: VecDeque<Vec<u8>>,
    ended: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

/// The session's end of the stream. Dropping it ends the stream.
#[derive(Default)]
pub(super) struct Answers(Rc<RefCell<Queue>>);

impl Answers {
    pub(super) fn pair() -> (Self, Bytes) {
        let answers = Self::default();
        let stream = Box::new(Reader(answers.0.clone()));
        (answers, stream)
    }

    pub(super) fn push(&self, line: Vec<u8>) {
        let mut queue = self.0.borrow_mut();
        queue.lines.push_back(line);
        if let Some(reader) = queue.reader.take() {
            reader.wake();
        }
    }

    /// The task is woken once fewer lines wait.
    pub(super) fn waiting(&self, context: &task::Context<'_>) -> usize {
        let mut queue = self.0.borrow_mut();
        queue.writer = Some(context.waker().clone());
        queue.lines.len()
    }

    pub(super) fn end(&self) {
        let mut queue = self.0.borrow_mut();
        queue.ended = true;
        if let Some(reader) = queue.reader.take() {
            reader.wake();
        }
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        self.end();
    }
}

struct Reader(Rc<RefCell<Queue>>);

#[async_trait(?Send)]
impl ByteStream for Reader {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        poll_fn(|context| {
            let mut queue = self.0.borrow_mut();
            let Some(line) = queue.lines.pop_front() else {
                queue.reader = Some(context.waker().clone());
                return if queue.ended { Poll::Ready(Ok(None)) } else { Poll::Pending };
            };
            if let Some(writer) = queue.writer.take() {
                writer.wake();
            }
            Poll::Ready(Ok(Some(line)))
        })
        .await
    }

    async fn cancel(&mut self) {
        let mut queue = self.0.borrow_mut();
        queue.lines.clear();
        queue.ended = true;
    }

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Whole(Vec<u8>),
    TooLong,
    End,
}

pub(super) struct Lines {
    stream: Bytes,
    pending: Vec<u8>,
    /// How many bytes of `pending` are known to have no end of line.
    searched: usize,
    max_bytes: usize,
}

impl Lines {
    pub(super) const fn of(stream: Bytes, max_bytes: usize) -> Self {
        Self { stream, pending: Vec::new(), searched: 0, max_bytes }
    }

    /// Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Result<Line> {
        loop {
            if let Some(line) = self.take() {
                return Ok(line);
            }
            match self.stream.next().await? {
                Some(chunk) => self.pending.extend(chunk),
                None => return Ok(Line::End),
            }
        }
    }

    fn take(&mut self) -> Option<Line> {
        let unsearched = self.pending.get(self.searched..).unwrap_or_default();
        let Some(position) = unsearched.iter().position(|byte| *byte == b'\n') else {
            self.searched = self.pending.len();
            return (self.searched > self.max_bytes).then_some(Line::TooLong);
        };
        let end = self.searched + position;
        if end > self.max_bytes {
            return Some(Line::TooLong);
        }
        self.searched = 0;
        let rest = self.pending.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.pending, rest);
        line.truncate(end);
        Some(Line::Whole(line))
    }

    pub(super) async fn cancel(&mut self) {
        self.stream.cancel().await;
    }
}
