//! Checks a session's configuration.

use crate::domain::egress::{EgressPolicy, NetworkMode, SecretValue};
use crate::domain::error::{Error, Result};
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::{SandboxId, SessionId};
use crate::domain::limits::{
    AUTOSAVE_EVERY_MIN_MS, MAX_RUNNING_DEFAULT, MAX_WORKSPACES_CEILING, MAX_WORKSPACES_DEFAULT,
    SLEEP_AFTER_MAX_MS,
};
use crate::domain::session::config::buckets::MountedBucket;
use crate::domain::session::config::env_vars::{REDACTED, check_env_vars};
use crate::domain::session::config::modules::{Modules, Toggle};
use crate::domain::session::config::services::{Service, check_services};
use crate::domain::session::config::{
    Autosave, DEFAULT_BACKUP_BINDING, MachineConfig, SleepAfter, WorkspaceConfig,
};
use crate::domain::session::preview::check_preview_ports;
use crate::domain::snapshot::backup::BackupDir;
use crate::domain::snapshot::retention::{RetentionConfig, RetentionPolicy};
use std::collections::{BTreeMap, BTreeSet};

/// A checked configuration with all defaults filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionConfig {
    /// The sandbox the session starts with: its origin or a shared one.
    pub first_sandbox: SandboxId,
    /// Origin that new workspaces are named after.
    pub origin: SandboxId,
    /// R2 binding for archives.
    pub backup_binding: String,
    /// Whether `close` destroys containers.
    pub destroy_on_close: bool,
    /// Idle time before a container stops.
    pub sleep_after: SleepAfter,
    /// Automatic snapshots; none if the session takes none.
    pub autosave: Option<Autosave>,
    /// Whether snapshots that callers take may be layers.
    pub incremental: bool,
    /// Whether snapshots also hold the machine, and how.
    pub machine: Option<MachineConfig>,
    /// Root of the workspace.
    pub workspace_dir: AbsolutePath,
    /// Directory that a snapshot captures.
    pub snapshot_dir: BackupDir,
    /// Directories that are saved automatically: they cover both of the above.
    pub saved_dirs: SavedDirs,
    /// Environment of every command.
    pub env_vars: BTreeMap<String, String>,
    /// Commands that run in the background of each workspace.
    pub services: Vec<Service>,
    /// Ports that previews may reach.
    pub preview_ports: BTreeSet<u16>,
    /// What containers reach, and with which secrets.
    pub egress: EgressPolicy,
    /// Buckets that containers reach.
    pub bucket_mounts: Vec<MountedBucket>,
    /// Size of the container, if set.
    pub instance_type: Option<String>,
    /// Modules and their settings.
    pub modules: Modules,
    /// Containers that may run at once.
    pub max_running: u32,
    /// Workspaces.
    pub max_workspaces: u32,
    /// The session's own retention settings.
    pub retention: RetentionConfig,
}

/// Directories that are saved automatically.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedDirs {
    /// `workspaceDir`, or `snapshotDir` if that contains it. An archive that
    /// covers it is a workspace's head.
    pub main: BackupDir,
    /// `snapshotDir`, if neither directory contains the other.
    pub beside: Option<BackupDir>,
}

impl SavedDirs {
    fn of(workspace_dir: BackupDir, snapshot_dir: &BackupDir) -> Self {
        if snapshot_dir.covers(&workspace_dir) {
            return Self { main: snapshot_dir.clone(), beside: None };
        }
        let beside = (!workspace_dir.covers(snapshot_dir)).then(|| snapshot_dir.clone());
        Self { main: workspace_dir, beside }
    }

    /// All saved directories.
    pub fn iter(&self) -> impl Iterator<Item = &BackupDir> {
        std::iter::once(&self.main).chain(&self.beside)
    }

    /// Whether an archive of `dir` holds all saved directories.
    #[must_use]
    pub fn are_in(&self, dir: &BackupDir) -> bool {
        self.iter().all(|saved| dir.covers(saved))
    }

    /// Whether `dir` lies in a saved directory.
    #[must_use]
    pub fn hold(&self, dir: &BackupDir) -> bool {
        self.iter().any(|saved| saved.covers(dir))
    }
}

impl SessionConfig {
    /// The saved directories, if snapshots also hold the machine outside them.
    #[must_use]
    pub fn persist_machine(&self) -> Option<Vec<BackupDir>> {
        self.machine.map(|_| self.saved_dirs.iter().cloned().collect())
    }
}

