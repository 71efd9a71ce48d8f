//! An answer as a stream of events: progress while a tool runs, its command's output, pulses, and
//! the response at the end. Pulses keep proxies from closing a silent connection. They also detect
//! a connection that the client closed: the runtime reports that only on a write.
//!
//! The call does not run inside the stream, because a client that stops reading would stop it in
//! the middle of a step. Instead, the call writes into a channel, and the stream reads from the
//! channel.

use crate::api::mcp::answer::Printed;
use crate::api::mcp::call::Call;
use crate::api::mcp::jsonrpc::{RequestId, notification};
use crate::api::mcp::revision::Revision;
use crate::domain::limits::{MCP_PULSE_MS, MCP_PULSES_PER_PROGRESS};
use crate::domain::{ErrorCode, Result, SessionId};
use crate::ports::Clock;
use crate::session::{Abort, Progress};
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::future::{Either, select};
use futures::stream::Stream;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll};

/// The body of the response: text of Server-Sent Events.
pub struct Body {
    events: UnboundedReceiver<String>,
    /// Aborts the call when the stream is closed. Present only in the newer revision, in which a
    /// client cancels by closing the stream.
    closing_aborts: Option<Abort>,
}

impl Stream for Body {
    type Item = String;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<String>> {
        Pin::new(&mut self.events).poll_next(context)
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if let Some(abort) = &self.closing_aborts {
            abort.abort();
        }
    }
}

/// The end that the call writes to.
pub struct Writer {
    channel: Channel,
}

/// The part that the writer and the call's signal share.
#[derive(Clone)]
struct Channel {
    events: UnboundedSender<String>,
    progress_token: Option<RequestId>,
    /// The number of the last progress notification. It must grow with each one.
    progress: Rc<Cell<u64>>,
    printed: Rc<RefCell<Printed>>,
}

/// The field of a notification that names the stream of its text: `stdout` or `stderr`.
const STREAM_META: &str = "snapshotter/stream";

/// Opens a stream for a call. Returns the signal for the call, the writer of its events, and the
/// body for the client.
#[must_use]
pub fn open(call: &Call) -> (Abort, Writer, Body) {
    let (sender, events) = unbounded();
    let channel = Channel {
        events: sender,
        progress_token: call.progress_token.clone(),
        progress: Rc::default(),
        printed: Rc::default(),
    };
    let hears = channel.clone();
    let abort = Abort::reporting(move |progress| hears.hear(progress));
    let closing_aborts = (call.revision == Revision::Stateless).then(|| abort.clone());
    (abort, Writer { channel }, Body { events, closing_aborts })
}

impl Writer {
    /// Writes the progress of `run` and its answer, and ends the stream.
    pub async fn write(
        self,
        call: &Call,
        session: &SessionId,
        clock: &dyn Clock,
        run: impl Future<Output = Result<Value>>,
    ) {
        self.channel.report("started");
        let mut run = pin!(run);
        let mut pulses: u64 = 0;
        let answer = loop {
            match select(run.as_mut(), clock.sleep_ms(MCP_PULSE_MS)).await {
                Either::Left((answer, _)) => break answer,
                Either::Right(((), _)) => {
                    pulses += 1;
                    self.channel.pulse(pulses);
                }
            }
        };
        // Only the client can cancel its call. It then wants no response.
        let cancelled = answer.as_ref().is_err_and(|error| error.code == ErrorCode::Aborted);
        if !cancelled {
            self.channel.send_printed();
            self.channel.send(&call.response(session, answer));
        }
    }
}

impl Channel {
    /// Sends a step at once. Output waits for the next pulse.
    fn hear(&self, progress: Progress<'_>) {
        match progress {
            Progress::Step(what) => self.report(what),
            _ if self.progress_token.is_none() => {}
            Progress::Stdout(text) => self.printed.borrow_mut().stdout(text),
            Progress::Stderr(text) => self.printed.borrow_mut().stderr(text),
        }
    }

    /// Sends the output since the last time. Returns whether there was any.
    fn send_printed(&self) -> bool {
        let taken = self.printed.borrow_mut().take();
        for (stream, message) in &taken {
            self.notify(message, Some(stream));
        }
        !taken.is_empty()
    }

    /// Sends progress, if the client asked for it.
    fn report(&self, message: &str) {
        self.notify(message, None);
    }

    fn notify(&self, message: &str, stream: Option<&str>) {
        let Some(token) = &self.progress_token else { return };
        let progress = self.progress.replace(self.progress.get() + 1);
        let mut params =
            json!({ "progressToken": token, "progress": progress, "message": message });
        if let (Some(stream), Some(fields)) = (stream, params.as_object_mut()) {
            fields.insert("_meta".to_owned(), json!({ STREAM_META: stream }));
        }
        self.send(&notification("notifications/progress", params));
    }

    fn pulse(&self, count: u64) {
        if self.send_printed() {
            return;
        }
        if self.progress_token.is_some() && count.is_multiple_of(MCP_PULSES_PER_PROGRESS) {
            self.report("still working");
        } else {
            // A comment, which clients skip.
            self.write(":\n\n".to_owned());
        }
    }

    fn send(&self, message: &Value) {
        // JSON has no raw line breaks, so one line holds any message.
        self.write(format!("event: message\ndata: {message}\n\n"));
    }

    fn write(&self, event: String) {
        // This fails if the client is gone. Nobody then needs the event.
        let _ = self.events.unbounded_send(event);
    }
}
