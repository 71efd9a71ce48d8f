//! Other sessions, as a host reaches them.

use crate::domain::error::Result;
use crate::domain::ids::SessionId;
use crate::domain::snapshot::deletion::{OwnDelete, OwnDeleted};
use crate::domain::snapshot::lease::{LeaseAnswer, LeaseRequest};
use async_trait::async_trait;

/// The hosts of other sessions.
#[async_trait(?Send)]
pub trait Sessions {
    /// Asks the session that took a snapshot for a lease of it.
    ///
    /// # Errors
    /// What [`Session::lend`](crate::session::Session::lend) answers;
    /// `NOT_CONFIGURED` where the namespace is not bound; `UNAVAILABLE`,
    /// `INTERRUPTED`.
    async fn lend(&self, owner: &SessionId, request: LeaseRequest) -> Result<LeaseAnswer>;

    /// Asks the session that took a snapshot to delete it.
    ///
    /// # Errors
    /// What [`Session::delete_for`](crate::session::Session::delete_for)
    /// answers; else as [`Self::lend`].
    async fn delete(&self, owner: &SessionId, request: OwnDelete) -> Result<OwnDeleted>;
}
