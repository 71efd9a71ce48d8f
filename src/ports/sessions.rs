//! Other sessions, as a host reaches them.

use crate::domain::error::Result;
use crate::domain::ids::SessionId;
use crate::domain::loan::{Lent, LoanRequest};
use async_trait::async_trait;

/// The hosts of other sessions.
#[async_trait(?Send)]
pub trait Sessions {
    /// Asks the session that took a snapshot for a loan of it.
    ///
    /// # Errors
    /// What [`Host::lend`](crate::usecases::host::Host::lend) answers;
    /// `NOT_CONFIGURED` where the namespace is not bound; `UNAVAILABLE`,
    /// `INTERRUPTED`.
    async fn lend(&self, owner: &SessionId, request: LoanRequest) -> Result<Lent>;
}
