//! Open a session, or confirm that it is open.

use super::catalogue::SessionRow;
use super::{Host, SessionView};
use crate::domain::config::{SessionConfig, WorkspaceConfig};
use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::event::Event;
use crate::domain::workspace::{Workspace, WorkspaceKind, WorkspaceState};
use crate::ports::log::{Level, LogLine};
use serde_json::json;

impl Host {
    /// Opens the session. Starts no container.
    ///
    /// The first open sets the policy: everything but `envVars`, `sleepAfter`,
    /// `autosave` and `destroyOnClose`, which a later open may change.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a bad config; `CONFLICT` for a changed policy, and
    /// while a destroying close goes on.
    pub fn open(&self, config: WorkspaceConfig) -> Result<SessionView> {
        let checked = config.check(&self.session, &self.settings.backup_bindings)?;
        let shared = checked.first_sandbox.is_shared();
        if shared {
            self.ports.log.write(LogLine::new(
                Level::Warn,
                "open.shared",
                json!({ "session": self.session, "sandboxId": checked.first_sandbox }),
            ));
        }
        // No await from here on: the reads below and the writes commit as one.
        let now_ms = self.now_ms();
        let before = self.catalogue.session()?;
        if let Some(before) = &before
            && policy(&before.config) != policy(&config)
        {
            return Err(Error::new(
                ErrorCode::Conflict,
                "config: the session was opened with another policy, which its first open set",
            )
            .with_hint(
                "open with the same config (describe shows it); only envVars, sleepAfter, autosave and destroyOnClose may change",
            ));
        }
        let reopened = before.as_ref().is_none_or(|before| before.closed_at_ms.is_some());
        let active = before.as_ref().map_or_else(
            || checked.first_sandbox.clone(),
            |before| before.active_sandbox_id.clone(),
        );
        if active == checked.first_sandbox {
            self.put_first_workspace(&checked, now_ms)?;
        }
        self.catalogue.put_session(&SessionRow {
            session_id: self.session.clone(),
            config,
            active_sandbox_id: active.clone(),
            opened_at_ms: before.as_ref().map_or(now_ms, |before| before.opened_at_ms),
            closed_at_ms: None,
        })?;
        if reopened {
            self.catalogue
                .add_event(now_ms, &Event::SessionOpened { sandbox_id: active, shared })?;
        }
        self.configured.borrow_mut().clear();
        self.describe()
    }

    /// The session's first workspace, which a destroying close may have ended,
    /// or may be about to.
    fn put_first_workspace(&self, config: &SessionConfig, now_ms: i64) -> Result<()> {
        let known = self.catalogue.workspace(&config.first_sandbox)?;
        match known.map(|workspace| workspace.state) {
            None | Some(WorkspaceState::Destroyed) => {}
            Some(WorkspaceState::Destroying) => {
                return Err(Error::new(ErrorCode::Conflict, "the session is still being closed")
                    .with_hint("open it again in a moment"));
            }
            Some(WorkspaceState::Ready | WorkspaceState::Creating) => return Ok(()),
        }
        self.catalogue.put_workspace(&Workspace {
            sandbox_id: config.first_sandbox.clone(),
            kind: if config.first_sandbox.is_shared() {
                WorkspaceKind::Shared
            } else {
                WorkspaceKind::Origin
            },
            state: WorkspaceState::Ready,
            instance_id: None,
            from_backup_id: None,
            head_backup_id: None,
            head_seq: 0,
            saved_at_ms: now_ms,
            created_at_ms: now_ms,
            last_used_at_ms: now_ms,
        })
    }
}

/// What of a configuration only the first open sets.
fn policy(config: &WorkspaceConfig) -> WorkspaceConfig {
    WorkspaceConfig {
        env_vars: Default::default(),
        sleep_after: None,
        autosave: None,
        destroy_on_close: false,
        ..config.clone()
    }
}
