//! A viewer's connection to a shell: its input and output.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::exec::terminal::{
    Frame, FrameReader, ServerMessage, TerminalSize, ViewerMessage,
};
use crate::domain::ids::TerminalId;
use crate::domain::limits::{
    STREAM_PULSE_MS, TERMINAL_DETACHED_MS, TERMINAL_IDLE_MS, TERMINAL_MESSAGE_MAX_BYTES,
    TERMINAL_REPLAY_BYTES, TERMINAL_WINDOW_BYTES,
};
use crate::ports::log::Level;
use crate::ports::stream::{ByteStream, Bytes};
use crate::sandbox::exec::terminal::ViewTerminal;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::context::Context;
use crate::sandbox::parts::terminals::Open;
use crate::sandbox::scripts::{RESIZE_TERMINAL, script};
use async_trait::async_trait;
use futures::FutureExt;
use futures::future::{LocalBoxFuture, poll_fn};
use serde_json::json;
use std::any::Any;
use std::collections::VecDeque;
use std::rc::Rc;
use std::task::Poll;

impl ViewTerminal<'_> {
    /// Connects a viewer, in place of the previous one.
    pub(super) fn view(
        &self,
        id: TerminalId,
        open: Rc<Open>,
        resumed: bool,
        typed: Bytes,
        size: TerminalSize,
    ) -> Result<Bytes> {
        let viewer = open.viewer.get() + 1;
        open.viewer.set(viewer);
        open.used_ms.set(self.context.now_ms());
        open.terminal.keep();
        open.terminal.wake();
        let mut position = 0;
        if resumed {
            open.terminal.read(&mut |printed| {
                position = printed.end().saturating_sub(TERMINAL_REPLAY_BYTES);
            });
        }
        let mut view = View {
            context: self.context.clone(),
            container: self.container.clone(),
            open,
            viewer,
            typed,
            reader: FrameReader::default(),
            unread: VecDeque::new(),
            outgoing: VecDeque::from([Frame::message(&ServerMessage::Started {
                terminal: id,
                resumed,
            })?]),
            position,
            sent_bytes: 0,
            received_bytes: 0,
            writing: None,
            resizing: None,
            resize_to: resumed.then_some(size),
            ended: false,
        };
        view.begin_resize();
        Ok(Box::new(view))
    }
}

/// A viewer's connection to a shell, as the stream of frames for the viewer. Reading it also moves
/// the viewer's input.
struct View {
    context: Rc<Context>,
    container: Rc<SandboxContainer>,
    open: Rc<Open>,
    viewer: u64,
    typed: Bytes,
    reader: FrameReader,
    /// Frames of the viewer that are not processed yet.
    unread: VecDeque<Frame>,
    /// Messages for the viewer, which come before any output.
    outgoing: VecDeque<Frame>,
    /// How much of the output the viewer has got, or will never get.
    position: u64,
    sent_bytes: u64,
    /// How many of the sent bytes the viewer has confirmed.
    received_bytes: u64,
    writing: Option<LocalBoxFuture<'static, Result<()>>>,
    resizing: Option<LocalBoxFuture<'static, Result<()>>>,
    resize_to: Option<TerminalSize>,
    ended: bool,
}

enum Happened {
    /// Something was typed. None: the viewer is gone.
    Typed(Result<Option<Vec<u8>>>),
    Wrote(Result<()>),
    Resized(Result<()>),
    /// There may be output, an end, or another viewer.
    Changed,
    /// Nothing happened for a while.
    Pulse,
}

#[async_trait(?Send)]
impl ByteStream for View {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        loop {
            if let Some(frame) = self.outgoing.pop_front() {
                return Ok(Some(frame.to_bytes()));
            }
            if self.ended {
                return Ok(None);
            }
            if self.open.viewer.get() != self.viewer {
                self.ended = true;
                self.note("taken over");
                self.send_error(&taken_over())?;
            } else if let Some(printed) = self.printed()? {
                return Ok(Some(printed));
            } else if self.outgoing.is_empty() {
                self.wait().await?;
            }
        }
    }

    async fn cancel(&mut self) {
        self.detach();
        self.typed.cancel().await;
    }

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}

