//! Background processes of the container. Their state lies on its disk, and ends with it.

use crate::domain::error::{Error, ErrorCode, Next, Result};
use crate::domain::exec::OUT_OF_MEMORY;
use crate::domain::files::path::AbsolutePath;
use crate::domain::ids::{InstanceId, ProcessName};
use crate::domain::limits::{
    ENDED_SHOWN, EXEC_TIMEOUT_MAX_MS, PROCESS_LOG_MAX_BYTES, PROCESS_LOG_READ_BYTES,
    PROCESS_LOG_READ_MAX_BYTES, PROCESS_LOG_READ_MIN_BYTES, PROCESS_LOG_WAIT_MAX_MS, PROCESSES_MAX,
};
use crate::domain::session::config::check_env_vars;
use crate::domain::text::utf8::whole;
use crate::domain::time::rfc3339;
use crate::ports::container::{Command, Output};
use crate::ports::sandbox::{
    CommandLine, DirUsers, ProcessList, ProcessLog, ProcessOptions, ProcessState, ProcessView,
    StartProcessOptions,
};
use crate::sandbox::exec::environment::environment;
use crate::sandbox::exec::run::kind_of;
use crate::sandbox::parts::container::SandboxContainer;
use crate::sandbox::parts::context::Context;
use crate::sandbox::scripts::{
    LIST_PROCESSES, LIST_USERS, READ_LOG, START_PROCESS, STOP_PROCESS, complaint, ended,
    processes_dir, script, status,
};
use serde_json::json;
use std::rc::Rc;

/// Bytes that the script prints beside the output.
const HEAD_BYTES: usize = 4 * 1024;

parts!(Processes { context: Context, container: Rc<SandboxContainer> });

impl Processes<'_> {
    pub(crate) async fn start(
        &self,
        name: &ProcessName,
        line: &CommandLine,
        options: StartProcessOptions,
    ) -> Result<ProcessView> {
        line.check()?;
        check_env_vars("env", &options.env)?;
        if options.timeout.is_some_and(|ms| !(1..=EXEC_TIMEOUT_MAX_MS).contains(&ms)) {
            return Err(Error::invalid("timeout", format!("must be 1 to {EXEC_TIMEOUT_MAX_MS}")));
        }
        let limit = options.timeout.map_or_else(String::new, |ms| ms.div_ceil(1_000).to_string());
        let (all, shown) = (processes_dir(), line.shown());
        let (most, log_most) = (PROCESSES_MAX.to_string(), PROCESS_LOG_MAX_BYTES.to_string());
        let cwd = options.cwd.as_str();
        let mut arguments =
            vec![&all, name.as_str(), &shown, &most, &log_most, limit.as_str(), cwd, kind_of(line)];
        arguments.extend(line.words().iter().map(String::as_str));
        let env = environment(self.context, options.env)?;
        let command = Command { env, ..script(START_PROCESS, &arguments) };
        let output = self.run_on_process(command, options.instance_id.as_ref()).await?;
        let printed = String::from_utf8_lossy(&output.stdout);
        printed.lines().find_map(read).ok_or_else(unreadable)
    }

    pub(crate) async fn list(&self, options: &ProcessOptions) -> Result<ProcessList> {
        let command = script(LIST_PROCESSES, &[&processes_dir()]);
        let output = self.run_on_process(command, options.instance_id.as_ref()).await?;
        let printed = String::from_utf8_lossy(&output.stdout);
        Ok(ProcessList { processes: printed.lines().filter_map(read).collect() })
    }

    /// Lists the processes that a rewind of a directory would end.
    pub(crate) async fn users_of(
        &self,
        dir: &AbsolutePath,
        options: &ProcessOptions,
    ) -> Result<DirUsers> {
        let most = ENDED_SHOWN.to_string();
        let command = script(LIST_USERS, &[dir.as_str(), &most, &processes_dir()]);
        let output = self.run_on_process(command, options.instance_id.as_ref()).await?;
        let printed = String::from_utf8_lossy(&output.stdout);
        let name = |line: &str| ProcessName::parse(line.strip_prefix("background ")?).ok();
        Ok(DirUsers {
            processes: printed.lines().filter_map(ended).collect(),
            background: printed.lines().filter_map(name).collect(),
        })
    }

    pub(crate) async fn log_of(
        &self,
        name: &ProcessName,
        options: &ProcessOptions,
    ) -> Result<ProcessLog> {
        let most = options.max_bytes.unwrap_or(PROCESS_LOG_READ_BYTES);
        if !(PROCESS_LOG_READ_MIN_BYTES..=PROCESS_LOG_READ_MAX_BYTES).contains(&most) {
            let range =
                format!("must be {PROCESS_LOG_READ_MIN_BYTES} to {PROCESS_LOG_READ_MAX_BYTES}");
            return Err(Error::invalid("maxBytes", range));
        }
        let wait_ms = options.wait_ms.unwrap_or_default();
        if wait_ms > PROCESS_LOG_WAIT_MAX_MS {
            let range = format!("must be at most {PROCESS_LOG_WAIT_MAX_MS}");
            return Err(Error::invalid("waitMs", range));
        }
        let offset = options.offset.map_or_else(String::new, |offset| offset.to_string());
        let (all, max, wait) =
            (processes_dir(), most.to_string(), wait_ms.div_ceil(100).to_string());
        let arguments = [all.as_str(), name.as_str(), &offset, &max, &wait];
        let mut command = script(READ_LOG, &arguments);
        command.output_max_bytes = HEAD_BYTES + usize::try_from(most).unwrap_or_default();
        let output = self.run_on_process(command, options.instance_id.as_ref()).await?;
        let mut parts = output.stdout.splitn(3, |byte| *byte == b'\n');
        let mut line = || parts.next().map(String::from_utf8_lossy);
        let process = line().and_then(|text| read(&text)).ok_or_else(unreadable)?;
        let offset = line().and_then(|at| at.parse::<u64>().ok()).ok_or_else(unreadable)?;
        let bytes = parts.next().unwrap_or_default();
        // The next call gets the rest of a character that is cut.
        let end = offset.saturating_add(bytes.len() as u64);
        let is_end = end >= process.log_bytes && process.state == ProcessState::Ended;
        let bytes = if is_end { bytes } else { whole(bytes) };
        let next_offset = offset.saturating_add(bytes.len() as u64);
        Ok(ProcessLog {
            process,
            offset,
            next_offset,
            text: String::from_utf8_lossy(bytes).into_owned(),
        })
    }

    /// Ends a background process, and all that it started in its process group.
    pub(crate) async fn stop(
        &self,
        name: &ProcessName,
        options: &ProcessOptions,
    ) -> Result<ProcessView> {
        let command = script(STOP_PROCESS, &[&processes_dir(), name.as_str()]);
        let output = self.run_on_process(command, options.instance_id.as_ref()).await?;
        let printed = String::from_utf8_lossy(&output.stdout);
        printed.lines().find_map(read).ok_or_else(unreadable)
    }

    async fn run_on_process(
        &self,
        command: Command,
        instance: Option<&InstanceId>,
    ) -> Result<Output> {
        self.container.require_disk(instance).await?;
        let output = self.container.run_bounded(&command).await?;
        let said = complaint(&output);
        Err(match output.exit_code {
            0 if !output.killed => return Ok(output),
            status::NOT_FOUND if said.starts_with("there is no directory") => {
                Error::new(ErrorCode::NotFound, format!("cwd: {said}"))
                    .with_hint(Next::MakeDirectory)
            }
            status::NOT_FOUND => no_process(said),
            status::EXISTS => Error::new(ErrorCode::Conflict, said)
                .with_hint("stop it first, or choose another name"),
            status::BUSY => Error::new(ErrorCode::QuotaExceeded, said)
                .with_hint("stop one of them first")
                .with_details(json!({ "limit": "processes" })),
            _ => Error::new(ErrorCode::Unavailable, said).with_hint("call again"),
        })
    }
}

