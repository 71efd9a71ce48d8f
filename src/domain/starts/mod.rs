//! Starts of containers, and those that wait for a permit.

pub mod queue;
#[cfg(test)]
mod tests;

pub use crate::domain::starts::queue::{StartQueue, StartRow};

use crate::domain::{SandboxId, SessionId, StartId};
use serde::{Deserialize, Serialize};

/// A sandbox's request to start its container.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PermitRequest {
    /// The start's id, the same in each repetition.
    pub id: StartId,
    /// The sandbox.
    pub sandbox: SandboxId,
    /// The session that waits. Sessions are served in turn. None: the sandbox counts as its own
    /// session, and all sandboxes of warm pools count as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// When the sandbox first asked, in milliseconds since the epoch.
    pub since_ms: i64,
}

/// The answer to a [`PermitRequest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum StartAnswer {
    /// It may start now, for `START_LEASE_MS`. Asking again extends this.
    Granted,
    /// Other starts come first.
    Wait {
        /// When to ask again, in milliseconds.
        ask_again_ms: u64,
    },
    /// Too many starts wait.
    Refused,
}

/// A sandbox that waits for a permit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingStart {
    /// The sandbox.
    pub sandbox: SandboxId,
    /// Since when it waits, in milliseconds since the epoch.
    pub since_ms: i64,
    /// Its place in the queue, from 1.
    pub place: u64,
}

/// Running and waiting starts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StartsView {
    /// How many containers may start at once, if limited.
    pub limit: Option<u32>,
    /// How many containers start now.
    pub starting: u64,
    /// How many starts wait.
    pub waiting: u64,
    /// Those of the requested sandboxes that wait.
    pub waits: Vec<WaitingStart>,
}
