//! Close a session.

use crate::domain::limits::RECOVER_AFTER_MS;
use crate::domain::{Error, ErrorCode, Event, Result, WorkspaceKind, WorkspaceState};
use crate::session::parts::{Autosaver, Containers, Context, InFlight};
use crate::session::{Session, SessionView};
use futures::future::join_all;

parts!(Close {
    context: Context,
    in_flight: InFlight,
    containers: Containers,
    autosaver: Autosaver,
});

impl Session {
    /// Closes the session. Snapshots are kept. Workspaces that run are saved, and their containers
    /// end; with `destroyOnClose` they are destroyed, and not saved. A shared sandbox is left
    /// alone. A container that a call still uses, or that can't be saved now, runs on without
    /// secrets and buckets until the alarm has saved it. Closing a closed session succeeds.
    ///
    /// # Errors
    /// `UNAVAILABLE` if a container's secrets could not be taken away: closing the session again
    /// retries that. `CONFLICT` while a destroying close would interrupt a snapshot or a new
    /// workspace. It may interrupt an autosave: its workspace is destroyed anyway.
    pub async fn close(&self) -> Result<SessionView> {
        Close::from(self).close(None).await
    }
}

impl Close<'_> {
    /// `destroys` decides instead of the configuration.
    pub(crate) async fn close(&self, destroys: Option<bool>) -> Result<SessionView> {
        if destroys.is_none() && self.context.load()?.row.closed_at_ms.is_some() {
            // An earlier close may have broken off.
            self.containers.configure_running().await?;
            self.autosaver.end_running().await?;
            return self.context.describe();
        }
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        // No await from here to the last row: the session becomes closed and its
        // workspaces `destroying` together. Nothing new starts after that, and after
        // a crash the alarm does the rest.
        let loaded = self.context.load()?;
        if destroys.is_none() && loaded.row.closed_at_ms.is_some() {
            return self.context.describe();
        }
        let destroy = destroys.unwrap_or(loaded.config.destroy_on_close);
        if destroy && self.in_flight.working.all().iter().any(|id| !self.in_flight.by_alarm.has(id))
        {
            return Err(Error::new(
                ErrorCode::Conflict,
                "a snapshot, restore or delete of this session is in progress",
            )
            .with_hint("close again when it has ended"));
        }
        let now_ms = self.context.now_ms();
        let mut row = loaded.row;
        let was_closed = row.closed_at_ms.replace(now_ms).is_some();
        let mut doomed = Vec::new();
        if destroy {
            row.active_sandbox_id = loaded.config.first_sandbox.clone();
            doomed = self.context.catalogue.live_workspaces()?;
            doomed.retain(|workspace| {
                workspace.kind != WorkspaceKind::Shared && workspace.state == WorkspaceState::Ready
            });
        }
        self.context.catalogue.put_session(&row)?;
        self.containers.configured.borrow_mut().clear();
        if !was_closed {
            let event = Event::SessionClosed { destroyed: destroy };
            self.context.catalogue.add_event(now_ms, &event)?;
        }
        let mut working = Vec::new();
        for workspace in &doomed {
            let id = &workspace.sandbox_id;
            self.context.catalogue.set_workspace_state(
                id,
                WorkspaceState::Destroying,
                self.context.now_ms(),
            )?;
            working.push(self.in_flight.work_on(id.as_str()));
        }
        let destroyed =
            doomed.iter().map(|workspace| self.containers.destroy_sandbox(&workspace.sandbox_id));
        let destroyed = join_all(destroyed).await.into_iter().collect::<Result<()>>();
        self.containers.configure_running().await?;
        destroyed?;
        if !destroy {
            self.autosaver.end_running().await?;
        }
        self.context.describe()
    }
}
