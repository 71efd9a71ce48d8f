//! Services of a session: when they are started, and when they are left alone.

use crate::support::faults::{Fault, Faults};
use crate::workspaces::pause::{pause, resume};
use crate::workspaces::rewind::{rewind, to};
use crate::world::{World, content, now, snapshot, try_content};
use futures::FutureExt;
use serde_json::{Value, json};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::{ProcessName, RestoreKind};
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::ports::sandbox::ProcessState;
use snapshotter::session::{Abort, LiveForkRequest, ServiceView, Session};
use std::cell::Cell;
use std::rc::Rc;

const WEB: &str = "web: npm start in /workspace/app";
const DB: &str = "db: run in /workspace";

fn services() -> Value {
    json!([{ "name": "web", "command": ["npm", "start"], "cwd": "app" }, { "name": "db", "command": "run" }])
}

fn opened(world: &World) -> Session {
    world.open_with("sess", json!({ "services": services() }))
}

/// The services that were started since the last look, and where.
fn started(world: &World) -> Vec<String> {
    world.started.take()
}

fn both_on(sandbox: &str) -> [String; 2] {
    [format!("{sandbox}: {WEB}"), format!("{sandbox}: {DB}")]
}

fn views(host: &Session) -> Vec<ServiceView> {
    now(host.describe_workspace()).unwrap().services
}

fn state(view: &ServiceView) -> Option<ProcessState> {
    view.process.as_ref().map(|process| process.state)
}

fn ends_at_once(world: &World, name: &str) {
    world.short_lived.borrow_mut().insert(ProcessName::parse(name).unwrap());
}

fn failures(world: &World) -> usize {
    world.log.0.borrow().iter().filter(|line| line.event == "service.failed").count()
}

#[test]
fn the_first_use_and_each_wake_start_them_once() {
    let world = World::new();
    let host = opened(&world);
    assert_eq!(views(&host).len(), 2);
    assert_eq!((started(&world), world.starts.get()), (Vec::new(), 0), "open starts nothing");
    content(&host);
    assert_eq!(started(&world), both_on("sess"));
    content(&host);
    snapshot(&host);
    assert_eq!(started(&world), [""; 0]);
    world.kill("sess");
    content(&host);
    assert_eq!(started(&world), both_on("sess"));
    pause(&host).unwrap();
    assert_eq!(started(&world), [""; 0]);
    resume(&host).unwrap();
    assert_eq!(started(&world), both_on("sess"));
    world.kill("sess");
    now(host.start_fresh()).unwrap();
    content(&host);
    assert_eq!(started(&world), both_on("sess"));
}

