//! The operator's work across sessions: the directory and its lists, and destroying
//! containers.

use crate::deployment::{DAY_MS, Deployment, pin, run};
use crate::support::faults::Fault;
use crate::world::{World, now, snapshot};
use futures::FutureExt;
use serde_json::{Value, json};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::snapshot::refs::WorkspaceRef;
use snapshotter::operator::WorkspacesRequest;
use snapshotter::ports::log::Level;

// ---- the directory

#[test]
fn a_session_is_listed_by_its_alarm_and_its_open_waits_for_nothing() {
    let world = World::new();
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    let host = world.open("sess");
    now(host.announce());
    assert_eq!(world.faults.trace(), ["alarm"], "nothing but the alarm is set");
    assert!(world.directory.listed().is_empty());
    world.recover("sess");
    assert_eq!(world.directory.listed(), ["sess"]);
    // After that, the session does not register again.
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    world.alarm.at_ms.take();
    now(world.host("sess").start()).unwrap();
    now(world.host("sess").recover()).unwrap();
    assert!(!world.faults.trace().contains(&"register".to_owned()));
    assert_eq!(world.alarm.at_ms.get(), None);
}

#[test]
fn a_directory_that_does_not_answer_fails_no_call_and_gets_the_session_later() {
    for fault in Fault::ALL {
        let world = World::new();
        let host = world.open("sess");
        now(host.announce());
        world.alarm.at_ms.take();
        world.faults.arm(0, fault);
        let recovered = host.recover().now_or_never();
        assert!(world.faults.disarm(), "{fault:?}");
        let crashed = recovered.is_none();
        assert!(crashed || recovered.unwrap().is_ok(), "{fault:?}");
        let warned = world.log.0.borrow().iter().any(|line| line.event == "register");
        assert_eq!(warned, !crashed, "{fault:?}");
        // The object is new. After an error the alarm is set; after a crash the next call
        // sets it.
        assert!(crashed || world.alarm.at_ms.get().is_some(), "{fault:?}");
        world.recover("sess");
        assert_eq!(world.directory.listed(), ["sess"], "{fault:?}");
        assert_eq!(world.database_count("SELECT COUNT(*) AS count FROM retries"), 0);
        world.check_invariants("sess");
    }
}

#[test]
fn a_directory_that_lost_its_storage_lists_what_is_used_again() {
    let world = World::new();
    now(world.open("sess").announce());
    world.recover("sess");
    let mut after = world.clone();
    after.directory = World::new().directory;
    after.recover("sess");
    assert!(after.directory.listed().is_empty(), "not at each call");
    after.clock.advance(30 * DAY_MS);
    after.recover("sess");
    assert_eq!(after.directory.listed(), ["sess"]);
}

#[test]
fn sessions_of_before_the_directory_are_listed_at_their_next_call() {
    let world = World::new();
    world.directory.bound.set(false);
    let host = world.open("sess");
    now(host.start()).unwrap();
    world.recover("sess");
    assert_eq!(world.alarm.at_ms.get(), None, "without a directory there is nothing to do");
    assert_eq!(run(&world.host("sess")), "");
    world.directory.bound.set(true);
    assert!(world.directory.listed().is_empty());
    world.recover("sess");
    assert_eq!(world.directory.listed(), ["sess"]);
}

#[test]
fn every_session_is_listed_once_page_by_page() {
    let deployment = Deployment::new(&["B", "a", "a:b", "zz", "c"]);
    deployment.recover();
    let operator = deployment.operator();
    let (mut listed, mut cursor, mut pages) = (Vec::new(), None::<String>, 0);
    loop {
        let page = now(operator.list_sessions(Some(2), cursor.as_deref())).unwrap();
        listed.extend(page.sessions.into_iter().map(|listed| listed.session.to_string()));
        pages += 1;
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!((listed, pages), (["B", "a", "a:b", "c", "zz"].map(str::to_owned).to_vec(), 3));
    // Cursors of other lists.
    for foreign in ["eyJjIjp7InMiOjQyfX0", "eyJwIjp7Im4iOiJTRUNPTkQifX0", "e30", "*"] {
        let refused = now(operator.list_sessions(None, Some(foreign))).unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidArgument, "{foreign}");
    }
}

#[test]
fn without_a_directory_the_operator_is_told_which_binding_is_missing() {
    let deployment = Deployment::new(&[]);
    deployment.world.directory.bound.set(false);
    let refused = deployment.try_operator().err().unwrap();
    assert_eq!(refused.code, ErrorCode::NotConfigured);
    assert!(refused.message.contains("DIRECTORY"), "{refused}");
}

