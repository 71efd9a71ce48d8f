//! Retiring unused workspaces: calls that come meanwhile, and what prevents it.

use crate::autosave::{MINUTE_MS, call, pass, read};
use crate::world::{World, content, now, snapshot, yield_once};
use futures::executor::block_on;
use serde_json::json;
use snapshotter::domain::ids::{RestoreKind, SandboxId};
use snapshotter::domain::snapshot::refs::WorkspaceRef;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::domain::snapshot::summary::SnapshotSummary;
use snapshotter::session::{Abort, ListRequest, Session};

const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

/// A session with two branches that nobody has used for a week.
fn left_behind() -> (World, Session, WorkspaceRef) {
    let world = World::new();
    let host = world.open_with("sess", json!({ "autosave": false }));
    read(&host);
    let selector = SnapshotSelector::Id(snapshot(&host));
    let branch =
        || now(host.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default()));
    let branches = [branch().unwrap().r#ref, branch().unwrap().r#ref];
    world.clock.advance(8 * DAY_MS);
    let list = now(host.list_workspaces()).unwrap().workspaces;
    let last = list.into_iter().map(|row| row.r#ref).rfind(|named| branches.contains(named));
    (world, host, last.unwrap())
}

#[test]
fn one_that_is_taken_up_while_others_are_retired_stays() {
    for action in ["switch", "pause", "resume"] {
        let mut stayed = 0;
        for later in 0..25 {
            let (world, host, branch) = left_behind();
            world.faults.slow.set(true);
            let none = Abort::default();
            let take_up = async {
                for _ in 0..later {
                    yield_once().await;
                }
                match action {
                    "switch" => host.switch(&branch).await.map(drop),
                    "pause" => host.pause(Some(&branch), &none).await.map(drop),
                    _ => host.resume(Some(&branch), &none).await.map(drop),
                }
            };
            let (recovered, taken_up) = block_on(async { futures::join!(host.recover(), take_up) });
            world.faults.slow.set(false);
            recovered.unwrap();
            let list = now(host.list_workspaces()).unwrap();
            let lives = list.workspaces.iter().any(|row| row.r#ref == branch);
            assert_eq!(lives, taken_up.is_ok(), "{action} after {later}: {taken_up:?}");
            stayed += usize::from(lives);
            world.recover("sess");
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
    let edit = serde_json::from_value(json!({ "clear": ["expiresAt"] })).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(id.clone()), &edit)).unwrap();
    call(&host, "workspace_branch", json!({ "ref": id })).unwrap();
    now(host.recover()).unwrap();
    assert_eq!(now(host.list_workspaces()).unwrap().workspaces.len(), 2);
    world.clock.advance(7 * DAY_MS);
    now(host.recover()).unwrap();
    assert_eq!(now(host.list_workspaces()).unwrap().workspaces.len(), 1, "now it was");
}

#[test]
fn one_that_is_destroyed_while_it_wakes_leaves_no_container() {
    let mut woke = 0;
    for later in 0..25 {
        let (world, host, branch) = left_behind();
        world.kill(branch.sandbox_id().as_str());
        world.faults.slow.set(true);
        let none = Abort::default();
        let destroy = async {
            for _ in 0..later {
                yield_once().await;
            }
            host.destroy_workspace(&branch).await
        };
        let resume = host.resume(Some(&branch), &none);
        let (resumed, destroyed) = block_on(async { futures::join!(resume, destroy) });
        world.faults.slow.set(false);
        destroyed.unwrap();
        woke += usize::from(resumed.is_ok());
        world.recover("sess");
        world.check_invariants("sess");
    }
    assert!((1..25).contains(&woke), "{woke}");
}

#[test]
fn one_in_which_a_command_still_runs_stays_until_that_has_ended() {
    let (world, host, branch) = left_behind();
    world.streaming.set(true);
    world.alarm.at_ms.take();
    now(host.recover()).unwrap();
    let lives = || {
        let list = now(host.list_workspaces()).unwrap();
        list.workspaces.iter().any(|row| row.r#ref == branch)
    };
    assert!(lives());
    let again_ms = world.alarm.at_ms.take().unwrap() - world.clock.0.get();
    assert!(again_ms <= 10 * MINUTE_MS, "{again_ms}");
    world.streaming.set(false);
    world.clock.advance(again_ms);
    now(host.recover()).unwrap();
    assert!(!lives());
    world.check_invariants("sess");
}

/// The snapshots that a list shows, with or without automatic ones.
fn listed(host: &Session, include_auto: bool) -> Vec<SnapshotSummary> {
    let request = ListRequest { include_auto, ..ListRequest::default() };
    now(host.list(&request)).unwrap().snapshots.into_iter().map(|row| row.snapshot).collect()
}

fn names(value: &serde_json::Value) -> String {
    value["ref"]["ref"]["id"].as_str().unwrap().to_owned()
}

/// Branches from a new snapshot, switches to the branch and writes `content` there.
fn branch_with(world: &World, host: &Session, content: &str) -> String {
    let id = snapshot(host);
    let branch = names(&call(host, "workspace_branch", json!({ "ref": id })).unwrap());
    switch(host, &branch);
    read(host);
    world.write(&branch, content);
    branch
}

fn switch(host: &Session, id: &str) {
    let named = json!({ "providerId": "cloudflare-sandbox", "ref": { "id": id } });
    call(host, "workspace_switch", json!({ "ref": named })).unwrap();
}

#[test]
fn its_last_save_lives_a_whole_ttl_from_then_and_is_listed() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "retention": { "keepAutosaves": 0 } }));
    read(&host);
    let branch = branch_with(&world, &host, "the branch's work");
    pass(&world, &host, 11 * MINUTE_MS);
    assert_eq!(world.disk(&branch), None, "saved, and asleep");
    let head = listed(&host, true)[0].id.clone();
    switch(&host, "sess");
    let retired_ms = world.clock.0.get() + 7 * DAY_MS;
    // The alarm goes on saving the active workspace.
    for round in 0..8 {
        read(&host);
        world.write("sess", &format!("round {round}"));
        pass(&world, &host, DAY_MS);
    }
    assert!(world.clock.0.get() > retired_ms);
    let events = host.list_events(None, None).unwrap().events;
    let retired = events.iter().find(|event| event.kind == "workspace.retired").unwrap();
    assert_eq!(retired.payload["backupId"], json!(head), "the event names it");
    let shown = listed(&host, false).into_iter().find(|row| row.id == head).expect("it is listed");
    assert!(shown.restorable && shown.retired_at.is_some(), "{shown:?}");
    // Its last save stays for three days after it was retired.
    pass(&world, &host, DAY_MS);
    assert!(listed(&host, true).iter().any(|row| row.id == head));
    pass(&world, &host, 2 * DAY_MS);
    assert!(listed(&host, true).iter().all(|row| row.id != head));
    world.check_invariants("sess");
}