#[test]
fn every_new_workspace_has_them_before_it_is_used() {
    let world = World::new();
    let host = opened(&world);
    content(&host);
    started(&world);
    let from = SnapshotSelector::Id(snapshot(&host));
    for kind in [RestoreKind::Restored, RestoreKind::Branch] {
        let made = now(host.make_workspace(kind, &from, false, &Abort::default())).unwrap();
        assert_eq!(started(&world), both_on(made.r#ref.sandbox_id().as_str()));
    }
    now(host.live_fork(&LiveForkRequest::default(), &Abort::default())).unwrap();
    assert_eq!(started(&world).len(), 2);
    content(&host);
    assert_eq!(started(&world), [""; 0]);
}

#[test]
fn a_rewind_starts_those_again_that_it_ended() {
    let world = World::new();
    let host = opened(&world);
    content(&host);
    let first = snapshot(&host);
    world.write("sess", "v2");
    started(&world);
    rewind(&host, &to(&first)).unwrap();
    assert_eq!(started(&world), both_on("sess"));
    content(&host);
    assert_eq!(started(&world), [""; 0]);
    // What has not said yet that it ended runs no more at the next call.
    world.write("sess", "v3");
    world.lingering.set(true);
    rewind(&host, &to(&first)).unwrap();
    assert_eq!(started(&world), [""; 0]);
    for (_, process) in world.processes.borrow_mut().iter_mut() {
        process.state = ProcessState::Ended;
    }
    content(&host);
    assert_eq!(started(&world), both_on("sess"));
    // One that a rewind did not end goes on, and is not looked for at each call.
    world.write("sess", "v4");
    rewind(&host, &to(&first)).unwrap();
    content(&host);
    world.processes.borrow_mut().clear();
    content(&host);
    assert_eq!(started(&world), [""; 0]);
}

#[test]
fn one_that_ends_or_is_stopped_stays_ended_in_its_container() {
    let world = World::new();
    let host = opened(&world);
    ends_at_once(&world, "web");
    content(&host);
    assert_eq!(started(&world), both_on("sess"));
    let stop = serde_json::from_value(json!({ "name": "db" })).unwrap();
    now(host.stop_process(stop)).unwrap();
    content(&host);
    // So says the container to an object that remembers nothing.
    let host = world.host("sess");
    content(&host);
    assert_eq!(started(&world), [""; 0]);
    let [web, db] = views(&host).try_into().unwrap();
    assert_eq!((state(&web), state(&db)), (Some(ProcessState::Ended), Some(ProcessState::Ended)));
    assert_eq!(
        (web.process.unwrap().exit_code, db.process.unwrap().exit_code),
        (Some(1), Some(143))
    );
    world.kill("sess");
    content(&host);
    assert_eq!(started(&world), both_on("sess"));
}

#[test]
fn a_later_open_changes_them() {
    let world = World::new();
    let host = opened(&world);
    ends_at_once(&world, "web");
    let open = |config: Value| {
        now(host.open(serde_json::from_value(config).unwrap())).unwrap();
        content(&host);
        started(&world)
    };
    assert_eq!(open(json!({})), both_on("sess"));
    assert_eq!(open(json!({})), [""; 0], "what it leaves out stays");
    // One that ended and has another command is started; one that runs goes on.
    let changed = open(json!({ "services": [
        { "name": "web", "command": "fixed" }, { "name": "db", "command": "other" }, { "name": "new", "command": "x" },
    ] }));
    assert_eq!(changed, ["sess: web: fixed in /workspace", "sess: new: x in /workspace"]);
    assert_eq!(open(json!({ "services": [] })), [""; 0]);
    assert!(views(&host).is_empty());
    world.kill("sess");
    content(&host);
    assert_eq!(started(&world), [""; 0]);
}

#[test]
fn a_description_shows_them_and_neither_uses_nor_starts_anything() {
    let world = World::new();
    let host = opened(&world);
    content(&host);
    let used = now(host.describe_workspace()).unwrap();
    assert!(used.when_idle.ends_with("The next call starts services again."));
    world.clock.advance(60_000);
    let [web, db] = views(&host).try_into().unwrap();
    assert_eq!((web.name.as_str(), db.name.as_str()), ("web", "db"));
    assert_eq!((state(&web), web.log.as_deref()), (Some(ProcessState::Running), Some("hi")));
    assert_eq!(web.process.unwrap().command, "npm start");
    let again = now(host.describe_workspace()).unwrap();
    assert_eq!(again.workspace.last_used_at, used.workspace.last_used_at);
    started(&world);
    world.kill("sess");
    let [web, _] = views(&host).try_into().unwrap();
    assert_eq!((web.process, web.log, web.error), (None, None, None));
    assert_eq!((started(&world), world.starts.get()), (Vec::new(), 1));
    assert!(views(&World::new().open("plain")).is_empty());
}

#[test]
fn a_failure_fails_no_call_and_is_tried_again_if_that_can_help() {
    let mut world = World::new();
    let broken = Rc::new(Cell::new(Some("startProcess")));
    let decide = {
        let broken = broken.clone();
        move |name: &str| (broken.get() == Some(name)).then_some(Fault::ErrorBefore)
    };
    world.faults = Faults::decided_by(Rc::default(), decide);
    let missing = json!({ "name": "gone", "command": "x", "cwd": "missing" });
    let host = world
        .open_with("sess", json!({ "services": [{ "name": "db", "command": "run" }, missing] }));
    content(&host);
    assert_eq!((started(&world), failures(&world)), (Vec::new(), 2));
    let from = SnapshotSelector::Id(snapshot(&host));
    let made = now(host.make_workspace(RestoreKind::Branch, &from, false, &Abort::default()));
    made.unwrap();
    broken.set(None);
    world.log.0.take();
    content(&host);
    assert_eq!(started(&world), [format!("sess: {DB}")]);
    let [db, gone] = views(&host).try_into().unwrap();
    assert_eq!((state(&db), db.error), (Some(ProcessState::Running), None));
    assert_eq!(gone.error.unwrap().code, ErrorCode::NotFound);
    content(&host);
    content(&host);
    assert_eq!(failures(&world), 1, "another try would not help");
    let line = format!("{:?}", world.log.0.borrow());
    assert!(line.contains(r#""service": String("gone")"#), "{line}");
    // An object that can't learn what ran starts nothing, until it can.
    let host = world.host("sess");
    broken.set(Some("listProcesses"));
    assert!(try_content(&host).is_ok());
    assert_eq!(started(&world), [""; 0]);
    world.processes.borrow_mut().clear();
    broken.set(None);
    content(&host);
    assert_eq!(started(&world), [format!("sess: {DB}")]);
}

#[test]
fn they_have_the_longest_time_of_a_command() {
    let world = World::new();
    let config = json!({
        "services": [{ "name": "db", "command": "run" }], "capabilities": { "shell": { "maxDurationMs": 5_000 } },
    });
    content(&world.open_with("sess", config));
    assert_eq!(started(&world), [format!("sess: {DB} for 5000 ms")]);
}

#[test]
fn a_crash_leaves_none_of_them_ended() {
    for fault in [Fault::CrashBefore, Fault::CrashAfter] {
        for nth in 0.. {
            let world = World::new();
            let host = opened(&world);
            content(&host);
            let first = snapshot(&host);
            world.write("sess", "v2");
            world.faults.arm(nth, fault);
            let ended = host.rewind(&to(&first), &Abort::default()).now_or_never();
            if !world.faults.disarm() {
                assert!(nth > 8 && ended.is_some());
                break;
            }
            drop(host);
            world.recover("sess");
            let host = world.host("sess");
            content(&host);
            let states: Vec<_> = views(&host).iter().map(state).collect();
            assert_eq!(states, [Some(ProcessState::Running); 2], "{fault:?} at {nth}");
        }
    }
}
