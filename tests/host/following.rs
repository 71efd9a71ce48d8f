//! Commands whose caller follows their output, or gives up, while they run; and
//! watches, which end with the workspace that they watch.

use crate::world::{World, now, snapshot};
use futures::FutureExt;
use serde_json::json;
use snapshotter::domain::error::{ErrorCode, Outcome, Result};
use snapshotter::domain::ids::{OperationId, RestoreKind};
use snapshotter::domain::session::scope::Needs;
use snapshotter::domain::snapshot::refs::SnapshotSelector;
use snapshotter::ports::sandbox::ExecResult;
use snapshotter::ports::sandbox::watch::{WatchEvent, WatchEventKind};
use snapshotter::ports::stream::Bytes;
use snapshotter::session::{Abort, RunRequest, Session};
use std::cell::RefCell;
use std::rc::Rc;

fn run_request() -> RunRequest {
    serde_json::from_value(serde_json::json!({ "command": "make" })).unwrap()
}

#[test]
fn a_command_that_is_followed_answers_as_one_that_is_not() {
    let world = World::new();
    let host = world.open("sess");
    let plain = now(host.run(run_request())).unwrap();
    world.write("sess", "printed");
    let heard = Rc::new(RefCell::new(Vec::new()));
    let listener = heard.clone();
    let abort = Abort::reporting(move |told| listener.borrow_mut().push(format!("{told:?}")));
    let followed = now(host.run_followed(run_request(), &abort)).unwrap();
    assert_eq!(followed, ExecResult { stdout: "printed".to_owned(), ..plain });
    assert_eq!(now(host.run(run_request())).unwrap(), followed);
    assert_eq!(*heard.borrow(), ["Stdout(\"printed\")"]);
}

#[test]
fn a_command_ends_when_its_caller_gives_up_and_not_before() {
    let world = World::new();
    let host = world.open("sess");
    world.endless.set(true);
    let id = OperationId::parse("op").unwrap();
    let abort = Abort::default();
    let _guard = host.cancellable(&id, &abort, Needs::Nothing).unwrap();
    let mut running = Box::pin(host.run_followed(run_request(), &abort));
    assert!((&mut running).now_or_never().is_none());
    assert!(!world.cancelled.borrow().get());
    host.cancel(&id).unwrap();
    let error = now(running).unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::Aborted, Outcome::Unknown));
    assert!(world.cancelled.borrow().get(), "the command was ended");
    // No command starts for a caller that gave up already.
    world.cancelled.replace(Rc::default());
    let abort = Abort::aborted();
    let refused = now(host.run_followed(run_request(), &abort)).unwrap_err();
    assert_eq!((refused.code, refused.outcome), (ErrorCode::Aborted, Outcome::None));
}

#[test]
fn a_command_whose_end_is_not_told_is_not_known_to_have_ended() {
    let world = World::new();
    let host = world.open("sess");
    let abort = Abort::reporting(|_| {});
    now(host.run(run_request())).unwrap();
    world.silent.set(true);
    let error = now(host.run_followed(run_request(), &abort)).unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::Unavailable, Outcome::Unknown));
}

fn watch(host: &Session) -> Result<Bytes> {
    now(host.watch(serde_json::from_str("{}").unwrap()))
}

fn last(stream: &mut Bytes) -> Option<WatchEventKind> {
    let bytes = now(stream.next()).unwrap()?;
    let json = bytes.strip_prefix(b"data: ").unwrap().trim_ascii();
    Some(serde_json::from_slice::<WatchEvent>(json).unwrap().kind)
}

#[test]
fn a_watch_ends_with_an_error_when_another_workspace_is_active() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    let selector = SnapshotSelector::Id(id);
    let branch =
        now(host.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default())).unwrap();
    world.endless.set(true);
    let mut stream = watch(&host).unwrap();
    assert_eq!(last(&mut stream), Some(WatchEventKind::Watching { directories: 1 }));
    assert!(stream.next().now_or_never().is_none());
    let home = host.resolve().unwrap();
    now(host.switch(&home)).unwrap();
    assert!(stream.next().now_or_never().is_none(), "it is the one that was active");
    now(host.switch(&branch.r#ref)).unwrap();
    let Some(WatchEventKind::Error { error }) = last(&mut stream) else { panic!("no error") };
    assert_eq!(error.code, ErrorCode::Conflict);
    assert!(world.cancelled.borrow().get(), "what watched was ended");
    assert_eq!(last(&mut stream), None);
    // The next watch is on the other workspace, and does not report the end again.
    let mut next = watch(&host).unwrap();
    assert_eq!(last(&mut next), Some(WatchEventKind::Watching { directories: 1 }));
    now(next.cancel());
    assert!(world.cancelled.borrow().get());
    assert_eq!(last(&mut next), None);
}

#[test]
fn a_watch_may_be_had_by_who_only_reads_and_keeps_the_rules_of_files() {
    let world = World::new();
    let reads = json!({ "capabilities": { "fs": true, "readOnly": true } });
    let host = world.open_with("reads", reads);
    assert!(watch(&host).is_ok());
    let outside = now(host.watch(serde_json::from_str(r#"{"path":"../etc"}"#).unwrap()));
    assert_eq!(outside.err().unwrap().code, ErrorCode::InvalidArgument);
    let without =
        world.other_session().open_with("no-files", json!({ "capabilities": { "shell": true } }));
    assert_eq!(watch(&without).err().unwrap().code, ErrorCode::Unsupported);
}
