//! Settings of scripts.

use crate::domain::limits::{SCRIPT_DURATION_DEFAULT_MS, SCRIPT_DURATION_MAX_MS};
use crate::domain::{Error, Result};
use serde::{Deserialize, Serialize};

/// Whether scripts reach the Internet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ScriptNetwork {
    /// They reach nothing but the session.
    #[default]
    Off,
    /// They reach the Internet as the Worker does.
    Allow,
}

/// Settings of the script module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ScriptCapability {
    /// Whether scripts reach the Internet. Default `off`. `allow` needs `network.mode` `open`.
    pub network: ScriptNetwork,
    /// Milliseconds that a script may run. Default 5000.
    #[cfg_attr(schemas, schemars(range(min = 1, max = SCRIPT_DURATION_MAX_MS)))]
    pub max_duration_ms: u64,
}

impl Default for ScriptCapability {
    fn default() -> Self {
        Self { network: ScriptNetwork::default(), max_duration_ms: SCRIPT_DURATION_DEFAULT_MS }
    }
}

impl ScriptCapability {
    /// Checks the settings before they become policy.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the field.
    pub fn check(&self) -> Result<()> {
        if (1..=SCRIPT_DURATION_MAX_MS).contains(&self.max_duration_ms) {
            return Ok(());
        }
        Err(Error::invalid(
            "capabilities.script.maxDurationMs",
            format!("must be 1 to {SCRIPT_DURATION_MAX_MS}"),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn settings_have_defaults_and_bounds() {
        let read = |value| serde_json::from_value::<ScriptCapability>(value);
        let default = read(json!({})).unwrap();
        assert_eq!(default, ScriptCapability::default());
        assert_eq!((default.network, default.max_duration_ms), (ScriptNetwork::Off, 5_000));
        for (ms, sound) in [(0, false), (1, true), (60_000, true), (60_001, false)] {
            let set = read(json!({ "network": "allow", "maxDurationMs": ms })).unwrap();
            assert_eq!(set.check().is_ok(), sound, "{ms}");
        }
        assert!(read(json!({ "network": "on" })).is_err());
        assert!(read(json!({ "timeoutMs": 5 })).is_err());
    }
}
