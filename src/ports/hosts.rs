//! The sessions' objects, for the operator.

use crate::domain::snapshot::prune::{OwnVerdict, PruneOwn};
use crate::domain::{RebuildOwn, Rebuilt, Result, SessionId, SessionUsage, WorkspaceSummary};
use async_trait::async_trait;
use std::rc::Rc;

/// A session's object. Unless it was opened, all methods but `prune` fail with `NOT_FOUND`.
#[async_trait(?Send)]
pub trait SessionHost {
    /// The session's workspaces and the states of their containers. Starts none.
    async fn workspaces(&self) -> Result<Vec<WorkspaceSummary>>;

    /// What the session stores.
    async fn usage(&self) -> Result<SessionUsage>;

    /// Judges backups whose records name this session, and deletes those that the rule selects. A
    /// session that was never opened knows none.
    async fn prune(&self, request: PruneOwn) -> Result<Vec<OwnVerdict>>;

    /// Adds missing backups whose records name this session to its catalogue.
    async fn rebuild(&self, request: RebuildOwn) -> Result<Rebuilt>;
}

/// The namespace of the sessions' objects.
pub trait Hosts {
    /// A session's object. Contacts nothing. `NOT_CONFIGURED` if the namespace is not bound.
    fn get(&self, session: &SessionId) -> Result<Rc<dyn SessionHost>>;
}
