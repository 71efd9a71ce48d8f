//! Shared context of all parts of a session.

use crate::domain::limits::SWEEP_EVERY_MS;
use crate::domain::session::config::AllowedBuckets;
use crate::domain::snapshot::archive::SDK_BACKUPS_PREFIX;
use crate::domain::time::rfc3339;
use crate::domain::workspace::{not_owned_workspace, paused};
use crate::domain::{
    BackupId, Error, ErrorCode, Event, Next, Result, RetentionPolicy, SandboxId, SessionId,
    Snapshot, Workspace, WorkspaceKind, WorkspaceRef, WorkspaceState,
};
use crate::ports::directory::Directory;
use crate::ports::isolates::Isolates;
use crate::ports::pools::Pools;
use crate::ports::sandbox::Sandboxes;
use crate::ports::sessions::Sessions;
use crate::ports::trees::Trees;
use crate::ports::{Alarm, Buckets, Clock, Database, Level, Log, LogLine, Random};
use crate::session::Woken;
use crate::session::catalogue::Catalogue;
use crate::session::parts::{ArchiveMemory, LoadedSession};
use serde_json::json;
use std::rc::Rc;

/// The ports that a session uses.
#[derive(Clone)]
pub struct SessionPorts {
    /// Time.
    pub clock: Rc<dyn Clock>,
    /// Randomness.
    pub random: Rc<dyn Random>,
    /// Log lines.
    pub log: Rc<dyn Log>,
    /// The object's SQLite.
    pub database: Rc<dyn Database>,
    /// The object's alarm.
    pub alarm: Rc<dyn Alarm>,
    /// R2.
    pub buckets: Rc<dyn Buckets>,
    /// The sandbox namespace.
    pub sandboxes: Rc<dyn Sandboxes>,
    /// The directory of sessions.
    pub directory: Rc<dyn Directory>,
    /// Other sessions.
    pub sessions: Rc<dyn Sessions>,
    /// Warm pools. None: the operator allows none.
    pub pools: Option<Rc<dyn Pools>>,
    /// Isolates for scripts.
    pub isolates: Rc<dyn Isolates>,
    /// Memory for reading archives.
    pub archives: ArchiveMemory,
    /// Compares archives.
    pub trees: Rc<dyn Trees>,
}

/// The Worker's settings.
#[derive(Clone)]
pub struct SessionSettings {
    /// R2 bindings that a config may name besides the default.
    pub backup_bindings: Vec<String>,
    /// Buckets that a config may mount.
    pub buckets: AllowedBuckets,
    /// The secret `API_TOKEN`: signs tickets where there are no keys.
    pub api_token: Option<String>,
    /// The secret `TOKEN_KEYS`, unparsed.
    pub token_keys: Option<String>,
    /// The variable `PREVIEW_HOST`: previews are at hosts below it.
    pub preview_host: Option<String>,
    /// Defaults for a session's retention policy.
    pub retention: RetentionPolicy,
    /// Prefix of the backups that Sandbox SDK 1.0 keeps in the bucket.
    pub sdk_backups_prefix: String,
    /// Interval between two checks that R2 has a snapshot, in milliseconds.
    pub sweep_every_ms: i64,
    /// Longest random delay of upkeep that is overdue when an object begins, in milliseconds.
    pub spread_ms: u64,
}

impl Default for SessionSettings {
    fn default() -> Self {
        Self {
            backup_bindings: Vec::new(),
            buckets: AllowedBuckets::default(),
            api_token: None,
            token_keys: None,
            preview_host: None,
            retention: RetentionPolicy::default(),
            sdk_backups_prefix: SDK_BACKUPS_PREFIX.to_owned(),
            sweep_every_ms: SWEEP_EVERY_MS,
            spread_ms: 0,
        }
    }
}

/// What every part works with: the session's id, settings, ports and catalogue.
pub struct Context {
    pub(crate) session: SessionId,
    pub(crate) settings: SessionSettings,
    pub(crate) ports: SessionPorts,
    pub(crate) catalogue: Catalogue,
}

impl Context {
    pub(crate) fn new(
        session: SessionId,
        settings: SessionSettings,
        ports: SessionPorts,
    ) -> Result<Self> {
        let catalogue = Catalogue::open(ports.database.clone())?;
        Ok(Self { session, settings, ports, catalogue })
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.ports.clock.now_ms()
    }

    pub(crate) fn note_recovered(
        &self,
        subject: &str,
        from: &str,
        recovered: Result<Option<&'static str>>,
    ) -> Result<()> {
        let (level, fields) = match &recovered {
            Ok(Some(to)) => {
                self.catalogue.forget_retry(subject)?;
                let event = Event::SessionSettled {
                    subject: subject.to_owned(),
                    from: from.to_owned(),
                    to: (*to).to_owned(),
                };
                self.catalogue.add_event(self.now_ms(), &event)?;
                (Level::Info, json!({ "to": to }))
            }
            Ok(None) => (Level::Info, json!({ "to": "still running" })),
            Err(error) => {
                let retry = self.catalogue.put_off(subject, self.now_ms())?;
                let fields = json!({
                    "code": error.code, "message": error.message, "cause": error.cause,
                    "failures": retry.failures, "nextTryAt": rfc3339(retry.due_ms),
                });
                (Level::Warn, fields)
            }
        };
        let mut line = LogLine::new(level, "recover", fields);
        line.fields.insert("session".to_owned(), json!(self.session));
        line.fields.insert("subject".to_owned(), json!(subject));
        line.fields.insert("from".to_owned(), json!(from));
        self.ports.log.write(line);
        Ok(())
    }