#[test]
fn autosaves_of_the_active_one_displace_no_other_s() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "retention": { "keepAutosaves": 2 } }));
    read(&host);
    let branch = branch_with(&world, &host, "the branch's work");
    pass(&world, &host, 11 * MINUTE_MS);
    let head = listed(&host, true)[0].id.clone();
    switch(&host, "sess");
    let named = WorkspaceRef::new(SandboxId::parse(&branch).unwrap());
    let answer = now(host.destroy_workspace(&named)).unwrap();
    assert_eq!(answer.last_snapshot_id.as_ref(), Some(&head));
    for round in 0..5 {
        read(&host);
        world.write("sess", &format!("round {round}"));
        pass(&world, &host, 20 * MINUTE_MS);
    }
    assert!(listed(&host, true).iter().any(|row| row.id == head));
}

#[test]
fn one_with_unsaved_changes_is_saved_before_it_is_retired() {
    let world = World::new();
    let host = world
        .open_with("sess", json!({ "autosave": false, "retention": { "retireAfterSeconds": 60 } }));
    read(&host);
    let branch = branch_with(&world, &host, "never saved");
    switch(&host, "sess");
    world.clock.advance(2 * MINUTE_MS);
    now(host.recover()).unwrap();
    assert_eq!(now(host.list_workspaces()).unwrap().workspaces.len(), 1);
    let saved = listed(&host, false).into_iter().find(|row| row.retired_at.is_some()).unwrap();
    let back = call(&host, "workspace_branch", json!({ "ref": saved.id })).unwrap();
    assert_eq!(world.disk(&names(&back)).unwrap().content, "never saved");
    assert_eq!(world.disk(&branch), None);
    world.check_invariants("sess");
}

