//! Save workspaces automatically, and stop unused containers. The platform stops idle ones without
//! warning. With autosave, this object's alarm therefore enforces the session's idle time.

use crate::domain::limits::AUTOSAVE_RETRY_MAX_MS;
use crate::domain::{
    BackupId, ErrorCode, Event, Result, SandboxId, Workspace, WorkspaceKind, WorkspaceState,
};
use crate::ports::sandbox::{ProcessOptions, ProcessState};
use crate::session::Abort;
use crate::session::parts::{
    AutosaveState, Containers, Context, InFlight, LoadedSession, Occasion, Saver, Schedule,
    WorkspaceLocks,
};
use futures::future::join_all;
use std::rc::Rc;

/// Saves running workspaces on schedule, and stops unused ones.
pub struct Autosaver {
    context: Rc<Context>,
    locks: Rc<WorkspaceLocks>,
    in_flight: Rc<InFlight>,
    autosave: Rc<AutosaveState>,
    containers: Rc<Containers>,
    saver: Rc<Saver>,
}

impl Autosaver {
    pub(crate) fn new(
        context: Rc<Context>,
        locks: Rc<WorkspaceLocks>,
        in_flight: Rc<InFlight>,
        autosave: Rc<AutosaveState>,
        containers: Rc<Containers>,
        saver: Rc<Saver>,
    ) -> Self {
        Self { context, locks, in_flight, autosave, containers, saver }
    }

    /// In milliseconds since the epoch. None: the next use of a workspace sets the alarm.
    pub(crate) fn autosave_due_ms(&self) -> Result<Option<i64>> {
        let schedule = self.context.load().ok().and_then(|loaded| Schedule::now(&loaded));
        let due_ms = match schedule {
            Some(schedule) => {
                let rows = self.running_rows()?;
                let due_ms =
                    rows.iter().filter_map(|row| self.autosave.check_due_ms(schedule, row));
                let starting = self.is_starting()?;
                due_ms.chain(starting.then(|| self.context.now_ms() + schedule.soonest_ms())).min()
            }
            None => None,
        };
        if due_ms.is_none() && self.autosave.saving.all().is_empty() {
            self.autosave.scheduled.set(false);
        }
        Ok(due_ms)
    }

    pub(crate) async fn keep_saved(&self) -> Result<Option<i64>> {
        let Ok(loaded) = self.context.load() else { return Ok(None) };
        let Some(schedule) = Schedule::now(&loaded) else { return Ok(None) };
        let now_ms = self.context.now_ms();
        let mut due = self.running_rows()?;
        due.retain(|row| {
            self.autosave.check_due_ms(schedule, row).is_some_and(|due_ms| due_ms <= now_ms)
        });
        let checked = due.iter().map(async |row| {
            let _saving = self.autosave.saving.begin(row.sandbox_id.clone());
            let due_ms = self.check(&loaded, schedule, &row.sandbox_id).await;
            self.autosave.note_checked(row, due_ms)
        });
        join_all(checked).await.into_iter().collect::<Result<()>>()?;
        Ok(None)
    }

    /// A container that is in use, or can't be saved now, runs on until the alarm finds it idle.
    pub(crate) async fn end_running(&self) -> Result<()> {
        let (loaded, running) = (self.context.load()?, self.running_rows()?);
        let ended = running.iter().map(async |row| {
            let id = &row.sandbox_id;
            let _saving = self.autosave.saving.begin(id.clone());
            match self.save_and_stop(&loaded, id).await {
                // A lost container has ended by itself. After any other error, the alarm retries.
                Err(error) if error.code != ErrorCode::WorkspaceLost => {
                    self.autosave.note_failure(id, &error);
                }
                _ => {}
            }
        });
        join_all(ended).await;
        Ok(())
    }

    async fn save_and_stop(&self, loaded: &LoadedSession, id: &SandboxId) -> Result<()> {
        let Some(row) = self.containers.attached(id).await? else { return Ok(()) };
        let used_ms = self.autosave.used_at_ms(&row);
        let saved = self.saver.autosave(loaded, &row, Occasion::Alarm, &Abort::default()).await?;
        self.stop_unused(id, used_ms, &saved).await.map(drop)
    }

    /// Without a schedule, the platform stops the containers.
    pub(crate) async fn reschedule(&self) -> Result<()> {
        self.autosave.scheduled.set(false);
        self.autosave.checked.borrow_mut().clear();
        let (loaded, running) = (self.context.load()?, self.running_rows()?);
        if running.is_empty() {
            return Ok(());
        }
        if Schedule::now(&loaded).is_some() {
            return self.autosave.schedule(&loaded).await;
        }
        for row in running {
            // The next call configures a sandbox that does not respond now.
            let _ = self.containers.configured_sandbox(&row.sandbox_id).await;
        }
        Ok(())
    }

    fn running_rows(&self) -> Result<Vec<Workspace>> {
        let mut rows = self.context.catalogue.live_workspaces()?;
        rows.retain(|row| {
            row.state == WorkspaceState::Ready
                && row.kind != WorkspaceKind::Shared
                && row.paused_at_ms.is_none()
                && row.instance_id.is_some()
        });
        Ok(rows)
    }

