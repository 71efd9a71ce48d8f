//! Serves a script while it runs: reads its messages, makes its calls, and ends it.

use crate::domain::limits::{
    SCRIPT_CALLS_AT_ONCE, SCRIPT_CALLS_MAX, SCRIPT_ERROR_MAX_BYTES, SCRIPT_LOGS_MAX_BYTES,
    SCRIPT_MESSAGE_MAX_BYTES,
};
use crate::domain::{Error, ErrorBody, ErrorCode, Outcome, Result};
use crate::ports::Clock;
use crate::ports::isolates::{Isolates, Program, Started};
use crate::session::exec::script::{Answers, Line, Lines, ScriptResult, ScriptTools};
use crate::session::parts::Abort;
use futures::future::{Either, select};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use serde::Serialize;
use serde_json::{Map, Value};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

pub(super) struct Conversation<'a> {
    pub isolates: &'a dyn Isolates,
    pub clock: &'a dyn Clock,
    pub tools: &'a dyn ScriptTools,
    pub abort: &'a Abort,
    pub program: Program,
    pub max_duration_ms: u64,
}

enum Over {
    TimeUp,
    GivenUp,
}

enum Next {
    Line(Result<Line>),
    Over(Over),
}

enum Ended {
    Done(Done),
    Failed(String),
    TimeUp,
}

#[derive(Default)]
struct Seen {
    logs: String,
    calls: u32,
}

impl Seen {
    fn read(&mut self, line: &[u8]) -> std::result::Result<Asked, Ended> {
        let Some(message) = Message::parse(line) else {
            return Err(Ended::Failed("it broke its connection to the session".to_owned()));
        };
        // One byte more shows that something is left out.
        let room = (SCRIPT_LOGS_MAX_BYTES + 1).saturating_sub(self.logs.len());
        self.logs.push_str(cut(&message.logs, room));
        match message.kind {
            Kind::Done(done) => Err(Ended::Done(done)),
            Kind::Call(_) if self.calls == SCRIPT_CALLS_MAX => {
                Err(Ended::Failed(format!("it made more than {SCRIPT_CALLS_MAX} calls")))
            }
            Kind::Call(asked) => {
                self.calls += 1;
                Ok(asked)
            }
        }
    }
}

