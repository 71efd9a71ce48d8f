//! Describe a session.

use crate::domain::ids::not_owned_snapshot;
use crate::domain::limits::MAX_LIST_RESULTS_DEFAULT;
use crate::domain::snapshot::flat_ids;
use crate::domain::time::rfc3339;
use crate::domain::{
    EventView, Result, RowPage, SessionId, SessionUsage, SnapshotSelector, WorkspaceConfig,
    WorkspaceRef,
};
use crate::session::Session;
use crate::session::catalogue::{EventSubject, HaltedSweep};
use crate::session::parts::Context;
use crate::session::parts::snapshots::locate::Target;
use serde::{Deserialize, Serialize};

/// A session as it is shown. Values of `envVars` are hidden.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    /// Its id.
    pub session: SessionId,
    /// The workspace that tools act on.
    #[serde(flatten, with = "flat_ids::active_ref")]
    #[cfg_attr(schemas, schemars(with = "flat_ids::ActiveWithId"))]
    pub active: WorkspaceRef,
    /// `open` or `closed`.
    pub status: SessionStatus,
    /// RFC 3339; the first open.
    pub opened_at: String,
    /// The directory that file paths are relative to.
    pub workspace_dir: String,
    /// The configuration that it was opened with, redacted.
    pub config: WorkspaceConfig,
    /// Buckets that lack so many listed snapshots that their loss is not recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingView>,
}

/// A bucket that lacks snapshots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct MissingView {
    /// The bucket's binding.
    pub binding: String,
    /// Snapshots that the last check did not find.
    pub snapshots: u64,
    /// RFC 3339.
    pub since: String,
    /// The same as text, with advice.
    pub message: String,
}

impl From<HaltedSweep> for MissingView {
    fn from(HaltedSweep { binding, missing, since_ms }: HaltedSweep) -> Self {
        let message = format!(
            "The bucket of {binding} does not have {missing} snapshots of this session. Nothing is changed until they are back. Check that the binding names the right bucket; delete the snapshots if they are gone for good."
        );
        Self { binding, snapshots: missing, since: rfc3339(since_ms), message }
    }
}

/// Whether a session takes work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SessionStatus {
    /// It takes work.
    Open,
    /// Only its snapshots can be listed, read and deleted.
    Closed,
}

impl Context {
    /// Shows the session. Starts no container.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open.
    pub fn describe(&self) -> Result<SessionView> {
        let loaded = self.load()?;
        Ok(SessionView {
            session: self.session.clone(),
            active: WorkspaceRef::new(loaded.row.active_sandbox_id),
            status: if loaded.row.closed_at_ms.is_some() {
                SessionStatus::Closed
            } else {
                SessionStatus::Open
            },
            opened_at: rfc3339(loaded.row.opened_at_ms),
            workspace_dir: loaded.config.workspace_dir.into(),
            config: loaded.row.config.redacted(),
            missing: self.catalogue.halted_sweeps()?.into_iter().map(MissingView::from).collect(),
        })
    }

    /// Re-attaches to an open session: returns its active workspace. Starts no container.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open; `CONFLICT` while closed.
    pub fn resolve(&self) -> Result<WorkspaceRef> {
        Ok(WorkspaceRef::new(self.require_open()?.row.active_sandbox_id))
    }
}

parts!(UsageOf { context: Context });

impl Session {
    /// Reports what the session stores, from its catalogue. Does not ask R2.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open.
    pub fn usage(&self) -> Result<SessionUsage> {
        let usage_of = UsageOf::from(self);
        usage_of.context.load()?;
        let workspaces = usage_of.context.catalogue.live_workspaces()?;
        let last_used_ms = workspaces.iter().map(|workspace| workspace.last_used_at_ms).max();
        let sums = usage_of.context.catalogue.stored()?;
        Ok(SessionUsage {
            session: usage_of.context.session.clone(),
            snapshots: sums.all,
            automatic: sums.automatic,
            pinned: sums.pinned,
            held: usage_of.context.catalogue.held()?,
            unfinished_count: usage_of.context.catalogue.unrecovered_snapshots()?.len() as u64,
            workspace_count: workspaces.len() as u64,
            last_used_at: last_used_ms.map(rfc3339),
        })
    }
}

/// A page of events, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventPage {
    /// The events.
    pub events: Vec<EventView>,
    /// Cursor of the next page, if any.
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
        let events = Events::from(self);
        events.context.load()?;
        events.page(None, limit, cursor)
    }

    /// Lists the events that name a snapshot, newest first, even a deleted one that is remembered.
    ///
    /// # Errors
    /// `SNAPSHOT_NOT_OWNED`; `INVALID_ARGUMENT` for a foreign cursor.
    pub fn list_snapshot_events(
        &self,
        selector: &SnapshotSelector,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<EventPage> {
        let events = Events::from(self);
        let loaded = events.context.load()?;
        loaded.require_snapshots()?;
        match events.context.locate(&loaded, selector, false)? {
            Target::Own(snapshot) => {
                events.page(Some(EventSubject::Snapshot(&snapshot.id)), limit, cursor)
            }
            Target::Foreign(_) => Err(not_owned_snapshot()),
        }
    }

    /// Lists the events about a workspace of this session, newest first.
    ///
    /// # Errors
    /// `WORKSPACE_NOT_OWNED`; `INVALID_ARGUMENT` for a foreign cursor.
    pub fn list_workspace_events(
        &self,
        workspace: &WorkspaceRef,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<EventPage> {
        let events = Events::from(self);
        events.context.load()?;
        let id = events.context.own_workspace(workspace.sandbox_id())?.sandbox_id;
        events.page(Some(EventSubject::Workspace(&id)), limit, cursor)
    }
}

impl Events<'_> {
    fn page(
        &self,
        about: Option<EventSubject<'_>>,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<EventPage> {
        let page = RowPage::parse(limit, MAX_LIST_RESULTS_DEFAULT, cursor)?;
        let mut events =
            self.context.catalogue.list_events(about, page.before_seq, page.rows_to_read())?;
        let next_cursor = page.cut(&mut events, |event| event.seq)?;
        Ok(EventPage { events, next_cursor })
    }
}