    fn is_starting(&self) -> Result<bool> {
        let rows = self.context.catalogue.live_workspaces()?;
        Ok(rows.iter().any(|row| self.in_flight.is_worked_on(row.sandbox_id.as_str())))
    }

    async fn check(
        &self,
        loaded: &LoadedSession,
        schedule: Schedule,
        id: &SandboxId,
    ) -> Option<i64> {
        let retry_at_ms = self.autosave.failed.borrow().get(id).map(|failed| failed.retry_at_ms);
        if retry_at_ms.is_some_and(|at_ms| at_ms > self.context.now_ms()) {
            return retry_at_ms;
        }
        match self.save_or_stop(loaded, schedule, id).await {
            Ok(due_ms) => {
                self.autosave.failed.borrow_mut().remove(id);
                due_ms
            }
            Err(error) if error.code == ErrorCode::WorkspaceLost => {
                // Its container has ended: there is nothing to save until it wakes.
                self.autosave.failed.borrow_mut().remove(id);
                None
            }
            // It has been paused, or is being destroyed: there is nothing to save.
            Err(_) if self.context.unpaused(id).is_err() => {
                self.autosave.failed.borrow_mut().remove(id);
                None
            }
            // A rewind is unfinished: it can be finished in this container only.
            Err(_) if self.context.catalogue.running_rewind(id).is_ok_and(|row| row.is_some()) => {
                Some(self.context.now_ms() + schedule.soonest_ms())
            }
            Err(error) => Some(self.autosave.note_failure(id, &error)),
        }
    }

    async fn save_or_stop(
        &self,
        loaded: &LoadedSession,
        schedule: Schedule,
        id: &SandboxId,
    ) -> Result<Option<i64>> {
        let Some(row) = self.containers.attached(id).await? else { return Ok(None) };
        let used_ms = self.autosave.used_at_ms(&row);
        let idle_due_ms = used_ms + schedule.idle_ms;
        let busy = self.locks.shared_count(id) > 0
            || self.context.ports.sandboxes.get(id)?.runs_commands().await?;
        let now_ms = self.context.now_ms();
        let is_idle = !busy && idle_due_ms <= now_ms;
        let awake_due_ms = used_ms + schedule.awake_ms;
        let kept = is_idle && now_ms < awake_due_ms && self.runs_processes(loaded, &row).await?;
        if is_idle && !kept {
            let saved =
                self.saver.autosave(loaded, &row, Occasion::Alarm, &Abort::default()).await?;
            return self.stop_unused(id, used_ms, &saved).await;
        }
        let mut save_due_ms = row.saved_at_ms + schedule.every_ms;
        if save_due_ms <= now_ms {
            if busy || kept || used_ms >= row.saved_at_ms {
                self.saver.autosave(loaded, &row, Occasion::Alarm, &Abort::default()).await?;
            }
            // Recheck even an unused workspace then: a use meanwhile sets no alarm.
            save_due_ms = now_ms + schedule.every_ms;
        }
        // This object does not see a streaming command end: recheck after the idle time.
        let idle_ms = match (busy, kept) {
            (true, _) => now_ms + schedule.idle_ms,
            (false, true) => awake_due_ms.min(now_ms + schedule.idle_ms),
            (false, false) => idle_due_ms,
        };
        let next_ms = save_due_ms.min(idle_ms);
        Ok(Some(next_ms.max(self.context.now_ms() + 1)))
    }

    async fn runs_processes(&self, loaded: &LoadedSession, row: &Workspace) -> Result<bool> {
        let on = ProcessOptions { instance_id: row.instance_id.clone(), ..Default::default() };
        let listed = self.context.ports.sandboxes.get(&row.sandbox_id)?.list_processes(on).await?;
        Ok(listed.processes.iter().any(|process| {
            let runs = process.state == ProcessState::Running || process.left_running;
            runs && !loaded.config.services.iter().any(|service| service.name == process.name)
        }))
    }

    async fn stop_unused(
        &self,
        id: &SandboxId,
        used_ms: i64,
        saved: &[BackupId],
    ) -> Result<Option<i64>> {
        let _exclusive = self.locks.exclusive(id, "an idle stop").await?;
        // No await from these checks to the stop: a call that comes now waits at
        // the lock, finds no container, and wakes the workspace.
        let row = self.context.usable(id)?;
        if row.paused_at_ms.is_some() {
            return Ok(None);
        }
        let heads = self.context.catalogue.heads_of(id)?;
        let is_saved = saved.iter().all(|id| heads.find(id).is_some());
        if !is_saved || self.locks.shared_count(id) > 0 || self.autosave.used_at_ms(&row) > used_ms
        {
            return Ok(Some(self.context.now_ms() + 1));
        }
        self.containers.destroy(id).await?;
        let backup_id = row.head_backup_id;
        let event = Event::WorkspaceSlept { sandbox_id: id.clone(), backup_id };
        self.context.catalogue.add_event(self.context.now_ms(), &event)?;
        Ok(None)
    }
}

enum Due {
    /// Not before this time, in milliseconds since the epoch. None: never.
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

    /// Saves running workspaces first, and retries later those that can't be saved.
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
            // No await from this check to the row: the workspace stays if it was used meanwhile.
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

    /// Saves even if the session takes no automatic snapshots: the container has the only copy.
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
