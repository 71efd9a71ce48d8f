//! `login`, `logout` and `profiles`.

use crate::api::{BaseUrl, Token, answer, operations as op, read};
use crate::error::Error;
use crate::global::Global;
use crate::output::Out;
use crate::profile::{self, DEFAULT_NAME, Profile, Profiles, token_of_command};
use crate::progress::Waiting;
use crate::remote::{Remote, token_of_environment};
use clap::Args;
use serde::Deserialize;
use serde_json::json;
use std::io::{IsTerminal, Read, stdin};

answer! {
    /// What a server tells everybody about itself.
    pub struct About { name: String, version: String }
}

/// Store a server's address and a token in a profile
///
/// Asks for the token, or reads it from standard input. If SNAPSHOTTER_TOKEN is set, stores that token; with
/// --token-command, stores only the command. --session also stores the session to use from now on.
#[derive(Debug, Args)]
pub struct Login {
    /// The server's address, such as https://snapshotter.example.com
    #[arg(value_name = "URL")]
    server: String,
    /// Do not try the token
    #[arg(long)]
    no_check: bool,
}

impl Login {
    /// Runs the command.
    pub fn run(self, global: &Global) -> Result<(), Error> {
        let out = global.out();
        let url = BaseUrl::parse(&self.server)?;
        let mut profiles = Profiles::load()?;
        let name = global.profile.as_deref().unwrap_or(DEFAULT_NAME).to_owned();
        let token = match &global.token_command {
            Some(command) => token_of_command(command)?,
            None => match token_of_environment()? {
                Some(token) => token,
                None => ask(&url)?,
            },
        };
        if !self.no_check {
            check(out, &url, &token, global.session.as_deref())?;
        }
        let stored = Profile {
            url: url.as_str().to_owned(),
            session: global.session.clone(),
            token: global.token_command.is_none().then(|| token.secret().to_owned()),
            token_command: global.token_command.clone(),
        };
        profiles.profiles.insert(name.clone(), stored);
        // The first profile is the default one.
        profiles.default.get_or_insert(name.clone());
        profiles.save()?;
        out.note(format!("stored profile {name:?} in {}", profile::path()?.display()))
    }
}

/// Asks for a token on the terminal, without echo. Without a terminal, reads standard input.
fn ask(url: &BaseUrl) -> Result<Token, Error> {
    let text = if stdin().is_terminal() {
        rpassword::prompt_password(format!("Token for {url}: "))
            .map_err(|error| Error::local("asking for the token", error))?
    } else {
        let mut text = String::new();
        let read = stdin().take(64 << 10).read_to_string(&mut text);
        read.map_err(|error| Error::local("standard input", error))?;
        text
    };
    Token::parse(&text)
}

/// Fails if there is no Snapshotter at the address, or it does not know the token.
fn check(out: Out, url: &BaseUrl, token: &Token, session: Option<&str>) -> Result<(), Error> {
    let remote = Remote::new(out, url.clone(), Some(token.clone()), session.map(str::to_owned));
    let _waiting = Waiting::spinner("Trying the token", out.is_quiet);
    let about: About = read(&remote.client.json(&op::about::call()?)?)?;
    out.note(format!("{} {} at {url}", about.name, about.version))?;
    let tried = match session {
        Some(session) => remote.client.json(&op::describe_session::call(session)?),
        None => {
            let call = op::list_sessions::call()?.query(op::list_sessions::query::LIMIT, Some(1));
            remote.client.json(&call)
        }
    };
    match tried {
        Ok(_) => Ok(()),
        Err(error) if error.is_code("NOT_FOUND") => {
            out.note("the session does not exist yet: `snapshotter open` makes it")
        }
        Err(error) if error.is_code("FORBIDDEN") && session.is_none() => out
            .note("the token is a session's, not the operator's: name the session with --session"),
        Err(error) if error.is_code("FORBIDDEN") => out
            .note("the token may not read this session: `snapshotter doctor` says what it may do"),
        Err(error) => Err(error),
    }
}

/// Forget a profile and its token
#[derive(Debug, Args)]
pub struct Logout {}

impl Logout {
    /// Runs the command.
    pub fn run(self, global: &Global) -> Result<(), Error> {
        let mut profiles = Profiles::load()?;
        let chosen = profiles.choose(global.profile.as_deref())?.map(|(name, _)| name.to_owned());
        let Some(name) = chosen else {
            return Err(Error::Usage(
                "there is no default profile: name one with --profile".to_owned(),
            ));
        };
        profiles.profiles.remove(&name);
        if profiles.default.as_deref() == Some(&name) {
            profiles.default = profiles.profiles.keys().next().cloned();
        }
        profiles.save()?;
        global
            .out()
            .note(format!("forgot profile {name:?}; its token stays valid until it is revoked"))
    }
}

/// List the stored profiles, or choose the default one
#[derive(Debug, Args)]
pub struct List {
    /// Make this profile the default one
    #[arg(long = "use", value_name = "NAME")]
    chosen: Option<String>,
}

impl List {
    /// Runs the command.
    pub fn run(self, global: &Global) -> Result<(), Error> {
        let out = global.out();
        let mut profiles = Profiles::load()?;
        if let Some(name) = self.chosen {
            profiles.choose(Some(&name))?;
            profiles.default = Some(name);
            profiles.save()?;
        }
        let rows = profiles.profiles.iter().map(|(name, profile)| {
            let is_default = profiles.default.as_ref() == Some(name);
            (is_default, name, profile)
        });
        if out.is_json() {
            let all = rows.map(|(is_default, name, profile)| {
                json!({ "name": name, "default": is_default, "url": profile.url, "session": profile.session })
            });
            return out.json(&json!({ "profiles": all.collect::<Vec<_>>() }));
        }
        let rows = rows.map(|(is_default, name, profile)| {
            [
                if is_default { "*" } else { "" }.to_owned(),
                name.clone(),
                profile.url.clone(),
                profile.session.clone().unwrap_or_default(),
                if profile.token_command.is_some() { "command" } else { "stored" }.to_owned(),
            ]
        });
        out.table(["", "PROFILE", "URL", "SESSION", "TOKEN"], rows.collect())
    }
}
