//! Checks a session's configuration.

use crate::domain::egress::{EgressPolicy, NetworkMode, SecretValue};
use crate::domain::limits::{
    AUTOSAVE_EVERY_MIN_MS, MAX_RUNNING_DEFAULT, MAX_WORKSPACES_CEILING, MAX_WORKSPACES_DEFAULT,
    SLEEP_AFTER_MAX_MS,
};
use crate::domain::session::config::buckets::MountedBucket;
use crate::domain::session::config::modules::{Modules, Toggle};
use crate::domain::session::config::services::{Service, check_services};
use crate::domain::session::config::settings::SavedDirs;
use crate::domain::session::config::settings::check_env_vars;
use crate::domain::session::config::{Autosave, DEFAULT_BACKUP_BINDING, MachineConfig};
use crate::domain::session::preview::check_preview_ports;
use crate::domain::text::redact::REDACTED;
use crate::domain::{
    AbsolutePath, BackupDir, Error, Result, RetentionConfig, RetentionPolicy, SandboxId, SessionId,
    SleepAfter, ToolSelection, WorkspaceConfig,
};
use std::collections::{BTreeMap, BTreeSet};

/// A checked configuration with all defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionConfig {
    /// The session's first sandbox: its origin, or a shared one.
    pub first_sandbox: SandboxId,
    /// Names of new workspaces begin with it.
    pub origin: SandboxId,
    /// R2 binding for archives.
    pub backup_binding: String,
    /// Whether `close` destroys containers.
    pub destroy_on_close: bool,
    /// Idle time before a container stops.
    pub sleep_after: SleepAfter,
    /// Whether background processes keep a container running.
    pub keep_awake: bool,
    /// Automatic snapshots, if any.
    pub autosave: Option<Autosave>,
    /// Whether snapshots that callers take may be layers.
    pub incremental: bool,
    /// How snapshots include the machine, if they do.
    pub machine: Option<MachineConfig>,
    /// The workspace's root directory.
    pub workspace_dir: AbsolutePath,
    /// Directory that a snapshot captures.
    pub snapshot_dir: BackupDir,
    /// Directories that are saved automatically. They cover both of the above.
    pub saved_dirs: SavedDirs,
    /// Environment of every command.
    pub env_vars: BTreeMap<String, String>,
    /// Commands that run in the background of each workspace.
    pub services: Vec<Service>,
    /// Ports that previews may reach.
    pub preview_ports: BTreeSet<u16>,
    /// The hosts that containers can reach, and the secrets for them.
    pub egress: EgressPolicy,
    /// Buckets that containers can reach.
    pub bucket_mounts: Vec<MountedBucket>,
    /// Size of the container, if set.
    pub instance_type: Option<String>,
    /// Modules and their settings.
    pub modules: Modules,
    /// The tools that a model gets by default.
    pub tools: ToolSelection,
    /// Maximum number of containers that may run at once.
    pub max_running: u32,
    /// Maximum number of workspaces.
    pub max_workspaces: u32,
    /// The session's own retention settings.
    pub retention: RetentionConfig,
}

impl SessionConfig {
    /// The saved directories, if snapshots also include the machine outside them.
    #[must_use]
    pub fn persist_machine(&self) -> Option<Vec<BackupDir>> {
        self.machine.map(|_| self.saved_dirs.iter().cloned().collect())
    }
}

impl WorkspaceConfig {
    /// Checks the configuration and fills in defaults. `allowed_bindings` are those in
    /// `BACKUP_BINDINGS`; [`DEFAULT_BACKUP_BINDING`] is always allowed.
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
        let (first_sandbox, autosave) = (self.first_sandbox(&origin)?, self.checked_autosave()?);
        let keep_awake = self.keep_awake.unwrap_or(false);
        if keep_awake && (autosave.is_none() || first_sandbox.is_shared()) {
            return Err(Error::invalid(
                "keepAwake",
                "needs autosave and an unshared sandbox: without them, the platform stops the container",
            ));
        }
        let retention = self.retention.clone().unwrap_or_default();
        retention.check("retention", &RetentionPolicy::default())?;
        Ok(SessionConfig {
            first_sandbox,
            origin,
            backup_binding: self.backup_binding(allowed_bindings)?,
            destroy_on_close: self.destroy_on_close.unwrap_or(false),
            sleep_after: self.sleep_after.unwrap_or_default(),
            keep_awake,
            autosave,
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
            tools: self.tools.clone().unwrap_or_default(),
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

    /// The configuration to show, without values of `envVars`, `secrets` and `credentials`.
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