impl WorkspaceConfig {
    /// Checks the configuration for a session and fills in the defaults.
    ///
    /// `allowed_bindings` are the R2 bindings in `BACKUP_BINDINGS`.
    /// [`DEFAULT_BACKUP_BINDING`] is always allowed.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the field.
    pub fn check(&self, session: &SessionId, allowed_bindings: &[String]) -> Result<SessionConfig> {
        let origin = session.origin();
        let workspace_dir = AbsolutePath::parse(
            "workspaceDir",
            self.workspace_dir.as_ref().map_or("/workspace", BackupDir::as_str),
        )?;
        let snapshot_dir = match &self.snapshot_dir {
            Some(dir) => dir.clone(),
            None => BackupDir::parse(workspace_dir.as_str())?,
        };
        let saved_dirs = SavedDirs::of(BackupDir::parse(workspace_dir.as_str())?, &snapshot_dir);
        let env_vars = self.env_vars.clone().unwrap_or_default();
        check_env_vars("envVars", &env_vars)?;
        self.check_first_snapshot()?;
        let modules = match &self.capabilities {
            None => Modules::all(),
            Some(declared) => declared.checked(&env_vars)?,
        };
        let egress = self.egress_policy()?;
        if egress.mode != NetworkMode::Open && modules.script_reaches_internet() {
            return Err(Error::invalid(
                "capabilities.script.network",
                "can only be allow if network.mode is open: scripts reach the Internet as the Worker does",
            ));
        }
        let services = self.services.as_deref().unwrap_or_default();
        let limits = self.limits.clone().unwrap_or_default();
        for (field, rate) in
            [("limits.calls", limits.calls), ("limits.snapshots", limits.snapshots)]
        {
            rate.map(|rate| rate.check(field)).transpose()?;
        }
        let retention = self.retention.clone().unwrap_or_default();
        retention.check("retention", &RetentionPolicy::default())?;
        Ok(SessionConfig {
            first_sandbox: self.first_sandbox(&origin)?,
            origin,
            backup_binding: self.backup_binding(allowed_bindings)?,
            destroy_on_close: self.destroy_on_close.unwrap_or(false),
            sleep_after: self.sleep_after.unwrap_or_default(),
            autosave: self.checked_autosave()?,
            incremental: self.incremental.unwrap_or(false),
            machine: self.machine()?,
            services: check_services(services, &workspace_dir, &modules)?,
            bucket_mounts: self.checked_buckets(&saved_dirs)?,
            workspace_dir,
            snapshot_dir,
            saved_dirs,
            preview_ports: check_preview_ports(self.preview_ports.as_ref())?,
            egress,
            instance_type: self.instance_type.clone(),
            modules,
            env_vars,
            max_running: limit("limits.maxRunning", limits.max_running, MAX_RUNNING_DEFAULT)?,
            max_workspaces: limit(
                "limits.maxWorkspaces",
                limits.max_workspaces,
                MAX_WORKSPACES_DEFAULT,
            )?,
            retention,
        })
    }

    fn checked_autosave(&self) -> Result<Option<Autosave>> {
        let asked = self.autosave.clone().unwrap_or(Toggle::Plain(true));
        let autosave = asked.particulars();
        let allowed = AUTOSAVE_EVERY_MIN_MS..=SLEEP_AFTER_MAX_MS;
        match autosave {
            Some(Autosave { every_ms }) if !allowed.contains(&every_ms) => Err(Error::invalid(
                "autosave.everyMs",
                format!("must be {AUTOSAVE_EVERY_MIN_MS} to {SLEEP_AFTER_MAX_MS}"),
            )),
            autosave => Ok(autosave),
        }
    }

    fn first_sandbox(&self, origin: &SandboxId) -> Result<SandboxId> {
        match (&self.id, self.share_across_sessions) {
            (None, _) => Ok(origin.clone()),
            (Some(id), _) if id == origin => Ok(origin.clone()),
            (Some(_), false) => Err(Error::invalid(
                "id",
                "would be shared by every session with this id; to allow that, set shareAcrossSessions: true",
            )),
            (Some(id), true) if id.is_shared() => Ok(id.clone()),
            (Some(_), true) => {
                Err(Error::invalid("id", "a shared sandbox id must begin with shared-"))
            }
        }
    }

    fn backup_binding(&self, allowed: &[String]) -> Result<String> {
        match &self.backup_r2_binding {
            None => Ok(DEFAULT_BACKUP_BINDING.to_owned()),
            Some(name) if name == DEFAULT_BACKUP_BINDING || allowed.contains(name) => {
                Ok(name.clone())
            }
            Some(_) => Err(Error::invalid(
                "backupR2Binding",
                "is not one of the bindings that the variable BACKUP_BINDINGS lists",
            )),
        }
    }

    /// The configuration without the values of `envVars` and `secrets`, and credentials of
    /// buckets, safe to show.
    #[must_use]
    pub fn redacted(&self) -> Self {
        let mut shown = self.clone();
        for value in shown.env_vars.iter_mut().flat_map(BTreeMap::values_mut) {
            REDACTED.clone_into(value);
        }
        for mount in shown.bucket_mounts.iter_mut().flatten() {
            mount.redact();
        }
        for secret in shown.secrets.iter_mut().flat_map(BTreeMap::values_mut) {
            secret.value = SecretValue::redacted();
        }
        shown
    }
}

fn limit(field: &str, asked: Option<u32>, default: u32) -> Result<u32> {
    match asked {
        None => Ok(default),
        Some(count) if (1..=MAX_WORKSPACES_CEILING).contains(&count) => Ok(count),
        Some(_) => Err(Error::invalid(field, format!("must be 1 to {MAX_WORKSPACES_CEILING}"))),
    }
}
