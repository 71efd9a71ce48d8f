//! What a command left running, as `scripts/exec/left.sh` reports it.

use crate::domain::ids::ProcessName;
use crate::domain::limits::{PROCESS_LOG_MAX_BYTES, PROCESSES_MAX};
use crate::ports::sandbox::{LeftProgram, LeftRunning};

/// The scripts' argument ROOM: how many processes may run, and how long each log may be.
pub(crate) fn room() -> String {
    format!("{PROCESSES_MAX} {PROCESS_LOG_MAX_BYTES}")
}

/// Parses the name of a process, or -, and the lines "PID COMMAND". None if nothing runs.
pub(crate) fn read<'a>(process: &str, lines: impl Iterator<Item = &'a str>) -> Option<LeftRunning> {
    let process = ProcessName::parse(process).ok().filter(|name| name.as_str() != "-");
    let programs: Vec<LeftProgram> = lines.filter_map(program).collect();
    (process.is_some() || !programs.is_empty()).then_some(LeftRunning { process, programs })
}

fn program(line: &str) -> Option<LeftProgram> {
    let (pid, command) = line.split_once(' ')?;
    Some(LeftProgram { pid: pid.parse().ok()?, command: command.to_owned() })
}

/// Joins the hints of an answer. `given_up` are processes whose logs have the output of commands
/// that ended because their callers gave up.
pub(crate) fn hint(
    left: Option<&LeftRunning>,
    other: Option<String>,
    given_up: Vec<ProcessName>,
) -> Option<String> {
    let earlier = given_up.into_iter().map(|name| {
        format!("the caller of an earlier command gave up, so the command was ended; the log of background process {name} has what it printed")
    });
    let about = left.map(|left| {
        let programs: Vec<String> =
            left.programs.iter().map(|one| format!("{} (pid {})", one.command, one.pid)).collect();
        let what = if programs.is_empty() { "a program".to_owned() } else { programs.join(", ") };
        match &left.process {
            Some(process) => format!(
                "still running: {what}; the log of background process {process} has what it prints from now on, and stopping that process ends it"
            ),
            None => format!("still running: {what}; its later output is not kept, so start a server as a background process"),
        }
    });
    let hints: Vec<String> = other.into_iter().chain(about).chain(earlier).collect();
    (!hints.is_empty()).then(|| hints.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_still_runs_is_read_and_named() {
        let left = read("left-1", ["17 node server.js", "x y", "18"].into_iter()).unwrap();
        let LeftRunning { process, programs } = &left;
        assert_eq!(process.as_ref().map(ProcessName::as_str), Some("left-1"));
        assert_eq!(programs, &[LeftProgram { pid: 17, command: "node server.js".into() }]);
        let said = hint(Some(&left), Some("first".into()), Vec::new()).unwrap();
        assert!(said.starts_with("first; still running: node server.js (pid 17); "), "{said}");
        assert!(said.contains("the log of background process left-1"), "{said}");
        assert_eq!(read("-", std::iter::empty()), None);
        let dropped = read("-", ["5 a b"].into_iter());
        assert!(hint(dropped.as_ref(), None, Vec::new()).unwrap().contains("not kept"));
        assert_eq!(hint(None, None, Vec::new()), None);
        let given_up = vec![ProcessName::parse("aborted-1").unwrap()];
        assert!(hint(None, None, given_up).unwrap().contains("process aborted-1 has"));
    }
}
