//! The answers to a script's calls, as a stream that its isolate reads.

use crate::domain::Result;
use crate::ports::{ByteStream, Bytes};
use async_trait::async_trait;
use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

#[derive(Default)]
struct Queue {
    lines: VecDeque<Vec<u8>>,
    ended: bool,
    /// Wakes the isolate's end of the stream.
    reader: Option<Waker>,
    /// Wakes the session's end once a line was taken.
    writer: Option<Waker>,
}

/// The session's end of the stream. Dropping it ends the stream.
#[derive(Default)]
pub(super) struct Answers(Rc<RefCell<Queue>>);

impl Answers {
    /// Makes both ends of a stream.
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

    /// How many lines wait to be taken. The task is woken once there are fewer.
    pub(super) fn waiting(&self, context: &Context<'_>) -> usize {
        let mut queue = self.0.borrow_mut();
        queue.writer = Some(context.waker().clone());
        queue.lines.len()
    }

    /// Ends the stream after the lines that it has.
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
