//! Checks whether commands run in the container. This object knows its terminals and the commands
//! that it streams; for others it looks in the container.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::sandbox::parts::active_streams::ActiveStreams;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::context::Context;
use crate::sandbox::parts::terminals::Terminals;
use crate::sandbox::scripts::{OWN_DIR, RUNNING, complaint, script};
use std::rc::Rc;

const LOOK_LIMIT_MS: u64 = 15_000;

parts!(Busy {
    context: Context,
    container: Rc<SandboxContainer>,
    active_streams: ActiveStreams,
    terminals: Terminals,
});

impl Busy<'_> {
    /// Whether a command still runs: a terminal, a streaming one, or any other within its time
    /// limit. Background processes that a command left do not count.
    pub(crate) async fn runs_commands(&self) -> Result<bool> {
        let clock = self.context.ports.clock.as_ref();
        if self.active_streams.is_any(clock) || self.terminals.is_any() {
            return Ok(true);
        }
        if !self.container.is_running() || self.context.store.commands_until_ms()? <= clock.now_ms()
        {
            return Ok(false);
        }
        let mut command = script(RUNNING, &[OWN_DIR]);
        command.kill_after_ms = Some(LOOK_LIMIT_MS);
        match self.container.run(&command).await {
            Ok(output) if output.exit_code == 0 => Ok(!output.stdout.is_empty()),
            Ok(output) => Err(Error::new(
                ErrorCode::Unavailable,
                "the container does not say whether commands run in it",
            )
            .with_cause(complaint(&output))),
            Err(error) if error.code == ErrorCode::WorkspaceLost => Ok(false),
            Err(error) => Err(error),
        }
    }
}
