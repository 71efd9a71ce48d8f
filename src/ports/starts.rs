//! Permits to start containers, where the operator limits concurrent starts.

use crate::domain::starts::{PermitRequest, StartAnswer, StartsView};
use crate::domain::{Result, SandboxId, StartId};
use async_trait::async_trait;

/// The one queue of all starts.
#[async_trait(?Send)]
pub trait Starts {
    /// Asks for a permit. Asking again keeps the place, or extends the permit. `NOT_CONFIGURED` if
    /// the Worker has no queue.
    async fn ask(&self, asked: &PermitRequest) -> Result<StartAnswer>;

    /// Ends a request, if it exists: its container is ready, has failed, or is no longer wanted.
    async fn end(&self, sandbox: &SandboxId, id: &StartId) -> Result<()>;

    /// Ends a wait, but keeps the place for its sandbox's, or else session's, next request.
    async fn leave(&self, sandbox: &SandboxId, id: &StartId) -> Result<()>;

    /// How many containers start and wait, and which of these sandboxes wait.
    async fn view(&self, sandboxes: &[SandboxId]) -> Result<StartsView>;
}
