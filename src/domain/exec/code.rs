//! The languages in which a session may run code.

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
    /// Checks the languages before they become policy. Code can start any
    /// program, so an allowlist must contain its interpreters.
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

/// The refusal of a code context whose container has ended.
#[must_use]
pub fn ended_with_container(id: &CodeContextId) -> Error {
    Error::new(
        ErrorCode::NotFound,
        format!("code context {id} has ended with its container, and its variables are gone"),
    )
    .with_hint(Next::CreateCodeContext)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
