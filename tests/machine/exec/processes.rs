//! Background processes.

#![expect(clippy::disallowed_methods, reason = "real processes take real time")]

use crate::{World, now};
use serde_json::json;
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::ids::ProcessName;
use snapshotter::domain::limits::{PROCESS_LOG_MAX_BYTES, PROCESSES_MAX};
use snapshotter::ports::sandbox::{
    CommandLine, ProcessLog, ProcessOptions, ProcessState, ProcessView, SandboxApi,
    StartProcessOptions,
};
use std::time::{Duration, Instant};

fn name(text: &str) -> ProcessName {
    ProcessName::parse(text).unwrap()
}

impl World {
    fn start_with(
        &self,
        called: &str,
        line: CommandLine,
        timeout: Option<u64>,
    ) -> Result<ProcessView, Error> {
        let env = [("OWN".to_owned(), "its own".to_owned())].into();
        let options =
            StartProcessOptions { cwd: self.root.clone(), env, timeout, instance_id: None };
        now(self.sandbox.start_process(name(called), line, options))
    }

    fn start(&self, called: &str, line: &str) -> Result<ProcessView, Error> {
        self.start_with(called, CommandLine::Shell(line.to_owned()), None)
    }

    fn log(&self, called: &str, offset: Option<u64>, wait_ms: u64) -> ProcessLog {
        let options =
            ProcessOptions { offset, wait_ms: Some(wait_ms), ..ProcessOptions::default() };
        now(self.sandbox.read_process_log(name(called), options)).unwrap()
    }

    fn processes(&self) -> Vec<ProcessView> {
        now(self.sandbox.list_processes(ProcessOptions::default())).unwrap().processes
    }

    fn stop(&self, called: &str) -> Result<ProcessView, Error> {
        now(self.sandbox.stop_process(name(called), ProcessOptions::default()))
    }

