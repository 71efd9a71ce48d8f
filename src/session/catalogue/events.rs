//! The event log.

use crate::domain::{BackupId, Event, EventView, Result};
use crate::session::catalogue::Catalogue;
use crate::support::event_log;

impl Catalogue {
    /// Appends an event and drops those past the number kept.
    pub fn add_event(&self, now_ms: i64, event: &Event) -> Result<()> {
        event_log::add(self.database.as_ref(), now_ms, &event.to_stored()?)
    }

    /// Lists events before `before_seq`, newest first: all, or those that name a
    /// snapshot.
    pub fn list_events(
        &self,
        snapshot: Option<&BackupId>,
        before_seq: Option<i64>,
        limit: u32,
    ) -> Result<Vec<EventView>> {
        match snapshot {
            Some(id) => event_log::list_of_backup(self.database.as_ref(), id, before_seq, limit),
            None => event_log::list(self.database.as_ref(), before_seq, limit),
        }
    }
}
