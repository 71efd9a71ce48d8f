//! Environment variables, persistence, saved directories and idle times.

use crate::domain::limits::{
    ENV_VARS_MAX, ENV_VARS_MAX_BYTES, SLEEP_AFTER_DEFAULT_MS, SLEEP_AFTER_MAX_MS,
};
use crate::domain::{BackupDir, Error, Result, WorkspaceConfig};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What [`check_env_vars`] accepts.
#[cfg(schemas)]
pub(crate) const NAME_PATTERN: &str = "^[A-Za-z_][A-Za-z0-9_]*$";

/// Checks environment variables. Messages never contain a value.
///
/// # Errors
/// `INVALID_ARGUMENT` about `field`, naming the variable.
pub fn check_env_vars(field: &str, vars: &BTreeMap<String, String>) -> Result<()> {
    if vars.len() > ENV_VARS_MAX {
        return Err(Error::invalid(field, format!("has more than {ENV_VARS_MAX} variables")));
    }
    if vars.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>() > ENV_VARS_MAX_BYTES
    {
        return Err(Error::invalid(field, format!("is larger than {ENV_VARS_MAX_BYTES} bytes")));
    }
    for (name, value) in vars {
        let mut chars = name.chars();
        let well_formed = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !well_formed {
            return Err(Error::invalid(
                field,
                format!("{name:?} is not a variable name ([A-Za-z_][A-Za-z0-9_]*)"),
            ));
        }
        if value.contains('\0') {
            return Err(Error::invalid(field, format!("the value of {name} contains NUL")));
        }
    }
    Ok(())
}

/// Value of `persist`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Persist {
    /// The directory of the workspace.
    #[default]
    Workspace,
    /// Also all differences from the image outside that directory.
    Machine,
}

/// How a session persists the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MachineConfig {
    /// Whether the machine is restored even onto another image.
    pub force_image: bool,
}

impl WorkspaceConfig {
    pub(crate) fn machine(&self) -> Result<Option<MachineConfig>> {
        let persists = self.persist == Some(Persist::Machine);
        if !persists && self.force_image.is_some() {
            return Err(Error::invalid("forceImage", "needs persist: \"machine\""));
        }
        if persists && self.share_across_sessions {
            return Err(Error::invalid(
                "persist",
                "must be workspace in a sandbox that sessions share",
            ));
        }
        let dirs = [("workspaceDir", &self.workspace_dir), ("snapshotDir", &self.snapshot_dir)];
        for (field, dir) in dirs.into_iter().filter(|_| persists) {
            if dir.as_ref().is_some_and(|dir| dir.as_str().contains('\n')) {
                return Err(Error::invalid(
                    field,
                    "has a line end in it, which persist: \"machine\" excludes",
                ));
            }
        }
        Ok(persists.then(|| MachineConfig { force_image: self.force_image.unwrap_or(false) }))
    }
}

/// Directories that are saved automatically.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedDirs {
    /// `workspaceDir`, or a `snapshotDir` around it. An archive of it is a workspace's head.
    pub main: BackupDir,
    /// `snapshotDir`, if neither directory contains the other.
    pub beside: Option<BackupDir>,
}

impl SavedDirs {
    pub(super) fn of(workspace_dir: BackupDir, snapshot_dir: &BackupDir) -> Self {
        if snapshot_dir.covers(&workspace_dir) {
            return Self { main: snapshot_dir.clone(), beside: None };
        }
        let beside = (!workspace_dir.covers(snapshot_dir)).then(|| snapshot_dir.clone());
        Self { main: workspace_dir, beside }
    }

    pub fn iter(&self) -> impl Iterator<Item = &BackupDir> {
        std::iter::once(&self.main).chain(&self.beside)
    }

    /// Whether an archive of `dir` includes all saved directories.
    #[must_use]
    pub fn are_in(&self, dir: &BackupDir) -> bool {
        self.iter().all(|saved| dir.covers(saved))
    }

    /// Whether `dir` is in a saved directory.
    #[must_use]
    pub fn hold(&self, dir: &BackupDir) -> bool {
        self.iter().any(|saved| saved.covers(dir))
    }
}

/// An idle time: a number of seconds, or text such as `"10m"`, as in `@cloudflare/sandbox`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "SleepAfterInput", into = "String")]
pub struct SleepAfter {
    ms: u64,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "must be a number of seconds, or text such as \"10m\"")]
enum SleepAfterInput {
    Secs(u64),
    Text(String),
}

impl SleepAfter {
    /// In milliseconds.
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
                let units = [('s', 1), ('m', 60), ('h', 3_600)];
                let (digits, unit_secs) = units
                    .into_iter()
                    .find_map(|(unit, secs)| Some((text.strip_suffix(unit)?, secs)))
                    .unwrap_or((&text, 1));
                // `parse` also accepts a sign.
                let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
                let count = digits.parse::<u64>().ok().filter(|_| is_number);
                count.and_then(|count| count.checked_mul(unit_secs))
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
