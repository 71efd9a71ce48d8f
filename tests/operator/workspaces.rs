//! Workspaces and usage of all sessions, and destroying containers.

use crate::operator::{Deployment, pin, run};
use crate::support::starts::MemoryStarts;
use crate::world::{World, close_unsaved, now, snapshot};
use serde_json::{Value, json};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::{SandboxId, StartId};
use snapshotter::domain::snapshot::refs::WorkspaceRef;
use snapshotter::domain::starts::PermitRequest;
use snapshotter::domain::time::rfc3339;
use snapshotter::operator::WorkspacesRequest;
use snapshotter::ports::clock::Clock;
use snapshotter::ports::log::Level;
use snapshotter::ports::starts::Starts;
use std::rc::Rc;

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
fn workspaces_that_wait_to_start_are_listed_with_the_queue() {
    let deployment = Deployment::new(&["a", "b", "c"]);
    deployment.recover();
    run(&deployment.host("a"));
    let list = |running: bool| {
        let request = WorkspacesRequest { running, ..WorkspacesRequest::default() };
        serde_json::to_value(now(deployment.operator().list_workspaces(&request)).unwrap()).unwrap()
    };
    assert_eq!(list(false)["starts"], Value::Null, "starts are not limited");
    let starts = MemoryStarts::new(Some(1), Rc::new(deployment.world.clock.clone()));
    *deployment.starts.borrow_mut() = Some(Rc::new(starts.clone()));
    let ask = |nth: u8, sandbox: SandboxId| {
        let id = StartId::from_random([nth; 16]);
        let since_ms = deployment.world.clock.now_ms();
        now(starts.ask(&PermitRequest { id, sandbox, session: None, since_ms })).unwrap();
    };
    for (nth, sandbox) in [(1, "elsewhere"), (2, "c"), (3, "b")] {
        ask(nth, SandboxId::parse(sandbox).unwrap());
        deployment.world.clock.advance(1_000);
    }
    let page = list(false);
    assert_eq!(page["starts"], json!({ "limit": 1, "starting": 1, "waiting": 2 }));
    let waits = |page: &Value, nth: usize| page["workspaces"][nth]["waitingToStart"].clone();
    assert_eq!(waits(&page, 0), Value::Null);
    let since = |ms: i64| rfc3339(deployment.world.clock.now_ms() - ms);
    assert_eq!(waits(&page, 1), json!({ "since": since(1_000), "place": 2 }));
    assert_eq!(waits(&page, 2), json!({ "since": since(2_000), "place": 1 }));
    assert_eq!(list(true)["workspaces"].as_array().unwrap().len(), 3, "they wait to run");
    let text = now(deployment.operator().metrics()).unwrap();
    for line in ["limit 1", "running 1", "waiting 2"] {
        assert!(text.contains(&format!("snapshotter_starts_{line}\n")), "{text}");
    }
    // One that a warm pool starts is no workspace yet.
    ask(4, SandboxId::pooled([4; 16]));
    let page = list(true);
    assert_eq!(page["starts"], json!({ "limit": 1, "starting": 1, "waiting": 3 }));
    assert_eq!(page["workspaces"].as_array().unwrap().len(), 3);

    starts.silent.set(true);
    let page = list(false);
    assert_eq!((page["starts"].clone(), waits(&page, 1)), (Value::Null, Value::Null));
    assert_eq!(page["workspaces"].as_array().unwrap().len(), 3);
    assert!(now(deployment.operator().metrics()).unwrap().contains("snapshotter_sessions 3\n"));
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
    assert_eq!(text["sessions"][0]["snapshots"], json!({ "count": 2, "sizeBytes": 10 }));
    assert_eq!(text["sessions"][0]["pinned"], json!({ "count": 1, "sizeBytes": 5 }));
    assert_eq!(text["sessions"][0]["automatic"], json!({ "count": 0, "sizeBytes": 0 }));
    assert_eq!(text["sessions"][1]["snapshots"], json!({ "count": 0, "sizeBytes": 0 }));
    assert_eq!(text["total"], json!({ "count": 2, "sizeBytes": 10 }));
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
    close_unsaved(&world, &host);
    let named = WorkspaceRef::new("sess".to_owned().try_into().unwrap());
    assert!(!world.disks.borrow().is_empty());
    now(host.destroy_container(&named)).unwrap();
    assert!(world.disks.borrow().is_empty());
    let other = WorkspaceRef::new("other".to_owned().try_into().unwrap());
    let refused = now(host.destroy_container(&other)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::WorkspaceNotOwned);
}
