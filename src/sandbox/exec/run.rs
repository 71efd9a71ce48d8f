//! Runs a caller's command.

use crate::domain::error::{Error, ErrorCode, Next, Result};
use crate::domain::exec::OUT_OF_MEMORY;
use crate::domain::ids::ProcessName;
use crate::domain::limits::{
    EXEC_OUTPUT_MAX_BYTES, EXEC_OUTPUT_MIN_BYTES, EXEC_TIMEOUT_DEFAULT_MS, EXEC_TIMEOUT_EXIT_CODE,
    EXEC_TIMEOUT_MAX_MS, FILE_MAX_BYTES,
};
use crate::domain::session::config::check_env_vars;
use crate::domain::text::tail::Ends;
use crate::ports::container::{Command, Needed, Output};
use crate::ports::sandbox::{CommandLine, ExecOptions, ExecResult, LeftRunning};
use crate::sandbox::exec::Exec;
use crate::sandbox::exec::environment::environment;
use crate::sandbox::exec::left;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::container::run::KILLED_EXIT_CODE;
use crate::sandbox::parts::context::Context;
use crate::sandbox::scripts::{BACKSTOP_MS, EXEC, GO_ON, OWN_DIR, script};
use futures::future::{Either, select};
use std::pin::pin;

/// Contents of the script's note; see `scripts/exec/exec.sh`.
const NOTE_OWN_STATUS: &str = "own";
const NOTE_NO_CWD: &str = "cwd";
const NOTE_LEFT: &str = "left ";
const GOES_ON_EXIT_CODE: i32 = -1;
const NOTE_MEMORY: &str = "memory";

pub(crate) struct Prepared {
    pub command: Command,
    pub limit_ms: u64,
    /// File that explains an exit status of 124.
    note: String,
    /// File that holds the command's process group while it runs.
    pub group: String,
    /// The background process that gets the output as its log, if the caller gives up.
    pub keep_as: Option<ProcessName>,
    /// Time after which the command goes on in the background.
    pub wait_ms: Option<u64>,
    /// The beginning of the command.
    pub shown: String,
    cwd: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ended {
    pub exit_code: i32,
    pub timed_out: bool,
    pub left_running: Option<LeftRunning>,
    /// Whether the kernel ended a process of the container because memory ran out.
    pub out_of_memory: bool,
}

impl Ended {
    /// Hints about the way the command ended, followed by `other`.
    pub(crate) fn hint(&self, other: Option<String>) -> Option<String> {
        let memory = self.out_of_memory.then(|| OUT_OF_MEMORY.to_owned());
        let hints: Vec<String> = memory.into_iter().chain(other).collect();
        (!hints.is_empty()).then(|| hints.join(" "))
    }
}

impl Exec<'_> {
    /// Runs a command to its end or its time limit. A nonzero exit is a result.
    pub(crate) async fn run_command(
        &self,
        line: CommandLine,
        options: ExecOptions,
    ) -> Result<ExecResult> {
        let prepared = self.prepare(&line, options).await?;
        let began_ms = self.context.now_ms();
        let output = self.run_or_go_on(&prepared).await?;
        let took_ms = self.context.now_ms().saturating_sub(began_ms);
        let ended = prepared.ended(self.container, output.exit_code, output.killed).await?;
        let refused = self.refused.take()?;
        Ok(ExecResult {
            success: ended.exit_code == 0,
            exit_code: ended.exit_code,
            stdout: text(&output.stdout, output.stdout_truncated),
            stderr: text(&output.stderr, output.stderr_truncated),
            stdout_truncated: output.stdout_truncated,
            stderr_truncated: output.stderr_truncated,
            timed_out: ended.timed_out,
            duration_ms: took_ms.unsigned_abs(),
            refused_hosts: refused.hosts,
            hint: ended.hint(left::hint(
                ended.left_running.as_ref(),
                refused.hint,
                self.given_up.take(),
            )),
            left_running: ended.left_running,
        })
    }

    /// Runs a command to its end, or until it goes on in the background.
    async fn run_or_go_on(&self, prepared: &Prepared) -> Result<Output> {
        let running = pin!(self.container.run(&prepared.command));
        let Some(wait_ms) = prepared.wait_ms else { return running.await };
        match select(running, self.context.ports.clock.sleep_ms(wait_ms)).await {
            Either::Left((output, _)) => output,
            Either::Right(((), running)) => {
                let news = prepared.news();
                let asking = go_on(self.context, self.container, &news);
                // Its output is read meanwhile: see `SandboxContainer::stop_reading`.
                match select(running, pin!(asking)).await {
                    Either::Left((output, _)) => output,
                    Either::Right(((), running)) => running.await,
                }
            }
        }
    }

