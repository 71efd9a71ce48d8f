//! `watch`: shows changes of files as they happen.

use crate::api::{Event, operations as op, read};
use crate::error::{ApiError, Error, ErrorBody};
use crate::remote::Remote;
use crate::signals::{PATIENCE, Signals};
use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};

/// Show changes of files as they happen, until Ctrl-C
///
/// A watch ends after an hour, and does not keep the workspace running.
#[derive(Debug, Args)]
pub struct Watch {
    /// Directory to watch [default: the workspace]
    path: Option<String>,
    /// Do not watch subdirectories
    #[arg(long)]
    flat: bool,
    /// Ignore names that match this glob, such as node_modules; may be repeated
    #[arg(long, short = 'x', value_name = "GLOB")]
    exclude: Vec<String>,
    /// Watch this workspace [default: the active one]
    #[arg(long, short, value_name = "ID")]
    workspace: Option<String>,
}

/// Only renames have `from`, and only the first event has `directories`.
#[derive(Deserialize)]
struct Told {
    r#type: String,
    path: Option<String>,
    from: Option<String>,
    directories: Option<u64>,
    error: Option<ErrorBody>,
}

impl Watch {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        use op::watch_files::query;
        let mut call = op::watch_files::call(remote.session()?)?
            .query(query::PATH, self.path)
            .query(query::RECURSIVE, self.flat.then_some(false))
            .query(query::WORKSPACE, self.workspace);
        for glob in self.exclude {
            call = call.query(query::EXCLUDE, Some(glob));
        }
        let signals = Signals::catch()?;
        let mut events = remote.client.events(call);
        loop {
            if let Some(signal) = signals.take() {
                return Err(Error::Exit(128u8.saturating_add(signal)));
            }
            match events.next(PATIENCE)? {
                Event::Nothing => {}
                Event::End => {
                    return Err(Error::Network("the stream ended before the watch".to_owned()));
                }
                Event::Data(data) => {
                    if !tell(remote, &data)? {
                        return Ok(());
                    }
                }
            }
        }
    }
}

/// Prints an event. Returns whether more events may follow.
fn tell(remote: &Remote, data: &str) -> Result<bool, Error> {
    let event: Value = serde_json::from_str(data).map_err(|error| {
        Error::Answer(format!("an event is not as this version expects: {error}"))
    })?;
    let told: Told = read(&event)?;
    if let Some(body) = told.error {
        let answer = json!({ "error": event.get("error") });
        return Err(Error::Api(Box::new(ApiError { body, answer })));
    }
    let out = &remote.out;
    if out.is_json() {
        out.json_line(&event)?;
    } else if let Some(directories) = told.directories {
        out.note(format!("watching {directories} directories; Ctrl-C ends it"))?;
    } else {
        let from = told.from.map(|from| format!("{from} → ")).unwrap_or_default();
        out.line(format!("{} {from}{}", told.r#type, told.path.unwrap_or_default()))?;
    }
    Ok(told.r#type != "ended")
}