    /// Defaults come from the Worker's variable `RETENTION`.
    pub(crate) fn retention_policy(&self, loaded: &LoadedSession) -> Result<RetentionPolicy> {
        loaded.config.retention.check("retention", &self.settings.retention)
    }

    pub(crate) fn require_snapshot(&self, id: &BackupId) -> Result<Snapshot> {
        self.catalogue
            .snapshot(id)?
            .ok_or_else(|| Error::internal(format!("snapshot {id} has no row")))
    }

    pub(crate) fn warn(&self, what: &str, fields: serde_json::Value) {
        let mut line = LogLine::new(Level::Warn, what, fields);
        line.fields.insert("session".to_owned(), json!(self.session));
        self.ports.log.write(line);
    }

    pub(crate) fn named_or_active(
        &self,
        open: &LoadedSession,
        named: Option<&WorkspaceRef>,
    ) -> Result<SandboxId> {
        let id = named.map_or(&open.row.active_sandbox_id, WorkspaceRef::sandbox_id);
        Ok(self.own_workspace(id)?.sandbox_id)
    }

    pub(crate) fn own_workspace(&self, id: &SandboxId) -> Result<Workspace> {
        if let Some(workspace) = self.catalogue.workspace(id)? {
            return Ok(workspace);
        }
        let own = self.catalogue.live_workspaces()?;
        Err(not_owned_workspace(id, own.into_iter().map(|row| row.sandbox_id.to_string())))
    }

    /// The named workspace, which must be ready, or the active one.
    pub(crate) fn chosen_or_active(
        &self,
        open: &LoadedSession,
        named: Option<&WorkspaceRef>,
    ) -> Result<SandboxId> {
        Ok(match named {
            Some(named) => self.choose(named)?.sandbox_id,
            None => open.row.active_sandbox_id.clone(),
        })
    }

    pub(crate) fn choose(&self, named: &WorkspaceRef) -> Result<Workspace> {
        let id = named.sandbox_id();
        let workspace = self.own_workspace(id)?;
        if workspace.state == WorkspaceState::Ready {
            return Ok(workspace);
        }
        Err(Error::new(
            ErrorCode::Conflict,
            format!("workspace {id} is {}", workspace.state.as_str()),
        )
        .with_hint(Next::ChooseReady))
    }

    pub(crate) fn pausable(&self, id: &SandboxId) -> Result<Workspace> {
        let workspace = self.usable(id)?;
        if workspace.kind == WorkspaceKind::Shared {
            return Err(Error::new(
                ErrorCode::Conflict,
                "a session can't pause or resume a shared workspace",
            )
            .with_hint("its container stops by itself when idle, and starts with its next call"));
        }
        Ok(workspace)
    }

    pub(crate) fn usable(&self, id: &SandboxId) -> Result<Workspace> {
        let workspace = self.catalogue.workspace(id)?;
        let workspace = workspace
            .ok_or_else(|| Error::internal(format!("workspace {id} in use has no row")))?;
        if workspace.state == WorkspaceState::Ready {
            return Ok(workspace);
        }
        Err(Error::new(
            ErrorCode::Conflict,
            format!("workspace {id} is {}", workspace.state.as_str()),
        )
        .with_hint(Next::SwitchAway))
    }

    pub(crate) fn unpaused(&self, id: &SandboxId) -> Result<Workspace> {
        let workspace = self.usable(id)?;
        if workspace.paused_at_ms.is_some() { Err(paused(id)) } else { Ok(workspace) }
    }

    pub(crate) fn rewindable(
        &self,
        id: &SandboxId,
        expected_head: Option<&BackupId>,
    ) -> Result<Workspace> {
        let workspace = self.usable(id)?;
        if workspace.kind == WorkspaceKind::Shared {
            return Err(Error::new(
                ErrorCode::Conflict,
                "a session can't rewind a shared workspace",
            )
            .with_hint(Next::RestoreOwn));
        }
        match expected_head {
            Some(expected) if workspace.head_backup_id.as_ref() != Some(expected) => {
                let head = &workspace.head_backup_id;
                let is = head.as_ref().map_or("nothing".to_owned(), ToString::to_string);
                Err(Error::new(
                    ErrorCode::PreconditionFailed,
                    format!("expectedHead: the workspace's head is {is}, not {expected}"),
                )
                .with_hint("it was saved or rewound since; look at its files, and decide again")
                .with_details(json!({ "field": "expectedHead", "head": head })))
            }
            _ => Ok(workspace),
        }
    }

    /// Takes the unreported wake of a workspace: only the next answer reports it.
    ///
    /// # Errors
    /// `INTERNAL` where SQLite fails.
    pub fn take_wake_of(&self, id: &SandboxId) -> Result<Option<Woken>> {
        let woken = self.catalogue.unreported_wake_of(id)?;
        if woken.is_some() {
            self.catalogue.set_unreported_wake(id, None)?;
        }
        Ok(woken)
    }

    /// Reads the unreported wake for an error. The next answer reports it, too.
    ///
    /// # Errors
    /// `INTERNAL` where SQLite fails.
    pub fn unreported_wake(&self) -> Result<Option<Woken>> {
        Ok(self.catalogue.unreported_wake()?.map(|(_id, woken)| woken))
    }

    /// As [`Self::take_wake_of`], for the workspace with the unreported wake.
    ///
    /// # Errors
    /// `INTERNAL` where SQLite fails.
    pub fn take_unreported_wake(&self) -> Result<Option<Woken>> {
        let Some((id, woken)) = self.catalogue.unreported_wake()? else { return Ok(None) };
        self.catalogue.set_unreported_wake(&id, None)?;
        Ok(Some(woken))
    }
}
