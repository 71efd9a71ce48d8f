//! Watches, which end with the workspace that they watch.

use crate::world::{World, now, snapshot};
use futures::FutureExt;
use serde_json::json;
use snapshotter::domain::error::{ErrorCode, Result};
use snapshotter::domain::ids::RestoreKind;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::ports::sandbox::watch::{WatchEvent, WatchEventKind};
use snapshotter::ports::stream::Bytes;
use snapshotter::session::{Abort, Session};

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
