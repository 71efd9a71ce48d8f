//! What a session is opened with, and what that means once checked.

use super::backup::BackupDir;
use super::code::CodeCapability;
use super::error::{Error, Result};
use super::ids::{SandboxId, SessionId};
use super::limits::{
    AUTOSAVE_EVERY_DEFAULT_MS, AUTOSAVE_EVERY_MIN_MS, ENV_VARS_MAX, ENV_VARS_MAX_BYTES,
    EXEC_TIMEOUT_MAX_MS, MAX_LIST_RESULTS_CEILING, MAX_LIST_RESULTS_DEFAULT, MAX_RUNNING_DEFAULT,
    MAX_WORKSPACES_CEILING, MAX_WORKSPACES_DEFAULT, SLEEP_AFTER_DEFAULT_MS, SLEEP_AFTER_MAX_MS,
};
use super::path::AbsolutePath;
use super::rate::Rate;
use super::retention::{RetentionConfig, RetentionPolicy};
use super::shell::ShellCapability;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Binding of the bucket that holds archives, unless a session names another.
pub const DEFAULT_BACKUP_BINDING: &str = "BACKUP_BUCKET";

/// The provider configuration as a caller sends it. Every field is optional.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct WorkspaceConfig {
    /// `cloudflare-sandbox`, for callers that carry a provider kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<ProviderKind>,
    /// A sandbox that several sessions share; needs `shareAcrossSessions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<SandboxId>,
    /// Acknowledges that `id` is shared.
    pub share_across_sessions: bool,
    /// Name of the R2 binding for archives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup_r2_binding: Option<String>,
    /// Whether `close` destroys the session's containers.
    pub destroy_on_close: bool,
    /// Idle time before a container stops: milliseconds, or text such as `"10m"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sleep_after: Option<SleepAfter>,
    /// Whether the host saves workspaces by itself: before a container is stopped
    /// for idleness, and while one is in use. Default true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub autosave: Option<Toggle<Autosave>>,
    /// Root of the workspace. Default `/workspace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_dir: Option<BackupDir>,
    /// Directory that a snapshot captures. Default: the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot_dir: Option<BackupDir>,
    /// Environment of every command. Redacted wherever it is shown.
    #[cfg_attr(schemas, schemars(extend("maxProperties" = ENV_VARS_MAX, "propertyNames" = serde_json::json!({ "pattern": super::schemas::VARIABLE_PATTERN }))))]
    pub env_vars: BTreeMap<String, String>,
    /// Whether containers reach the Internet. Default true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_internet: Option<bool>,
    /// Size of the container, e.g. `standard-1`, where the platform lets the object choose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_type: Option<String>,
    /// Which modules the session has; none declared means all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
    /// How many containers and workspaces the session may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<SessionLimits>,
    /// Which snapshots the session keeps; the variable `RETENTION` has the defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention: Option<RetentionConfig>,
}

/// Value of `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub enum ProviderKind {
    /// The only kind.
    #[serde(rename = "cloudflare-sandbox")]
    CloudflareSandbox,
}

/// An idle time in milliseconds, read from a number of **seconds** or from text
/// such as `"30s"`, `"10m"`, `"1h"`, as `@cloudflare/sandbox` reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "SleepAfterInput", into = "String")]
pub struct SleepAfter {
    ms: u64,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum SleepAfterInput {
    Secs(u64),
    Text(String),
}

impl SleepAfter {
    /// The idle time in milliseconds.
    #[must_use]
    pub const fn as_ms(self) -> u64 {
        self.ms
    }
}

impl Default for SleepAfter {
    fn default() -> Self {
        Self { ms: SLEEP_AFTER_DEFAULT_MS }
    }
}

impl TryFrom<SleepAfterInput> for SleepAfter {
    type Error = Error;

    fn try_from(input: SleepAfterInput) -> Result<Self> {
        let secs = match input {
            SleepAfterInput::Secs(secs) => Some(secs),
            SleepAfterInput::Text(text) => {
                let (digits, unit_secs) = match text.chars().last() {
                    Some('s') => (text.trim_end_matches('s'), 1),
                    Some('m') => (text.trim_end_matches('m'), 60),
                    Some('h') => (text.trim_end_matches('h'), 3_600),
                    _ => (text.as_str(), 1),
                };
                digits.parse::<u64>().ok().and_then(|count| count.checked_mul(unit_secs))
            }
        };
        match secs.and_then(|secs| secs.checked_mul(1_000)) {
            Some(ms) if (1_000..=SLEEP_AFTER_MAX_MS).contains(&ms) => Ok(Self { ms }),
            _ => Err(Error::invalid(
                "sleepAfter",
                "must be 1 second to 6 hours, as seconds or as text such as \"10m\"",
            )),
        }
    }
}

impl From<SleepAfter> for String {
    fn from(sleep_after: SleepAfter) -> Self {
        format!("{}s", sleep_after.ms / 1_000)
    }
}

/// The modules a session may use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Capabilities {
    /// File tools.
    pub fs: bool,
    /// Command tools.
    pub shell: Toggle<ShellCapability>,
    /// Running code.
    #[serde(skip_serializing_if = "Toggle::is_off")]
    pub code: Toggle<CodeCapability>,
    /// Snapshot tools.
    pub snapshot: Toggle<SnapshotCapability>,
    /// Nothing may be changed: of the modules only what reads. Without any
    /// module declared, it applies to all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

/// `true`, `false`, or an object, which means true with particulars.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Toggle<T> {
    /// On with defaults, or off.
    Plain(bool),
    /// On, with particulars.
    With(T),
}

