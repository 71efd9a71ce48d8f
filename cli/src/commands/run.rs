//! `run`: runs a command in the workspace, streams its output, and exits with its exit code.

use super::selectors;
use crate::api::{Call, Event, operations as op};
use crate::error::{ApiError, Error, ErrorBody};
use crate::output::Out;
use crate::progress::Waiting;
use crate::remote::Remote;
use crate::signals::{PATIENCE, Signals};
use clap::Args;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::io::{Read, Write, stdin};

/// Run a command in the workspace, and exit with its exit code
///
/// One argument is a command for the shell: snapshotter run 'ls | wc -l'. Several arguments are a program and its
/// arguments: snapshotter run ls -l. Options of `run` go before a program, and before or after a command for the
/// shell. Ctrl-C ends the command.
#[derive(Debug, Args)]
pub struct Run {
    /// The command
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub command: Vec<String>,
    /// Send the command the standard input of this program, up to its end
    #[arg(long = "stdin", short = 'i')]
    takes_stdin: bool,
    /// Directory to run the command in
    #[arg(long, short = 'C', value_name = "DIR")]
    cwd: Option<String>,
    /// Set an environment variable for the command
    #[arg(long = "env", short = 'e', value_name = "NAME=VALUE", value_parser = selectors::pair)]
    variables: Vec<(String, String)>,
    /// End the command after this time, such as 10m [default: 2m]
    #[arg(long, value_name = "TIME", value_parser = selectors::seconds)]
    pub timeout: Option<u64>,
    /// Run the command in this workspace [default: the active one]
    #[arg(long, short, value_name = "ID")]
    workspace: Option<String>,
}

impl Run {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        use op::run_command::field;
        let misplaced = misplaced(&self.command);
        let input = self.takes_stdin.then(read_stdin).transpose()?;
        let call = op::run_command::call(remote.session()?)?
            .field(field::COMMAND, command_line(self.command))
            .field(field::STDIN, input)
            .field(field::CWD, self.cwd)
            .field(field::ENV, variables(self.variables))
            .field(field::TIMEOUT_MS, self.timeout.map(|seconds| seconds.saturating_mul(1000)))
            .field(field::WORKSPACE, self.workspace);
        let signals = Signals::catch()?;
        match stream(remote, call, &signals)? {
            Ended::Exit(0) => Ok(()),
            Ended::Exit(code) => {
                if let Some((option, program)) = misplaced {
                    remote.out.note(format!(
                        "{program} got {option} as its own argument: options of `run` go before the program"
                    ))?;
                }
                Err(Error::Exit(code))
            }
            Ended::Signal(signal) => Err(Error::Exit(128u8.saturating_add(signal))),
        }
    }
}

/// Finds an option of `run` among the arguments of a program. Returns the option and the program.
fn misplaced(words: &[String]) -> Option<(String, String)> {
    const OWN: [&str; 5] = ["--timeout", "--cwd", "--env", "--workspace", "--stdin"];
    let (program, arguments) = words.split_first()?;
    let name = |word: &String| word.split('=').next().unwrap_or_default().to_owned();
    let option = arguments.iter().map(name).find(|name| OWN.contains(&name.as_str()))?;
    Some((option, program.clone()))
}

/// One argument is for the shell. Several arguments are a program and its arguments.
pub fn command_line(mut words: Vec<String>) -> Value {
    match (words.len(), words.pop()) {
        (1, Some(line)) => json!(line),
        (_, last) => {
            words.extend(last);
            json!(words)
        }
    }
}

/// Environment variables in the API's format.
pub fn variables(pairs: Vec<(String, String)>) -> Option<Value> {
    let map: Map<String, Value> =
        pairs.into_iter().map(|(name, value)| (name, value.into())).collect();
    (!map.is_empty()).then_some(Value::Object(map))
}

fn read_stdin() -> Result<String, Error> {
    let mut text = String::new();
    stdin()
        .read_to_string(&mut text)
        .map_err(|error| Error::local("standard input has to be UTF-8", error))?;
    Ok(text)
}

/// How a streamed command ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    /// The command ended by itself, or by its time limit.
    Exit(u8),
    /// A signal to this program ended the command.
    Signal(u8),
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Told {
    Stdout {
        data: String,
    },
    Stderr {
        data: String,
    },
    Complete {
        exit_code: i64,
        result: Outcome,
    },
    Error {
        error: ErrorBody,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    #[serde(default)]
    timed_out: bool,
    #[serde(default)]
    hint: Option<String>,
}

/// Runs a command and prints its output. A signal to this program ends the command, because the
/// server ends a command whose reader goes away.
pub fn stream(remote: &Remote, call: Call, signals: &Signals) -> Result<Ended, Error> {
    // A sleeping workspace wakes first.
    let mut waiting = Some(Waiting::spinner("Waiting for the workspace", remote.out.is_quiet));
    let mut events = remote.client.events(call);
    loop {
        if let Some(signal) = signals.take() {
            return Ok(Ended::Signal(signal));
        }
        let data = match events.next(PATIENCE)? {
            Event::Nothing => continue,
            Event::End => {
                return Err(Error::Network("the stream ended before the command".to_owned()));
            }
            Event::Data(data) => data,
        };
        waiting.take();
        if let Some(ended) = tell(&remote.out, &data)? {
            return Ok(ended);
        }
    }
}

fn tell(out: &Out, data: &str) -> Result<Option<Ended>, Error> {
    let unexpected =
        |error| Error::Answer(format!("an event is not as this version expects: {error}"));
    let event: Value = serde_json::from_str(data).map_err(unexpected)?;
    let told = Told::deserialize(&event).map_err(unexpected)?;
    if out.is_json() {
        out.json_line(&event)?;
    }
    match told {
        Told::Stdout { data } if !out.is_json() => {
            let mut to = out.others();
            to.write_all(data.as_bytes())?;
            to.finish()?;
        }
        Told::Stderr { data } if !out.is_json() => {
            let mut to = out.others_errors();
            to.write_all(data.as_bytes())?;
            to.finish()?;
        }
        Told::Complete { exit_code, result } => {
            if result.timed_out {
                out.note("the command was ended by its time limit: raise it with --timeout")?;
            }
            if let Some(hint) = result.hint {
                out.note(hint)?;
            }
            return Ok(Some(Ended::Exit(u8::try_from(exit_code).unwrap_or(1))));
        }
        Told::Error { error } => {
            let answer = json!({ "error": event.get("error") });
            return Err(Error::Api(Box::new(ApiError { body: error, answer })));
        }
        Told::Stdout { .. } | Told::Stderr { .. } | Told::Other => {}
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_behind_a_program_is_noticed() {
        let found = |line: &str| {
            misplaced(&line.split(' ').map(str::to_owned).collect::<Vec<_>>())
                .map(|(option, program)| format!("{program} {option}"))
        };
        assert_eq!(found("sleep 9 --timeout=1s").as_deref(), Some("sleep --timeout"));
        assert_eq!(found("ls -l --all"), None);
        assert_eq!(found("--timeout"), None);
    }

    #[test]
    fn one_word_is_for_the_shell() {
        let words =
            |words: &[&str]| command_line(words.iter().map(|word| (*word).to_owned()).collect());
        assert_eq!(words(&["ls | wc"]), json!("ls | wc"));
        assert_eq!(words(&["ls", "-l", "a b"]), json!(["ls", "-l", "a b"]));
    }
}
