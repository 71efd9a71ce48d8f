//! The event log.

use crate::domain::error::Result;
use crate::domain::session::event::{Event, EventView};
use crate::session::catalogue::Catalogue;
use crate::support::event_log;

impl Catalogue {
    /// Appends an event and drops those past the number kept.
    pub fn add_event(&self, now_ms: i64, event: &Event) -> Result<()> {
        event_log::add(self.database.as_ref(), now_ms, &event.to_stored()?)
    }

    /// A page of events, newest first, before `before_seq`.
    pub fn list_events(&self, before_seq: Option<i64>, limit: u32) -> Result<Vec<EventView>> {
        event_log::list(self.database.as_ref(), before_seq, limit)
    }
}
