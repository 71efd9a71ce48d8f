//! Rewinds of the active workspace to a snapshot, in place.

use crate::autosave::take;
use crate::world::{World, call_tool, now, snapshot, yield_once};
use futures::executor::block_on;
use serde_json::{Value, json};
use snapshotter::domain::error::{Error, ErrorCode, Result};
use snapshotter::domain::ids::{BackupId, ProcessName};
use snapshotter::domain::snapshot::SnapshotTrigger;
use snapshotter::domain::snapshot::backup::data_key;
use snapshotter::domain::snapshot::refs::SnapshotRef;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::domain::snapshot::summary::SnapshotSummary;
use snapshotter::ports::clock::Clock;
use snapshotter::ports::sandbox::EndedProcess;
use snapshotter::session::{
    Abort, DeleteOptions, ListRequest, RewindRequest, Session, SnapshotRequest,
};

pub fn to(id: &BackupId) -> RewindRequest {
    RewindRequest {
        r#ref: SnapshotSelector::Id(id.clone()),
        expected_head: None,
        allow_cross_session: false,
        expected_active: None,
        dry_run: false,
    }
}

pub fn rewind(host: &Session, request: &RewindRequest) -> Result<SnapshotRef> {
    now(host.rewind(request, &Abort::default())).map(|rewound| rewound.safety_ref.unwrap())
}

pub fn call(host: &Session, tool: &str, input: Value) -> Result<Value> {
    now(call_tool(host, tool, input, &Abort::default()))
}

pub fn read(host: &Session) -> Value {
    call(host, "workspace_run", json!({ "command": "cat" })).unwrap()["stdout"].take()
}

fn id_of(r#ref: &SnapshotRef) -> BackupId {
    r#ref.payload.backup.id.clone()
}

pub fn head(host: &Session) -> Value {
    let shown = serde_json::to_value(now(host.describe_workspace()).unwrap()).unwrap();
    shown["workspace"]["headSnapshotId"].clone()
}

pub fn all(host: &Session) -> Vec<SnapshotSummary> {
    let request = ListRequest { include_auto: true, ..ListRequest::default() };
    now(host.list(&request)).unwrap().snapshots.into_iter().map(|row| row.snapshot).collect()
}

pub fn kinds(host: &Session) -> Vec<String> {
    host.list_events(None, None).unwrap().events.into_iter().map(|event| event.kind).collect()
}

fn refused(host: &Session, request: &RewindRequest) -> Error {
    rewind(host, request).unwrap_err()
}

/// A workspace that holds "later" and was "work" when its snapshot was taken.
pub fn changed() -> (World, Session, BackupId) {
    let world = World::new();
    world.steady.set(true);
    let host = world.open("sess");
    read(&host);
    world.write("sess", "work");
    let id = snapshot(&host);
    world.write("sess", "later");
    (world, host, id)
}

#[test]
fn background_processes_that_a_rewind_ended_are_named() {
    let (world, host, id) = changed();
    world.short_lived.borrow_mut().insert(ProcessName::parse("old").unwrap());
    call(&host, "workspace_start", json!({ "name": "old", "command": "true" })).unwrap();
    world.clock.advance(5_000);
    let started =
        call(&host, "workspace_start", json!({ "name": "web", "command": "npm start" })).unwrap();
    let hint = started["hint"].as_str().unwrap();
    assert!(hint.contains("after 600 s without a call") && hint.contains("rewind"), "{hint}");
    world.users.borrow_mut().push(EndedProcess { pid: 7, command: "node server.js".into() });
    let answer = call(&host, "workspace_rewind", json!({ "ref": id })).unwrap();
    assert_eq!(answer["endedBackground"], json!(["web"]), "old had ended before");
    let hint = answer["hint"].as_str().unwrap();
    assert!(hint.contains("start the ones") && hint.contains("preview"), "{hint}");
    // Nothing is said where nothing ended.
    let back = json!({ "ref": answer["safetyRef"] });
    let answer = call(&host, "workspace_rewind", back).unwrap();
    assert_eq!((&answer["endedBackground"], &answer["hint"]), (&Value::Null, &Value::Null));
}

