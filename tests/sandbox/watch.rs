//! Watches of a sandbox whose container fails during them.

use crate::support::container::Act;
use crate::world::{World, now, printed};
use snapshotter::domain::error::{ErrorCode, Result};
use snapshotter::domain::files::path::AbsolutePath;
use snapshotter::domain::limits::WATCHES_MAX;
use snapshotter::ports::container::Happened;
use snapshotter::ports::sandbox::watch::{WatchEvent, WatchEventKind, WatchOptions};
use snapshotter::ports::sandbox::*;
use snapshotter::ports::stream::Bytes;
use snapshotter::sandbox::SandboxService;

fn watch(world: &World, service: &SandboxService, acts: Vec<Act>) -> Result<Bytes> {
    world.container.plays.borrow_mut().push_back(acts);
    let path = AbsolutePath::parse("path", "/workspace").unwrap();
    now(service.watch(path, WatchOptions::default()))
}

fn watched(stream: &mut Bytes) -> Option<WatchEventKind> {
    let bytes = now(stream.next()).unwrap()?;
    let json = bytes.strip_prefix(b"data: ").unwrap().trim_ascii();
    Some(serde_json::from_slice::<WatchEvent>(json).unwrap().kind)
}

#[test]
fn a_watch_whose_container_dies_or_whose_time_is_over_says_so() {
    let ready = || printed("ready\x001\0");
    for (amid, code) in [
        (vec![ready(), Act::Dies], ErrorCode::WorkspaceLost),
        (vec![ready(), Act::Happens(Happened::Exited(1))], ErrorCode::Unavailable),
        (vec![ready(), printed("created\0f\0/etc/x\0"), Act::Hangs], ErrorCode::Unavailable),
    ] {
        let world = World::with_files(b"files");
        let mut stream = watch(&world, &world.sandbox(), amid).unwrap();
        assert_eq!(watched(&mut stream), Some(WatchEventKind::Watching { directories: 1 }));
        let Some(WatchEventKind::Error { error }) = watched(&mut stream) else { panic!("{code}") };
        assert_eq!(error.code, code);
        assert_eq!(watched(&mut stream), None);
    }
    let world = World::with_files(b"files");
    let timeout = Act::Happens(Happened::Exited(124));
    let mut stream = watch(&world, &world.sandbox(), vec![ready(), timeout]).unwrap();
    watched(&mut stream);
    assert_eq!(watched(&mut stream), Some(WatchEventKind::Ended));
    assert_eq!(watched(&mut stream), None);
}

#[test]
fn what_cannot_be_watched_is_refused_before_it_begins() {
    let world = World::with_files(b"files");
    for (status, said, code) in [
        (21, "python3 is not installed", ErrorCode::Unsupported),
        (10, "no such directory", ErrorCode::NotFound),
        (124, "", ErrorCode::Unavailable),
    ] {
        let acts = vec![
            Act::Happens(Happened::Stderr(said.into())),
            Act::Happens(Happened::Exited(status)),
        ];
        let error = watch(&world, &world.sandbox(), acts).err().unwrap();
        assert_eq!(error.code, code);
        assert!(error.message.contains(said), "{error}");
    }
    let full = watch(&world, &world.sandbox(), vec![printed("full\0")]).err().unwrap();
    assert_eq!(full.code, ErrorCode::TooLarge);
}

#[test]
fn watches_are_counted_while_they_are_read() {
    let world = World::with_files(b"files");
    let service = world.sandbox();
    let begin = || watch(&world, &service, vec![printed("ready\x001\0"), Act::Hangs]);
    let mut all: Vec<Bytes> = (0..WATCHES_MAX).map(|_| begin().unwrap()).collect();
    assert_eq!(begin().err().unwrap().code, ErrorCode::QuotaExceeded);
    world.container.plays.borrow_mut().clear();
    all.pop();
    assert!(begin().is_ok());
}