impl<T> Default for Toggle<T> {
    fn default() -> Self {
        Self::Plain(false)
    }
}

impl<T> Toggle<T> {
    const fn is_off(&self) -> bool {
        matches!(self, Self::Plain(false))
    }
}

impl<T: Clone + Default> Toggle<T> {
    fn particulars(&self) -> Option<T> {
        match self {
            Self::Plain(false) => None,
            Self::Plain(true) => Some(T::default()),
            Self::With(particulars) => Some(particulars.clone()),
        }
    }
}

/// Particulars of the snapshot module.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SnapshotCapability {
    /// Largest page of `list`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = MAX_LIST_RESULTS_CEILING)))]
    pub max_list_results: Option<u32>,
    /// Whether `allowCrossSession` is honoured.
    pub cross_session: bool,
}

/// Particulars of automatic snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Autosave {
    /// Time between two of a workspace in use, in milliseconds.
    #[cfg_attr(schemas, schemars(range(min = AUTOSAVE_EVERY_MIN_MS, max = SLEEP_AFTER_MAX_MS)))]
    pub every_ms: u64,
}

impl Default for Autosave {
    fn default() -> Self {
        Self { every_ms: AUTOSAVE_EVERY_DEFAULT_MS }
    }
}

/// How much one session may have at once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SessionLimits {
    /// Containers that may run at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = MAX_WORKSPACES_CEILING)))]
    pub max_running: Option<u32>,
    /// Workspaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1, max = MAX_WORKSPACES_CEILING)))]
    pub max_workspaces: Option<u32>,
    /// All calls, however they come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<Rate>,
    /// Calls that take a snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshots: Option<Rate>,
}

/// A checked configuration with every default filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionConfig {
    /// The sandbox the session starts with: its origin, or a shared one.
    pub first_sandbox: SandboxId,
    /// Origin from which forks are named.
    pub origin: SandboxId,
    /// R2 binding for archives.
    pub backup_binding: String,
    /// Whether `close` destroys containers.
    pub destroy_on_close: bool,
    /// Idle time before a container stops.
    pub sleep_after: SleepAfter,
    /// Automatic snapshots; none: the session takes none.
    pub autosave: Option<Autosave>,
    /// Root of the workspace.
    pub workspace_dir: AbsolutePath,
    /// Directory that a snapshot captures.
    pub snapshot_dir: BackupDir,
    /// Environment of every command.
    pub env_vars: BTreeMap<String, String>,
    /// Whether containers reach the Internet.
    pub enable_internet: bool,
    /// Size of the container, if chosen.
    pub instance_type: Option<String>,
    /// Modules and their particulars.
    pub modules: Modules,
    /// Containers that may run at once.
    pub max_running: u32,
    /// Workspaces.
    pub max_workspaces: u32,
    /// Which snapshots are kept, where the session says.
    pub retention: RetentionConfig,
}

/// The modules of a session; `None` is a module it does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Modules {
    /// File tools.
    pub fs: bool,
    /// Command tools.
    pub shell: Option<ShellCapability>,
    /// Running code.
    pub code: Option<CodeCapability>,
    /// Snapshot tools.
    pub snapshot: Option<SnapshotCapability>,
    /// Only what reads may be called.
    pub read_only: bool,
}

impl Modules {
    /// Every module, with its defaults.
    fn all() -> Self {
        Self {
            fs: true,
            shell: Some(ShellCapability::default()),
            code: Some(CodeCapability::default()),
            snapshot: Some(SnapshotCapability::default()),
            read_only: false,
        }
    }

    fn any(&self) -> bool {
        self.fs || self.shell.is_some() || self.code.is_some() || self.snapshot.is_some()
    }

    /// Whether `allowCrossSession` is honoured.
    #[must_use]
    pub fn cross_session(&self) -> bool {
        self.snapshot.as_ref().is_some_and(|snapshot| snapshot.cross_session)
    }