#[test]
fn one_that_cannot_be_saved_is_not_retired() {
    let world = World::new();
    let host = world
        .open_with("sess", json!({ "autosave": false, "retention": { "retireAfterSeconds": 60 } }));
    read(&host);
    let branch = branch_with(&world, &host, "never saved");
    switch(&host, "sess");
    world.clock.advance(2 * MINUTE_MS);
    world.bucket.refuses.set(true);
    now(host.recover()).unwrap();
    assert_eq!(world.disk(&branch).unwrap().content, "never saved");
    assert_eq!(now(host.list_workspaces()).unwrap().workspaces.len(), 2);
    world.bucket.refuses.set(false);
    pass(&world, &host, 2 * MINUTE_MS);
    assert_eq!(world.disk(&branch), None, "and is retired once it is saved");
    assert!(listed(&host, false).iter().any(|row| row.retired_at.is_some()));
    world.check_invariants("sess");
}

#[test]
fn one_that_is_destroyed_unsaved_is_said_to_be() {
    let world = World::new();
    let host = world.open("sess");
    read(&host);
    let branch = branch_with(&world, &host, "never saved");
    world.clock.advance(1_000);
    read(&host);
    switch(&host, "sess");
    let named = WorkspaceRef::new(SandboxId::parse(&branch).unwrap());
    let answer = now(host.destroy_workspace(&named)).unwrap();
    assert!(answer.used_since && answer.last_snapshot_id.is_some());
    let events = host.list_events(None, None).unwrap().events;
    let destroyed = events.iter().find(|event| event.kind == "workspace.destroyed").unwrap();
    assert_eq!(destroyed.payload["usedSince"], true);
}

#[test]
fn a_policy_says_when_an_unused_workspace_is_retired() {
    let world = World::new();
    let config = json!({ "autosave": false, "retention": { "retireAfterSeconds": 60 } });
    let host = world.open_with("sess", config);
    content(&host);
    let id = snapshot(&host);
    call(&host, "workspace_branch", json!({ "ref": id })).unwrap();
    assert!(world.alarm.at_ms.get().is_some_and(|at_ms| at_ms <= world.clock.0.get() + 60_000));
    world.clock.advance(59_000);
    now(host.recover()).unwrap();
    assert!(world.disk("sess").is_some(), "not yet");
    world.clock.advance(2_000);
    now(host.recover()).unwrap();
    assert_eq!(world.disk("sess"), None);
    world.check_invariants("sess");
}

#[test]
fn a_workspace_that_nobody_uses_for_a_week_is_retired() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "autosave": false }));
    content(&host);
    let id = snapshot(&host);
    call(&host, "workspace_branch", json!({ "ref": id })).unwrap();
    let week_ms = 7 * 24 * 3_600_000;
    world.clock.advance(week_ms - 60_000);
    content(&host);
    // The alarm that the branch set has long fired.
    world.alarm.at_ms.take();
    now(host.recover()).unwrap();
    assert!(world.disk("sess").is_some());
    world.clock.0.set(world.alarm.at_ms.take().unwrap());
    now(host.recover()).unwrap();
    assert_eq!(world.disk("sess"), None, "the origin was left a week ago");
    assert_eq!(now(host.list_workspaces()).unwrap().workspaces.len(), 1, "the active one stays");
    let kinds: Vec<String> =
        host.list_events(None, None).unwrap().events.into_iter().map(|event| event.kind).collect();
    assert!(kinds.contains(&"workspace.retired".to_owned()), "{kinds:?}");
    world.check_invariants("sess");
}
