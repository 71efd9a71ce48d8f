//! Calls of the Worker's other objects to the directory's object.

use crate::directory::DirectoryService;
use crate::domain::json::render;
use crate::domain::metrics::Counters;
use crate::domain::{Result, SessionId, StoredEvent};
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