    /// Largest page of `list`.
    #[must_use]
    pub fn max_list_results(&self) -> u32 {
        self.snapshot
            .as_ref()
            .and_then(|snapshot| snapshot.max_list_results)
            .unwrap_or(MAX_LIST_RESULTS_DEFAULT)
    }
}

impl WorkspaceConfig {
    /// Checks the configuration for a session and fills in the defaults.
    ///
    /// `allowed_bindings` are the R2 bindings that `BACKUP_BINDINGS` lists,
    /// beside [`DEFAULT_BACKUP_BINDING`].
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
        check_env_vars(&self.env_vars)?;
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
            destroy_on_close: self.destroy_on_close,
            sleep_after: self.sleep_after.unwrap_or_default(),
            autosave: self.checked_autosave()?,
            workspace_dir,
            snapshot_dir,
            env_vars: self.env_vars.clone(),
            enable_internet: self.enable_internet.unwrap_or(true),
            instance_type: self.instance_type.clone(),
            modules: self.modules()?,
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
                "names a sandbox that every session with this id would share; set shareAcrossSessions: true to mean that",
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

    fn modules(&self) -> Result<Modules> {
        let Some(declared) = &self.capabilities else { return Ok(Modules::all()) };
        let shell = declared.shell.particulars();
        if let Some(max) = shell.as_ref().and_then(|shell| shell.max_duration_ms)
            && !(1..=EXEC_TIMEOUT_MAX_MS).contains(&max)
        {
            return Err(Error::invalid(
                "capabilities.shell.maxDurationMs",
                format!("must be 1 to {EXEC_TIMEOUT_MAX_MS}"),
            ));
        }
        if let Some(shell) = &shell {
            shell.check()?;
            shell.permit_env("envVars", &self.env_vars)?;
        }
        let code = declared.code.particulars();
        if let Some(code) = &code {
            code.check(shell.as_ref())?;
        }
        let snapshot = declared.snapshot.particulars();
        if let Some(max) = snapshot.as_ref().and_then(|snapshot| snapshot.max_list_results)
            && !(1..=MAX_LIST_RESULTS_CEILING).contains(&max)
        {
            return Err(Error::invalid(
                "capabilities.snapshot.maxListResults",
                format!("must be 1 to {MAX_LIST_RESULTS_CEILING}"),
            ));
        }
        let read_only = declared.read_only;
        let modules = Modules { fs: declared.fs, shell, code, snapshot, read_only };
        // A session that can only read, and was told nothing to read, would be of no use.
        Ok(if read_only && !modules.any() {
            Modules { read_only, ..Modules::all() }
        } else {
            modules
        })
    }