impl View {
    /// The next output, or a message in its place. None: nothing may be sent now.
    fn printed(&mut self) -> Result<Option<Vec<u8>>> {
        let window = self.window();
        let (mut omitted, mut bytes, mut end) = (0, Vec::new(), 0);
        self.open.terminal.read(&mut |printed| {
            (omitted, bytes) = printed.from(self.position, window);
            end = printed.end();
        });
        if window > 0 && omitted > 0 {
            self.position += omitted;
            self.outgoing.push_back(Frame::message(&ServerMessage::Omitted(omitted))?);
            return Ok(None);
        }
        if !bytes.is_empty() {
            self.position += bytes.len() as u64;
            self.sent_bytes += bytes.len() as u64;
            self.open.used_ms.set(self.context.now_ms());
            return Ok(Some(Frame::Bytes(bytes).to_bytes()));
        }
        match self.open.terminal.exit_code().filter(|_| self.position == end) {
            None => {}
            Some(Ok(exit_code)) => {
                self.ended = true;
                self.note("exited");
                self.outgoing.push_back(Frame::message(&ServerMessage::Exited { exit_code })?);
            }
            Some(Err(error)) => {
                self.ended = true;
                self.note(error.code.as_str());
                self.send_error(&error)?;
            }
        }
        Ok(None)
    }

    /// How many bytes the viewer may be sent now.
    fn window(&self) -> usize {
        let ahead = self.sent_bytes.saturating_sub(self.received_bytes);
        let room = TERMINAL_WINDOW_BYTES.saturating_sub(ahead);
        usize::try_from(room).unwrap_or(usize::MAX).min(TERMINAL_MESSAGE_MAX_BYTES)
    }

    async fn wait(&mut self) -> Result<()> {
        match self.happens().await {
            Happened::Changed => {}
            Happened::Wrote(written) => {
                // A program that has ended takes no more input. Its exit follows.
                self.note_failure("write", written.err());
                self.take_typed();
            }
            Happened::Resized(resized) => {
                self.note_failure("resize", resized.err());
                self.begin_resize();
            }
            Happened::Typed(Ok(Some(piece))) => match self.reader.read(&piece) {
                Ok(frames) => {
                    self.unread.extend(frames);
                    self.take_typed();
                }
                Err(error) => return self.refuse(&error),
            },
            Happened::Typed(Ok(None) | Err(_)) => self.detach(),
            Happened::Pulse => {
                let idle_ms = self.context.now_ms().saturating_sub(self.open.used_ms.get());
                if idle_ms > TERMINAL_IDLE_MS {
                    let refused = self.refuse(&idle());
                    // Hang up at once instead of waiting for another viewer.
                    self.open.terminal.hang_up_in(0);
                    return refused;
                }
                // This fails if the reader is gone.
                self.outgoing.push_back(Frame::Bytes(Vec::new()));
            }
        }
        Ok(())
    }

    async fn happens(&mut self) -> Happened {
        // Without room for output, only the viewer can change anything.
        let has_room = self.window() > 0;
        let Self { open, typed, writing, resizing, context, position, .. } = self;
        let mut changed = has_room.then(|| open.terminal.changed(*position));
        let mut pulse = context.ports.clock.sleep_ms(STREAM_PULSE_MS);
        // Input waits while the terminal takes no more.
        let mut typed = if writing.is_none() { Some(typed.next()) } else { None };
        poll_fn(|context| {
            if let Some(written) = writing
                && let Poll::Ready(written) = written.poll_unpin(context)
            {
                *writing = None;
                return Poll::Ready(Happened::Wrote(written));
            }
            if let Some(resized) = resizing
                && let Poll::Ready(resized) = resized.poll_unpin(context)
            {
                *resizing = None;
                return Poll::Ready(Happened::Resized(resized));
            }
            if let Some(typed) = &mut typed
                && let Poll::Ready(piece) = typed.poll_unpin(context)
            {
                return Poll::Ready(Happened::Typed(piece));
            }
            if let Some(changed) = &mut changed
                && changed.poll_unpin(context).is_ready()
            {
                return Poll::Ready(Happened::Changed);
            }
            pulse.poll_unpin(context).map(|()| Happened::Pulse)
        })
        .await
    }

