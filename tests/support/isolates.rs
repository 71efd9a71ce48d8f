//! Isolates in memory: each answers as its test says.

use super::stream::MemoryBytes;
use async_trait::async_trait;
use serde_json::Value;
use snapshotter::domain::error::{Error, ErrorCode, Result};
use snapshotter::ports::isolates::{Isolates, Program, Started};
use snapshotter::ports::stream::{ByteStream, Bytes};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::pending;
use std::rc::Rc;

/// What an isolate does next.
#[derive(Clone)]
pub enum Step {
    /// It sends this message.
    Send(Value),
    /// It sends these bytes.
    Raw(Vec<u8>),
    /// It waits for an answer.
    Hear,
    /// It does nothing more.
    Hang,
    /// The platform ends it, with this text.
    Break(&'static str),
}

/// The Worker's isolates.
#[derive(Clone, Default)]
pub struct MemoryIsolates {
    /// Whether the binding is missing.
    pub missing: Rc<Cell<bool>>,
    /// Whether programs that start never answer.
    pub silent: Rc<Cell<bool>>,
    /// The programs that were started.
    pub started: Rc<RefCell<Vec<Program>>>,
    /// What isolates heard.
    pub heard: Rc<RefCell<Vec<Value>>>,
    /// How many isolates were ended by the session.
    pub cancelled: Rc<Cell<usize>>,
    steps: Rc<RefCell<Vec<Step>>>,
}

impl MemoryIsolates {
    /// Says what each isolate does from now on.
    pub fn do_steps(&self, steps: impl IntoIterator<Item = Step>) {
        *self.steps.borrow_mut() = steps.into_iter().collect();
    }
}

#[async_trait(?Send)]
impl Isolates for MemoryIsolates {
    fn are_available(&self) -> bool {
        !self.missing.get()
    }

    async fn start(&self, program: &Program, input: Bytes) -> Result<Started> {
        if self.missing.get() {
            return Err(Error::new(ErrorCode::NotConfigured, "no LOADER"));
        }
        self.started.borrow_mut().push(program.clone());
        if self.silent.get() {
            return pending().await;
        }
        let source = &program.modules[0].1;
        let answer = |text: &str| {
            let stream = MemoryBytes::of([text.as_bytes().to_vec()]);
            Ok(Started::Running(Box::new(stream)))
        };
        // The programs of the contract suite, by their first words.
        match source.split(':').next().unwrap_or_default() {
            "// echo" => return Ok(Started::Running(input)),
            "// count" => return answer("1"),
            "// bindings" => return answer("[]"),
            "// offline" => return answer("off"),
            "// broken" => return Ok(Started::Refused("SyntaxError: no".to_owned())),
            _ => {}
        }
        let steps = self.steps.borrow().iter().cloned().collect();
        let (heard, cancelled) = (self.heard.clone(), self.cancelled.clone());
        Ok(Started::Running(Box::new(Running { steps, input, heard, cancelled })))
    }
}

struct Running {
    steps: VecDeque<Step>,
    input: Bytes,
    heard: Rc<RefCell<Vec<Value>>>,
    cancelled: Rc<Cell<usize>>,
}

#[async_trait(?Send)]
impl ByteStream for Running {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        loop {
            match self.steps.front() {
                None => return Ok(None),
                Some(Step::Hang) => return pending().await,
                Some(Step::Hear) => {
                    let line = self.input.next().await?.unwrap();
                    self.heard.borrow_mut().push(serde_json::from_slice(&line).unwrap());
                    self.steps.pop_front();
                }
                Some(Step::Send(message)) => {
                    let line = format!("{message}\n").into_bytes();
                    self.steps.pop_front();
                    return Ok(Some(line));
                }
                Some(Step::Raw(bytes)) => {
                    let bytes = bytes.clone();
                    self.steps.pop_front();
                    return Ok(Some(bytes));
                }
                Some(Step::Break(cause)) => {
                    let broken = Error::new(ErrorCode::Unavailable, "the stream broke off");
                    return Err(broken.with_cause(*cause));
                }
            }
        }
    }

    async fn cancel(&mut self) {
        self.cancelled.set(self.cancelled.get() + 1);
        self.input.cancel().await;
    }

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}
