//! The open shells, and the viewer that each has or waits for.

use crate::domain::ids::{InstanceId, TerminalId};
use crate::ports::container::Terminal;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The shells that this object has opened. If the object loses its memory, the next opened shell
/// hangs up their programs.
#[derive(Default)]
pub(crate) struct Terminals {
    pub open: RefCell<BTreeMap<TerminalId, Rc<Open>>>,
    /// Has a clone for each shell that is being opened.
    pub opening: Rc<()>,
    /// Tells this object's shells from those of an earlier one.
    pub mark: OnceCell<TerminalId>,
}

pub(crate) struct Open {
    pub terminal: Rc<dyn Terminal>,
    pub instance: InstanceId,
    /// File in the container that names the terminal's device.
    pub note: String,
    /// Number of the viewer. Another viewer may take over the terminal.
    pub viewer: Cell<u64>,
    /// When something was last typed or printed.
    pub used_ms: Cell<i64>,
}

impl Terminals {
    /// Whether any shell runs, even while its viewer is away.
    pub fn is_any(&self) -> bool {
        self.forget_ended();
        !self.open.borrow().is_empty()
    }

    pub fn forget_ended(&self) {
        self.open.borrow_mut().retain(|_, open| open.terminal.exit_code().is_none());
    }

    pub fn find(&self, id: &TerminalId, instance: &InstanceId) -> Option<Rc<Open>> {
        let open = self.open.borrow().get(id).cloned();
        open.filter(|open| open.instance == *instance)
    }
}
