//! Save workspaces that nobody asks to save, and stop the containers of those
//! that nobody uses.
//!
//! The platform stops a container without warning once its idle time is over.
//! So where the host saves, it gives the platform the longest idle time there
//! is, and keeps the session's own by this object's alarm.

pub(crate) mod retire;
pub(crate) mod schedule;

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::{BackupId, InstanceId, SandboxId};
use crate::domain::limits::{AUTOSAVE_RETRY_MAX_MS, AUTOSAVE_RETRY_MS, SLEEP_AFTER_MAX_MS};
use crate::domain::session::event::Event;
use crate::domain::snapshot::backup::BackupDir;
use crate::domain::snapshot::{Snapshot, SnapshotTrigger};
use crate::domain::workspace::{Workspace, WorkspaceKind, WorkspaceState};
use crate::ports::log::{Level, LogLine};
use crate::session::autosave::schedule::{Schedule, signed};
use crate::session::snapshots::saver::{Occasion, Saved, Saving};
use crate::session::workspaces::ready::Active;
use crate::session::{Host, LoadedSession};
use futures::future::join_all;
use serde_json::json;

/// A workspace that could not be saved when it was due.
#[derive(Debug, Default)]
pub(crate) struct Unsaved {
    failures: u32,
    retry_at_ms: i64,
}

/// A workspace that the alarm has looked after, as its row was then.
#[derive(Debug)]
pub(crate) struct Tended {
    instance_id: Option<InstanceId>,
    saved_at_ms: i64,
    /// When to look again; none: not before its row changes.
    due_ms: Option<i64>,
}

impl Host {
    /// When a workspace is to be saved or stopped, in milliseconds since the
    /// epoch. Where none is, the next one that is used sets the alarm itself.
    pub(crate) fn autosave_due_ms(&self) -> Result<Option<i64>> {
        let schedule = self.load().ok().and_then(|loaded| Schedule::of(&loaded.config));
        let due_ms = match schedule {
            Some(schedule) => {
                let rows = self.running_rows()?;
                let due_ms = rows.iter().filter_map(|row| self.tend_due_ms(schedule, row));
                let starting = self.is_starting()?;
                due_ms.chain(starting.then(|| self.now_ms() + schedule.soonest_ms())).min()
            }
            None => None,
        };
        if due_ms.is_none() && self.tending.all().is_empty() {
            self.armed.set(false);
        }
        Ok(due_ms)
    }

    /// When to look after one workspace. None while the alarm does: its end says when.
    fn tend_due_ms(&self, schedule: Schedule, row: &Workspace) -> Option<i64> {
        let id = &row.sandbox_id;
        if self.tending.has(id) {
            return None;
        }
        let retry_at_ms = self.unsaved.borrow().get(id).map(|unsaved| unsaved.retry_at_ms);
        if retry_at_ms.is_some_and(|at_ms| at_ms > self.now_ms()) {
            return retry_at_ms;
        }
        match self.tended.borrow().get(id) {
            Some(tended)
                if tended.instance_id == row.instance_id
                    && tended.saved_at_ms == row.saved_at_ms =>
            {
                tended.due_ms
            }
            _ => {
                let idle_ms = self.used_at_ms(row).saturating_add(schedule.idle_ms);
                Some(row.saved_at_ms.saturating_add(schedule.every_ms).min(idle_ms))
            }
        }
    }

    /// Saves and stops what is due.
    pub(crate) async fn keep_saved(&self) -> Result<Option<i64>> {
        let Ok(loaded) = self.load() else { return Ok(None) };
        let Some(schedule) = Schedule::of(&loaded.config) else { return Ok(None) };
        let now_ms = self.now_ms();
        let mut due = self.running_rows()?;
        due.retain(|row| self.tend_due_ms(schedule, row).is_some_and(|due_ms| due_ms <= now_ms));
        let tended = due.iter().map(async |row| {
            let _tending = self.tending.begin(row.sandbox_id.clone());
            let due_ms = self.tend(&loaded, schedule, &row.sandbox_id).await;
            self.note_tended(row, due_ms)
        });
        join_all(tended).await.into_iter().collect::<Result<()>>()?;
        Ok(None)
    }

    /// Remembers when to look after a workspace again. One whose head went
    /// meanwhile is due at once.
    fn note_tended(&self, seen: &Workspace, due_ms: Option<i64>) -> Result<()> {
        let Some(row) = self.catalogue.workspace(&seen.sandbox_id)? else { return Ok(()) };
        let mut tended = self.tended.borrow_mut();
        if row.saved_at_ms == 0 && seen.saved_at_ms != 0 {
            tended.remove(&seen.sandbox_id);
            return Ok(());
        }
        // Another disk was not looked after.
        let instance_id = seen.instance_id.clone();
        let saved_at_ms = row.saved_at_ms;
        tended.insert(row.sandbox_id, Tended { instance_id, saved_at_ms, due_ms });
        Ok(())
    }

