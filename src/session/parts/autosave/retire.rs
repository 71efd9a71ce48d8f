//! Retire unused workspaces.

use crate::domain::limits::AUTOSAVE_RETRY_MAX_MS;
use crate::domain::{ErrorCode, Event, Result, SandboxId, Workspace};
use crate::session::Abort;
use crate::session::parts::{
    AutosaveState, Containers, Context, InFlight, LoadedSession, Occasion, Saver, WorkspaceLocks,
};

/// Whether an unused workspace is due for retirement.
enum Due {
    /// Not before this time, in milliseconds since the epoch; None: not at all.
    At(Option<i64>),
    Now(Box<(LoadedSession, Workspace)>),
}

parts!(Retire {
    context: Context,
    locks: WorkspaceLocks,
    in_flight: InFlight,
    autosave: AutosaveState,
    containers: Containers,
    saver: Saver,
});

impl Retire<'_> {
    /// When the next workspace is to be retired, in milliseconds since the epoch.
    pub(crate) fn retire_due_ms(&self) -> Result<Option<i64>> {
        let mut next_ms: Option<i64> = None;
        for seen in self.context.catalogue.live_workspaces()? {
            let due_ms = match self.retires(&seen.sandbox_id)? {
                Due::At(due_ms) => due_ms,
                Due::Now(_) => Some(self.context.now_ms()),
            };
            next_ms = [next_ms, due_ms].into_iter().flatten().min();
        }
        Ok(next_ms)
    }

    /// Destroys the workspaces that have been unused for as long as the policy
    /// says. Saves running ones first; keeps one that can't be saved, and retries
    /// it later.
    pub(crate) async fn retire(&self) -> Result<Option<i64>> {
        let mut busy_until_ms = None;
        for seen in self.context.catalogue.live_workspaces()? {
            let id = seen.sandbox_id;
            let saved = match self.retires(&id)? {
                Due::At(_later) => continue,
                // A command may still run after an earlier object ended with its call.
                Due::Now(_) if !matches!(self.containers.runs_commands(&id).await, Ok(false)) => {
                    busy_until_ms = Some(self.context.now_ms() + AUTOSAVE_RETRY_MAX_MS);
                    continue;
                }
                Due::Now(found) => self.save_to_retire(&found.0, &found.1).await,
            };
            if let Err(error) = saved {
                self.context.note_recovered(id.as_str(), "unused", Err(error))?;
                continue;
            }
            // No await from this check to the row: a workspace stays if it was used while
            // it was being saved, or while another was being destroyed.
            let Due::Now(found) = self.retires(&id)? else { continue };
            let (loaded, row) = *found;
            let now_ms = self.context.now_ms();
            let ttl_ms = self.context.retention_policy(&loaded)?.ttl.as_ms();
            self.context.catalogue.keep_for_retired(&id, now_ms, now_ms.saturating_add(ttl_ms))?;
            let backup_id = row.head_backup_id;
            let event = Event::WorkspaceRetired { sandbox_id: id.clone(), backup_id };
            self.context.catalogue.add_event(now_ms, &event)?;
            let destroyed = self.containers.destroy_sandbox(&id).await.map(|()| Some("destroyed"));
            self.context.note_recovered(id.as_str(), "unused", destroyed)?;
        }
        Ok(busy_until_ms)
    }

    fn retires(&self, id: &SandboxId) -> Result<Due> {
        let Ok(loaded) = self.context.load() else { return Ok(Due::At(None)) };
        let after_ms = self.context.retention_policy(&loaded)?.retire_after_ms;
        let Some(mut row) = self.context.catalogue.workspace(id)? else { return Ok(Due::At(None)) };
        let in_use = self.locks.shared_count(id) > 0 || self.in_flight.is_worked_on(id.as_str());
        row.last_used_at_ms =
            if in_use { self.context.now_ms() } else { self.autosave.used_at_ms(&row) };
        let Some(unused_ms) = row.retires_at_ms(&loaded.row.active_sandbox_id, after_ms) else {
            return Ok(Due::At(None));
        };
        let due_ms = self
            .context
            .catalogue
            .retry_due_ms(id.as_str())?
            .map_or(unused_ms, |at_ms| at_ms.max(unused_ms));
        if due_ms > self.context.now_ms() {
            return Ok(Due::At(Some(due_ms)));
        }
        Ok(Due::Now(Box::new((loaded, row))))
    }

    /// Saves the container's files, even if the session takes no automatic
    /// snapshots: they are the only copy.
    async fn save_to_retire(&self, loaded: &LoadedSession, row: &Workspace) -> Result<()> {
        if loaded.config.modules.read_only {
            return Ok(());
        }
        let Some(row) = self.containers.attached(&row.sandbox_id).await? else { return Ok(()) };
        match self.saver.autosave(loaded, &row, Occasion::Alarm, &Abort::default()).await {
            // Its container has ended: its last save is all that is left.
            Err(error) if error.code == ErrorCode::WorkspaceLost => Ok(()),
            saved => saved.map(drop),
        }
    }
}
