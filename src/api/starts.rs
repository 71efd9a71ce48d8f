//! Calls of the Worker's other objects to the object `Starts`.

use crate::domain::json::render;
use crate::domain::starts::PermitRequest;
use crate::domain::{Result, SandboxId, StartId};
use crate::starts::StartsService;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A call to the object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", content = "args", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum StartsCall {
    /// Ask for a permit.
    Ask(PermitRequest),
    /// End a request.
    End {
        /// The sandbox that starts.
        sandbox: SandboxId,
        /// The start.
        id: StartId,
    },
    /// End a request's wait, and keep its place.
    Leave {
        /// The sandbox that starts.
        sandbox: SandboxId,
        /// The id of the start.
        id: StartId,
    },
    /// Show running starts and waiting requests.
    View {
        /// The sandboxes to look up.
        sandboxes: Vec<SandboxId>,
    },
}

impl StartsCall {
    /// Runs the call.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails.
    pub fn run(&self, starts: &StartsService) -> Result<Value> {
        match self {
            Self::Ask(asked) => render(&starts.ask(asked)?),
            Self::End { sandbox, id } => starts.end(sandbox, id).map(|()| json!({})),
            Self::Leave { sandbox, id } => starts.leave(sandbox, id).map(|()| json!({})),
            Self::View { sandboxes } => render(&starts.view(sandboxes)?),
        }
    }
}
