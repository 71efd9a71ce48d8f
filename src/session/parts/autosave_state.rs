//! What this object remembers about the workspaces that it autosaves.

use crate::domain::limits::{AUTOSAVE_RETRY_MAX_MS, AUTOSAVE_RETRY_MS};
use crate::domain::time::pause_ms;
use crate::domain::{
    Error, InstanceId, Result, SandboxId, Workspace, WorkspaceKind, WorkspaceState,
};
use crate::ports::{Level, LogLine};
use crate::session::parts::{Context, InUse, LoadedSession, Schedule, WorkspaceLocks};
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Debug)]
pub(crate) struct Checked {
    instance_id: Option<InstanceId>,
    saved_at_ms: i64,
    /// None: only once its row changes.
    due_ms: Option<i64>,
}

#[derive(Debug, Default)]
pub(crate) struct Failure {
    failures: u32,
    pub(crate) retry_at_ms: i64,
}

/// What the alarm knows of running workspaces.
pub struct AutosaveState {
    context: Rc<Context>,
    locks: Rc<WorkspaceLocks>,
    pub(crate) saving: InUse<SandboxId>,
    pub(crate) checked: RefCell<BTreeMap<SandboxId, Checked>>,
    pub(crate) scheduled: Cell<bool>,
    pub(crate) failed: RefCell<BTreeMap<SandboxId, Failure>>,
}

impl AutosaveState {
    pub(crate) fn new(context: Rc<Context>, locks: Rc<WorkspaceLocks>) -> Self {
        Self {
            context,
            locks,
            saving: InUse::default(),
            checked: RefCell::default(),
            scheduled: Cell::default(),
            failed: RefCell::default(),
        }
    }

    /// None while the alarm checks it: the end of that check sets the next time.
    pub(crate) fn check_due_ms(&self, schedule: Schedule, row: &Workspace) -> Option<i64> {
        let id = &row.sandbox_id;
        if self.saving.has(id) {
            return None;
        }
        let retry_at_ms = self.failed.borrow().get(id).map(|failed| failed.retry_at_ms);
        if retry_at_ms.is_some_and(|at_ms| at_ms > self.context.now_ms()) {
            return retry_at_ms;
        }
        match self.checked.borrow().get(id) {
            Some(checked)
                if checked.instance_id == row.instance_id
                    && checked.saved_at_ms == row.saved_at_ms =>
            {
                checked.due_ms
            }
            _ => {
                let idle_ms = self.used_at_ms(row).saturating_add(schedule.idle_ms);
                Some(row.saved_at_ms.saturating_add(schedule.every_ms).min(idle_ms))
            }
        }
    }

    /// If its head was deleted meanwhile, the workspace is due at once.
    pub(crate) fn note_checked(&self, seen: &Workspace, due_ms: Option<i64>) -> Result<()> {
        let Some(row) = self.context.catalogue.workspace(&seen.sandbox_id)? else { return Ok(()) };
        let mut checked = self.checked.borrow_mut();
        if row.saved_at_ms == 0 && seen.saved_at_ms != 0 {
            checked.remove(&seen.sandbox_id);
            return Ok(());
        }
        // A check of one disk does not count for another.
        let instance_id = seen.instance_id.clone();
        let saved_at_ms = row.saved_at_ms;
        checked.insert(row.sandbox_id, Checked { instance_id, saved_at_ms, due_ms });
        Ok(())
    }

    /// The end of a call counts as use.
    pub(crate) fn used_at_ms(&self, row: &Workspace) -> i64 {
        row.last_used_at_ms.max(self.locks.last_released_ms(&row.sandbox_id))
    }

    /// For a workspace that got another disk: its next save does not wait for the retry.
    pub(crate) async fn forget_failure(&self, open: &LoadedSession, id: &SandboxId) -> Result<()> {
        if self.failed.borrow_mut().remove(id).is_none() {
            return Ok(());
        }
        self.scheduled.set(false);
        self.schedule(open).await
    }

    /// Logs a failed save or stop, and returns when to retry. Retries end when the container does.
    pub(crate) fn note_failure(&self, id: &SandboxId, error: &Error) -> i64 {
        let mut failed = self.failed.borrow_mut();
        let failed = failed.entry(id.clone()).or_default();
        let pause_ms = pause_ms(failed.failures, AUTOSAVE_RETRY_MS, AUTOSAVE_RETRY_MAX_MS);
        failed.failures += 1;
        failed.retry_at_ms = self.context.now_ms() + pause_ms;
        self.context.ports.log.write(LogLine::new(
            Level::Warn,
            "autosave.failed",
            json!({
                "session": self.context.session, "sandboxId": id, "failures": failed.failures,
                "code": error.code, "cause": error.cause,
            }),
        ));
        failed.retry_at_ms
    }

    /// Does not ask the sandbox, which may not respond.
    pub(crate) fn is_used_since_save(&self, row: &Workspace) -> bool {
        row.state == WorkspaceState::Ready
            && row.instance_id.is_some()
            && row.kind != WorkspaceKind::Shared
            && self.used_at_ms(row) > row.saved_at_ms
    }

    /// Sets the alarm unless it is set already. Each check then sets the next one.
    pub(crate) async fn schedule(&self, open: &LoadedSession) -> Result<()> {
        let Some(schedule) = Schedule::now(open) else { return Ok(()) };
        if !self.scheduled.replace(true) {
            let scheduled = self
                .context
                .ports
                .alarm
                .schedule_by(self.context.now_ms() + schedule.soonest_ms())
                .await;
            self.scheduled.set(scheduled.is_ok());
            scheduled?;
        }
        Ok(())
    }
}