#[test]
fn what_was_started_with_restart_comes_back_after_a_rewind_and_in_the_next_container() {
    let (world, host, id) = changed();
    let start = |name: &str, restart: bool| {
        let input = json!({ "name": name, "command": "npm start", "env": { "A": name }, "restart": restart });
        call(&host, "workspace_start", input).unwrap()
    };
    let running = || {
        let listed = call(&host, "workspace_processes", json!({})).unwrap();
        let mut names = Vec::new();
        for one in listed["processes"].as_array().unwrap() {
            if one["state"] == "running" {
                names.push(one["name"].as_str().unwrap().to_owned());
            }
        }
        names.sort();
        names
    };
    let hint = start("web", true)["hint"].clone();
    assert!(hint.as_str().unwrap().contains("is started again"), "{hint}");
    start("once", false);
    world.clock.advance(5_000);
    world.users.borrow_mut().push(EndedProcess { pid: 7, command: "node server.js".into() });
    let answer = call(&host, "workspace_rewind", json!({ "ref": id })).unwrap();
    assert_eq!(
        (&answer["endedBackground"], &answer["restarted"]),
        (&json!(["once"]), &json!(["web"]))
    );
    assert_eq!(running(), ["web"]);
    world.kill("sess");
    read(&host);
    assert_eq!(running(), ["web"]);
    // One that was stopped stays so.
    call(&host, "workspace_stop", json!({ "name": "web" })).unwrap();
    world.kill("sess");
    read(&host);
    assert_eq!(running(), Vec::<String>::new());
}

#[test]
fn the_workspace_is_put_back_and_what_it_had_is_kept() {
    let (world, host, id) = changed();
    let disk = world.disk("sess").unwrap().instance;
    let process = EndedProcess { pid: 7, command: "node server.js".into() };
    world.users.borrow_mut().push(process);
    let answer = call(&host, "workspace_rewind", json!({ "ref": id })).unwrap();
    assert_eq!(world.disk("sess").unwrap().instance, disk, "the same container");
    assert_eq!(read(&host), "work");
    assert_eq!(answer["ref"]["ref"]["id"], "sess");
    assert_eq!(answer["fromSnapshotId"], json!(id));
    assert_eq!(answer["endedProcesses"], json!([{ "pid": 7, "command": "node server.js" }]));
    let safety = answer["safetyRef"]["ref"]["backup"]["id"].clone();
    let event = &host.list_events(Some(1), None).unwrap().events[0];
    assert_eq!(event.kind, "workspace.rewound");
    assert_eq!(
        event.payload,
        json!({ "sandboxId": "sess", "backupId": id, "safetyId": safety, "endedProcesses": 1 })
    );
    // Lists hide the safety snapshot unless asked for it; it is the way back.
    assert_eq!(now(host.list(&ListRequest::default())).unwrap().snapshots.len(), 1);
    let shown = all(&host);
    assert_eq!(
        (json!(shown[0].id), shown[0].cause.trigger),
        (safety.clone(), SnapshotTrigger::Safety)
    );
    let text = now(host.lineage()).unwrap().text;
    assert!(text.contains("rewound to") && text.contains("before a rewind"), "{text}");
    call(&host, "workspace_rewind", json!({ "ref": safety })).unwrap();
    assert_eq!(read(&host), "later");
    world.check_invariants("sess");
}

