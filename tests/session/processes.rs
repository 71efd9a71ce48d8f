//! Background processes: the rules that hold for them, and what they never wake.

use crate::world::{World, content, now, snapshot};
use serde_json::{Value, json};
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::ids::RestoreKind;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::ports::sandbox::{ProcessState, ProcessView};
use snapshotter::session::{Abort, Session};

fn start(host: &Session, request: Value) -> Result<ProcessView, Error> {
    let request = serde_json::from_value(request).unwrap();
    now(host.start_process(request)).map(|placed| placed.answer)
}

fn listed(host: &Session) -> usize {
    now(host.list_processes(Default::default())).unwrap().answer.processes.len()
}

fn log(host: &Session, request: Value) -> Result<u64, Error> {
    let request = serde_json::from_value(request).unwrap();
    now(host.read_process_log(request)).map(|placed| placed.answer.next_offset)
}

fn stop(host: &Session, name: &str) -> Result<ProcessState, Error> {
    let request = serde_json::from_value(json!({ "name": name })).unwrap();
    now(host.stop_process(request)).map(|placed| placed.answer.state)
}

#[test]
fn a_start_wakes_the_workspace_and_nothing_else_does() {
    let world = World::new();
    let host = world.open("sess");
    assert_eq!(listed(&host), 0);
    assert_eq!(log(&host, json!({ "name": "web" })).unwrap_err().code, ErrorCode::NotFound);
    assert_eq!(stop(&host, "web").unwrap_err().code, ErrorCode::NotFound);
    assert_eq!(world.starts.get(), 0, "no container started");
    let web = json!({ "name": "web", "command": "npm start", "cwd": "app" });
    assert_eq!(start(&host, web).unwrap().command, "npm start");
    assert_eq!(*world.started.borrow(), ["sess: web: npm start in /workspace/app"]);
    assert_eq!((world.starts.get(), listed(&host)), (1, 1));
    assert_eq!(log(&host, json!({ "name": "web", "offset": 3 })).unwrap(), 5);
    assert_eq!(stop(&host, "web").unwrap(), ProcessState::Ended);
    snapshot(&host);
    world.kill("sess");
    assert_eq!(listed(&host), 0);
    assert_eq!(stop(&host, "web").unwrap_err().code, ErrorCode::NotFound);
    now(host.pause(None, &Abort::default())).unwrap();
    assert_eq!(listed(&host), 0);
    assert_eq!(world.starts.get(), 1, "no container started");
}

#[test]
fn a_process_may_be_what_a_command_may_be() {
    let world = World::new();
    let config =
        json!({ "capabilities": { "shell": { "allowlist": ["npm"], "maxDurationMs": 5_000 } } });
    let host = world.open_with("sess", config);
    let refused = start(&host, json!({ "name": "a", "command": "npm start" })).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Forbidden);
    let refused =
        start(&host, json!({ "name": "a", "command": ["npm"], "env": { "PATH": "/tmp" } }));
    assert_eq!(refused.unwrap_err().code, ErrorCode::Forbidden);
    let outside = json!({ "name": "a", "command": ["npm"], "cwd": "../.." });
    assert_eq!(start(&host, outside).unwrap_err().code, ErrorCode::InvalidArgument);
    for name in ["", "../x", "a b", &"x".repeat(65)] {
        let request: Result<snapshotter::session::StartRequest, _> =
            serde_json::from_value(json!({ "name": name, "command": "true" }));
        assert!(request.is_err(), "{name}");
    }
    let world = World::new();
    let host =
        world.open_with("sess", json!({ "capabilities": { "shell": { "maxDurationMs": 5_000 } } }));
    start(&host, json!({ "name": "a", "command": "true" })).unwrap();
    assert_eq!(*world.started.borrow(), ["sess: a: true in /workspace for 5000 ms"]);
    let world = World::new();
    let host = world.open_with("sess", json!({ "capabilities": { "fs": true } }));
    let refused = start(&host, json!({ "name": "a", "command": "true" })).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Unsupported);
    let listed = now(host.list_processes(Default::default())).unwrap_err();
    assert_eq!(listed.code, ErrorCode::Unsupported);
}

#[test]
fn processes_are_of_the_workspace_that_is_named() {
    let world = World::new();
    let host = world.open("sess");
    content(&host);
    let from = SnapshotSelector::Id(snapshot(&host));
    let made = now(host.make_workspace(RestoreKind::Branch, &from, false, &Abort::default()));
    let id = made.unwrap().r#ref.sandbox_id().to_string();
    let request = json!({ "name": "web", "command": "x", "workspace": id });
    let request = serde_json::from_value(request).unwrap();
    assert_eq!(now(host.start_process(request)).unwrap().workspace.as_str(), id);
    let elsewhere = json!({ "name": "web", "command": "x", "workspace": "someone-else" });
    assert_eq!(start(&host, elsewhere).unwrap_err().code, ErrorCode::WorkspaceNotOwned);
    let elsewhere = json!({ "name": "web", "workspace": "someone-else" });
    assert_eq!(log(&host, elsewhere).unwrap_err().code, ErrorCode::WorkspaceNotOwned);
}
