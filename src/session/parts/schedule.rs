//! When a session's workspaces are saved and stopped automatically.

use crate::domain::SessionConfig;
use crate::domain::limits::IDLE_STOP_MAX_MS;

/// The intervals of saving and of stopping unused workspaces, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Schedule {
    pub every_ms: i64,
    pub idle_ms: i64,
    /// As `idle_ms`, for a workspace in which background processes run.
    pub awake_ms: i64,
}

impl Schedule {
    /// None if the session takes no automatic snapshots: its files need no saving,
    /// or can't change.
    pub(crate) fn of(config: &SessionConfig) -> Option<Self> {
        let autosave = config.autosave.filter(|_| !config.modules.read_only)?;
        let idle_ms = config.sleep_after.as_ms().min(IDLE_STOP_MAX_MS);
        let awake_ms = if config.keep_awake { IDLE_STOP_MAX_MS } else { idle_ms };
        Some(Self {
            every_ms: signed(autosave.every_ms),
            idle_ms: signed(idle_ms),
            awake_ms: signed(awake_ms),
        })
    }

    /// The shortest time from a use until a workspace is due.
    pub(crate) fn soonest_ms(self) -> i64 {
        self.every_ms.min(self.idle_ms)
    }
}

/// Converts to the clock's signed milliseconds.
pub(crate) fn signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}