#[test]
fn workspaces_of_every_session_are_listed_with_their_containers() {
    let deployment = Deployment::new(&["a", "b", "c"]);
    deployment.recover();
    run(&deployment.host("a"));
    run(&deployment.host("c"));
    let operator = deployment.operator();
    let list = |request: Value| {
        let request: WorkspacesRequest = serde_json::from_value(request).unwrap();
        now(operator.list_workspaces(&request)).unwrap()
    };
    let shown = |request: Value| -> Vec<String> {
        let page = list(request);
        let row = |row: &Value| format!("{} {}", row["session"], row["container"]);
        let rows = serde_json::to_value(&page.workspaces).unwrap();
        rows.as_array().unwrap().iter().map(row).collect()
    };
    assert_eq!(shown(json!({})), [r#""a" "running""#, r#""b" "stopped""#, r#""c" "running""#]);
    assert_eq!(shown(json!({ "running": true })), [r#""a" "running""#, r#""c" "running""#]);
    let first = list(json!({ "limit": 2, "running": true }));
    assert_eq!(first.workspaces.len(), 1);
    let next = json!({ "limit": 2, "running": true, "cursor": first.next_cursor });
    assert_eq!(shown(next), [r#""c" "running""#]);
    assert_eq!(deployment.world.starts.get(), 2, "nothing was started");

    deployment.silent.borrow_mut().push("b".to_owned());
    let page = list(json!({}));
    assert_eq!(page.workspaces.len(), 2);
    assert_eq!(page.problems.len(), 1);
    assert_eq!(page.problems[0].session.as_str(), "b");
    assert_eq!(page.problems[0].error.code, ErrorCode::Unavailable);
}

#[test]
fn usage_is_what_the_catalogues_say() {
    let deployment = Deployment::new(&["a", "b"]);
    deployment.recover();
    let host = deployment.host("a");
    run(&host);
    deployment.session("a").write("a", "12345");
    let first = snapshot(&host);
    pin(&host, &first);
    snapshot(&host);
    let page = now(deployment.operator().usage(None, None)).unwrap();
    let text = serde_json::to_value(&page).unwrap();
    assert_eq!(text["sessions"][0]["snapshots"], json!({ "count": 2, "bytes": 10 }));
    assert_eq!(text["sessions"][0]["pinned"], json!({ "count": 1, "bytes": 5 }));
    assert_eq!(text["sessions"][0]["automatic"], json!({ "count": 0, "bytes": 0 }));
    assert_eq!(text["sessions"][1]["snapshots"], json!({ "count": 0, "bytes": 0 }));
    assert_eq!(text["total"], json!({ "count": 2, "bytes": 10 }));
    assert_eq!(text["sessions"][0]["workspaceCount"], 1);
}

// ---- destroying a container

#[test]
fn a_container_that_is_destroyed_leaves_its_workspace_which_wakes() {
    let world = World::new();
    let host = world.open("sess");
    run(&host);
    world.write("sess", "saved");
    let id = snapshot(&host);
    world.write("sess", "not saved");
    let named: WorkspaceRef = host.resolve().unwrap();
    now(host.destroy_container(&named)).unwrap();
    assert!(world.disks.borrow().is_empty());
    now(host.destroy_container(&named)).unwrap();
    assert_eq!(host.resolve().unwrap(), named, "it stays the active one");
    assert_eq!(run(&host), "saved");
    let events = host.list_events(None, None).unwrap().events;
    let destroyed: Vec<_> =
        events.iter().filter(|event| event.kind == "container.destroyed").collect();
    assert_eq!(destroyed.len(), 2);
    assert_eq!(destroyed[0].payload, json!({ "sandboxId": "sess", "backupId": id }));
    let lines = world.log.0.borrow();
    let warned = lines.iter().filter(|line| line.event == "container.destroyed");
    assert!(
        warned.clone().count() == 2 && warned.into_iter().all(|line| line.level == Level::Warn)
    );
    drop(lines);
    world.recover("sess");
    world.check_invariants("sess");
}

#[test]
fn containers_of_a_closed_session_can_be_destroyed_and_those_of_others_not() {
    let world = World::new();
    let host = world.open("sess");
    run(&host);
    now(host.close()).unwrap();
    let named = WorkspaceRef::new("sess".to_owned().try_into().unwrap());
    assert!(!world.disks.borrow().is_empty());
    now(host.destroy_container(&named)).unwrap();
    assert!(world.disks.borrow().is_empty());
    let other = WorkspaceRef::new("other".to_owned().try_into().unwrap());
    let refused = now(host.destroy_container(&other)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::WorkspaceNotOwned);
}
