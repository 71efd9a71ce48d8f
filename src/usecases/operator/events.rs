//! Read the log of what was done across sessions, and is no session's own.

use super::Operator;
use crate::domain::error::{Error, Result};
use crate::domain::event::EventView;
use crate::domain::limits::MAX_LIST_RESULTS_DEFAULT;
use crate::domain::page::{Cursor, page_size};
use serde::{Deserialize, Serialize};

/// A page of events, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OperatorEventPage {
    /// The events.
    pub events: Vec<EventView>,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl Operator {
    /// Lists what was done that is no session's own, newest first. The 10,000
    /// latest are kept.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a foreign cursor.
    pub async fn list_events(
        &self,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<OperatorEventPage> {
        let before_seq = match cursor.map(Cursor::decode).transpose()? {
            None => None,
            Some(Cursor::Catalogue { before_seq }) => Some(before_seq),
            Some(_) => return Err(Error::invalid("cursor", "is not one that this list returned")),
        };
        let limit = page_size(limit, MAX_LIST_RESULTS_DEFAULT)?;
        let mut events = self.ports.directory.events(before_seq, limit + 1).await?;
        let more = events.len() > limit as usize;
        events.truncate(limit as usize);
        let last = events.last().filter(|_| more).map(|last| last.seq);
        let next_cursor =
            last.map(|before_seq| Cursor::Catalogue { before_seq }.encode()).transpose()?;
        Ok(OperatorEventPage { events, next_cursor })
    }
}
