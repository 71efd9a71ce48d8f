//! Close a session.

use super::{Host, SessionView};
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::event::Event;
use crate::domain::workspace::{WorkspaceKind, WorkspaceState};

impl Host {
    /// Closes the session. Snapshots are kept. Containers stop after their idle
    /// time, or are destroyed now where the config says `destroyOnClose`; a
    /// shared sandbox never is. Closing a closed session succeeds.
    ///
    /// # Errors
    /// `CONFLICT` while a destroying close would break a snapshot or a fork in progress.
    pub async fn close(&self) -> Result<SessionView> {
        let known = self.known()?;
        if known.row.closed_at_ms.is_some() {
            return self.describe();
        }
        let destroy = known.config.destroy_on_close;
        if destroy && !self.in_flight.borrow().is_empty() {
            return Err(Error::new(
                ErrorCode::Conflict,
                "a snapshot, restore or delete of this session is in progress",
            )
            .with_hint("close again when it has ended"));
        }
        // Closed first: from here on nothing new starts, so nothing can begin
        // to use a workspace that is about to be destroyed.
        let now_ms = self.now_ms();
        let mut row = known.row;
        row.closed_at_ms = Some(now_ms);
        if destroy {
            row.active_sandbox_id = known.config.first_sandbox.clone();
        }
        self.catalogue.put_session(&row)?;
        self.catalogue.add_event(now_ms, &Event::SessionClosed { destroyed: destroy })?;
        if destroy {
            for workspace in self.catalogue.live_workspaces()? {
                if workspace.kind != WorkspaceKind::Shared
                    && workspace.state == WorkspaceState::Ready
                {
                    self.destroy_sandbox(&workspace.sandbox_id).await?;
                }
            }
        }
        self.describe()
    }
}
