//! Output of commands whose callers gave up.

use crate::domain::ids::ProcessName;
use crate::domain::limits::PROCESSES_MAX;
use crate::ports::container::Command;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::context::Context;
use crate::sandbox::scripts::{KEEP_OUTPUT, processes_dir, script};
use std::cell::RefCell;
use std::rc::Rc;

/// Keeps the output of such commands as logs of background processes. Knows which of these
/// processes no answer has named yet.
pub(crate) struct GivenUp {
    context: Rc<Context>,
    container: Rc<SandboxContainer>,
    unnamed: RefCell<Vec<ProcessName>>,
}

impl GivenUp {
    pub(crate) fn new(context: Rc<Context>, container: Rc<SandboxContainer>) -> Self {
        Self { context, container, unnamed: RefCell::default() }
    }

    /// Keeps a command's output as the log of a process that has ended. `shown` is the beginning of
    /// the command.
    pub(crate) async fn keep(
        &self,
        name: &ProcessName,
        shown: &str,
        began_ms: i64,
        stdout: &str,
        stderr: &str,
    ) {
        let gap = if stdout.is_empty() || stdout.ends_with('\n') { "" } else { "\n" };
        let (all, most, began) = (processes_dir(), PROCESSES_MAX.to_string(), began_ms.to_string());
        let command = Command {
            stdin: Some([stdout, gap, stderr].concat().into_bytes()),
            ..script(KEEP_OUTPUT, &[&all, name.as_str(), shown, &most, &began])
        };
        match self.container.run(&command).await {
            // An empty log is of no interest to later callers.
            Ok(_) if stdout.is_empty() && stderr.is_empty() => {}
            Ok(_) => self.unnamed.borrow_mut().push(name.clone()),
            // The container has ended, and its output is lost.
            Err(error) => self.context.warn("sandbox.keep_printed", &error),
        }
    }

    /// The processes that no answer has named yet. From now on they count as named.
    pub(crate) fn take(&self) -> Vec<ProcessName> {
        self.unnamed.take()
    }
}
