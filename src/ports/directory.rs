//! The directory: one list of all sessions.

use crate::domain::metrics::Counters;
use crate::domain::{EventView, Result, SessionId, StoredEvent};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// A session that the directory lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ListedSession {
    /// Its id.
    pub session: SessionId,
    /// When it was first listed, in RFC 3339: shortly after its first open, or after
    /// its next call if it is older than the directory.
    pub registered_at: String,
}

/// Counts over all sessions and objects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Counters of all objects together.
    pub counters: Counters,
    /// Number of sessions that the directory lists.
    pub sessions: u64,
}

/// The one directory of all sessions.
#[async_trait(?Send)]
pub trait Directory {
    /// Whether the Worker has a directory. Contacts nothing.
    fn is_bound(&self) -> bool;

    /// Lists a session, unless it is listed.
    async fn register(&self, session: &SessionId) -> Result<()>;

    /// Sessions after this id, in the order of ids.
    async fn sessions(&self, after: Option<&SessionId>, limit: u32) -> Result<Vec<ListedSession>>;

    /// Adds events that belong to no session's own log.
    async fn note(&self, events: &[StoredEvent]) -> Result<()>;

    /// The directory's events before `before_seq`, newest first.
    async fn events(&self, before_seq: Option<i64>, limit: u32) -> Result<Vec<EventView>>;

    /// Adds the counters of one isolate.
    async fn count(&self, counters: &Counters) -> Result<()>;

    /// Counts since the directory's first day.
    async fn counts(&self) -> Result<Counts>;
}
