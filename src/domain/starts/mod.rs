//! Containers that start, and those that wait for a permit.

pub mod queue;
#[cfg(test)]
mod tests;

pub use crate::domain::starts::queue::{StartQueue, StartRow};

use crate::domain::ids::{SandboxId, SessionId, StartId};
use serde::{Deserialize, Serialize};

/// A sandbox's request to start its container.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PermitRequest {
    /// Same in each repetition.
    pub id: StartId,
    /// Which sandbox.
    pub sandbox: SandboxId,
    /// The session that it starts for. Each session is served in turn. None: the sandbox is
    /// served as a session of its own, and all sandboxes of warm pools as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// When it first asked, in milliseconds since the epoch.
    pub since_ms: i64,
}

/// The answer to a [`PermitRequest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum StartAnswer {
    /// It may start now, for `START_LEASE_MS`. Asking again extends that.
    Granted,
    /// Others are first.
    Wait {
        /// When to ask again, in milliseconds.
        ask_again_ms: u64,
    },
    /// Too many wait.
    Refused,
}

/// A sandbox whose container waits for its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingStart {
    /// Which sandbox.
    pub sandbox: SandboxId,
    /// Since when, in milliseconds since the epoch.
    pub since_ms: i64,
    /// Its place in the queue, from 1.
    pub place: u64,
}

/// What starts and waits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StartsView {
    /// How many may start at once. None: any number.
    pub limit: Option<u32>,
    /// How many start now.
    pub starting: u64,
    /// How many wait.
    pub waiting: u64,
    /// Which of the sandboxes asked about wait.
    pub waits: Vec<WaitingStart>,
}
