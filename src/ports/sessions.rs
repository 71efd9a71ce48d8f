//! Other sessions, as a host calls them.

use crate::domain::snapshot::lease::{OwnDelete, OwnDeleted};
use crate::domain::{LeaseAnswer, LeaseRequest, Result, SessionId, TurnAnswer, TurnRequest};
use async_trait::async_trait;

/// The hosts of other sessions.
#[async_trait(?Send)]
pub trait Sessions {
    /// Asks the session that took a snapshot for a lease of it.
    ///
    /// # Errors
    /// As [`Session::lend`](crate::session::Session::lend); `NOT_CONFIGURED` if
    /// the namespace is not bound; `UNAVAILABLE`, `INTERRUPTED`.
    async fn lend(&self, owner: &SessionId, request: LeaseRequest) -> Result<LeaseAnswer>;

    /// Asks the session that took a snapshot to delete it.
    ///
    /// # Errors
    /// As [`Session::delete_for`](crate::session::Session::delete_for); otherwise
    /// as [`Self::lend`].
    async fn delete(&self, owner: &SessionId, request: OwnDelete) -> Result<OwnDeleted>;

    /// Asks the session that took a snapshot for the snapshot of an earlier turn.
    ///
    /// # Errors
    /// As [`Self::lend`].
    async fn earlier_turn(&self, owner: &SessionId, request: TurnRequest) -> Result<TurnAnswer>;
}
