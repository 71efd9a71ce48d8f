//! Read the event log.

use crate::domain::ids::not_owned_snapshot;
use crate::domain::limits::MAX_LIST_RESULTS_DEFAULT;
use crate::domain::{BackupId, EventView, Result, RowPage, SnapshotSelector};
use crate::session::Session;
use crate::session::parts::Context;
use crate::session::parts::snapshots::locate::Target;
use serde::{Deserialize, Serialize};

/// A page of events, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventPage {
    /// The events.
    pub events: Vec<EventView>,
    /// Where the next page begins, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

parts!(Events { context: Context });

impl Session {
    /// Lists what happened in the session, newest first.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a foreign cursor.
    pub fn list_events(&self, limit: Option<u32>, cursor: Option<&str>) -> Result<EventPage> {
        Events::from(self).list_events(limit, cursor)
    }

    /// Lists the events that name a snapshot of this session, newest first. Deleted snapshots keep
    /// their events while the catalogue remembers them.
    ///
    /// # Errors
    /// `SNAPSHOT_NOT_OWNED`; `INVALID_ARGUMENT` for a foreign cursor.
    pub fn list_snapshot_events(
        &self,
        selector: &SnapshotSelector,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<EventPage> {
        Events::from(self).list_snapshot_events(selector, limit, cursor)
    }
}

impl Events<'_> {
    pub fn list_events(&self, limit: Option<u32>, cursor: Option<&str>) -> Result<EventPage> {
        self.context.load()?;
        self.page(None, limit, cursor)
    }

    pub fn list_snapshot_events(
        &self,
        selector: &SnapshotSelector,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<EventPage> {
        let loaded = self.context.load()?;
        loaded.require_snapshots()?;
        match self.context.locate(&loaded, selector, false)? {
            Target::Own(snapshot) => self.page(Some(&snapshot.id), limit, cursor),
            Target::Foreign(_) => Err(not_owned_snapshot()),
        }
    }

    fn page(
        &self,
        snapshot: Option<&BackupId>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<EventPage> {
        let page = RowPage::parse(limit, MAX_LIST_RESULTS_DEFAULT, cursor)?;
        let mut events =
            self.context.catalogue.list_events(snapshot, page.before_seq, page.rows_to_read())?;
        let next_cursor = page.cut(&mut events, |event| event.seq)?;
        Ok(EventPage { events, next_cursor })
    }
}
