//! Close a session.

use crate::domain::limits::RECOVER_AFTER_MS;
use crate::domain::{
    Error, ErrorCode, Event, Result, SnapshotState, WorkspaceKind, WorkspaceState,
};
use crate::session::parts::snapshots::deleter::Releases;
use crate::session::parts::{Autosaver, Containers, Context, Deleter, InFlight, Leases};
use crate::session::{Session, SessionView};
use futures::future::join_all;
use serde::{Deserialize, Serialize};

parts!(Close {
    context: Context,
    in_flight: InFlight,
    containers: Containers,
    autosaver: Autosaver,
});

impl Session {
    /// Closes the session; succeeds if it is closed. Snapshots are kept. Running workspaces are
    /// saved, and their containers end; with `destroyOnClose` they are destroyed unsaved. A shared
    /// sandbox is left alone. A container in use, or unsaved, runs on until it is idle, without
    /// secrets.
    ///
    /// # Errors
    /// `UNAVAILABLE` if a container may still have secrets: close again. `CONFLICT` if a destroying
    /// close would interrupt a snapshot or a new workspace.
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
        // No await from here to the last row: the session becomes closed and its workspaces
        // `destroying` together. Then nothing new starts, and after a crash the alarm goes on.
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

/// The answer to the deletion of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeletedSession {
    /// Always true: deleting a session that does not exist succeeds.
    pub deleted: bool,
    /// How many snapshots were deleted.
    pub snapshots: u64,
    /// How many workspaces were destroyed.
    pub workspaces: u64,
}

struct DeleteSession<'a> {
    context: &'a Context,
    deleter: &'a Deleter,
    leases: &'a Leases,
    close: Close<'a>,
}

impl Session {
    /// Deletes the session with all that it has, saved or not. Other sessions' workspaces that
    /// would wake from its snapshots then begin empty. A later open begins anew. Order: close,
    /// containers, snapshots one by one, then all rows together. After a failure, delete it again.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` without `force`; `CONFLICT` while a snapshot is in use; `UNAVAILABLE`.
    pub async fn delete_session(&self, force: bool) -> Result<DeletedSession> {
        if !force {
            return Err(Error::invalid(
                "force",
                "must be true: all workspaces and snapshots of the session are lost",
            )
            .with_hint("to keep the snapshots, close the session instead"));
        }
        let delete = DeleteSession {
            context: &self.context,
            deleter: &self.deleter,
            leases: &self.leases,
            close: Close::from(self),
        };
        delete.delete().await
    }
}

impl DeleteSession<'_> {
    async fn delete(&self) -> Result<DeletedSession> {
        let mut deleted = DeletedSession { deleted: true, snapshots: 0, workspaces: 0 };
        if self.context.catalogue.session()?.is_none() {
            return Ok(deleted);
        }
        deleted.workspaces = self.context.catalogue.live_workspaces()?.len() as u64;
        self.close.close(Some(true)).await?;
        loop {
            let left = self.context.catalogue.undeleted_snapshots()?;
            let Some(first) = left.first() else { break };
            if first.state == SnapshotState::Deleting {
                self.deleter.finish_delete(&first.id, &first.binding).await?;
            } else {
                self.deleter.delete_own(&first.id, true).await?;
                deleted.snapshots += 1;
            }
        }
        self.deleter.release_now(Releases::All).await?;
        self.leases.return_all().await?;
        if self.context.catalogue.forget_session()? {
            return Ok(deleted);
        }
        Err(Error::new(
            ErrorCode::Conflict,
            "a part of the session is still in use, or was opened again meanwhile",
        )
        .with_hint("delete it again"))
    }
}