/// The way to keep a winner: the fork stays where it was made, the workspace
/// that took its files stays the root, and each snapshot names the previous one.
#[test]
fn lineage_keeps_a_fork_in_place_when_its_files_are_taken_over() {
    let (world, host, base) = changed();
    world.write("sess", "work");
    let branched = call(&host, "workspace_fork", json!({})).unwrap();
    assert_eq!(branched["fromSnapshotId"], json!(base));
    let branch = branched["workspaces"][0]["ref"].clone();
    call(&host, "workspace_switch", json!({ "ref": branch })).unwrap();
    let branch = branch["ref"]["id"].as_str().unwrap();
    world.write(branch, "better");
    let winner = snapshot(&host);
    let origin = json!({ "providerId": "cloudflare-sandbox", "ref": { "id": "sess" } });
    call(&host, "workspace_switch", json!({ "ref": origin })).unwrap();
    rewind(&host, &to(&winner)).unwrap();
    let lineage = now(host.lineage()).unwrap();
    let ids: Vec<(&str, usize)> =
        lineage.nodes.iter().map(|node| (node.id.as_str(), node.depth)).collect();
    assert_eq!(
        ids,
        [("sess", 0), (base.as_str(), 1), (branch, 2), (winner.as_str(), 3)],
        "{}",
        lineage.text
    );
    let shown = format!("workspace {branch} (branch)\n");
    assert!(lineage.text.contains(&shown), "never rewound: {}", lineage.text);
    assert_eq!(lineage.text.matches("rewound to").count(), 1);
    world.write("sess", "on from there");
    let next = take(&host, SnapshotRequest::default()).snapshot;
    assert_eq!(next.parent_id, Some(winner));
    world.check_invariants("sess");
}

#[test]
fn it_wakes_from_what_it_was_rewound_to_and_never_from_the_safety_snapshot() {
    let (world, host, id) = changed();
    rewind(&host, &to(&id)).unwrap();
    assert_eq!(head(&host), json!(id));
    world.kill("sess");
    let woken = call(&host, "workspace_run", json!({ "command": "cat" })).unwrap();
    assert_eq!((&woken["stdout"], &woken["woken"]["fromSnapshotId"]), (&json!("work"), &json!(id)));
    // After a rewind to a safety snapshot, that is a head like any other snapshot.
    world.write("sess", "third");
    let safety = id_of(&rewind(&host, &to(&id)).unwrap());
    rewind(&host, &to(&safety)).unwrap();
    world.kill("sess");
    assert_eq!(read(&host), "third");
}

#[test]
fn of_what_has_not_changed_nothing_is_uploaded() {
    let (world, host, first) = changed();
    let second = snapshot(&host);
    let keys = world.bucket.keys();
    assert_eq!(id_of(&rewind(&host, &to(&first)).unwrap()), second);
    assert_eq!(world.bucket.keys(), keys);
    assert_eq!(all(&host)[0].cause.trigger, SnapshotTrigger::Manual, "it was asked for");
    // And back, from what is the head again.
    assert_eq!(id_of(&rewind(&host, &to(&second)).unwrap()), first);
    assert_eq!(read(&host), "later");
    world.check_invariants("sess");
}

#[test]
fn an_autosave_that_serves_as_the_safety_snapshot_is_not_pruned() {
    let (world, host, id) = changed();
    world.clock.advance(11 * 60_000);
    now(host.recover()).unwrap();
    let auto = all(&host)[0].id.clone();
    assert_eq!(head(&host), json!(auto));
    assert_eq!(id_of(&rewind(&host, &to(&id)).unwrap()), auto);
    now(host.recover()).unwrap();
    assert_eq!(all(&host)[0].cause.trigger, SnapshotTrigger::Safety);
    assert_eq!(now(host.list(&ListRequest::default())).unwrap().snapshots.len(), 1);
    rewind(&host, &to(&auto)).unwrap();
    assert_eq!(read(&host), "later");
    world.check_invariants("sess");
}

#[test]
fn to_the_files_it_has_nothing_is_replaced_and_no_process_ended() {
    let (world, host, first) = changed();
    let process = EndedProcess { pid: 7, command: "node server.js".into() };
    world.users.borrow_mut().push(process);
    let second = snapshot(&host);
    let keys = world.bucket.keys();
    // A rewind from the head to the head.
    assert_eq!(id_of(&rewind(&host, &to(&second)).unwrap()), second);
    assert_eq!((world.bucket.keys(), head(&host)), (keys, json!(second)));
    // The files equal those of a snapshot that is not the head, and no layer is taken of them.
    world.write("sess", "work");
    world.layers.set(false);
    let answer = call(&host, "workspace_rewind", json!({ "ref": first })).unwrap();
    assert_eq!((&answer["endedProcesses"], head(&host)), (&json!([]), json!(first)));
    assert_eq!((world.restored.borrow().len(), world.users.borrow().len()), (0, 1));
    assert_eq!(kinds(&host)[0], "workspace.rewound");
    // Equal files do not help if R2 lost the snapshot.
    world.write("sess", "later");
    world.bucket.objects.borrow_mut().remove(&data_key(&second));
    assert_eq!(refused(&host, &to(&second)).code, ErrorCode::SnapshotGone);
    assert_eq!(head(&host), json!(first));
    world.check_invariants("sess");
}

