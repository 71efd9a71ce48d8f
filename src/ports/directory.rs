//! The directory of sessions: which there are, in one place.

use crate::domain::error::Result;
use crate::domain::ids::SessionId;
use crate::domain::session::event::{Event, EventView};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// A session that the directory lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListedSession {
    /// Its id.
    pub session: SessionId,
    /// When it was first listed, in RFC 3339: shortly after its first open. Of
    /// one that is older than the directory, after its next call.
    pub registered_at: String,
}

/// The one directory of all sessions.
#[async_trait(?Send)]
pub trait Directory {
    /// Whether the Worker has one. Contacts nothing.
    fn is_bound(&self) -> bool;

    /// Lists a session; again changes nothing.
    async fn register(&self, session: &SessionId) -> Result<()>;

    /// Sessions after this id, in the order of their ids.
    async fn sessions(&self, after: Option<&SessionId>, limit: u32) -> Result<Vec<ListedSession>>;

    /// Adds to the log of what was done that is no session's own.
    async fn note(&self, events: &[Event]) -> Result<()>;

    /// That log, newest first, before `before_seq`.
    async fn events(&self, before_seq: Option<i64>, limit: u32) -> Result<Vec<EventView>>;
}
