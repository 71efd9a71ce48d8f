//! The sessions' objects, as the operator calls them.

use crate::domain::snapshot::prune::{OwnVerdict, PruneOwn};
use crate::domain::{RebuildOwn, Rebuilt, Result, SessionId, SessionUsage, WorkspaceSummary};
use async_trait::async_trait;
use std::rc::Rc;

/// One session's object.
#[async_trait(?Send)]
pub trait SessionHost {
    /// Lists the session's workspaces, with the states of their containers. Starts no container.
    ///
    /// # Errors
    /// `NOT_FOUND` if the session was never opened.
    async fn workspaces(&self) -> Result<Vec<WorkspaceSummary>>;

    /// Measures what the session stores.
    ///
    /// # Errors
    /// `NOT_FOUND` if the session was never opened.
    async fn usage(&self) -> Result<SessionUsage>;

    /// Judges backups whose records name this session, and deletes those that the
    /// rule selects. A session that was never opened knows none of them.
    async fn prune(&self, request: PruneOwn) -> Result<Vec<OwnVerdict>>;

    /// Adds the backups whose records name this session to its catalogue, if it
    /// lacks them.
    ///
    /// # Errors
    /// `NOT_FOUND` if the session was never opened.
    async fn rebuild(&self, request: RebuildOwn) -> Result<Rebuilt>;
}

/// The namespace of the sessions' objects.
pub trait Hosts {
    /// The object of a session. Contacts nothing.
    ///
    /// # Errors
    /// `NOT_CONFIGURED` if the namespace is not bound.
    fn get(&self, session: &SessionId) -> Result<Rc<dyn SessionHost>>;
}
