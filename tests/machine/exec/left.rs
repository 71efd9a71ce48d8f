//! Programs that a command starts in the background and leaves running.

#![expect(clippy::disallowed_methods, reason = "real processes take real time")]

use crate::exec::stream::read_all;
use crate::{World, now};
use snapshotter::domain::ids::ProcessName;
use snapshotter::ports::sandbox::exec_event::ExecEventKind;
use snapshotter::ports::sandbox::{
    CommandLine, ExecOptions, ExecResult, LeftRunning, ProcessOptions, SandboxApi,
};
use std::time::{Duration, Instant};

impl World {
    fn leave(&self, command: &str) -> ExecResult {
        let options = ExecOptions { cwd: Some(self.root.clone()), ..ExecOptions::default() };
        now(self.sandbox.exec(CommandLine::Shell(command.to_owned()), options)).unwrap()
    }

    /// What a process printed, once it has `wanted`.
    fn log_with(&self, name: &ProcessName, wanted: &str) -> String {
        let began = Instant::now();
        loop {
            let options = ProcessOptions { max_bytes: Some(131_072), ..ProcessOptions::default() };
            let log = now(self.sandbox.read_process_log(name.clone(), options)).unwrap();
            if log.text.contains(wanted) {
                return log.text;
            }
            assert!(began.elapsed() < Duration::from_secs(20), "{log:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn appears(&self, path: &str) -> bool {
        let began = Instant::now();
        while !self.real(path).exists() && began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.real(path).exists()
    }
}

fn left(result: &ExecResult) -> &LeftRunning {
    result.left_running.as_ref().unwrap_or_else(|| panic!("{result:?}"))
}

fn runs(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

const SERVER: &str = "(while [ ! -e go ]; do sleep 0.05; done; echo later; echo bad >&2; echo lives >lived; exec sleep 300) &";

#[test]
fn a_server_started_with_an_ampersand_lives_on_and_its_output_is_found() {
    let world = World::new();
    let began = Instant::now();
    let result = world.leave(&format!("{SERVER} echo begun; echo error >&2; exit 3"));
    assert!(began.elapsed() < Duration::from_secs(5), "nobody waits for it");
    assert_eq!(
        (result.exit_code, result.stdout.as_str(), result.stderr.as_str()),
        (3, "begun\n", "error\n")
    );
    assert!(!result.timed_out);
    let process = left(&result).process.clone().unwrap();
    let server = left(&result).programs.first().unwrap().clone();
    assert!(server.command.starts_with("bash -c"), "{server:?}");
    let hint = result.hint.clone().unwrap();
    assert!(
        hint.contains("log of background process") && hint.contains(process.as_str()),
        "{hint}"
    );
    // Its next prints reach a reader.
    world.put("go", "");
    assert!(world.appears("lived"), "it died at its first print");
    let log = world.log_with(&process, "bad\n");
    assert!(log.contains("later\n"), "{log}");
    let listed = now(world.sandbox.list_processes(ProcessOptions::default())).unwrap();
    let shown = listed.processes.iter().find(|one| one.name == process).unwrap();
    assert!(shown.command.contains("echo begun"), "{shown:?}");
    assert_eq!(shown.exit_code, None);
    assert!(runs(server.pid));
    now(world.sandbox.stop_process(process.clone(), ProcessOptions::default())).unwrap();
    assert!(!runs(server.pid), "a stop ends it");
    assert!(world.log_with(&process, "bad\n").contains("later\n"), "and its log stays");
    // A second one has a name of its own.
    let again = world.leave("sleep 300 & echo again");
    assert_ne!(left(&again).process.as_ref(), Some(&process));
}

#[test]
fn what_prints_without_end_is_read_without_end() {
    let world = World::new();
    let chatty = "(for i in $(seq 1 100000); do echo \"line $i of a program that prints all the time\"; done; echo x >finished; sleep 300) & echo started";
    let result = world.leave(chatty);
    assert!(result.stdout.starts_with("started\n") || result.stdout.contains("\nstarted\n"));
    assert!(world.appears("finished"), "it died or hung");
    let process = left(&result).process.clone().unwrap();
    world.log_with(&process, "line 100000 of");
}

#[test]
fn all_that_the_command_printed_is_in_its_answer() {
    let world = World::new();
    let result = world
        .leave("sleep 300 & head -c 900000 /dev/zero | tr '\\0' x; printf end; printf err >&2");
    assert_eq!((result.stdout.len(), result.stderr.as_str()), (900_003, "err"));
    assert!(result.stdout.ends_with("xend"));
    assert!(left(&result).process.is_some());
}

#[test]
fn one_that_prints_elsewhere_is_named_and_nothing_else_is() {
    let world = World::new();
    let result = world.leave("sleep 300 >/dev/null 2>&1 & echo $!");
    let found = left(&result);
    assert_eq!(found.process, None);
    assert_eq!(found.programs.first().map(|one| one.command.as_str()), Some("sleep 300"));
    assert_eq!(
        found.programs.first().map(|one| one.pid.to_string()),
        Some(result.stdout.trim().into())
    );
    for command in ["echo a | cat; true &", "exit 124", "diff <(echo a) <(echo a)"] {
        let result = world.leave(command);
        assert_eq!((result.left_running, result.hint), (None, None), "{command}");
    }
    // Nothing but the disk's identity stays.
    assert_eq!(std::fs::read_dir(world.own.path()).unwrap().count(), 1);
}

#[test]
fn a_stream_ends_with_the_command_and_names_what_it_left() {
    let world = World::new();
    let options = ExecOptions { cwd: Some(world.root.clone()), ..ExecOptions::default() };
    let command = CommandLine::Shell(format!("{SERVER} echo begun"));
    let events = read_all(now(world.sandbox.exec_stream(command, options)).unwrap());
    let Some(ExecEventKind::Complete { exit_code: 0, result }) = events.last() else {
        panic!("{events:?}")
    };
    world.put("go", "");
    world.log_with(left(result).process.as_ref().unwrap(), "later\n");
    assert!(world.appears("lived"));
}

#[test]
fn without_a_free_process_its_output_is_dropped_and_it_lives_on() {
    let world = World::new();
    for _ in 0..16 {
        assert!(left(&world.leave("sleep 300 &")).process.is_some());
    }
    let result = world.leave(&format!("{SERVER} echo begun"));
    assert_eq!(left(&result).process, None);
    assert!(!left(&result).programs.is_empty());
    world.put("go", "");
    assert!(world.appears("lived"), "it died at its first print");
}

#[test]
fn what_a_time_limit_ends_has_5_s_and_then_no_more() {
    let world = World::new();
    let limited = |command: &str| {
        let options = ExecOptions {
            cwd: Some(world.root.clone()),
            timeout: Some(500),
            ..ExecOptions::default()
        };
        now(world.sandbox.exec(CommandLine::Shell(command.to_owned()), options)).unwrap()
    };
    let result = limited("trap 'sleep 1; echo bye; exit 1' TERM; while :; do sleep 0.1; done");
    assert!(result.timed_out && result.exit_code == 124 && result.stdout == "bye\n", "{result:?}");
    assert_eq!(result.left_running, None);
    let result = limited("trap '' TERM; echo $$; while :; do sleep 0.1; done");
    assert!(result.timed_out && !runs(result.stdout.trim().parse().unwrap()), "{result:?}");
}
