//! A [`Terminal`] in memory: it prints what is typed, as a terminal with echo does, and ends
//! with N when `exit N` is typed.

use async_trait::async_trait;
use snapshotter::domain::error::{Error, ErrorCode, Result};
use snapshotter::domain::exec::terminal::Printed;
use snapshotter::ports::container::Terminal;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// Clones share it.
#[derive(Clone, Default)]
pub struct MemoryTerminal {
    pub printed: Rc<RefCell<Printed>>,
    pub typed: Rc<RefCell<Vec<u8>>>,
    pub exit: Rc<Cell<Option<i32>>>,
    /// When it hangs up, if it does.
    pub hang_up_ms: Rc<Cell<Option<u64>>>,
    /// Whether it takes nothing that is typed.
    pub full: Rc<Cell<bool>>,
    wakes: Rc<Cell<u64>>,
    waiting: Rc<RefCell<Vec<Waker>>>,
}

impl MemoryTerminal {
    pub fn print(&self, bytes: &[u8]) {
        self.printed.borrow_mut().push(bytes);
        self.wake_all();
    }

    pub fn end(&self, exit_code: i32) {
        self.exit.set(Some(exit_code));
        self.wake_all();
    }

    fn wake_all(&self) {
        self.waiting.take().into_iter().for_each(Waker::wake);
    }
}

#[async_trait(?Send)]
impl Terminal for MemoryTerminal {
    fn read(&self, read: &mut dyn FnMut(&Printed)) {
        read(&self.printed.borrow());
    }

    fn exit_code(&self) -> Option<Result<i32>> {
        self.exit.get().map(Ok)
    }

    async fn changed(&self, position: u64) {
        let wakes = self.wakes.get();
        poll_fn(|context| {
            let printed = self.printed.borrow().end() > position;
            if printed || self.exit.get().is_some() || self.wakes.get() != wakes {
                return Poll::Ready(());
            }
            self.waiting.borrow_mut().push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    fn wake(&self) {
        self.wakes.set(self.wakes.get() + 1);
        self.wake_all();
    }

    async fn write(&self, bytes: &[u8]) -> Result<()> {
        if self.full.get() {
            return std::future::pending().await;
        }
        if self.exit.get().is_some() {
            return Err(Error::new(ErrorCode::Unavailable, "it has ended"));
        }
        self.typed.borrow_mut().extend(bytes);
        self.print(bytes);
        let text = String::from_utf8_lossy(bytes);
        if let Some(code) = text.trim().strip_prefix("exit ").and_then(|code| code.parse().ok()) {
            self.end(code);
        }
        Ok(())
    }

    fn hang_up_in(&self, ms: u64) {
        self.hang_up_ms.set(Some(ms));
    }

    fn keep(&self) {
        self.hang_up_ms.set(None);
    }
}
