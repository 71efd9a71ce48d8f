//! Other sessions, as a host calls them.

use crate::domain::snapshot::lease::{OwnDelete, OwnDeleted};
use crate::domain::{LeaseAnswer, LeaseRequest, Result, SessionId, TurnAnswer, TurnRequest};
use async_trait::async_trait;

/// The hosts of other sessions. Any method may fail with `UNAVAILABLE` or `INTERRUPTED`, and with
/// `NOT_CONFIGURED` if the namespace is not bound.
#[async_trait(?Send)]
pub trait Sessions {
    /// Asks a snapshot's owner for a lease. Fails as
    /// [`Session::lend`](crate::session::Session::lend).
    async fn lend(&self, owner: &SessionId, request: LeaseRequest) -> Result<LeaseAnswer>;

    /// Asks a snapshot's owner to delete it. Fails as [`Self::lend`] and
    /// [`Session::delete_for`](crate::session::Session::delete_for).
    async fn delete(&self, owner: &SessionId, request: OwnDelete) -> Result<OwnDeleted>;

    /// Asks a snapshot's owner for the snapshot of an earlier turn. Fails as [`Self::lend`].
    async fn earlier_turn(&self, owner: &SessionId, request: TurnRequest) -> Result<TurnAnswer>;
}
