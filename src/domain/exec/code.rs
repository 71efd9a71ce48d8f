//! The languages in which a session may run code.

use crate::domain::limits::{SCRIPT_DURATION_DEFAULT_MS, SCRIPT_DURATION_MAX_MS};
use crate::domain::{CodeContextId, Error, ErrorCode, Next, Result, ShellCapability};
use serde::{Deserialize, Serialize};

/// A language of `workspace_run_code`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Python 3.
    Python,
    /// JavaScript, run by Node.js.
    JavaScript,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::Python, Self::JavaScript];

    /// The language of a program.
    #[must_use]
    pub fn of_interpreter(program: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.interpreter() == program)
    }

    /// The program that runs code of this language.
    #[must_use]
    pub const fn interpreter(self) -> &'static str {
        match self {
            Self::Python => "python3",
            Self::JavaScript => "node",
        }
    }
}

/// Settings of the code module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CodeCapability {
    /// Languages that code may be in. Default: all.
    #[serde(default = "all_languages")]
    #[cfg_attr(schemas, schemars(length(min = 1)))]
    pub languages: Vec<Language>,
    /// Whether there are code contexts, which keep variables between calls. Default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stateful: bool,
}

impl Default for CodeCapability {
    fn default() -> Self {
        Self { languages: all_languages(), stateful: false }
    }
}

fn all_languages() -> Vec<Language> {
    Language::ALL.to_vec()
}

impl CodeCapability {
    /// Checks the languages before they become policy. Code can start any program, so an allowlist
    /// must contain its interpreters.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the language.
    pub fn check(&self, shell: Option<&ShellCapability>) -> Result<()> {
        if self.languages.is_empty() {
            return Err(Error::invalid("capabilities.code.languages", "must not be empty")
                .with_hint("leave capabilities.code out to have no code module"));
        }
        let unlisted =
            |language: &&Language| shell.is_some_and(|shell| !shell.allows(language.interpreter()));
        match self.languages.iter().find(unlisted) {
            None => Ok(()),
            Some(language) => {
                let interpreter = language.interpreter();
                let problem = format!(
                    "would run {interpreter}, which capabilities.shell.allowlist does not list"
                );
                Err(Error::invalid("capabilities.code", problem).with_hint(format!(
                    "list {interpreter}, which can start any program, or leave code out"
                )))
            }
        }
    }

    /// # Errors
    /// `INVALID_ARGUMENT` for a language that the session did not declare.
    pub fn permit(&self, language: Language) -> Result<()> {
        if self.languages.contains(&language) {
            return Ok(());
        }
        let declared: Vec<&str> = self.languages.iter().map(|known| known.interpreter()).collect();
        Err(Error::invalid("language", "is not one that this session declared")
            .with_hint(format!("code here is run by: {}", declared.join(", "))))
    }
}

/// The error for a code context whose container has ended.
#[must_use]
pub fn ended_with_container(id: &CodeContextId) -> Error {
    Error::new(
        ErrorCode::NotFound,
        format!("code context {id} has ended with its container, and its variables are gone"),
    )
    .with_hint(Next::CreateCodeContext)
}

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
    fn under_an_allowlist_the_interpreters_must_be_listed() {
        let shell = |list: &[&str]| ShellCapability {
            allowlist: Some(list.iter().map(|name| (*name).to_owned()).collect()),
            ..ShellCapability::default()
        };
        let both = CodeCapability::default();
        assert!(both.check(None).is_ok());
        assert!(both.check(Some(&ShellCapability::default())).is_ok());
        assert!(both.check(Some(&shell(&["python3", "node"]))).is_ok());
        let error = both.check(Some(&shell(&["python3"]))).unwrap_err();
        assert!(error.message.contains("node"), "{error}");
        let python = CodeCapability { languages: vec![Language::Python], stateful: true };
        assert!(python.check(Some(&shell(&["python3"]))).is_ok());
        assert!(python.permit(Language::Python).is_ok());
        assert!(python.permit(Language::JavaScript).is_err());
        let none = CodeCapability { languages: Vec::new(), ..CodeCapability::default() };
        assert!(none.check(None).is_err());
    }

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