    /// Checks a command and the disk that it needs.
    pub(crate) async fn prepare(
        &self,
        line: &CommandLine,
        options: ExecOptions,
    ) -> Result<Prepared> {
        line.check()?;
        check_env_vars("env", &options.env)?;
        let stdin = options.stdin.map(String::into_bytes);
        if stdin.as_ref().is_some_and(|bytes| bytes.len() as u64 > FILE_MAX_BYTES) {
            return Err(Error::new(
                ErrorCode::TooLarge,
                format!("stdin: is larger than {FILE_MAX_BYTES} bytes"),
            ));
        }
        let limit_ms = options.timeout.unwrap_or(EXEC_TIMEOUT_DEFAULT_MS);
        if !(1..=EXEC_TIMEOUT_MAX_MS).contains(&limit_ms) {
            return Err(Error::invalid("timeout", format!("must be 1 to {EXEC_TIMEOUT_MAX_MS}")));
        }
        let (output_max_bytes, output_tail_bytes) = kept_of_output(options.max_output_bytes)?;
        let env = environment(self.context, options.env)?;
        self.container.require_disk(options.instance_id.as_ref()).await?;
        let may_take_ms = i64::try_from(limit_ms + BACKSTOP_MS).unwrap_or(i64::MAX);
        self.context.store.begin_command(self.context.now_ms().saturating_add(may_take_ms))?;

        let note = format!("{OWN_DIR}/exec-{}", self.context.new_tag()?);
        let group = format!("{note}.group");
        let cwd = options.cwd.as_ref().map_or("", |cwd| cwd.as_str()).to_owned();
        let limit = format!("{}.{:03}", limit_ms / 1_000, limit_ms % 1_000);
        let kind = kind_of(line);
        let room = left::room();
        let mut arguments = vec![note.as_str(), group.as_str(), limit.as_str(), &cwd, &room, kind];
        arguments.extend(line.words().iter().map(String::as_str));
        let command = Command {
            env,
            stdin,
            output_max_bytes,
            output_tail_bytes,
            room: Needed::Both,
            kill_after_ms: Some(limit_ms + BACKSTOP_MS),
            ..script(EXEC, &arguments)
        };
        let (keep_as, wait_ms, shown) = (options.keep_as, options.wait_ms, line.shown());
        Ok(Prepared { command, limit_ms, note, group, keep_as, wait_ms, shown, cwd })
    }
}

/// The argument KIND of the scripts that run a caller's command.
pub(crate) const fn kind_of(line: &CommandLine) -> &'static str {
    match line {
        CommandLine::Shell(_) => "shell",
        CommandLine::Argv(_) => "argv",
    }
}

/// Bytes to keep from the beginning and the end of each output.
fn kept_of_output(max_bytes: Option<u64>) -> Result<(usize, usize)> {
    let Some(max_bytes) = max_bytes else { return Ok((EXEC_OUTPUT_MAX_BYTES, 0)) };
    let max_bytes = usize::try_from(max_bytes).unwrap_or(usize::MAX);
    if !(EXEC_OUTPUT_MIN_BYTES..=EXEC_OUTPUT_MAX_BYTES).contains(&max_bytes) {
        return Err(Error::invalid(
            "maxOutputBytes",
            format!("must be {EXEC_OUTPUT_MIN_BYTES} to {EXEC_OUTPUT_MAX_BYTES}"),
        ));
    }
    Ok((max_bytes - max_bytes / 2, max_bytes / 2))
}

impl Prepared {
    /// An empty buffer for one of its output streams.
    pub(crate) fn ends(&self) -> Ends {
        Ends::new(self.command.output_max_bytes, self.command.output_tail_bytes)
    }

    /// The FIFO that [`go_on`] writes its request to.
    pub(crate) fn news(&self) -> String {
        format!("{}.news", self.note)
    }

    /// Reads from the script's exit status how the command ended.
    pub(crate) async fn ended(
        &self,
        container: &SandboxContainer,
        status: i32,
        killed: bool,
    ) -> Result<Ended> {
        let exit_code = if killed { EXEC_TIMEOUT_EXIT_CODE } else { status };
        let (mut timed_out, mut out_of_memory) = (killed, false);
        if [EXEC_TIMEOUT_EXIT_CODE, KILLED_EXIT_CODE].contains(&exit_code) && !killed {
            let command = script(r#"cat -- "$1" 2>/dev/null; rm -f -- "$1""#, &[&self.note]);
            let output = container.run(&command).await?;
            match String::from_utf8_lossy(&output.stdout).trim() {
                said if said.starts_with(NOTE_LEFT) => return left_behind(said),
                NOTE_OWN_STATUS => {}
                NOTE_MEMORY => out_of_memory = true,
                NOTE_NO_CWD => {
                    return Err(Error::new(
                        ErrorCode::NotFound,
                        format!("cwd: there is no directory {} that can be entered", self.cwd),
                    )
                    .with_hint(Next::MakeDirectory));
                }
                _ => timed_out = exit_code == EXEC_TIMEOUT_EXIT_CODE,
            }
        }
        Ok(Ended { exit_code, timed_out, left_running: None, out_of_memory })
    }
}

/// Asks a running command's script to let it go on as a background process.
pub(crate) async fn go_on(context: &Context, container: &SandboxContainer, news: &str) {
    if let Err(error) = container.run(&script(GO_ON, &[news])).await {
        // The container has ended, or we wait for the command until its time limit.
        context.warn("sandbox.go_on", &error);
    }
}

fn left_behind(note: &str) -> Result<Ended> {
    let mut lines = note.lines();
    let mut words = lines.next().unwrap_or_default().split(' ').skip(1);
    let mut word = || words.next().unwrap_or_default();
    let (status, timed_out, process) = (word(), word(), word());
    let Ok(exit_code) = (if status == "-" { Ok(GOES_ON_EXIT_CODE) } else { status.parse() }) else {
        return Err(Error::internal("exec.sh left a note that can't be read"));
    };
    let left_running = left::read(process, lines);
    Ok(Ended { exit_code, timed_out: timed_out == "yes", left_running, out_of_memory: false })
}

/// Decodes output as text, without a character that the limit cut in two.
pub(crate) fn text(bytes: &[u8], truncated: bool) -> String {
    let whole = match std::str::from_utf8(bytes) {
        Err(error) if truncated && error.error_len().is_none() => {
            bytes.get(..error.valid_up_to()).unwrap_or(bytes)
        }
        _ => bytes,
    };
    String::from_utf8_lossy(whole).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_cut_character_is_left_out() {
        assert_eq!(text("aé".as_bytes(), true), "aé");
        assert_eq!(text(b"a\xc3", true), "a");
        assert_eq!(text(b"a\xc3", false), "a\u{fffd}");
        assert_eq!(text(b"\xff", true), "\u{fffd}");
    }
}
