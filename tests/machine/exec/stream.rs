//! Commands whose output streams while they run, and that end when nobody listens.

use crate::{World, now};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::ProcessName;
use snapshotter::ports::sandbox::exec_event::{ExecEvent, ExecEventKind, ExecEventReader};
use snapshotter::ports::sandbox::{
    CommandLine, ExecOptions, ProcessOptions, ProcessState, SandboxApi,
};
use snapshotter::ports::stream::Bytes;
use std::path::Path;

impl World {
    fn stream(&self, command: &str, timeout_ms: u64) -> Bytes {
        let command = CommandLine::Shell(command.to_owned());
        let options = ExecOptions {
            cwd: Some(self.root.clone()),
            timeout: Some(timeout_ms),
            ..ExecOptions::default()
        };
        now(self.sandbox.exec_stream(command, options)).unwrap()
    }
}

/// Reads up to the first wanted event.
fn read_to(stream: &mut Bytes, wanted: impl Fn(&ExecEventKind) -> bool) -> Vec<ExecEventKind> {
    let (mut reader, mut events) = (ExecEventReader::default(), Vec::new());
    while let Some(bytes) = now(stream.next()).unwrap() {
        events.extend(reader.read(&bytes).unwrap().into_iter().map(|ExecEvent { kind, .. }| kind));
        if events.iter().any(&wanted) {
            break;
        }
    }
    events
}

pub(super) fn read_all(mut stream: Bytes) -> Vec<ExecEventKind> {
    read_to(&mut stream, |_| false)
}

/// Whether a process runs. A zombie does not.
fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

