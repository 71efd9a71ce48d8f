//! Background processes: `start`, `processes`, `logs` and `stop`.

use super::run::{command_line, variables};
use super::selectors;
use crate::api::{answer, operations as op, read};
use crate::error::Error;
use crate::output::format::{age, size};
use crate::remote::Remote;
use clap::Args;
use jiff::Timestamp;
use serde::Deserialize;
use std::io::Write;

answer! {
    /// All background processes of a workspace.
    pub struct ProcessList { processes: Vec<ProcessView> }

    /// A background process.
    pub struct ProcessView {
        name: String,
        command: String,
        state: String,
        exit_code: Option<i64>,
        started_at: String,
        log_bytes: u64,
    }

    /// A part of a process's output.
    pub struct ProcessLog { text: String, offset: u64, next_offset: u64, process: ProcessView }
}

/// How long one read waits for more output. The server allows 30 s.
const WAIT_MS: u64 = 20_000;
const READ_MAX_BYTES: u64 = 131_072;

/// Start a command in the background of a workspace
#[derive(Debug, Args)]
pub struct Start {
    /// A name for the process
    name: String,
    /// The command: one argument for the shell, or a program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub command: Vec<String>,
    /// Directory to run the command in
    #[arg(long, short = 'C', value_name = "DIR")]
    cwd: Option<String>,
    /// Set an environment variable for the process
    #[arg(long = "env", short = 'e', value_name = "NAME=VALUE", value_parser = selectors::pair)]
    variables: Vec<(String, String)>,
    /// Start the process again after a rewind that ended it, and in later containers
    #[arg(long)]
    restart: bool,
    /// Start the process in this workspace [default: the active one]
    #[arg(long, short, value_name = "ID")]
    workspace: Option<String>,
}

impl Start {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        use op::start_process::field;
        let call = op::start_process::call(remote.session()?)?
            .doing("Starting")
            .field(field::NAME, self.name)
            .field(field::COMMAND, command_line(self.command))
            .field(field::CWD, self.cwd)
            .field(field::ENV, variables(self.variables))
            .field_flag(field::RESTART, self.restart)
            .field(field::WORKSPACE, self.workspace);
        remote.show(&call, |out, answer| {
            let process: ProcessView = read(answer)?;
            out.line(format!("process {} is {}", process.name, process.state))?;
            out.note(format!("to see its output: snapshotter logs --follow {}", process.name))
        })
    }
}

/// List background processes
#[derive(Debug, Args)]
pub struct List {
    /// List the processes of this workspace [default: the active one]
    #[arg(long, short, value_name = "ID")]
    workspace: Option<String>,
}

impl List {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = op::list_processes::call(remote.session()?)?
            .doing("Listing processes")
            .query(op::list_processes::query::WORKSPACE, self.workspace);
        remote.show(&call, |out, answer| {
            let now = Timestamp::now();
            let rows = read::<ProcessList>(answer)?.processes.into_iter().map(|process| {
                let code = process.exit_code.map(|code| code.to_string());
                let started = age(&process.started_at, now);
                [
                    process.name,
                    process.state,
                    code.unwrap_or_default(),
                    started,
                    size(process.log_bytes),
                    process.command,
                ]
            });
            out.table(["NAME", "STATE", "EXIT", "STARTED", "LOG", "COMMAND"], rows.collect())
        })
    }
}

/// Print the output of a background process
#[derive(Debug, Args)]
pub struct Logs {
    /// The process's name
    name: String,
    /// Keep printing until the process ends
    #[arg(long, short)]
    follow: bool,
    /// Begin at this byte of the log [default: its last 128 KiB]
    #[arg(long, value_name = "N")]
    offset: Option<u64>,
    /// Find the process in this workspace [default: the active one]
    #[arg(long, short, value_name = "ID")]
    workspace: Option<String>,
}

impl Logs {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        use op::read_process_log::query;
        let session = remote.session()?;
        let mut offset = self.offset;
        let mut wait_ms = None;
        loop {
            let call = op::read_process_log::call(session, &self.name)?
                .query(query::OFFSET, offset)
                .query(query::MAX_BYTES, Some(READ_MAX_BYTES))
                .query(query::WAIT_MS, wait_ms)
                .query(query::WORKSPACE, self.workspace.as_ref());
            let answer = remote.client.json(&call)?;
            let log: ProcessLog = read(&answer)?;
            if offset.is_some_and(|offset| offset < log.offset) {
                remote
                    .out
                    .note(format!("its log no longer has the output before byte {}", log.offset))?;
            }
            if remote.out.is_json() {
                remote.out.json_line(&answer)?;
            } else {
                let mut to = remote.out.others();
                to.write_all(log.text.as_bytes())?;
                to.finish()?;
            }
            let is_over = log.text.is_empty() && log.process.state != "running";
            if !self.follow || is_over {
                return Ok(());
            }
            (offset, wait_ms) = (Some(log.next_offset), Some(WAIT_MS));
        }
    }
}

/// End a background process
#[derive(Debug, Args)]
pub struct Stop {
    /// The process's name
    name: String,
    /// Find the process in this workspace [default: the active one]
    #[arg(long, short, value_name = "ID")]
    workspace: Option<String>,
}

impl Stop {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = op::stop_process::call(remote.session()?, &self.name)?
            .doing("Stopping")
            .query(op::stop_process::query::WORKSPACE, self.workspace);
        remote.show(&call, |out, answer| {
            let process: ProcessView = read(answer)?;
            let code = process.exit_code.map(|code| format!(" with exit code {code}"));
            out.line(format!(
                "process {} {}{}",
                process.name,
                process.state,
                code.unwrap_or_default()
            ))
        })
    }
}
