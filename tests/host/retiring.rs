//! What comes while unused workspaces are retired, and what spares one.

use crate::saving::{MINUTE_MS, call, read};
use crate::world::{World, now, snapshot, yield_once};
use futures::executor::block_on;
use serde_json::json;
use snapshotter::domain::ids::ForkKind;
use snapshotter::domain::refs::{SnapshotSelector, WorkspaceRef};
use snapshotter::usecases::host::{Abort, Host};

const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

/// A session with two forks that nobody has used for a week.
fn left_behind() -> (World, Host, WorkspaceRef) {
    let world = World::new();
    let host = world.open_with("sess", json!({ "autosave": false }));
    read(&host);
    let selector = SnapshotSelector::Id(snapshot(&host));
    let fork = || now(host.fork(ForkKind::Branch, &selector, false, &Abort::default()));
    let forks = [fork().unwrap().r#ref, fork().unwrap().r#ref];
    world.clock.advance(8 * DAY_MS);
    let list = now(host.list_workspaces()).unwrap().workspaces;
    let last = list.into_iter().map(|row| row.r#ref).rfind(|named| forks.contains(named));
    (world, host, last.unwrap())
}

#[test]
fn one_that_is_taken_up_while_others_are_retired_stays() {
    for action in ["switch", "pause", "resume"] {
        let mut stayed = 0;
        for later in 0..25 {
            let (world, host, fork) = left_behind();
            world.faults.slow.set(true);
            let none = Abort::default();
            let take_up = async {
                for _ in 0..later {
                    yield_once().await;
                }
                match action {
                    "switch" => host.switch(&fork).await.map(drop),
                    "pause" => host.pause(Some(&fork), &none).await.map(drop),
                    _ => host.resume(Some(&fork), &none).await.map(drop),
                }
            };
            let (settled, taken_up) = block_on(async { futures::join!(host.settle(), take_up) });
            world.faults.slow.set(false);
            settled.unwrap();
            let list = now(host.list_workspaces()).unwrap();
            let lives = list.workspaces.iter().any(|row| row.r#ref == fork);
            assert_eq!(lives, taken_up.is_ok(), "{action} after {later}: {taken_up:?}");
            stayed += usize::from(lives);
            world.settle("sess");
            world.check_invariants("sess");
        }
        assert!((1..25).contains(&stayed), "{action}: {stayed}");
    }
}

#[test]
fn one_that_was_active_until_now_was_not_left_a_week_ago() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "autosave": false }));
    read(&host);
    let id = snapshot(&host);
    world.clock.advance(8 * DAY_MS);
    let edit = serde_json::from_value(json!({ "expiresAt": null })).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(id.clone()), &edit)).unwrap();
    call(&host, "workspace_branch", json!({ "ref": id })).unwrap();
    now(host.settle()).unwrap();
    assert_eq!(now(host.list_workspaces()).unwrap().workspaces.len(), 2);
    world.clock.advance(7 * DAY_MS);
    now(host.settle()).unwrap();
    assert_eq!(now(host.list_workspaces()).unwrap().workspaces.len(), 1, "now it was");
}

#[test]
fn one_that_is_destroyed_while_it_wakes_leaves_no_container() {
    let mut woke = 0;
    for later in 0..25 {
        let (world, host, fork) = left_behind();
        world.kill(fork.sandbox_id().as_str());
        world.faults.slow.set(true);
        let none = Abort::default();
        let destroy = async {
            for _ in 0..later {
                yield_once().await;
            }
            host.destroy_workspace(&fork).await
        };
        let resume = host.resume(Some(&fork), &none);
        let (resumed, destroyed) = block_on(async { futures::join!(resume, destroy) });
        world.faults.slow.set(false);
        destroyed.unwrap();
        woke += usize::from(resumed.is_ok());
        world.settle("sess");
        world.check_invariants("sess");
    }
    assert!((1..25).contains(&woke), "{woke}");
}

#[test]
fn one_in_which_a_command_still_runs_stays_until_that_has_ended() {
    let (world, host, fork) = left_behind();
    world.telling.set(true);
    world.alarm.at_ms.take();
    now(host.settle()).unwrap();
    let lives = || {
        let list = now(host.list_workspaces()).unwrap();
        list.workspaces.iter().any(|row| row.r#ref == fork)
    };
    assert!(lives());
    let again_ms = world.alarm.at_ms.take().unwrap() - world.clock.0.get();
    assert!(again_ms <= 10 * MINUTE_MS, "{again_ms}");
    world.telling.set(false);
    now(host.settle()).unwrap();
    assert!(!lives());
    world.check_invariants("sess");
}
