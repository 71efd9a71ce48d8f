//! Commands that go on as background processes once they have been waited for.

#![expect(clippy::disallowed_methods, reason = "real processes take real time")]

use crate::exec::stream::read_all;
use crate::texts::GO_ON;
use crate::{World, now};
use snapshotter::domain::ids::ProcessName;
use snapshotter::ports::sandbox::exec_event::ExecEventKind;
use snapshotter::ports::sandbox::{
    CommandLine, ExecOptions, ExecResult, ProcessOptions, ProcessState, ProcessView, SandboxApi,
};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const WAITS: &str = "while [ ! -e go ]; do sleep 0.05; done";

impl World {
    fn in_root(&self) -> ExecOptions {
        ExecOptions { cwd: Some(self.root.clone()), ..ExecOptions::default() }
    }

    /// Asks the running command to go on after a while, as the sandbox does, which waits here for
    /// the command's script.
    fn ask_after(&self, wait_ms: u64) {
        let own = self.own.path().to_owned();
        let all = move || -> BTreeSet<PathBuf> {
            let entries = std::fs::read_dir(&own).unwrap().map(|entry| entry.unwrap().path());
            entries.filter(|path| path.extension().is_some_and(|end| end == "news")).collect()
        };
        let others = all();
        let asked = move || all().difference(&others).next().cloned();
        std::thread::spawn(move || {
            while asked().is_none() {
                std::thread::sleep(Duration::from_millis(10));
            }
            std::thread::sleep(Duration::from_millis(wait_ms));
            let news = asked().unwrap();
            let words = ["-c", GO_ON, "sh", news.to_str().unwrap()];
            std::process::Command::new("sh").args(words).status().unwrap();
        });
    }

    fn run_for(&self, wait_ms: u64, command: &str) -> ExecResult {
        self.run_with(wait_ms, command, self.in_root())
    }

    fn run_with(&self, wait_ms: u64, command: &str, options: ExecOptions) -> ExecResult {
        self.ask_after(wait_ms);
        now(self.sandbox.exec(CommandLine::Shell(command.to_owned()), options)).unwrap()
    }

