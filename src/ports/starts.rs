//! Permits to start a container, where the operator limits how many start at once.

use crate::domain::starts::{PermitRequest, StartAnswer, StartsView};
use crate::domain::{Result, SandboxId, StartId};
use async_trait::async_trait;

/// The one queue of all starts.
#[async_trait(?Send)]
pub trait Starts {
    /// Asks for a permit. Asking again keeps the place, and extends a permit that was granted.
    ///
    /// # Errors
    /// `NOT_CONFIGURED` if the Worker has no queue; others if it does not answer.
    async fn ask(&self, asked: &PermitRequest) -> Result<StartAnswer>;

    /// Ends a request: the container is ready, has failed, or is not wanted any more. Repeating it
    /// changes nothing.
    async fn end(&self, sandbox: &SandboxId, id: &StartId) -> Result<()>;

    /// Ends a request's wait as [`Self::end`] does, and keeps its place: the next request of its
    /// sandbox, or else of its session, gets that place.
    async fn leave(&self, sandbox: &SandboxId, id: &StartId) -> Result<()>;

    /// How many containers start and wait, and which of these sandboxes wait.
    async fn view(&self, sandboxes: &[SandboxId]) -> Result<StartsView>;
}
