//! The session's row and checked configuration, and the refusals that follow from them.

use crate::domain::snapshot::ownership::Boundary;
use crate::domain::{Error, ErrorCode, Next, Result, SessionConfig, WorkspaceRef};
use crate::session::catalogue::SessionRow;
use crate::session::parts::Context;
use serde_json::json;

pub(crate) struct LoadedSession {
    pub row: SessionRow,
    pub config: SessionConfig,
}

impl Context {
    pub(crate) fn load(&self) -> Result<LoadedSession> {
        let row = self.catalogue.session()?.ok_or_else(|| {
            Error::new(ErrorCode::NotFound, format!("session {} was never opened", self.session))
                .with_hint(Next::OpenFirst)
        })?;
        let config = row.config.check(&self.session, &self.settings.backup_bindings)?;
        Ok(LoadedSession { row, config })
    }

    pub(crate) fn require_open(&self) -> Result<LoadedSession> {
        let loaded = self.load()?;
        if loaded.row.closed_at_ms.is_some() {
            return Err(Error::new(
                ErrorCode::Conflict,
                format!("session {} is closed", self.session),
            )
            .with_hint("open it again to go on; its snapshots are kept"));
        }
        Ok(loaded)
    }

    /// Refuses a call that was meant for another active workspace.
    ///
    /// # Errors
    /// `PRECONDITION_FAILED`; `CONFLICT` while closed.
    pub fn expect_active(&self, expected: Option<&WorkspaceRef>) -> Result<()> {
        match expected {
            Some(_) => self.require_open()?.expect_active(expected),
            None => Ok(()),
        }
    }

    /// The session's configuration.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open.
    pub fn config(&self) -> Result<SessionConfig> {
        Ok(self.load()?.config)
    }
}

impl LoadedSession {
    pub(crate) fn writable(self) -> Result<Self> {
        if !self.config.modules.read_only {
            return Ok(self);
        }
        Err(read_only())
    }

    /// Later steps of the call use this same row.
    pub(crate) fn expect_active(&self, expected: Option<&WorkspaceRef>) -> Result<()> {
        let active = &self.row.active_sandbox_id;
        match expected {
            Some(expected) if expected.sandbox_id() != active => Err(Error::new(
                ErrorCode::PreconditionFailed,
                format!("the active workspace is {active}, not {}", expected.sandbox_id()),
            )
            .with_hint("check which workspace is active, then decide again")
            .with_details(json!({ "active": WorkspaceRef::new(active.clone()) }))),
            _ => Ok(()),
        }
    }

    pub(crate) fn require_snapshots(&self) -> Result<()> {
        if self.config.modules.snapshot.is_some() {
            return Ok(());
        }
        Err(module_missing("snapshot"))
    }

    pub(crate) fn boundary(&self, allow_cross_session: bool) -> Boundary {
        Boundary { requested: allow_cross_session, enabled: self.config.modules.cross_session() }
    }
}

pub(crate) fn module_missing(module: &str) -> Error {
    Error::new(ErrorCode::Unsupported, format!("this session has no {module} module")).with_hint(
        format!(
            "use a session whose first open declares capabilities.{module}, or no capabilities"
        ),
    )
}

/// The refusal of a change in a read-only session.
#[must_use]
pub fn read_only() -> Error {
    Error::new(ErrorCode::Forbidden, "this session is read-only").with_hint(
        "only read, or use a session whose first open does not declare capabilities.readOnly",
    )
}