impl Conversation<'_> {
    pub(super) async fn run(self) -> Result<ScriptResult> {
        let started_ms = self.clock.now_ms();
        let mut seen = Seen::default();
        let ended = self.serve(&mut seen).await?;
        let duration_ms = self.clock.now_ms().saturating_sub(started_ms);
        let (timed_out, max_ms) = (matches!(ended, Ended::TimeUp), self.max_duration_ms);
        let done = match ended {
            Ended::Done(done) => done,
            Ended::Failed(why) => Done { value: None, value_text: None, error: Some(why) },
            Ended::TimeUp => Done {
                value: None,
                value_text: None,
                error: Some(format!("it ran for longer than {max_ms} ms")),
            },
        };
        Ok(ScriptResult {
            value: done.value,
            value_text: done.value_text.map(|text| bounded(text, SCRIPT_ERROR_MAX_BYTES)),
            logs: bounded(seen.logs, SCRIPT_LOGS_MAX_BYTES),
            error: done.error.map(|error| bounded(error, SCRIPT_ERROR_MAX_BYTES)),
            timed_out,
            calls: seen.calls,
            duration_ms: u64::try_from(duration_ms).unwrap_or_default(),
        })
    }

    async fn over(&self) -> Over {
        let time_up = self.clock.sleep_ms(self.max_duration_ms);
        match select(pin!(self.abort.given_up()), time_up).await {
            Either::Left(_) => Over::GivenUp,
            Either::Right(_) => Over::TimeUp,
        }
    }

    async fn serve(&self, seen: &mut Seen) -> Result<Ended> {
        let mut over = pin!(self.over().fuse());
        let (answers, input) = Answers::pair();
        let started = match select(self.isolates.start(&self.program, input), &mut over).await {
            Either::Left((started, _)) => started?,
            Either::Right((Over::TimeUp, _)) => return Ok(Ended::TimeUp),
            Either::Right((Over::GivenUp, _)) => return Err(given_up()),
        };
        let mut lines = match started {
            Started::Running(stream) => Lines::of(stream, SCRIPT_MESSAGE_MAX_BYTES),
            Started::Refused(why) => return Ok(Ended::Failed(why)),
        };
        let mut calls = FuturesUnordered::new();
        let mut aborts = Vec::new();
        let ended = loop {
            let read = match next(&mut lines, &mut calls, &answers, over.as_mut()).await {
                Next::Line(Ok(Line::Whole(line))) => seen.read(&line),
                Next::Line(Ok(Line::TooLong)) => Err(Ended::Failed(format!(
                    "it sent a call or a result of more than {SCRIPT_MESSAGE_MAX_BYTES} bytes"
                ))),
                Next::Line(Ok(Line::End)) => Err(Ended::Failed(self.why(None))),
                Next::Line(Err(error)) => Err(Ended::Failed(self.why(error.cause.as_deref()))),
                Next::Over(Over::TimeUp) => Err(Ended::TimeUp),
                Next::Over(Over::GivenUp) => break Err(given_up()),
            };
            match read {
                Ok(asked) => {
                    let abort = Abort::default();
                    aborts.push(abort.clone());
                    calls.push(self.call(asked, abort, &answers));
                }
                Err(ended) => break Ok(ended),
            }
        };
        answers.end();
        lines.cancel().await;
        // No call is left half done: it ends before its next step, or completes. A script that
        // ended by itself may leave calls that it did not await.
        if !matches!(ended, Ok(Ended::Done(_))) {
            aborts.iter().for_each(Abort::abort);
        }
        let mut left = pin!(async { while calls.next().await.is_some() {} });
        if let Either::Right(_) = select(&mut left, &mut over).await {
            aborts.iter().for_each(Abort::abort);
            left.await;
        }
        ended
    }

    async fn call(&self, asked: Asked, abort: Abort, answers: &Answers) {
        let Asked { id, tool, input } = asked;
        let answered = self.tools.call(&tool, input, &abort).await;
        // A failure to write an answer is an answer, too.
        match answer(id, answered).or_else(|error| answer(id, Err(error))) {
            Ok(line) => answers.push(line),
            Err(_error) => answers.end(),
        }
    }

    fn why(&self, cause: Option<&str>) -> String {
        let cause = cause.unwrap_or_default().to_lowercase();
        if cause.contains("cpu") {
            format!("it used more than {} ms of CPU time", self.program.cpu_ms)
        } else if cause.contains("memory") {
            "it used more memory than an isolate has".to_owned()
        } else {
            "its isolate ended before it did: too much CPU time or memory, or it ended itself"
                .to_owned()
        }
    }
}

async fn next(
    lines: &mut Lines,
    calls: &mut FuturesUnordered<impl Future<Output = ()>>,
    answers: &Answers,
    mut over: Pin<&mut impl Future<Output = Over>>,
) -> Next {
    let mut line = pin!(lines.next());
    poll_fn(|context| {
        while let Poll::Ready(Some(())) = calls.poll_next_unpin(context) {}
        // We read on only while there is room. Further calls wait in the
        // isolate, in its own memory.
        if calls.len() + answers.waiting(context) < SCRIPT_CALLS_AT_ONCE
            && let Poll::Ready(line) = line.as_mut().poll(context)
        {
            return Poll::Ready(Next::Line(line));
        }
        over.as_mut().poll(context).map(Next::Over)
    })
    .await
}

fn cut(text: &str, max_bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(max_bytes)).unwrap_or_default()
}

fn bounded(mut text: String, max_bytes: usize) -> String {
    if text.len() > max_bytes {
        text.truncate(cut(&text, max_bytes).len());
        text.push_str("\n[cut off here]\n");
    }
    text
}

fn given_up() -> Error {
    Error::new(ErrorCode::Aborted, "the caller aborted; the script was ended")
        .with_hint("what it had changed stays: look at the files before you run it again")
        .with_outcome(Outcome::Unknown)
}

