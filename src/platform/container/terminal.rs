//! [`Terminal`] over a process with a terminal.

use crate::domain::error::Result;
use crate::domain::exec::terminal::Printed;
use crate::platform::clock::{RuntimeClock, within};
use crate::platform::container::js::{
    ExecProcess, JsWriter, SIGHUP, SIGKILL, exit_status, unavailable,
};
use crate::platform::container::stream::Chunks;
use crate::ports::clock::Clock;
use crate::ports::container::Terminal;
use async_trait::async_trait;
use futures::future::poll_fn;
use js_sys::Uint8Array;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Poll, Waker};
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Time for a process to end after a hang-up.
const HANG_UP_GRACE_MS: u64 = 5_000;

/// A process of the container that has a terminal.
pub struct JsTerminal {
    state: Rc<State>,
    stdin: JsWriter,
}

struct State {
    process: ExecProcess,
    printed: RefCell<Printed>,
    exit: RefCell<Option<Result<i32>>>,
    waiting: RefCell<Vec<Waker>>,
    wakes: Cell<u64>,
    /// Counts the calls that request or revoke a hang-up.
    hang_ups: Cell<u64>,
}

impl JsTerminal {
    /// Starts reading a process's output.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the process's streams can't be used.
    pub fn new(process: ExecProcess) -> Result<Self> {
        let stdin = process.stdin().writer().map_err(unavailable)?;
        let output = Chunks::of(&process.stdout()).map_err(unavailable)?;
        let state = Rc::new(State {
            process,
            printed: RefCell::default(),
            exit: RefCell::default(),
            waiting: RefCell::default(),
            wakes: Cell::default(),
            hang_ups: Cell::default(),
        });
        spawn_local(drain(state.clone(), output));
        Ok(Self { state, stdin })
    }
}

impl State {
    fn note_waiting(&self, waker: &Waker) {
        let mut waiting = self.waiting.borrow_mut();
        if !waiting.iter().any(|other| other.will_wake(waker)) {
            waiting.push(waker.clone());
        }
    }

    fn wake_all(&self) {
        for waker in self.waiting.take() {
            waker.wake();
        }
    }

    fn has_ended(&self) -> bool {
        self.exit.borrow().is_some()
    }

    async fn end(&self) {
        poll_fn(|context| {
            if self.has_ended() {
                return Poll::Ready(());
            }
            self.note_waiting(context.waker());
            Poll::Pending
        })
        .await;
    }
}

/// Reads the output even without a viewer: an engine with unread output does not report the end of
/// any other process.
async fn drain(state: Rc<State>, mut output: Chunks) {
    let ended = loop {
        match poll_fn(|context| output.poll(context)).await {
            Ok(Some(bytes)) => {
                state.printed.borrow_mut().push(&bytes);
                state.wake_all();
            }
            Ok(None) => break exit_status(JsFuture::from(state.process.exit_code()).await),
            Err(thrown) => break Err(unavailable(thrown)),
        }
    };
    *state.exit.borrow_mut() = Some(ended);
    state.wake_all();
}

#[async_trait(?Send)]
impl Terminal for JsTerminal {
    fn read(&self, read: &mut dyn FnMut(&Printed)) {
        read(&self.state.printed.borrow());
    }

    fn exit_code(&self) -> Option<Result<i32>> {
        self.state.exit.borrow().clone()
    }

    async fn changed(&self, position: u64) {
        let wakes = self.state.wakes.get();
        poll_fn(|context| {
            let state = &self.state;
            let printed = state.printed.borrow().end() > position;
            if printed || state.has_ended() || state.wakes.get() != wakes {
                return Poll::Ready(());
            }
            state.note_waiting(context.waker());
            Poll::Pending
        })
        .await;
    }

    fn wake(&self) {
        self.state.wakes.set(self.state.wakes.get() + 1);
        self.state.wake_all();
    }

    async fn write(&self, bytes: &[u8]) -> Result<()> {
        let written = self.stdin.write(&Uint8Array::from(bytes)).map_err(unavailable)?;
        JsFuture::from(written).await.map(drop).map_err(unavailable)
    }

    fn hang_up_in(&self, ms: u64) {
        let state = self.state.clone();
        let number = state.hang_ups.get() + 1;
        state.hang_ups.set(number);
        spawn_local(async move {
            if ms > 0 {
                RuntimeClock.sleep_ms(ms).await;
            }
            for signal in [SIGHUP, SIGKILL] {
                if state.hang_ups.get() != number || state.has_ended() {
                    return;
                }
                // This fails if the process has just ended, which is the goal.
                let _ = state.process.kill(signal);
                if within(HANG_UP_GRACE_MS, state.end()).await.is_some() {
                    return;
                }
            }
        });
    }

    fn keep(&self) {
        self.state.hang_ups.set(self.state.hang_ups.get() + 1);
    }
}
