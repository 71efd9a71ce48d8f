//! Other sessions, as a host reaches them.

use crate::domain::deletion::{OwnDelete, OwnDeleted};
use crate::domain::error::Result;
use crate::domain::ids::SessionId;
use crate::domain::lease::{LeaseAnswer, LeaseRequest};
use async_trait::async_trait;

/// The hosts of other sessions.
#[async_trait(?Send)]
pub trait Sessions {
    /// Asks the session that took a snapshot for a lease of it.
    ///
    /// # Errors
    /// What [`Host::lend`](crate::usecases::host::Host::lend) answers;
    /// `NOT_CONFIGURED` where the namespace is not bound; `UNAVAILABLE`,
    /// `INTERRUPTED`.
    async fn lend(&self, owner: &SessionId, request: LeaseRequest) -> Result<LeaseAnswer>;

    /// Asks the session that took a snapshot to delete it.
    ///
    /// # Errors
    /// What [`Host::delete_for`](crate::usecases::host::Host::delete_for)
    /// answers; else as [`Self::lend`].
    async fn delete(&self, owner: &SessionId, request: OwnDelete) -> Result<OwnDeleted>;
}
