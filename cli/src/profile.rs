//! Profiles: which server, session and token to use, in a file that only the user can read.

use crate::api::{BaseUrl, Token};
use crate::error::Error;
use etcetera::BaseStrategy as _;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The name of a profile if the user gives none.
pub const DEFAULT_NAME: &str = "default";

/// The file of profiles.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profiles {
    /// The profile to use if none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// The profiles by name.
    #[serde(default)]
    pub profiles: BTreeMap<String, Profile>,
}

/// One server, and how to reach it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Profile {
    /// The server's address.
    pub url: String,
    /// The session to use if none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// A shell command that prints the token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_command: Option<String>,
}

/// Without the token.
impl std::fmt::Debug for Profile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Profile").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Profiles {
    /// Reads the user's profiles. Without a file there are none.
    pub fn load() -> Result<Self, Error> {
        let path = path()?;
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(Error::local(path.display(), error)),
        };
        // The error's own text may quote a token, so it is not shown.
        toml::from_str(&text).map_err(|error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            Error::Local(format!("{} is not valid, in line {line}", path.display()))
        })
    }

    /// Writes the profiles: a reader finds the old file or the new one. Other users can't read
    /// either.
    pub fn save(&self) -> Result<(), Error> {
        let path = path()?;
        let failed = |error: &dyn std::fmt::Display| Error::local(path.display(), error);
        let directory = path.parent().ok_or_else(|| failed(&"it has no directory"))?;
        make_private_dir(directory)?;
        let text = toml::to_string(self).map_err(|error| failed(&error))?;
        // The file is made with mode 600.
        let mut file =
            tempfile::NamedTempFile::new_in(directory).map_err(|error| failed(&error))?;
        file.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
        file.as_file().sync_all().map_err(|error| failed(&error))?;
        file.persist(&path).map_err(|error| failed(&error))?;
        Ok(())
    }

    /// The profile of this name, or else the default one, if any.
    pub fn choose(&self, name: Option<&str>) -> Result<Option<(&str, &Profile)>, Error> {
        let Some(name) = name.or(self.default.as_deref()) else { return Ok(None) };
        let (name, profile) = self.profiles.get_key_value(name).ok_or_else(|| {
            Error::Usage(format!("there is no profile {name:?}: `snapshotter profiles` lists them"))
        })?;
        Ok(Some((name, profile)))
    }
}

impl Profile {
    /// The profile's token, from the file or from its command.
    pub fn token(&self) -> Result<Option<Token>, Error> {
        match (&self.token_command, &self.token) {
            (Some(command), _) => token_of_command(command).map(Some),
            (None, Some(token)) => Token::parse(token).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// The server's address, parsed.
    pub fn url(&self) -> Result<BaseUrl, Error> {
        BaseUrl::parse(&self.url)
    }
}

/// Runs a shell command that prints a token. It may ask the user on standard error.
pub fn token_of_command(command: &str) -> Result<Token, Error> {
    let output = Command::new("sh")
        .args(["-c", command])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Error::local("the token command", error))?;
    if !output.status.success() {
        return Err(Error::Local(format!("the token command failed: {}", output.status)));
    }
    Token::parse(&String::from_utf8_lossy(&output.stdout))
}

/// Makes a directory, and its parents, that only the user can enter.
pub fn make_private_dir(directory: &Path) -> Result<(), Error> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.map_err(|error| Error::local(directory.display(), error))
}

/// The directory for histories and unfinished uploads.
pub fn state_dir() -> Result<PathBuf, Error> {
    let strategy = strategy()?;
    Ok(strategy.state_dir().unwrap_or_else(|| strategy.data_dir()).join("snapshotter"))
}

/// The file of profiles.
pub fn path() -> Result<PathBuf, Error> {
    Ok(strategy()?.config_dir().join("snapshotter").join("profiles.toml"))
}

fn strategy() -> Result<etcetera::base_strategy::Xdg, Error> {
    etcetera::base_strategy::Xdg::new().map_err(|error| Error::local("the home directory", error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_chosen_by_name_or_default() {
        let text = "default = \"a\"\n[profiles.a]\nurl = \"https://a.example\"\ntoken = \"secret\"\n[profiles.b]\nurl = \"https://b.example\"\ntoken-command = \"echo from-command\"\n";
        let profiles: Profiles = toml::from_str(text).unwrap();
        let (name, profile) = profiles.choose(None).unwrap().unwrap();
        assert_eq!((name, profile.token().unwrap().unwrap().secret()), ("a", "secret"));
        assert!(!format!("{profiles:?}").contains("secret"));
        let (_, other) = profiles.choose(Some("b")).unwrap().unwrap();
        assert_eq!(other.token().unwrap().unwrap().secret(), "from-command");
        assert!(profiles.choose(Some("c")).is_err());
        assert!(Profiles::default().choose(None).unwrap().is_none());
        assert_eq!(
            toml::to_string(&profiles).unwrap().trim(),
            text.replace("[profiles.b]", "\n[profiles.b]")
                .replace("[profiles.a]", "\n[profiles.a]")
                .trim()
        );
    }

    #[test]
    fn a_failed_token_command_gives_no_token() {
        assert!(token_of_command("echo half; exit 1").is_err());
        assert!(token_of_command("true").is_err());
        assert!(token_of_command("printf 'two words'").is_err());
    }
}