    fn ended(&self, called: &str) -> ProcessView {
        let began = Instant::now();
        loop {
            let found = self.processes().into_iter().find(|one| one.name == name(called)).unwrap();
            if found.state == ProcessState::Ended {
                return found;
            }
            assert!(began.elapsed() < Duration::from_secs(20), "{found:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn the_users_of_a_directory_are_listed_and_go_on() {
    let world = World::new();
    world.start("web", "sleep 60").unwrap();
    let users =
        now(world.sandbox.list_users(world.root.clone(), ProcessOptions::default())).unwrap();
    assert_eq!(users.background, [name("web")]);
    assert!(users.processes.iter().any(|one| one.command.contains("sleep 60")), "{users:?}");
    assert_eq!(world.processes()[0].state, ProcessState::Running);
    world.stop("web").unwrap();
    let users =
        now(world.sandbox.list_users(world.root.clone(), ProcessOptions::default())).unwrap();
    assert_eq!(users.background, []);
}

#[test]
fn a_process_outlives_the_call_and_its_output_is_read_from_an_offset() {
    let world = World::new();
    let line = "echo begun in \"$(pwd)\" with \"$OWN\"; read -r _; echo err >&2; while [ ! -e go ]; do sleep 0.1; done; printf 'é\\n'; exit 7";
    let started = world.start("web", line).unwrap();
    assert_eq!((started.state, started.exit_code), (ProcessState::Running, None));
    assert!(started.command.starts_with("echo begun in"), "{started:?}");
    let first = world.log("web", Some(0), 5_000);
    assert!(first.text.starts_with("begun in /"), "{first:?}");
    assert!(first.text.contains("/workspace with its own"), "{first:?}");
    let mut second = first;
    while !second.text.ends_with("err\n") {
        second = world.log("web", Some(second.next_offset), 5_000);
        assert!(!second.text.is_empty(), "the error output does not arrive");
    }
    // There is nothing more, and so it waits.
    let began = Instant::now();
    let third = world.log("web", Some(second.next_offset), 600);
    assert_eq!((third.text.as_str(), third.next_offset), ("", second.next_offset));
    assert!(began.elapsed() >= Duration::from_millis(500));
    world.put("go", "");
    let fourth = world.log("web", Some(second.next_offset), 10_000);
    assert_eq!(fourth.text, "é\n");
    let ended = world.ended("web");
    assert_eq!(ended.exit_code, Some(7));
    assert!(ended.ended_at.is_some());
    let all = world.log("web", None, 0);
    assert_eq!((all.offset, all.next_offset), (0, ended.log_bytes));
    // It gives its name up.
    world.start("web", "true").unwrap();
    assert_eq!(world.ended("web").exit_code, Some(0));
    assert_eq!(world.log("web", Some(99), 0).offset, 0, "no further than its end");
}

#[test]
fn a_stop_ends_all_that_it_started_even_what_ignores_it() {
    let world = World::new();
    world
        .start("kind", "trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.1; done")
        .unwrap();
    world.log("kind", Some(0), 5_000);
    let stopped = world.stop("kind").unwrap();
    assert_eq!((stopped.state, stopped.exit_code), (ProcessState::Ended, Some(3)));
    // The shell also tells of its own child, which the signal ended.
    assert!(world.log("kind", None, 0).text.ends_with("\nbye\n"));
    assert_eq!(world.stop("kind").unwrap(), stopped, "once more");
    world
        .start("stubborn", "trap '' TERM; (trap '' TERM; sleep 300) & echo $!; sleep 300")
        .unwrap();
    let child: u32 = world.log("stubborn", Some(0), 5_000).text.trim().parse().unwrap();
    let stopped = world.stop("stubborn").unwrap();
    assert_eq!((stopped.state, stopped.exit_code), (ProcessState::Ended, Some(137)));
    let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
    assert_eq!(world.stop("none").unwrap_err().code, ErrorCode::NotFound);
}

#[test]
fn names_counts_and_places_are_checked() {
    let world = World::new();
    world.start("a", "sleep 300").unwrap();
    assert_eq!(world.start("a", "true").unwrap_err().code, ErrorCode::Conflict);
    assert_eq!(world.start("b", "").unwrap_err().code, ErrorCode::InvalidArgument);
    world
        .start_with(
            "argv",
            CommandLine::Argv(vec!["printf".into(), "%s".into(), "$HOME".into()]),
            None,
        )
        .unwrap();
    world.ended("argv");
    assert_eq!(world.log("argv", None, 0).text, "$HOME");
    world.start("missing", "no-such-program").unwrap();
    assert_eq!(world.ended("missing").exit_code, Some(127));
    assert!(world.log("missing", None, 0).text.contains("not found"));
    let env = Default::default();
    let cwd = snapshotter::domain::files::path::AbsolutePath::parse("cwd", "/none").unwrap();
    let options = StartProcessOptions { cwd, env, timeout: None, instance_id: None };
    let line = CommandLine::Shell("true".into());
    let refused = now(world.sandbox.start_process(name("c"), line, options)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotFound);
    for more in 1..PROCESSES_MAX {
        world.start(&format!("p{more}"), "sleep 300").unwrap();
    }
    let refused = world.start("last", "true").unwrap_err();
    assert_eq!(refused.code, ErrorCode::QuotaExceeded);
    assert_eq!(refused.details, Some(json!({ "limit": "processes" })));
    for process in world.processes() {
        world.stop(process.name.as_str()).unwrap();
    }
    // Ended ones are forgotten, the oldest first.
    for more in 0..PROCESSES_MAX {
        world.start(&format!("q{more}"), "true").unwrap();
    }
    let listed = world.processes();
    assert!(!listed.iter().any(|one| ["a", "argv"].contains(&one.name.as_str())), "{listed:?}");
    assert!(listed.len() <= 2 * PROCESSES_MAX as usize, "{listed:?}");
}

#[test]
fn a_process_ends_at_its_limit() {
    let world = World::new();
    world.start_with("long", CommandLine::Shell("sleep 300".into()), Some(1_000)).unwrap();
    assert_eq!(world.ended("long").exit_code, Some(143));
}

#[test]
fn the_older_half_of_a_long_log_is_dropped() {
    let world = World::new();
    let lines = PROCESS_LOG_MAX_BYTES / 10 + 1_000;
    world
        .start(
            "loud",
            &format!("seq -f '%09.0f' {lines}; while [ ! -e go ]; do sleep 0.1; done; echo end"),
        )
        .unwrap();
    let began = Instant::now();
    while world.log("loud", Some(0), 0).offset == 0 {
        assert!(began.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(200));
    }
    let first = world.log("loud", Some(0), 0);
    // A line has ten bytes, and its number says where it is.
    let cut = (10 - first.offset % 10) % 10;
    let line = first.text[usize::try_from(cut).unwrap()..].lines().next().unwrap().to_owned();
    assert_eq!(line.parse::<u64>().unwrap(), (first.offset + cut) / 10 + 1);
    world.put("go", "");
    let ended = world.ended("loud");
    assert_eq!(ended.log_bytes, lines * 10 + 4);
    assert!(world.log("loud", None, 0).text.ends_with("\nend\n"));
}

#[test]
fn what_a_process_started_is_named_bounded_and_stopped_after_its_end() {
    let world = World::new();
    let line = "(while [ ! -e go ]; do sleep 0.05; done; head -c 20000000 /dev/zero | tr '\\0' x; echo done; exec sleep 300) & echo begun";
    world.start("web", line).unwrap();
    let ended = world.ended("web");
    assert_eq!((ended.exit_code, ended.left_running), (Some(0), true));
    assert_eq!(world.start("web", "true").unwrap_err().code, ErrorCode::Conflict, "it still runs");
    world.put("go", "");
    // Its log is still trimmed.
    let log = world.own.path().join("processes/web/log");
    let began = Instant::now();
    loop {
        let size = std::fs::metadata(&log).unwrap().len();
        let printed = world.log("web", None, 0).process.log_bytes;
        if printed >= 20_000_000 && size <= PROCESS_LOG_MAX_BYTES {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{size} of {printed}");
        std::thread::sleep(Duration::from_millis(100));
    }
    let stopped = world.stop("web").unwrap();
    assert_eq!((stopped.state, stopped.left_running), (ProcessState::Ended, false));
    world.start("web", "true").unwrap();
}

#[test]
fn a_stop_reaches_a_daemon_that_left_the_group_but_prints_to_the_log() {
    let world = World::new();
    world.start("d", "setsid sleep 301 & echo $!").unwrap();
    assert!(world.ended("d").left_running);
    world.stop("d").unwrap();
    let running = std::process::Command::new("pgrep").args(["-f", "^sleep 301"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&running.stdout), "");
}
