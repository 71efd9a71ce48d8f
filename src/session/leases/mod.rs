//! Lend snapshots to other sessions, and borrow theirs.

pub(crate) mod borrow;
pub(crate) mod lend;

use crate::domain::ids::SandboxId;
use crate::session::context::Context;
use crate::session::in_use::InUse;
use crate::support::fifo_mutex::KeyedMutex;
use std::rc::Rc;

/// Leases on other sessions' snapshots, and of this session's to others.
pub struct Leases {
    context: Rc<Context>,
    /// Workspaces that a call of this object may be borrowing a snapshot for.
    pub(crate) borrowing: InUse<SandboxId>,
    /// Who asks owners about what is borrowed for which workspace.
    asking_owner: KeyedMutex<SandboxId>,
}

impl Leases {
    pub(crate) fn new(context: Rc<Context>) -> Self {
        Self { context, borrowing: InUse::default(), asking_owner: KeyedMutex::default() }
    }
}