    /// The configuration as it may be shown: values of `envVars` are hidden.
    #[must_use]
    pub fn redacted(&self) -> Self {
        let mut shown = self.clone();
        for value in shown.env_vars.values_mut() {
            "<redacted>".clone_into(value);
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

/// Checks environment variables, of a session or of one command. The message
/// never carries a value.
///
/// # Errors
/// `INVALID_ARGUMENT` naming the variable.
pub fn check_env_vars(vars: &BTreeMap<String, String>) -> Result<()> {
    if vars.len() > ENV_VARS_MAX {
        return Err(Error::invalid("envVars", format!("has more than {ENV_VARS_MAX} variables")));
    }
    if vars.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>() > ENV_VARS_MAX_BYTES
    {
        return Err(Error::invalid(
            "envVars",
            format!("is larger than {ENV_VARS_MAX_BYTES} bytes"),
        ));
    }
    for (name, value) in vars {
        let mut chars = name.chars();
        let well_formed = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !well_formed {
            return Err(Error::invalid(
                "envVars",
                format!("{name:?} is not a variable name ([A-Za-z_][A-Za-z0-9_]*)"),
            ));
        }
        if value.contains('\0') {
            return Err(Error::invalid("envVars", format!("the value of {name} contains NUL")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(config: serde_json::Value) -> Result<SessionConfig> {
        let config: WorkspaceConfig =
            serde_json::from_value(config).map_err(|error| Error::invalid("config", error))?;
        config.check(&SessionId::parse("sess").unwrap(), &["OTHER".to_owned()])
    }

    #[test]
    fn an_empty_config_has_every_module_and_the_defaults() {
        let config = check(json!({})).unwrap();
        assert_eq!(config.first_sandbox.as_str(), "sess");
        assert_eq!(config.backup_binding, "BACKUP_BUCKET");
        assert_eq!(config.workspace_dir.as_str(), "/workspace");
        assert_eq!(config.snapshot_dir.as_str(), "/workspace");
        assert_eq!(config.sleep_after.as_ms(), 600_000);
        assert!(config.enable_internet && config.modules.fs);
        assert!(config.modules.shell.is_some() && !config.modules.cross_session());
        assert_eq!((config.max_running, config.max_workspaces), (4, 20));
    }

    #[test]
    fn only_declared_modules_exist() {
        let config =
            check(json!({ "capabilities": { "snapshot": { "crossSession": true } } })).unwrap();
        assert!(!config.modules.fs && config.modules.shell.is_none());
        assert!(config.modules.cross_session());
        assert_eq!(config.modules.max_list_results(), 100);
    }

    #[test]
    fn a_read_only_session_has_the_declared_modules_or_all() {
        let modules =
            |capabilities| check(json!({ "capabilities": capabilities })).unwrap().modules;
        let all = modules(json!({ "readOnly": true }));
        assert!(all.read_only && all.fs && all.shell.is_some() && all.snapshot.is_some());
        let files = modules(json!({ "readOnly": true, "fs": true }));
        assert!(files.read_only && files.fs && files.shell.is_none());
        assert!(!modules(json!({})).any(), "an empty declaration declares none");
    }

    #[test]
    fn an_allowlist_is_checked_and_guards_the_sessions_variables() {
        let shell = json!({ "allowlist": ["ls"], "maxDurationMs": 5 });
        let open = |env: &str| {
            check(json!({ "capabilities": { "shell": shell }, "envVars": { env: "x" } }))
        };
        assert!(open("CI").unwrap().modules.shell.unwrap().allows("ls"));
        let error = open("LD_PRELOAD").unwrap_err();
        assert!(error.message.contains("envVars: LD_PRELOAD"), "{error}");
        let code = json!({ "capabilities": { "shell": { "allowlist": ["ls"] }, "code": true } });
        let error = check(code).unwrap_err();
        assert!(error.message.contains("capabilities.code: would run python3"), "{error}");
        let bad = json!({ "capabilities": { "shell": { "allowlist": ["/bin/ls"] } } });
        assert!(check(bad).unwrap_err().message.contains("allowlist"));
    }

    #[test]
    fn sharing_needs_the_flag_and_the_prefix() {
        for (bad, says) in [
            (json!({ "id": "shared-x" }), "shareAcrossSessions"),
            (json!({ "id": "other", "shareAcrossSessions": true }), "shared-"),
            (json!({ "id": "Shared-X", "shareAcrossSessions": true }), "uppercase"),
            (json!({ "backupR2Binding": "API_TOKEN" }), "BACKUP_BINDINGS"),
            (json!({ "snapshotDir": "/etc" }), "dir"),
            (json!({ "sleepAfter": "7h" }), "sleepAfter"),
            (json!({ "sleepAfter": 0 }), "sleepAfter"),
            (json!({ "envVars": { "A=B": "x" } }), "A=B"),
            (json!({ "limits": { "maxRunning": 0 } }), "maxRunning"),
            (
                json!({ "limits": { "calls": { "perMinute": 0, "burst": 1 } } }),
                "limits.calls.perMinute",
            ),
            (json!({ "limits": { "snapshots": { "perMinute": 1 } } }), "burst"),
            (json!({ "capabilities": { "snapshot": { "maxListResults": 0 } } }), "maxListResults"),
            (json!({ "surprise": 1 }), "surprise"),
        ] {
            let error = check(bad).unwrap_err();
            assert!(error.message.contains(says), "{error} should say {says}");
        }
        let shared = check(json!({ "id": "shared-x", "shareAcrossSessions": true })).unwrap();
        assert_eq!(shared.first_sandbox.as_str(), "shared-x");
        assert_eq!(shared.origin.as_str(), "sess");
        assert!(check(json!({ "backupR2Binding": "OTHER" })).is_ok());
    }

    #[test]
    fn sleep_after_reads_seconds_and_text() {
        let ms =
            |value| check(json!({ "sleepAfter": value })).map(|config| config.sleep_after.as_ms());
        assert_eq!(ms(json!(30)).unwrap(), 30_000);
        assert_eq!(ms(json!("30s")).unwrap(), 30_000);
        assert_eq!(ms(json!("10m")).unwrap(), 600_000);
        assert_eq!(ms(json!("6h")).unwrap(), 21_600_000);
        for bad in ["", "m", "-1", "1d", "99999999999999999999h", "1.5m"] {
            assert!(ms(json!(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn session_config_format_unchanged() {
        let config: WorkspaceConfig = serde_json::from_value(json!({
            "kind": "cloudflare-sandbox", "sleepAfter": "10m", "envVars": { "TOKEN": "secret" },
            "capabilities": { "fs": true, "shell": true, "snapshot": { "maxListResults": 5 } }
        }))
        .unwrap();
        assert_eq!(
            serde_json::to_string(&config.redacted()).unwrap(),
            r#"{"kind":"cloudflare-sandbox","shareAcrossSessions":false,"destroyOnClose":false,"sleepAfter":"600s","envVars":{"TOKEN":"<redacted>"},"capabilities":{"fs":true,"shell":true,"snapshot":{"maxListResults":5,"crossSession":false}}}"#
        );
    }
}
