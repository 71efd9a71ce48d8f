//! Whether commands run in the container. Which ones this object serves, it
//! knows; of those that one before it began, the container tells.

use super::SandboxService;
use super::scripts::{OWN_DIR, RUNNING, complaint, script};
use crate::domain::error::{Error, ErrorCode, Result};

/// How long the container may take to tell.
const TELL_LIMIT_MS: u64 = 15_000;

impl SandboxService {
    /// Whether a command has not ended: one whose output is being told, or any
    /// other within its time limit. What a command left running in the
    /// background is none. Starts nothing.
    ///
    /// # Errors
    /// `UNAVAILABLE` where the container does not tell.
    pub(super) async fn runs_commands(&self) -> Result<bool> {
        let clock = self.ports.clock.as_ref();
        if self.telling.is_any(clock) {
            return Ok(true);
        }
        // Past its time limit a command holds the container no longer, whatever has become of it.
        if !self.machine.is_running() || self.store.commands_until_ms()? <= clock.now_ms() {
            return Ok(false);
        }
        let mut command = script(RUNNING, &[OWN_DIR]);
        command.kill_after_ms = Some(TELL_LIMIT_MS);
        match self.machine.run(&command).await {
            Ok(output) if output.exit_code == 0 => Ok(!output.stdout.is_empty()),
            Ok(output) => Err(Error::new(
                ErrorCode::Unavailable,
                "the container does not tell whether commands run in it",
            )
            .with_cause(complaint(&output))),
            Err(error) if error.code == ErrorCode::WorkspaceLost => Ok(false),
            Err(error) => Err(error),
        }
    }
}