    /// Processes the viewer's next frames, up to one with input for the terminal.
    fn take_typed(&mut self) {
        while self.writing.is_none()
            && let Some(frame) = self.unread.pop_front()
        {
            match frame {
                Frame::Bytes(bytes) if bytes.is_empty() => {}
                Frame::Bytes(bytes) => {
                    self.open.used_ms.set(self.context.now_ms());
                    let terminal = self.open.terminal.clone();
                    self.writing = Some(async move { terminal.write(&bytes).await }.boxed_local());
                }
                Frame::Text(text) => match ViewerMessage::parse(&text) {
                    Ok(ViewerMessage::Resize(size)) => {
                        self.resize_to = Some(size);
                        self.begin_resize();
                    }
                    Ok(ViewerMessage::Received(bytes)) => {
                        self.received_bytes = self.received_bytes.max(bytes.min(self.sent_bytes));
                    }
                    Err(error) => {
                        // This fails only if the error can't be encoded as JSON.
                        let _ = self.refuse(&error);
                        return;
                    }
                },
            }
        }
    }

    /// Sets the terminal's size. If that is under way already, sets it once more afterwards.
    fn begin_resize(&mut self) {
        if self.resizing.is_some() {
            return;
        }
        let Some(TerminalSize { cols, rows }) = self.resize_to.take() else { return };
        let (container, note) = (self.container.clone(), self.open.note.clone());
        let resize = async move {
            let arguments = [note.as_str(), &cols.to_string(), &rows.to_string()];
            container.run(&script(RESIZE_TERMINAL, &arguments)).await.map(drop)
        };
        self.resizing = Some(resize.boxed_local());
    }

    /// Ends the connection because of what the viewer did. The shell waits for another viewer.
    fn refuse(&mut self, error: &Error) -> Result<()> {
        self.detach();
        self.send_error(error)
    }

    fn send_error(&mut self, error: &Error) -> Result<()> {
        self.outgoing.push_back(Frame::message(&ServerMessage::Error(error.to_wire().error))?);
        Ok(())
    }

    /// Leaves the shell, which ends unless a viewer comes back.
    fn detach(&mut self) {
        if !self.ended {
            self.ended = true;
            self.note("detached");
            if self.open.viewer.get() == self.viewer {
                self.open.terminal.hang_up_in(TERMINAL_DETACHED_MS);
            }
        }
    }

    fn note(&self, outcome: &str) {
        let fields = json!({ "outcome": outcome, "sentBytes": self.sent_bytes });
        self.context.note(Level::Info, "sandbox.terminal.end", fields);
    }

    fn note_failure(&self, what: &str, error: Option<Error>) {
        if let Some(error) = error {
            let fields = json!({ "what": what, "code": error.code, "cause": error.cause });
            self.context.note(Level::Info, "sandbox.terminal.failed", fields);
        }
    }
}

fn taken_over() -> Error {
    Error::new(ErrorCode::Conflict, "another connection has taken this terminal over")
        .with_hint("connect without `terminal` for a shell of your own")
}

fn idle() -> Error {
    let minutes = TERMINAL_IDLE_MS / 60_000;
    Error::new(
        ErrorCode::Aborted,
        format!("the terminal was closed: nothing was typed or printed for {minutes} minutes"),
    )
    .with_hint("connect again for a new shell")
}
