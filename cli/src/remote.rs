//! The server and session that a command talks to.

use crate::api::{BaseUrl, Call, Client, Token, new_key, operations as op};
use crate::error::Error;
use crate::global::Global;
use crate::output::Out;
use crate::profile::{Profile, Profiles, token_of_command};
use crate::progress::Waiting;
use crate::signals::{PATIENCE, Signals};
use serde_json::Value;
use std::env;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// The environment variable of the token. It comes before a profile's token.
pub const TOKEN_VARIABLE: &str = "SNAPSHOTTER_TOKEN";
/// The pause between two attempts to cancel a call.
const CANCEL_PAUSE: Duration = Duration::from_millis(500);

/// A server, and perhaps a session on it.
pub struct Remote {
    /// Where output goes.
    pub out: Out,
    /// The server.
    pub client: Client,
    session: Option<String>,
}

impl Remote {
    /// Finds out where to connect: the command line first, then the environment, then the profile.
    pub fn of(global: &Global) -> Result<Self, Error> {
        let profiles = Profiles::load()?;
        let profile = profiles.choose(global.profile.as_deref())?.map(|(_, profile)| profile);
        let url = match (&global.url, profile) {
            (Some(url), _) => BaseUrl::parse(url)?,
            (None, Some(profile)) => profile.url()?,
            (None, None) => {
                return Err(Error::Usage(
                    "no server is known yet: run `snapshotter login URL`, or give --url".to_owned(),
                ));
            }
        };
        let token = token(global, profile, &url)?;
        let session = global.session.clone().or_else(|| profile?.session.clone());
        Ok(Self { out: global.out(), client: Client::new(url, token), session })
    }

    /// A server that is not in a profile yet.
    pub fn new(out: Out, url: BaseUrl, token: Option<Token>, session: Option<String>) -> Self {
        Self { out, client: Client::new(url, token), session }
    }

    /// The session's name.
    pub fn session(&self) -> Result<&str, Error> {
        self.session.as_deref().ok_or_else(|| {
            Error::Usage("which session? Give --session NAME, set SNAPSHOTTER_SESSION, or store it: `snapshotter login URL --session NAME`".to_owned())
        })
    }

    /// Makes a call. Meanwhile, a terminal shows what the call does.
    pub fn call(&self, call: &Call) -> Result<Value, Error> {
        let _waiting = Waiting::spinner(call.doing, self.out.is_quiet);
        self.client.json(call)
    }

    /// Makes a call that a signal to this program cancels. Then still waits for the answer, so the
    /// call does not run on unnoticed. A second signal ends this program at once.
    pub fn call_until_signal(&self, call: Call) -> Result<Value, Error> {
        let name = new_key()?;
        let cancel = op::cancel_operation::call(self.session()?, &name)?;
        let call = call.named(&name);
        let signals = Signals::catch()?;
        let waiting = Waiting::spinner(call.doing, self.out.is_quiet);
        let client = self.client.clone();
        let (to, answer) = sync_channel(1);
        thread::spawn(move || drop(to.send(client.json(&call))));
        let mut cancelled_by = None;
        loop {
            match (answer.recv_timeout(PATIENCE), cancelled_by) {
                (Err(RecvTimeoutError::Timeout), _) => {}
                (Ok(_), Some(signal)) => return Err(ended_by(signal)),
                (Ok(answer), None) => return answer,
                (Err(RecvTimeoutError::Disconnected), _) => {
                    return Err(Error::Network("the call ended without an answer".to_owned()));
                }
            }
            match (signals.take(), cancelled_by) {
                (None, _) => {}
                (Some(signal), Some(_)) => return Err(ended_by(signal)),
                (Some(signal), None) => {
                    cancelled_by = Some(signal);
                    waiting.say("Cancelling; Ctrl-C again does not wait");
                    cancel_on(self.client.clone(), cancel.clone());
                }
            }
        }
    }

    /// Makes a call and prints the answer: unchanged as JSON, or as `shown` prints it.
    pub fn show(
        &self,
        call: &Call,
        shown: impl FnOnce(&Out, &Value) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let answer = self.call(call)?;
        if self.out.is_json() { self.out.json(&answer) } else { shown(&self.out, &answer) }
    }
}

/// Cancels a call until this program ends: the call may not have begun yet.
fn cancel_on(client: Client, cancel: Call) {
    thread::spawn(move || {
        loop {
            // If the call can't be cancelled any more, its own answer shows that.
            drop(client.json(&cancel));
            thread::sleep(CANCEL_PAUSE);
        }
    });
}

fn ended_by(signal: u8) -> Error {
    Error::Exit(128u8.saturating_add(signal))
}

/// A profile's token goes only to the profile's own address.
fn token(
    global: &Global,
    profile: Option<&Profile>,
    url: &BaseUrl,
) -> Result<Option<Token>, Error> {
    if let Some(command) = &global.token_command {
        return token_of_command(command).map(Some);
    }
    if let Some(token) = token_of_environment()? {
        return Ok(Some(token));
    }
    match profile {
        Some(profile) if profile.url()? == *url => profile.token(),
        _ => Ok(None),
    }
}

/// The token of the environment.
pub fn token_of_environment() -> Result<Option<Token>, Error> {
    match env::var(TOKEN_VARIABLE) {
        Ok(token) if !token.is_empty() => Token::parse(&token).map(Some),
        _ => Ok(None),
    }
}