fn no_process(said: String) -> Error {
    Error::new(ErrorCode::NotFound, said).with_hint(Next::ListProcesses)
}

/// The log must not have a process's output.
fn unreadable() -> Error {
    Error::internal("a script for processes printed unexpected output")
}

fn read(line: &str) -> Option<ProcessView> {
    let mut words = line.splitn(7, ' ');
    let name = ProcessName::parse(words.next()?).ok()?;
    let (state, left_running) = match words.next()? {
        "running" => (ProcessState::Running, false),
        "ended" => (ProcessState::Ended, false),
        "left" => (ProcessState::Ended, true),
        _ => return None,
    };
    let started_at = rfc3339(words.next()?.parse().ok()?);
    let ended_at = words.next()?.parse().ok().map(rfc3339);
    let status = words.next()?;
    let (status, out_of_memory) =
        status.strip_suffix("+memory").map_or((status, false), |status| (status, true));
    let exit_code = status.parse().ok();
    let log_bytes = words.next()?.parse().ok()?;
    let command = words.next()?.to_owned();
    Some(ProcessView {
        name,
        state,
        exit_code,
        started_at,
        ended_at,
        log_bytes,
        command,
        left_running,
        hint: out_of_memory.then(|| OUT_OF_MEMORY.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_of_a_process_is_read() {
        let ended = read("web ended 1795300696500 1795300697000 143 12 npm run dev").unwrap();
        assert_eq!((ended.state, ended.exit_code), (ProcessState::Ended, Some(143)));
        assert_eq!(ended.started_at, "2026-11-21T22:38:16.500Z");
        assert_eq!(ended.command, "npm run dev");
        assert!(!ended.left_running);
        assert_eq!(ended.hint, None);
        let killed = read("web ended 1 2 137+memory 12 npm run dev").unwrap();
        assert_eq!((killed.exit_code, killed.hint.as_deref()), (Some(137), Some(OUT_OF_MEMORY)));
        let left = read("web left 1 2 0 12 npm run dev").unwrap();
        assert_eq!((left.state, left.left_running), (ProcessState::Ended, true));
        let runs = read("web running 1 - - 0 ").unwrap();
        assert_eq!((runs.ended_at, runs.exit_code, runs.command.as_str()), (None, None, ""));
        for bad in
            ["", "web", "../x running 1 - - 0 a", "web gone 1 - - 0 a", "web running x - - 0 a"]
        {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
