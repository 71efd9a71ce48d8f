//! The sessions' objects, as whoever looks across sessions asks them.

use crate::domain::error::Result;
use crate::domain::ids::SessionId;
use crate::domain::session::usage::SessionUsage;
use crate::domain::snapshot::prune::{OwnVerdict, PruneOwn};
use crate::domain::snapshot::rebuild::{RebuildOwn, Rebuilt};
use crate::domain::workspace::WorkspaceSummary;
use async_trait::async_trait;
use std::rc::Rc;

/// One session's object.
#[async_trait(?Send)]
pub trait SessionHost {
    /// Its workspaces, with their containers. Starts none.
    ///
    /// # Errors
    /// `NOT_FOUND` where the session was never opened.
    async fn workspaces(&self) -> Result<Vec<WorkspaceSummary>>;

    /// What it keeps.
    ///
    /// # Errors
    /// `NOT_FOUND` where the session was never opened.
    async fn usage(&self) -> Result<SessionUsage>;

    /// Judges backups that are said to be its, and deletes those that go. One
    /// that was never opened knows none.
    async fn prune(&self, request: PruneOwn) -> Result<Vec<OwnVerdict>>;

    /// Puts back into its catalogue what it lacks of backups that are said to be its.
    ///
    /// # Errors
    /// `NOT_FOUND` where the session was never opened.
    async fn rebuild(&self, request: RebuildOwn) -> Result<Rebuilt>;
}

/// The namespace of the sessions' objects.
pub trait Hosts {
    /// The object of a session. Contacts nothing.
    ///
    /// # Errors
    /// `NOT_CONFIGURED` where the namespace is not bound.
    fn get(&self, session: &SessionId) -> Result<Rc<dyn SessionHost>>;
}
