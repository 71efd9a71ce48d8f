//! Close a session.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::limits::RECOVER_AFTER_MS;
use crate::domain::session::event::Event;
use crate::domain::workspace::{WorkspaceKind, WorkspaceState};
use crate::session::Session;
use crate::session::SessionView;
use crate::session::containers::Containers;
use crate::session::context::Context;
use crate::session::in_flight::InFlight;
use futures::future::join_all;

parts!(Close { context: Context, in_flight: InFlight, containers: Containers });

impl Session {
    /// Closes the session. Snapshots are kept. Containers stop after their idle
    /// time, or are destroyed now where the config says `destroyOnClose`; a
    /// shared sandbox never is. Those that run on have no secrets and reach no
    /// buckets any more. Closing a closed session succeeds.
    ///
    /// # Errors
    /// `UNAVAILABLE` if a container's secrets could not be taken away: closing again tries again.
    /// `CONFLICT` while a destroying close would interrupt a snapshot or a new
    /// workspace. It may interrupt an autosave: its workspace is destroyed anyway.
    pub async fn close(&self) -> Result<SessionView> {
        Close::from(self).close().await
    }
}

impl Close<'_> {
    pub async fn close(&self) -> Result<SessionView> {
        if self.context.load()?.row.closed_at_ms.is_some() {
            // An earlier close may have broken off.
            self.containers.configure_running().await?;
            return self.context.describe();
        }
        self.context.ports.alarm.schedule_by(self.context.now_ms() + RECOVER_AFTER_MS).await?;
        // No await from here to the last row: the session becomes closed and its
        // workspaces `destroying` together. Nothing new starts after that, and after
        // a crash the alarm does the rest.
        let loaded = self.context.load()?;
        if loaded.row.closed_at_ms.is_some() {
            return self.context.describe();
        }
        let destroy = loaded.config.destroy_on_close;
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
        row.closed_at_ms = Some(now_ms);
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
        self.context.catalogue.add_event(now_ms, &Event::SessionClosed { destroyed: destroy })?;
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
        self.context.describe()
    }
}
