//! `history`: the last commands, and the end of a command's output.

use crate::api::{answer, operations as op, read};
use crate::error::Error;
use crate::output::format::{age, took};
use crate::output::{BAD, STRONG};
use crate::remote::Remote;
use clap::Args;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

answer! {
    /// Commands, newest first.
    pub struct CommandPage { commands: Vec<CommandRecord>, next_cursor: Option<String> }

    /// A command and the end of its output.
    pub struct CommandRecord {
        seq: Option<u64>,
        at: String,
        workspace_id: String,
        command: Value,
        language: Option<String>,
        exit_code: Option<i64>,
        duration_ms: Option<u64>,
        process: Option<String>,
        stdout: String,
        stderr: String,
    }
}

/// Characters of a command in the list.
const LINE_CHARS: usize = 80;

/// Show the last commands, newest first, and how each one ended
///
/// Commands that still run come first. The list includes commands of agents, code, and background processes, in all
/// workspaces of the session.
#[derive(Debug, Default, Args)]
pub struct History {
    /// Print the end of the output of the command with this number in the list
    #[arg(value_name = "NUMBER", conflicts_with_all = ["limit", "cursor"])]
    number: Option<u64>,
    /// At most this many [default: 50]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Continue after this cursor of an earlier list
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

impl History {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        use op::list_commands::query;
        let session = remote.session()?;
        if let Some(number) = self.number {
            return one(remote, session, number);
        }
        let call = op::list_commands::call(session)?
            .doing("Asking")
            .query(query::LIMIT, self.limit)
            .query(query::CURSOR, self.cursor);
        remote.show(&call, |out, answer| {
            let page: CommandPage = read(answer)?;
            let now = Timestamp::now();
            let rows = page.commands.into_iter().map(|ran| {
                [
                    ran.seq.map(|seq| seq.to_string()).unwrap_or_default(),
                    age(&ran.at, now),
                    ran.duration_ms.map(took).unwrap_or_default(),
                    ending(&ran),
                    line(&ran).chars().take(LINE_CHARS).collect(),
                    ran.workspace_id,
                ]
            });
            out.table(["N", "BEGAN", "TOOK", "EXIT", "COMMAND", "WORKSPACE"], rows.collect())?;
            out.more(page.next_cursor.as_deref())
        })
    }
}

fn one(remote: &Remote, session: &str, number: u64) -> Result<(), Error> {
    use op::list_commands::query;
    let mut cursor: Option<String> = None;
    loop {
        let call = op::list_commands::call(session)?.query(query::CURSOR, cursor.as_ref());
        let answer = remote.client.json(&call)?;
        for whole in answer.get("commands").and_then(Value::as_array).into_iter().flatten() {
            let ran: CommandRecord = read(whole)?;
            if ran.seq == Some(number) {
                return print(remote, &ran, whole);
            }
        }
        cursor = read::<CommandPage>(&answer)?.next_cursor;
        if cursor.is_none() {
            let problem = format!("no command {number} is remembered; `history` lists them");
            return Err(Error::Usage(problem));
        }
    }
}

fn print(remote: &Remote, ran: &CommandRecord, whole: &Value) -> Result<(), Error> {
    let out = &remote.out;
    if out.is_json() {
        return out.json(whole);
    }
    out.styled(line(ran), STRONG)?;
    out.block(&ran.stdout)?;
    for line in ran.stderr.lines() {
        out.code(line, BAD)?;
    }
    let took = ran.duration_ms.map(|ms| format!(" after {}", took(ms))).unwrap_or_default();
    out.note(format!("{}{took}, in {}", ending(ran), ran.workspace_id))
}

fn ending(ran: &CommandRecord) -> String {
    match (ran.exit_code, &ran.process, ran.seq) {
        (Some(code), ..) => format!("exit {code}"),
        (None, Some(process), _) => format!("see logs {process}"),
        (None, None, Some(_)) => "unknown".to_owned(),
        (None, None, None) => "running".to_owned(),
    }
}

fn line(ran: &CommandRecord) -> String {
    let words = match &ran.command {
        Value::Array(words) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        command => command.as_str().unwrap_or_default().to_owned(),
    };
    let code = ran.language.iter().map(|language| format!("{language}: "));
    code.chain([words.split_whitespace().collect::<Vec<_>>().join(" ")]).collect()
}