#[test]
fn only_from_the_head_that_is_expected() {
    let (world, host, id) = changed();
    let newer = snapshot(&host);
    let from = |head: &BackupId| RewindRequest { expected_head: Some(head.clone()), ..to(&id) };
    let error = refused(&host, &from(&id));
    assert_eq!(error.code, ErrorCode::PreconditionFailed);
    assert_eq!(error.details.unwrap()["head"], json!(newer));
    assert_eq!(read(&host), "later");
    assert_eq!(all(&host).len(), 2, "not even a safety snapshot was taken");
    rewind(&host, &from(&newer)).unwrap();
    world.check_invariants("sess");
}

#[test]
fn what_it_may_not_be_rewound_to_changes_nothing() {
    let (world, host, id) = changed();
    let other = world.other_session();
    let theirs = snapshot(&other.open("other"));
    assert_eq!(refused(&host, &to(&theirs)).code, ErrorCode::SnapshotNotOwned);
    let named = RewindRequest { r#ref: SnapshotSelector::Name("none".into()), ..to(&id) };
    assert_eq!(refused(&host, &named).code, ErrorCode::NotFound);
    world.clock.advance(31 * 24 * 3_600_000);
    assert_eq!(refused(&host, &to(&id)).code, ErrorCode::SnapshotExpired);
    let gone = snapshot(&host);
    world.write("sess", "latest");
    now(host.delete(&SnapshotSelector::Id(gone.clone()), DeleteOptions::default())).unwrap();
    assert_eq!(refused(&host, &to(&gone)).code, ErrorCode::SnapshotGone);
    assert_eq!(world.disk("sess").unwrap().content, "latest");
    let reading =
        world.other_session().open_with("reading", json!({ "capabilities": { "readOnly": true } }));
    assert_eq!(refused(&reading, &to(&id)).code, ErrorCode::Forbidden);
    let shared = json!({ "id": "shared-x", "shareAcrossSessions": true });
    let shared = world.other_session().open_with("sharing", shared);
    let ours = snapshot(&shared);
    assert_eq!(refused(&shared, &to(&ours)).code, ErrorCode::Conflict);
}

#[test]
fn what_fails_leaves_no_safety_snapshot() {
    let (world, host, id) = changed();
    world.mounted.set(true);
    let error = refused(&host, &to(&id));
    assert_eq!(error.code, ErrorCode::Unsupported);
    world.mounted.set(false);
    world.bucket.objects.borrow_mut().remove(&data_key(&id));
    assert_eq!(refused(&host, &to(&id)).code, ErrorCode::SnapshotGone);
    assert_eq!(read(&host), "later");
    assert_eq!(all(&host), []);
    assert!(!kinds(&host).contains(&"workspace.rewound".to_owned()));
    world.recover("sess");
    world.check_invariants("sess");
}

#[test]
fn one_that_sleeps_is_woken_first() {
    let (world, host, id) = changed();
    let second = snapshot(&host);
    world.kill("sess");
    let answer = call(&host, "workspace_rewind", json!({ "ref": id })).unwrap();
    assert_eq!(answer["woken"]["fromSnapshotId"], json!(second));
    assert_eq!(answer["safetyRef"]["ref"]["backup"]["id"], json!(second));
    assert_eq!(read(&host), "work");
}

#[test]
fn it_has_the_workspace_to_itself() {
    let (mut waited, mut refused) = (0, 0);
    for later in 0..20 {
        let (world, host, id) = changed();
        world.faults.slow.set(true);
        let none = Abort::default();
        let other = async {
            for _ in 0..later {
                yield_once().await;
            }
            let content = json!({ "path": "a", "content": "meanwhile" });
            call_tool(&host, "workspace_write_file", content, &none).await.unwrap();
        };
        let request = to(&id);
        let (rewound, ()) = block_on(async { futures::join!(host.rewind(&request, &none), other) });
        world.faults.slow.set(false);
        match rewound {
            // The other call ran after the rewind: the disk has what it wrote.
            Ok(_) => {
                assert_eq!(read(&host), "meanwhile", "after {later}");
                waited += 1;
            }
            Err(error) => {
                assert_eq!((error.code, error.retryable), (ErrorCode::Conflict, true));
                assert!(!all(&host).iter().any(|row| row.cause.trigger == SnapshotTrigger::Safety));
                refused += 1;
            }
        }
    }
    assert!(waited > 5, "{waited} {refused}");
}

#[test]
fn it_waits_for_calls_that_are_in() {
    let (world, host, id) = changed();
    world.faults.slow.set(true);
    world.clock.stop();
    let none = Abort::default();
    let request = to(&id);
    let snapshot = host.snapshot(Default::default(), &none);
    let (taken, rewound) =
        block_on(async { futures::join!(snapshot, host.rewind(&request, &none)) });
    let taken = taken.unwrap().snapshot.id;
    assert_eq!(id_of(&rewound.unwrap().safety_ref.unwrap()), taken, "nothing changed in between");
    assert_eq!(world.disk("sess").unwrap().content, "work");
}

#[test]
fn both_sides_of_it_are_kept_meanwhile() {
    let mut refusals = 0;
    for later in 0..20 {
        let (world, host, id) = changed();
        world.faults.slow.set(true);
        let none = Abort::default();
        let delete = async {
            for _ in 0..later {
                yield_once().await;
            }
            let options = DeleteOptions { force: true, ..DeleteOptions::default() };
            host.delete(&SnapshotSelector::Id(id.clone()), options).await
        };
        let request = to(&id);
        let (rewound, deleted) =
            block_on(async { futures::join!(host.rewind(&request, &none), delete) });
        refusals += usize::from(deleted.is_err_and(|error| error.code == ErrorCode::Conflict));
        match rewound {
            Ok(_) => assert_eq!(world.disk("sess").unwrap().content, "work"),
            Err(error) => {
                assert_eq!(error.code, ErrorCode::SnapshotGone, "{error:?}");
                assert_eq!(world.disk("sess").unwrap().content, "later");
            }
        }
    }
    assert!(refusals > 3, "{refusals}");
}

#[test]
fn one_of_another_directory_leaves_the_head() {
    for dir in ["/workspace/src", "/home"] {
        let world = World::new();
        let host = world.open_with("sess", json!({ "snapshotDir": dir }));
        read(&host);
        let id = snapshot(&host);
        world.write("sess", "later");
        let before = head(&host);
        rewind(&host, &to(&id)).unwrap();
        assert_eq!(head(&host), before, "{dir}");
        // The alarm saves the workspace soon: its head, if any, has other files.
        assert!(world.alarm.at_ms.get().unwrap() <= world.clock.now_ms());
        now(host.recover()).unwrap();
        assert_ne!(head(&host), before, "{dir}");
    }
}

#[test]
fn one_of_another_session_is_saved_soon() {
    let world = World::new();
    let theirs = snapshot(&world.other_session().open("other"));
    let host = world.open_with(
        "sess",
        json!({ "capabilities": { "shell": true, "snapshot": { "crossSession": true } } }),
    );
    read(&host);
    world.write("sess", "ours");
    let crossing = RewindRequest { allow_cross_session: true, ..to(&theirs) };
    rewind(&host, &crossing).unwrap();
    assert_eq!(read(&host), "");
    assert_eq!(head(&host), json!(theirs));
    assert!(kinds(&host).contains(&"session.crossed".to_owned()));
    world.clock.advance(60_000);
    now(host.recover()).unwrap();
    assert_ne!(head(&host), json!(theirs));
}
