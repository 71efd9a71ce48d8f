//! Why a snapshot was taken.

use crate::domain::{SnapshotTrigger, Turn};
use serde::{Deserialize, Serialize};

/// Why a snapshot was taken, as the session says it. The request to the sandbox, the row,
/// `meta.json` and the answer share it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// Why it was taken.
    #[serde(default)]
    pub trigger: SnapshotTrigger,
    /// The last turn that ended with its files, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// The call that took it, by the name of the operation or tool, or the rule: `autosave`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_by: Option<String>,
}

/// [`Cause`] in our part of `meta.json`, which leaves out what is usual.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Cause", rename_all = "camelCase")]
pub struct RecordedCause {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turn: Option<Turn>,
    #[serde(default, skip_serializing_if = "SnapshotTrigger::is_manual")]
    trigger: SnapshotTrigger,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    saved_by: Option<String>,
}

impl Cause {
    /// The cause of a snapshot that serves both.
    #[must_use]
    pub fn taken_over_by(self, other: Self) -> Self {
        Self {
            trigger: self.trigger.taken_over_by(other.trigger),
            // If turns end at the same time, a later one may have been recorded first.
            turn: other.turn.into_iter().chain(self.turn).max_by_key(|turn| turn.number),
            saved_by: self.saved_by.or(other.saved_by),
        }
    }
}

impl From<SnapshotTrigger> for Cause {
    fn from(trigger: SnapshotTrigger) -> Self {
        Self { trigger, ..Self::default() }
    }
}