fn told(events: &[ExecEventKind]) -> String {
    let text = |event: &ExecEventKind| match event {
        ExecEventKind::Stdout { data } => Some(data.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

#[test]
fn a_command_is_told_of_from_start_to_end() {
    let world = World::new();
    let events = read_all(world.stream("echo out; echo err >&2; exit 3", 20_000));
    assert!(matches!(events.first(), Some(ExecEventKind::Start { .. })), "{events:?}");
    assert_eq!(told(&events), "out\n");
    assert!(events.contains(&ExecEventKind::Stderr { data: "err\n".into() }));
    let Some(ExecEventKind::Complete { exit_code, result }) = events.last() else {
        panic!("{events:?}")
    };
    assert_eq!((*exit_code, result.success, result.timed_out), (3, false, false));
    assert_eq!(events.len(), 4);
    assert_eq!(std::fs::read_dir(world.own.path()).unwrap().count(), 1, "only the disk's identity");
}

#[test]
fn characters_come_whole_however_they_are_printed() {
    let world = World::new();
    let slowly =
        r"printf 'a\342'; sleep 0.2; printf '\202'; sleep 0.2; printf '\254b'; printf '\377\342'";
    let events = read_all(world.stream(slowly, 20_000));
    assert_eq!(told(&events), "a€b\u{fffd}\u{fffd}");
    let pieces =
        events.iter().filter(|event| matches!(event, ExecEventKind::Stdout { .. })).count();
    assert!(pieces > 1, "it was told in pieces");
}

#[test]
fn more_is_told_than_an_answer_could_hold() {
    let world = World::new();
    let events = read_all(world.stream("head -c 5000000 /dev/zero | tr '\\0' x", 60_000));
    assert_eq!(told(&events).len(), 5_000_000);
}

#[test]
fn a_result_with_its_output_is_that_of_exec() {
    let world = World::new();
    for (script, max_output_bytes) in [
        (r"yes €€ | head -c 3000000; printf 'end€'; echo little >&2", Some(4_096)),
        (r"yes '' | tr '\n' '\200' | head -c 2000000", Some(1_025)),
        (r"printf 'a\377€'; printf '\342\202' >&2; exit 3", None),
        // Far past the limit, which falls inside a character.
        (r"yes €€ | head -c 3000000; yes '' | tr '\n' '\200' | head -c 2000000 >&2", None),
        ("true", Some(1_024)),
    ] {
        let command = || CommandLine::Shell(script.to_owned());
        let options = ExecOptions {
            cwd: Some(world.root.clone()),
            max_output_bytes,
            ..ExecOptions::default()
        };
        let asked = ExecOptions { followed: true, ..options.clone() };
        let events = read_all(now(world.sandbox.exec_stream(command(), asked)).unwrap());
        let Some(ExecEventKind::Complete { result, .. }) = events.last() else {
            panic!("{events:?}")
        };
        let plain = now(world.sandbox.exec(command(), options)).unwrap();
        assert!(*result == plain, "{script}: {} {}", result.stdout.len(), plain.stdout.len());
        if max_output_bytes == Some(4_096) {
            let (stdout, stderr) = (&plain.stdout, &plain.stderr);
            assert!(plain.stdout_truncated && !plain.stderr_truncated && stderr == "little\n");
            assert!(stdout.starts_with("€€\n") && stdout.ends_with("€end€"), "{stdout}");
            assert!(stdout.contains(" bytes left out here: ") && stdout.len() < 4_300, "{stdout}");
        }
    }
}

#[test]
fn a_stream_that_is_cancelled_ends_the_command_and_its_children() {
    let world = World::new();
    // One of the processes ignores the first signal.
    let command = "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.1; done' & sleep 1000 & echo $!; echo $$; wait";
    let mut stream = world.stream(command, 60_000);
    let mut printed = String::new();
    while printed.lines().count() < 3 {
        printed.push_str(&told(&read_to(&mut stream, |event| {
            matches!(event, ExecEventKind::Stdout { .. })
        })));
    }
    assert!(printed.lines().all(runs), "{printed}");
    now(stream.cancel());
    // A signal that cannot be ignored still takes a moment.
    std::process::Command::new("sleep").arg("0.3").status().unwrap();
    assert!(!printed.lines().any(runs), "{printed}");
    assert_eq!(now(stream.next()).unwrap(), None);
    now(stream.cancel());
}

#[test]
fn what_a_command_printed_is_kept_if_its_caller_gives_up() {
    let world = World::new();
    let name = ProcessName::parse("aborted-1").unwrap();
    let options = ExecOptions {
        cwd: Some(world.root.clone()),
        followed: true,
        keep_as: Some(name.clone()),
        ..ExecOptions::default()
    };
    let command = CommandLine::Shell(
        "trap 'echo bye; exit 1' TERM; printf half; echo bad >&2; while :; do sleep 0.1; done"
            .to_owned(),
    );
    let mut stream = now(world.sandbox.exec_stream(command, options)).unwrap();
    // The first event has the command itself, without a line end.
    let said = |bytes: &[u8]| bytes.windows(5).any(|part| part == br"bad\n");
    while now(stream.next()).unwrap().is_some_and(|bytes| !said(&bytes)) {}
    now(stream.cancel());
    let read = || now(world.sandbox.read_process_log(name.clone(), ProcessOptions::default()));
    let log = read().unwrap();
    assert_eq!((log.process.state, log.process.exit_code), (ProcessState::Ended, None));
    assert!(log.process.command.starts_with("trap "), "{log:?}");
    // Also what it printed as it ended.
    assert!(log.text.starts_with("half") && log.text.contains("bye\n"), "{log:?}");
    assert!(log.text.contains("bad\n"), "{log:?}");
    // The next answer says where it is, once.
    let next = || {
        let command = CommandLine::Shell("true".to_owned());
        now(world.sandbox.exec(command, ExecOptions::default())).unwrap().hint
    };
    assert!(next().unwrap().contains("background process aborted-1"));
    assert_eq!(next(), None);
}

#[test]
fn a_time_limit_ends_it_and_its_children_and_is_told() {
    let world = World::new();
    let events = read_all(world.stream("sleep 1000 & echo $!; wait", 1_000));
    let Some(ExecEventKind::Complete { exit_code: 124, result }) = events.last() else {
        panic!("{events:?}")
    };
    assert!(result.timed_out && !runs(told(&events).trim()));
}

#[test]
fn what_never_ran_is_an_error_event_in_the_one_shape() {
    let world = World::new();
    let command = CommandLine::Shell("echo out".to_owned());
    let options = ExecOptions { cwd: Some(world.path("none")), ..ExecOptions::default() };
    let events = read_all(now(world.sandbox.exec_stream(command, options)).unwrap());
    let Some(ExecEventKind::Error { error }) = events.last() else { panic!("{events:?}") };
    assert_eq!(error.code, ErrorCode::NotFound);
    assert_eq!(events.len(), 2);
}
