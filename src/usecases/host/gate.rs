//! Who is in a workspace: any number of calls, or one that needs it to itself.
//!
//! Only this object's memory knows: a call ends with its object, and so does
//! its place here.

use crate::domain::ids::SandboxId;
use crate::usecases::turns::{Turn, Turns};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The workspaces' gates, by sandbox.
#[derive(Default)]
pub(super) struct Gates(RefCell<BTreeMap<SandboxId, Gate>>);

#[derive(Clone, Default)]
struct Gate {
    turns: Turns,
    calls: Rc<Cell<usize>>,
}

/// A call that is in a workspace, until dropped.
pub(super) struct Entered(Rc<Cell<usize>>);

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

impl Gates {
    fn of(&self, id: &SandboxId) -> Gate {
        self.0.borrow_mut().entry(id.clone()).or_default().clone()
    }

    /// Waits while one has the workspace to itself, then goes in.
    pub(super) async fn enter(&self, id: &SandboxId) -> Entered {
        let gate = self.of(id);
        drop(gate.turns.take().await);
        // No await since the turn: nobody has it to himself before this counts.
        gate.calls.set(gate.calls.get() + 1);
        Entered(gate.calls)
    }

    /// Lets nobody else in, once all who asked before have had it. Calls that
    /// are in go on.
    pub(super) async fn alone(&self, id: &SandboxId) -> Turn {
        self.of(id).turns.take().await
    }
}