    /// A process once it has ended, and all that is in its log.
    fn until_end(&self, name: &ProcessName) -> (ProcessView, String) {
        let began = Instant::now();
        loop {
            let options = ProcessOptions { offset: Some(0), ..ProcessOptions::default() };
            let log = now(self.sandbox.read_process_log(name.clone(), options)).unwrap();
            if log.process.state == ProcessState::Ended {
                return (log.process, log.text);
            }
            assert!(began.elapsed() < Duration::from_secs(20), "{log:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// What commands have left in the sandbox's own directory, beside its identity and the processes.
    fn own_files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.own.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("exec-")).collect()
    }
}

fn process(result: &ExecResult) -> ProcessName {
    assert_eq!((result.exit_code, result.success, result.timed_out), (-1, false, false));
    let left = result.left_running.as_ref().unwrap_or_else(|| panic!("{result:?}"));
    left.process.clone().unwrap_or_else(|| panic!("{result:?}"))
}

#[test]
fn it_goes_on_with_its_files_its_output_and_its_exit_code() {
    let world = World::new();
    let command = format!("echo begun; echo error >&2; {WAITS}; echo later; echo bad >&2; exit 7");
    let began = Instant::now();
    let result = world.run_for(500, &command);
    assert!(began.elapsed() < Duration::from_secs(8), "nobody waits for its end");
    assert_eq!((result.stdout.as_str(), result.stderr.as_str()), ("begun\n", "error\n"));
    let name = process(&result);
    assert_eq!(name.as_str(), "run-1");
    let hint = result.hint.unwrap();
    assert!(hint.contains("bash -c") && hint.contains("background process run-1"), "{hint}");
    let listed = now(world.sandbox.list_processes(ProcessOptions::default())).unwrap();
    let [running] = listed.processes.as_slice() else { panic!("{listed:?}") };
    assert_eq!((running.state, running.exit_code), (ProcessState::Running, None));
    assert!(running.command.contains("echo begun"), "{running:?}");
    assert!(now(world.sandbox.runs_commands()).unwrap(), "its container must not be stopped");
    world.put("go", "");
    let (ended, log) = world.until_end(&name);
    assert_eq!(ended.exit_code, Some(7));
    assert!(log.contains("later\n") && log.contains("bad\n") && !log.contains("begun"), "{log}");
    assert_eq!(world.own_files(), Vec::<String>::new());
    assert!(!now(world.sandbox.runs_commands()).unwrap());
}

#[test]
fn nothing_that_it_prints_is_lost_or_printed_twice() {
    let world = World::new();
    let command = "for i in $(seq 1 600); do echo $i; sleep 0.002; done";
    for streams in [false, true] {
        let options = ExecOptions { followed: streams, ..world.in_root() };
        let result = if streams {
            world.ask_after(600);
            let command = CommandLine::Shell(command.to_owned());
            let events = read_all(now(world.sandbox.exec_stream(command, options)).unwrap());
            let Some(ExecEventKind::Complete { result, .. }) = events.last() else {
                panic!("{events:?}")
            };
            result.clone()
        } else {
            world.run_with(600, command, options)
        };
        let (ended, log) = world.until_end(&process(&result));
        let wanted: String = (1..=600).map(|number| format!("{number}\n")).collect();
        assert!(!result.stdout.is_empty() && !log.is_empty(), "{result:?}");
        assert_eq!(result.stdout + &log, wanted);
        assert_eq!(ended.exit_code, Some(0));
    }
}

#[test]
fn its_time_limit_stays() {
    let world = World::new();
    let options = ExecOptions { timeout: Some(1_500), ..world.in_root() };
    let result = world.run_with(300, "echo $$; sleep 300", options);
    let (ended, _) = world.until_end(&process(&result));
    assert_eq!(ended.exit_code, Some(124));
}

#[test]
fn a_stop_ends_it_wherever_it_prints() {
    let world = World::new();
    for command in ["sleep 300", "exec sleep 300 >/dev/null 2>&1", "trap '' TERM; sleep 300"] {
        let result = world.run_for(300, command);
        let name = process(&result);
        assert!(now(world.sandbox.runs_commands()).unwrap(), "{command}");
        let began = Instant::now();
        let stopped = now(world.sandbox.stop_process(name, ProcessOptions::default())).unwrap();
        assert_eq!(stopped.state, ProcessState::Ended, "{command}");
        assert!(began.elapsed() < Duration::from_secs(15), "{command}");
        assert!(!now(world.sandbox.runs_commands()).unwrap(), "{command}");
    }
}

#[test]
fn without_a_free_process_it_is_waited_for() {
    let world = World::new();
    for _ in 0..16 {
        process(&world.run_for(100, "sleep 300"));
    }
    let command = "for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.1; done; exit 3";
    let result = world.run_for(300, command);
    assert_eq!((result.exit_code, result.left_running), (3, None));
    assert_eq!(result.stdout, "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
}

#[test]
fn one_that_ends_in_time_is_answered_as_ever() {
    let world = World::new();
    let run = |command: &str, options: ExecOptions| {
        now(world.sandbox.exec(CommandLine::Shell(command.to_owned()), options)).unwrap()
    };
    let options = || ExecOptions { wait_ms: Some(20_000), ..world.in_root() };
    let result = run("echo done; exit 4", options());
    assert_eq!((result.exit_code, result.stdout.as_str()), (4, "done\n"));
    assert_eq!((result.left_running, result.hint), (None, None));
    // A shell ignores these two for what it runs in the background, which a command would inherit.
    let result = run("grep SigIgn /proc/self/status", options());
    let ignored = result.stdout.trim().rsplit(['\t', ' ']).next().unwrap().to_owned();
    assert_eq!(u64::from_str_radix(&ignored, 16).unwrap() & 0b110, 0, "SIGINT and SIGQUIT");
    assert_eq!(run("cat", ExecOptions { stdin: Some("in\n".into()), ..options() }).stdout, "in\n");
    assert_eq!(world.own_files(), Vec::<String>::new());
}
