//! Who is in a workspace: any number of calls, or one that needs it to itself.
//!
//! Only this object's memory knows: a call ends with its object, and so does
//! its place here.

use crate::domain::ids::SandboxId;
use crate::ports::clock::Clock;
use crate::usecases::fifo_mutex::{FifoGuard, FifoMutex};
use futures::channel::oneshot;
use futures::future::{Either, select};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The workspaces' gates, by sandbox.
#[derive(Default)]
pub(super) struct Gates(RefCell<BTreeMap<SandboxId, Gate>>);

#[derive(Clone, Default)]
struct Gate {
    mutex: FifoMutex,
    calls: Rc<Cell<usize>>,
    /// Who waits until no call is in any more.
    waiting: Rc<RefCell<Vec<oneshot::Sender<()>>>>,
    left_at_ms: Rc<Cell<i64>>,
}

/// A call that is in a workspace, until dropped.
pub(super) struct Entered {
    gate: Gate,
    clock: Rc<dyn Clock>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.gate.calls.set(self.gate.calls.get().saturating_sub(1));
        self.gate.left_at_ms.set(self.clock.now_ms());
        if self.gate.calls.get() == 0 {
            for waiting in self.gate.waiting.take() {
                // One that has given up needs no word.
                let _ = waiting.send(());
            }
        }
    }
}

impl Gates {
    fn of(&self, id: &SandboxId) -> Gate {
        self.0.borrow_mut().entry(id.clone()).or_default().clone()
    }

    /// Waits while one has the workspace to itself, then goes in.
    pub(super) async fn enter(&self, id: &SandboxId, clock: &Rc<dyn Clock>) -> Entered {
        let gate = self.of(id);
        drop(gate.mutex.lock().await);
        // No await since the turn: nobody has it to himself before this counts.
        gate.calls.set(gate.calls.get() + 1);
        Entered { gate, clock: clock.clone() }
    }

    /// Calls that are in.
    pub(super) fn calls(&self, id: &SandboxId) -> usize {
        self.of(id).calls.get()
    }

    /// When one last left, in milliseconds since the epoch; 0 if this object
    /// has seen none.
    pub(super) fn left_at_ms(&self, id: &SandboxId) -> i64 {
        self.of(id).left_at_ms.get()
    }

    /// Lets nobody else in, once all who asked before have had it. Calls that
    /// are in go on.
    pub(super) async fn alone(&self, id: &SandboxId) -> FifoGuard {
        self.of(id).mutex.lock().await
    }

    /// Whether somebody has it to himself, or waits to.
    pub(super) fn is_held(&self, id: &SandboxId) -> bool {
        self.of(id).mutex.is_locked()
    }

    /// As [`Self::alone`], once the calls that are in have left too. None: some
    /// were still in after `limit_ms`.
    pub(super) async fn alone_and_quiet(
        &self,
        id: &SandboxId,
        clock: &dyn Clock,
        limit_ms: u64,
    ) -> Option<FifoGuard> {
        let gate = self.of(id);
        let turn = gate.mutex.lock().await;
        let mut over = clock.sleep_ms(limit_ms);
        // Nobody comes in during this turn, so the last to leave is the last.
        while gate.calls.get() > 0 {
            let (sender, left) = oneshot::channel();
            gate.waiting.borrow_mut().push(sender);
            match select(left, over).await {
                Either::Left((_, rest)) => over = rest,
                Either::Right(_) => return None,
            }
        }
        Some(turn)
    }
}