/// What a script sends. It shares its isolate with the harness, so it can send anything.
#[derive(Debug, PartialEq)]
pub(super) struct Message {
    /// Console output since the last message.
    pub logs: String,
    pub kind: Kind,
}

#[derive(Debug, PartialEq)]
pub(super) enum Kind {
    Call(Asked),
    Done(Done),
}

#[derive(Debug, PartialEq)]
pub(super) struct Asked {
    pub id: u64,
    pub tool: String,
    pub input: Value,
}

#[derive(Debug, PartialEq)]
pub(super) struct Done {
    pub value: Option<Value>,
    pub value_text: Option<String>,
    pub error: Option<String>,
}

impl Message {
    /// None: the harness would not have sent it.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let mut fields: Map<String, Value> = serde_json::from_slice(line).ok()?;
        let logs = text(&mut fields, "logs").unwrap_or_default();
        let kind = match (fields.remove("call"), fields.remove("done")) {
            (Some(id), None) => Kind::Call(Asked {
                id: id.as_u64()?,
                tool: text(&mut fields, "tool")?,
                input: fields.remove("input").unwrap_or_default(),
            }),
            (None, Some(Value::Object(mut done))) => Kind::Done(Done {
                value: done.remove("value"),
                value_text: text(&mut done, "valueText"),
                error: text(&mut done, "error"),
            }),
            _ => return None,
        };
        Some(Self { logs, kind })
    }
}

fn text(fields: &mut Map<String, Value>, name: &str) -> Option<String> {
    match fields.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

pub(super) fn answer(id: u64, answered: Result<Value>) -> Result<Vec<u8>> {
    #[derive(Serialize)]
    struct Answer {
        answer: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<ErrorBody>,
    }
    let (value, error) = match answered {
        Ok(value) => (Some(value), None),
        Err(error) => (None, Some(error.to_wire().error)),
    };
    let mut line = serde_json::to_vec(&Answer { answer: id, value, error })
        .map_err(|error| Error::internal(error.to_string()))?;
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ErrorCode;
    use serde_json::json;

    #[test]
    fn only_what_the_harness_sends_is_read() {
        let parse = |value: Value| Message::parse(value.to_string().as_bytes());
        let asked = parse(json!({ "call": 3, "tool": "ls", "input": { "a": 1 }, "logs": "x\n" }));
        let call = Kind::Call(Asked { id: 3, tool: "ls".to_owned(), input: json!({ "a": 1 }) });
        assert_eq!(asked, Some(Message { logs: "x\n".to_owned(), kind: call }));
        let done = parse(json!({ "done": { "value": null } }));
        let value = Done { value: Some(Value::Null), value_text: None, error: None };
        assert_eq!(done, Some(Message { logs: String::new(), kind: Kind::Done(value) }));
        for forged in [
            json!({}),
            json!([1]),
            json!({ "call": -1, "tool": "ls" }),
            json!({ "call": 1 }),
            json!({ "call": 1, "tool": ["ls"] }),
            json!({ "done": true }),
            json!({ "done": {}, "call": 1, "tool": "ls" }),
        ] {
            assert_eq!(parse(forged.clone()), None, "{forged}");
        }
        assert_eq!(Message::parse(&[b'['; 100_000]), None, "nested too deep");
        assert_eq!(Message::parse(b"\xff"), None);
    }

    #[test]
    fn an_answer_is_one_line_without_the_cause() {
        let line = answer(7, Ok(json!({ "text": "a\nb" }))).unwrap();
        assert_eq!(line, b"{\"answer\":7,\"value\":{\"text\":\"a\\nb\"}}\n");
        let error = Error::new(ErrorCode::NotFound, "no such file").with_cause("/secret");
        let line = String::from_utf8(answer(8, Err(error)).unwrap()).unwrap();
        assert!(line.contains("\"code\":\"NOT_FOUND\"") && line.contains("\"hint\""), "{line}");
        assert!(!line.contains("secret"));
    }
}
