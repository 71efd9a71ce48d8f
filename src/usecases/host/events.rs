//! Read the event log.

use super::Host;
use crate::domain::error::{Error, Result};
use crate::domain::event::EventView;
use crate::domain::limits::MAX_LIST_RESULTS_DEFAULT;
use crate::domain::page::{Cursor, page_size};
use serde::{Deserialize, Serialize};

/// A page of events, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventPage {
    /// The events.
    pub events: Vec<EventView>,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl Host {
    /// Lists what happened in the session, newest first.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a foreign cursor.
    pub fn list_events(&self, limit: Option<u32>, cursor: Option<&str>) -> Result<EventPage> {
        self.known()?;
        let before_seq = match cursor.map(Cursor::decode).transpose()? {
            None => None,
            Some(Cursor::Catalogue { before_seq }) => Some(before_seq),
            Some(_) => {
                return Err(Error::invalid("cursor", "is not one that this list returned"));
            }
        };
        let limit = page_size(limit, MAX_LIST_RESULTS_DEFAULT)?;
        let events = self.catalogue.list_events(before_seq, limit)?;
        let next_cursor = match events.last() {
            Some(last) if events.len() == limit as usize => {
                Some(Cursor::Catalogue { before_seq: last.seq }.encode()?)
            }
            _ => None,
        };
        Ok(EventPage { events, next_cursor })
    }
}
