//! Pauses and resumes that run at the same time as other calls or the alarm.

use crate::workspaces::pause::{count, is_refused, read, resume, status, used};
use crate::world::{call_tool, snapshot, yield_once};
use futures::executor::block_on;
use serde_json::json;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::workspace::WorkspaceStatus;
use snapshotter::session::{Abort, SnapshotRequest};

#[test]
fn it_has_the_workspace_to_itself() {
    let (world, host) = used(json!({}));
    world.faults.slow.set(true);
    let none = Abort::default();
    let (taken, refused) = block_on(async {
        futures::join!(host.snapshot(SnapshotRequest::default(), &none), host.pause(None, &none))
    });
    taken.unwrap();
    let refused = refused.unwrap_err();
    assert_eq!((refused.code, refused.retryable), (ErrorCode::Conflict, true));
    assert_eq!(
        block_on(host.describe_workspace()).unwrap().workspace.status,
        WorkspaceStatus::Running
    );
    // The pause waits long enough for the snapshot.
    world.clock.stop();
    world.write("sess", "more");
    let (taken, paused) = block_on(async {
        futures::join!(host.snapshot(SnapshotRequest::default(), &none), host.pause(None, &none))
    });
    let head = paused.unwrap().workspace.head_snapshot_id;
    assert_eq!(Some(taken.unwrap().snapshot.id), head);
    // A call during the pause waits, and is refused.
    let request = || json!({ "command": "cat" });
    block_on(host.resume(None, &none)).unwrap();
    world.write("sess", "third");
    let (paused, late) = block_on(async {
        futures::join!(host.pause(None, &none), async {
            yield_once().await;
            call_tool(&host, "workspace_run", request(), &none).await
        })
    });
    paused.unwrap();
    is_refused(&late.unwrap_err(), "a call that came meanwhile");
}

#[test]
fn who_waits_to_wake_it_does_not_undo_a_pause() {
    let (world, host) = used(json!({}));
    snapshot(&host);
    world.kill("sess");
    world.faults.slow.set(true);
    world.clock.stop();
    let none = Abort::default();
    // With any number of steps between the two.
    for lead in 0..12 {
        let (paused, ran) = block_on(async {
            let late = async {
                for _ in 0..lead {
                    yield_once().await;
                }
                host.pause(None, &none).await
            };
            let input = json!({ "command": "cat" });
            futures::join!(late, call_tool(&host, "workspace_run", input, &none))
        });
        paused.unwrap();
        if let Err(error) = ran {
            is_refused(&error, "a call that would have woken it");
        }
        let shown = block_on(host.describe_workspace()).unwrap().workspace;
        assert_eq!((shown.status, world.disk("sess")), (WorkspaceStatus::Paused, None), "{lead}");
        block_on(host.resume(None, &none)).unwrap();
        world.kill("sess");
    }
}

#[test]
fn of_calls_at_once_one_pauses_and_one_resumes() {
    let (world, host) = used(json!({}));
    world.faults.slow.set(true);
    world.clock.stop();
    let none = Abort::default();
    let (one, other) =
        block_on(async { futures::join!(host.pause(None, &none), host.pause(None, &none)) });
    assert_eq!(one.unwrap(), other.unwrap());
    let starts = world.starts.get();
    let (one, other) =
        block_on(async { futures::join!(host.resume(None, &none), host.resume(None, &none)) });
    assert_eq!(one.unwrap().workspace.status, other.unwrap().workspace.status);
    assert_eq!(world.starts.get(), starts + 1);
    assert_eq!((count(&host, "workspace.paused"), count(&host, "workspace.resumed")), (1, 1));
}

#[test]
fn the_alarm_at_work_on_it_ends_nothing_of_a_pause() {
    for lead in 0..40 {
        let (world, host) = used(json!({}));
        world.faults.slow.set(true);
        world.clock.advance(11 * 60_000);
        world.clock.stop();
        let abort = Abort::default();
        let (recovered, paused) = block_on(async {
            futures::join!(host.recover(), async {
                for _ in 0..lead {
                    yield_once().await;
                }
                host.pause(None, &abort).await
            })
        });
        recovered.unwrap();
        paused.unwrap();
        let events = host.list_events(None, None).unwrap().events;
        let paused = events.iter().position(|event| event.kind == "workspace.paused").unwrap();
        let after = events[..paused].iter().map(|event| event.kind.as_str());
        assert!(after.clone().all(|kind| kind != "workspace.slept"), "{lead}: {events:?}");
        let failed = world.log.0.borrow().iter().any(|line| line.event == "autosave.failed");
        assert!(!failed, "{lead}: {:?}", world.log.0.borrow());
        world.faults.slow.set(false);
        assert_eq!(status(&host), WorkspaceStatus::Paused, "{lead}");
        world.recover("sess");
        world.check_invariants("sess");
        resume(&host).unwrap();
        assert_eq!(read(&host).unwrap(), "work", "{lead}");
    }
}