    /// Has what runs looked at by the schedule that there is now: the alarm may
    /// be set by a later one. Where there is none, the platform is told when to
    /// stop it.
    pub(crate) async fn arm_anew(&self) -> Result<()> {
        self.armed.set(false);
        self.tended.borrow_mut().clear();
        let (loaded, running) = (self.load()?, self.running_rows()?);
        if running.is_empty() {
            return Ok(());
        }
        if Schedule::of(&loaded.config).is_some() {
            return self.arm(&loaded).await;
        }
        for row in running {
            // One that does not respond now is told by the next call on it.
            let _ = self.configured_sandbox(&row.sandbox_id).await;
        }
        Ok(())
    }

    /// The rows of workspaces whose containers may run with their files.
    fn running_rows(&self) -> Result<Vec<Workspace>> {
        let mut rows = self.catalogue.live_workspaces()?;
        rows.retain(|row| {
            row.state == WorkspaceState::Ready
                && row.kind != WorkspaceKind::Shared
                && row.paused_at_ms.is_none()
                && row.instance_id.is_some()
        });
        Ok(rows)
    }

    /// Whether a container is being started.
    fn is_starting(&self) -> Result<bool> {
        let rows = self.catalogue.live_workspaces()?;
        Ok(rows.iter().any(|row| self.is_worked_on(row.sandbox_id.as_str())))
    }

    /// Looks after one workspace. Says when to look again, if at all.
    async fn tend(
        &self,
        loaded: &LoadedSession,
        schedule: Schedule,
        id: &SandboxId,
    ) -> Option<i64> {
        let retry_at_ms = self.unsaved.borrow().get(id).map(|unsaved| unsaved.retry_at_ms);
        if retry_at_ms.is_some_and(|at_ms| at_ms > self.now_ms()) {
            return retry_at_ms;
        }
        match self.save_or_stop(loaded, schedule, id).await {
            Ok(due_ms) => {
                self.unsaved.borrow_mut().remove(id);
                due_ms
            }
            Err(error) if error.code == ErrorCode::WorkspaceLost => {
                // Its container has ended: there is nothing to save until it wakes.
                self.unsaved.borrow_mut().remove(id);
                None
            }
            // It has been paused, or is being destroyed: there is nothing to save.
            Err(_) if self.unpaused(id).is_err() => {
                self.unsaved.borrow_mut().remove(id);
                None
            }
            // It is finished in this container, or not at all.
            Err(_) if self.catalogue.running_rewind(id).is_ok_and(|row| row.is_some()) => {
                Some(self.now_ms() + schedule.soonest_ms())
            }
            Err(error) => self.note_unsaved(id, &error),
        }
    }

    async fn save_or_stop(
        &self,
        loaded: &LoadedSession,
        schedule: Schedule,
        id: &SandboxId,
    ) -> Result<Option<i64>> {
        let Some(row) = self.attached(id).await? else { return Ok(None) };
        let used_ms = self.used_at_ms(&row);
        let idle_due_ms = used_ms + schedule.idle_ms;
        let busy = self.locks.shared_count(id) > 0
            || self.ports.sandboxes.get(id)?.runs_commands().await?;
        let now_ms = self.now_ms();
        if !busy && idle_due_ms <= now_ms {
            let saved = self.autosave(loaded, &row, Occasion::Alarm).await?;
            return self.stop_unused(id, used_ms, &saved).await;
        }
        let mut save_due_ms = row.saved_at_ms + schedule.every_ms;
        if save_due_ms <= now_ms {
            if busy || used_ms >= row.saved_at_ms {
                self.autosave(loaded, &row, Occasion::Alarm).await?;
            }
            // What was not used since may be by then: whoever comes sets no alarm of its own.
            save_due_ms = now_ms + schedule.every_ms;
        }
        // The end of what is told of beside this object is not noticed here.
        let idle_ms = if busy { now_ms + schedule.idle_ms } else { idle_due_ms };
        let next_ms = save_due_ms.min(idle_ms);
        Ok(Some(next_ms.max(self.now_ms() + 1)))
    }

    /// The row of a workspace whose container runs and has its files.
    pub(crate) async fn attached(&self, id: &SandboxId) -> Result<Option<Workspace>> {
        let sandbox = self.ports.sandboxes.get(id)?;
        let disk = sandbox.disk().await?;
        let row = self.usable(id)?;
        let runs = |row: &Workspace| disk.is_some() && disk == row.instance_id;
        Ok(Some(row).filter(|row| runs(row) && row.paused_at_ms.is_none()))
    }

    /// When a workspace was last used, its calls' ends included.
    pub(crate) fn used_at_ms(&self, row: &Workspace) -> i64 {
        row.last_used_at_ms.max(self.locks.last_released_ms(&row.sandbox_id))
    }

