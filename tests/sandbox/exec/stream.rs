//! Commands that stream, and whose container fails meanwhile.

use crate::support::container::Act;
use crate::world::{World, now, printed};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::files::path::AbsolutePath;
use snapshotter::domain::limits::{EXEC_TIMEOUT_DEFAULT_MS, FOLLOW_MAX_BYTES, TAR_TIMEOUT_MS};
use snapshotter::ports::container::Happened;
use snapshotter::ports::sandbox::exec_event::{
    ExecEvent, ExecEventKind, ExecEventReader, SSE_PULSE,
};
use snapshotter::ports::sandbox::*;
use snapshotter::ports::stream::Bytes;

fn started(world: &World, acts: Vec<Act>) -> Bytes {
    world.container.plays.borrow_mut().push_back(acts);
    let command = CommandLine::Shell("make".to_owned());
    now(world.sandbox().exec_stream(command, ExecOptions::default())).unwrap()
}

fn read(bytes: &[u8]) -> ExecEventKind {
    let mut events = ExecEventReader::default().read(bytes).unwrap();
    let ExecEvent { kind, .. } = events.pop().unwrap();
    kind
}

fn next(stream: &mut Bytes) -> Option<ExecEventKind> {
    now(stream.next()).unwrap().map(|bytes| read(&bytes))
}

#[test]
fn a_container_that_dies_amid_a_command_is_told_and_never_a_silent_end() {
    for amid in [
        vec![printed("one"), Act::Dies],
        // The container's processes die a moment before the platform reports its end.
        vec![printed("one"), Act::Happens(Happened::Exited(137))],
    ] {
        let world = World::with_files(b"files");
        let mut stream = started(&world, amid);
        assert!(matches!(next(&mut stream), Some(ExecEventKind::Start { .. })));
        assert_eq!(next(&mut stream), Some(ExecEventKind::Stdout { data: "one".into() }));
        world.container.die();
        let Some(ExecEventKind::Error { error }) = next(&mut stream) else { panic!("no error") };
        assert_eq!(error.code, ErrorCode::WorkspaceLost);
        assert_eq!(next(&mut stream), None);
    }
}

#[test]
fn one_that_was_killed_in_a_container_that_runs_on_has_ended() {
    let world = World::with_files(b"files");
    let mut stream = started(&world, vec![Act::Happens(Happened::Exited(137))]);
    next(&mut stream);
    let ended = next(&mut stream);
    assert!(matches!(ended, Some(ExecEventKind::Complete { exit_code: 137, .. })), "{ended:?}");
}

#[test]
fn who_waits_for_the_result_is_told_the_end_of_much_now_and_then() {
    let world = World::with_files(b"files");
    let more = "x".repeat(FOLLOW_MAX_BYTES);
    let acts = vec![
        printed("one "),
        printed("two "),
        Act::Happens(Happened::Stderr("oops".into())),
        Act::Hangs,
    ];
    world.container.plays.borrow_mut().push_back(acts);
    let command = || CommandLine::Shell("make".to_owned());
    let options = || ExecOptions { followed: true, ..ExecOptions::default() };
    let mut stream = now(world.sandbox().exec_stream(command(), options())).unwrap();
    next(&mut stream);
    let told = now(stream.next()).unwrap().unwrap();
    let told: Vec<_> = ExecEventReader::default().read(&told).unwrap();
    let told: Vec<_> = told.into_iter().map(|event| event.kind).collect();
    let (stdout, stderr) = ("one two ".to_owned(), "oops".to_owned());
    assert_eq!(
        told,
        [ExecEventKind::Stdout { data: stdout }, ExecEventKind::Stderr { data: stderr }]
    );
    assert_eq!(now(stream.next()).unwrap().as_deref(), Some(SSE_PULSE));

    let acts =
        vec![printed("begin "), printed(&more), printed(&more), Act::Happens(Happened::Exited(0))];
    world.container.plays.borrow_mut().push_back(acts);
    let mut stream = now(world.sandbox().exec_stream(command(), options())).unwrap();
    next(&mut stream);
    let left_out = 6 + FOLLOW_MAX_BYTES;
    let data = format!("[{left_out} bytes left out]\n{more}");
    assert_eq!(next(&mut stream), Some(ExecEventKind::Stdout { data }));
    let Some(ExecEventKind::Complete { result, .. }) = next(&mut stream) else { panic!("no end") };
    assert_eq!(result.stdout, format!("begin {more}{more}"));
}

#[test]
fn a_container_is_in_use_while_a_command_is_told_of_and_at_most_for_its_time() {
    let world = World::with_files(b"files");
    let service = world.sandbox();
    let runs_commands = || now(service.runs_commands()).unwrap();
    let begin = |acts| {
        world.container.plays.borrow_mut().push_back(acts);
        let command = CommandLine::Shell("make".to_owned());
        now(service.exec_stream(command, ExecOptions::default())).unwrap()
    };
    assert!(!runs_commands());
    let mut stream = begin(vec![Act::Happens(Happened::Exited(0))]);
    assert!(runs_commands());
    while next(&mut stream).is_some() {}
    assert!(!runs_commands());
    let mut cancelled = begin(vec![Act::Hangs]);
    next(&mut cancelled);
    now(cancelled.cancel());
    assert!(!runs_commands());
    let _forgotten = begin(vec![Act::Hangs]);
    assert!(runs_commands());
    world.clock.advance(i64::try_from(EXEC_TIMEOUT_DEFAULT_MS).unwrap() + 60_000);
    assert!(!runs_commands());
}

#[test]
fn a_container_is_in_use_while_an_archive_is_read_out_of_it_and_at_most_for_its_time() {
    let world = World::with_files(b"files");
    let service = world.sandbox();
    let runs_commands = || now(service.runs_commands()).unwrap();
    let export = || {
        let path = AbsolutePath::parse("path", "/workspace").unwrap();
        now(service.export_tar(path, FileOptions::default())).unwrap()
    };
    let mut stream = export();
    assert!(runs_commands());
    while now(stream.next()).unwrap().is_some() {
        assert!(runs_commands());
    }
    assert!(!runs_commands());
    let mut cancelled = export();
    now(cancelled.cancel());
    assert!(!runs_commands());
    let _forgotten = export();
    world.clock.advance(i64::try_from(TAR_TIMEOUT_MS).unwrap());
    assert!(runs_commands());
    world.clock.advance(60_000);
    assert!(!runs_commands());
}

#[test]
fn silence_has_signs_of_life_and_an_end() {
    let world = World::with_files(b"files");
    let mut stream = started(&world, vec![Act::Hangs]);
    next(&mut stream);
    assert_eq!(now(stream.next()).unwrap().as_deref(), Some(SSE_PULSE));
    assert_eq!(world.container.count("stop.sh"), 0);
    // The timeout in the container did not end the command.
    world.clock.advance(i64::try_from(EXEC_TIMEOUT_DEFAULT_MS).unwrap() + 60_000);
    now(stream.next()).unwrap();
    assert_eq!(world.container.count("stop.sh"), 1);
}

#[test]
fn one_that_is_cancelled_is_stopped_once_and_one_that_has_ended_is_not() {
    let world = World::with_files(b"files");
    let mut stream = started(&world, vec![Act::Hangs]);
    next(&mut stream);
    now(stream.cancel());
    now(stream.cancel());
    assert_eq!(world.container.count("stop.sh"), 1);
    let mut stream = started(&world, vec![Act::Happens(Happened::Exited(0))]);
    while next(&mut stream).is_some() {}
    now(stream.cancel());
    assert_eq!(world.container.count("stop.sh"), 1);
}
