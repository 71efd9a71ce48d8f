//! Lend snapshots to other sessions, and borrow theirs.

pub(crate) mod borrow;

use crate::domain::SandboxId;
use crate::session::parts::{Context, InUse};
use crate::support::fifo_mutex::KeyedMutex;
use std::rc::Rc;

/// This session's leases on other sessions' snapshots, and theirs on its own.
pub struct Leases {
    context: Rc<Context>,
    /// Workspaces for which a call of this object may be borrowing a snapshot.
    pub(crate) borrowing: InUse<SandboxId>,
    /// Allows each workspace one request to an owner at a time.
    asking_owner: KeyedMutex<SandboxId>,
}

impl Leases {
    pub(crate) fn new(context: Rc<Context>) -> Self {
        Self { context, borrowing: InUse::default(), asking_owner: KeyedMutex::default() }
    }
}