    /// Saves a running workspace, unless what it would wake from holds its files
    /// already. ResponseTimeout what holds them now.
    pub(crate) async fn autosave(
        &self,
        loaded: &LoadedSession,
        row: &Workspace,
        occasion: Occasion,
    ) -> Result<Vec<BackupId>> {
        let id = &row.sandbox_id;
        let sandbox = self.configured_sandbox(id).await?;
        let Some(instance) = row.instance_id.clone() else {
            return Err(Error::internal(format!("workspace {id} has no disk to save")));
        };
        let active = Active::without_lock(sandbox, row.clone(), instance);
        let began_ms = self.now_ms();
        let mut held = Vec::new();
        for dir in loaded.config.saved_dirs.iter() {
            let head = self.comparable_head(&active, dir)?;
            let saved =
                self.save_automatically(loaded, &active, dir.clone(), head, occasion).await?;
            held.push(saved.snapshot().id.clone());
        }
        self.catalogue.set_saved_at(id, began_ms)?;
        Ok(held)
    }

    /// Saves a directory of a workspace; `head` will do as well, if nothing has
    /// changed since.
    pub(crate) async fn save_automatically(
        &self,
        loaded: &LoadedSession,
        active: &Active,
        dir: BackupDir,
        head: Option<Snapshot>,
        occasion: Occasion,
    ) -> Result<Saved> {
        let id = &active.workspace.sandbox_id;
        let saving = Saving {
            ttl: self.retention_policy(loaded)?.ttl,
            trigger: SnapshotTrigger::Auto,
            unless_equal: head,
            occasion,
            ..Saving::default()
        };
        let last_check = |_: &BackupId| {
            self.unpaused(id)?;
            if occasion == Occasion::Alarm && self.catalogue.running_rewind(id)?.is_some() {
                let message = format!("workspace {id} is being rewound");
                return Err(Error::new(ErrorCode::Conflict, message));
            }
            Ok(())
        };
        let binding = &loaded.config.backup_binding;
        self.save(binding, active, &dir, saving, last_check).await
    }

    /// Stops a container that was saved as `saved` and has not been used since `used_ms`.
    async fn stop_unused(
        &self,
        id: &SandboxId,
        used_ms: i64,
        saved: &[BackupId],
    ) -> Result<Option<i64>> {
        let _exclusive = self.locks.exclusive(id).await;
        // No await from these looks to the stop: a call that comes now waits at
        // the lock, finds no container, and wakes the workspace.
        let row = self.usable(id)?;
        if row.paused_at_ms.is_some() {
            return Ok(None);
        }
        let layers = self.catalogue.layers(id)?;
        let is_saved = saved.iter().all(|id| layers.find(id).is_some());
        if !is_saved || self.locks.shared_count(id) > 0 || self.used_at_ms(&row) > used_ms {
            return Ok(Some(self.now_ms() + 1));
        }
        self.ports.sandboxes.get(id)?.destroy().await?;
        self.configured.borrow_mut().remove(id);
        let backup_id = row.head_backup_id;
        let event = Event::WorkspaceSlept { sandbox_id: id.clone(), backup_id };
        self.catalogue.add_event(self.now_ms(), &event)?;
        Ok(None)
    }

    /// A workspace has another disk: what could not be saved of the one before
    /// does not keep it waiting.
    pub(crate) async fn forget_unsaved(&self, open: &LoadedSession, id: &SandboxId) -> Result<()> {
        if self.unsaved.borrow_mut().remove(id).is_none() {
            return Ok(());
        }
        self.armed.set(false);
        self.arm(open).await
    }

    /// A workspace that could not be saved runs on, and is tried again until
    /// the platform stops it.
    fn note_unsaved(&self, id: &SandboxId, error: &Error) -> Option<i64> {
        let mut unsaved = self.unsaved.borrow_mut();
        let unsaved = unsaved.entry(id.clone()).or_default();
        let pause_ms = AUTOSAVE_RETRY_MS.saturating_mul(1 << unsaved.failures.min(8));
        unsaved.failures += 1;
        unsaved.retry_at_ms = self.now_ms() + pause_ms.min(AUTOSAVE_RETRY_MAX_MS);
        self.ports.log.write(LogLine::new(
            Level::Warn,
            "autosave.failed",
            json!({
                "session": self.session, "sandboxId": id, "failures": unsaved.failures,
                "code": error.code, "cause": error.cause,
            }),
        ));
        let used_ms = self.usable(id).ok().map(|row| self.used_at_ms(&row))?;
        let unused_ms = self.now_ms().saturating_sub(used_ms);
        let go_on = self.locks.shared_count(id) > 0 || unused_ms < signed(SLEEP_AFTER_MAX_MS);
        go_on.then_some(unsaved.retry_at_ms)
    }
}
