//! Calls in progress: cancel them, record them, recover them.

pub(crate) mod recorded;
pub(crate) mod recover;
pub(crate) mod running;

use crate::session::calls::running::Cancellations;
use crate::session::context::Context;
use std::rc::Rc;

/// Calls in progress, and the recorded ones.
pub struct Calls {
    context: Rc<Context>,
    cancellations: Rc<Cancellations>,
}

impl Calls {
    pub(crate) fn new(context: Rc<Context>) -> Self {
        Self { context, cancellations: Rc::default() }
    }
}
