//! When a session's workspaces are saved and stopped by themselves.

use crate::domain::limits::IDLE_STOP_MAX_MS;
use crate::domain::session::config::SessionConfig;

/// When a session's workspaces are to be saved and stopped, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Schedule {
    pub every_ms: i64,
    pub idle_ms: i64,
}

impl Schedule {
    /// None where the session takes no automatic snapshots: its files are not
    /// to be saved, or can't change.
    pub(crate) fn of(config: &SessionConfig) -> Option<Self> {
        let autosave = config.autosave.filter(|_| !config.modules.read_only)?;
        let idle_ms = config.sleep_after.as_ms().min(IDLE_STOP_MAX_MS);
        Some(Self { every_ms: signed(autosave.every_ms), idle_ms: signed(idle_ms) })
    }

    /// How long until it can first be due after a use.
    pub(crate) fn soonest_ms(self) -> i64 {
        self.every_ms.min(self.idle_ms)
    }
}

/// A time as the clock counts.
pub(crate) fn signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}
