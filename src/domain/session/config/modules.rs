//! The modules that a session may use.

use crate::domain::exec::code::ScriptNetwork;
use crate::domain::limits::{
    EXEC_TIMEOUT_MAX_MS, MAX_LIST_RESULTS_CEILING, MAX_LIST_RESULTS_DEFAULT,
};
use crate::domain::{CodeCapability, Error, Result, ScriptCapability, ShellCapability};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

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
    /// Scripts, which run without a container. They need the binding `LOADER`, and are
    /// off unless declared.
    #[serde(skip_serializing_if = "Toggle::is_off")]
    pub script: Toggle<ScriptCapability>,
    /// Snapshot tools.
    pub snapshot: Toggle<SnapshotCapability>,
    /// Only operations that read are allowed; all others answer `FORBIDDEN`. If no module is
    /// declared, this applies to all modules. Default false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

impl Capabilities {
    /// Checks the declared modules. An allowlist also restricts the session's `env_vars`.
    pub(crate) fn checked(&self, env_vars: &BTreeMap<String, String>) -> Result<Modules> {
        let shell = self.shell.particulars();
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
            shell.permit_env("envVars", env_vars)?;
        }
        let code = self.code.particulars();
        if let Some(code) = &code {
            code.check(shell.as_ref())?;
        }
        let script = self.script.particulars();
        script.as_ref().map(ScriptCapability::check).transpose()?;
        let snapshot = self.snapshot.particulars();
        if let Some(max) = snapshot.as_ref().and_then(|snapshot| snapshot.max_list_results)
            && !(1..=MAX_LIST_RESULTS_CEILING).contains(&max)
        {
            return Err(Error::invalid(
                "capabilities.snapshot.maxListResults",
                format!("must be 1 to {MAX_LIST_RESULTS_CEILING}"),
            ));
        }
        let read_only = self.read_only;
        let modules = Modules { fs: self.fs, shell, code, script, snapshot, read_only };
        // A read-only session without any module would be useless: it gets the default ones.
        Ok(if read_only && !modules.any() {
            Modules { read_only, ..Modules::all() }
        } else {
            modules
        })
    }
}

/// `true`, `false`, or an object, which means true with these settings.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged)]
pub enum Toggle<T> {
    /// On with defaults, or off.
    Plain(bool),
    /// On, with these settings.
    With(T),
}

// Serde's untagged enums do not report which field is wrong.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Toggle<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ToggleVisitor(PhantomData))
    }
}

struct ToggleVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ToggleVisitor<T> {
    type Value = Toggle<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true, false or an object")
    }

    fn visit_bool<E>(self, on: bool) -> Result<Toggle<T>, E> {
        Ok(Toggle::Plain(on))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Toggle<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Toggle::With)
    }
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
    pub(crate) fn particulars(&self) -> Option<T> {
        match self {
            Self::Plain(false) => None,
            Self::Plain(true) => Some(T::default()),
            Self::With(particulars) => Some(particulars.clone()),
        }
    }
}

/// Settings of the snapshot module.
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

/// The modules of a session. Those that are `None` or false are missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Modules {
    /// File tools.
    pub fs: bool,
    /// Command tools.
    pub shell: Option<ShellCapability>,
    /// Running code.
    pub code: Option<CodeCapability>,
    /// Scripts.
    pub script: Option<ScriptCapability>,
    /// Snapshot tools.
    pub snapshot: Option<SnapshotCapability>,
    /// Whether only reading is allowed.
    pub read_only: bool,
}

impl Modules {
    /// The modules of a session that declares none: all except scripts, with default settings.
    pub(crate) fn all() -> Self {
        Self {
            fs: true,
            shell: Some(ShellCapability::default()),
            code: Some(CodeCapability::default()),
            script: None,
            snapshot: Some(SnapshotCapability::default()),
            read_only: false,
        }
    }

    pub(crate) fn any(&self) -> bool {
        self.fs
            || self.shell.is_some()
            || self.code.is_some()
            || self.script.is_some()
            || self.snapshot.is_some()
    }

    pub(crate) fn script_reaches_internet(&self) -> bool {
        self.script.as_ref().is_some_and(|script| script.network == ScriptNetwork::Allow)
    }

    /// Whether `allowCrossSession` has an effect.
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
