//! Calls of the Worker's other objects to the directory's object.

use crate::directory::DirectoryService;
use crate::domain::json::render;
use crate::domain::metrics::Counters;
use crate::domain::pools::TakeRequest;
use crate::domain::starts::PermitRequest;
use crate::domain::{PoolId, Result, SandboxId, SessionId, StartId, StoredEvent};
use crate::pools::PoolsService;
use crate::starts::StartsService;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A call to the directory's object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", content = "args", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum DirectoryCall {
    /// List a session.
    Register {
        /// The session.
        session: SessionId,
    },
    /// Sessions in the order of their ids.
    Sessions {
        /// Only sessions after this one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<SessionId>,
        /// Maximum number of sessions of the answer.
        limit: u32,
    },
    /// Add events to the log.
    Note {
        /// The events, in the order of the log.
        events: Vec<StoredEvent>,
    },
    /// Read the log, newest first.
    Events {
        /// Only events before this number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before_seq: Option<i64>,
        /// Maximum number of events of the answer.
        limit: u32,
    },
    /// Add to the counters.
    Count {
        /// The counts of an isolate.
        counters: Counters,
    },
    /// Read the counters.
    Counts {},
}

impl DirectoryCall {
    /// Runs the call.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails.
    pub fn run(&self, directory: &DirectoryService) -> Result<Value> {
        match self {
            Self::Register { session } => directory.register(session).map(|()| json!({})),
            Self::Sessions { after, limit } => render(&directory.sessions(after.as_ref(), *limit)?),
            Self::Note { events } => directory.note(events).map(|()| json!({})),
            Self::Events { before_seq, limit } => render(&directory.events(*before_seq, *limit)?),
            Self::Count { counters } => directory.count(counters).map(|()| json!({})),
            Self::Counts {} => render(&directory.counts()?),
        }
    }
}

/// A call to the object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", content = "args", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PoolsCall {
    /// Take a container.
    Take(TakeRequest),
    /// List the pools.
    List,
    /// Destroy a pool.
    Destroy {
        /// The pool.
        pool: PoolId,
    },
}

impl PoolsCall {
    /// Runs the call.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails; `UNAVAILABLE` for containers that could not be destroyed.
    pub async fn run(&self, pools: &PoolsService) -> Result<Value> {
        match self {
            Self::Take(request) => render(&pools.take(request).await?),
            Self::List => render(&pools.list()?),
            Self::Destroy { pool } => render(&pools.destroy(pool).await?),
        }
    }
}

/// A call to the object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", content = "args", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum StartsCall {
    /// Ask for a permit.
    Ask(PermitRequest),
    /// End a request.
    End {
        /// The sandbox that starts.
        sandbox: SandboxId,
        /// The start.
        id: StartId,
    },
    /// End a request's wait, and keep its place.
    Leave {
        /// The sandbox that starts.
        sandbox: SandboxId,
        /// The id of the start.
        id: StartId,
    },
    /// Show running starts and waiting requests.
    View {
        /// The sandboxes to look up.
        sandboxes: Vec<SandboxId>,
    },
}

impl StartsCall {
    /// Runs the call.
    ///
    /// # Errors
    /// `INTERNAL` if SQLite fails.
    pub fn run(&self, starts: &StartsService) -> Result<Value> {
        match self {
            Self::Ask(asked) => render(&starts.ask(asked)?),
            Self::End { sandbox, id } => starts.end(sandbox, id).map(|()| json!({})),
            Self::Leave { sandbox, id } => starts.leave(sandbox, id).map(|()| json!({})),
            Self::View { sandboxes } => render(&starts.view(sandboxes)?),
        }
    }
}
