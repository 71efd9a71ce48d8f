//! Recorded calls that a restart broke off: their records report the true state.

use crate::support::faults::Fault;
use crate::turns::undoable;
use crate::workspaces::pause::{pause, used};
use crate::world::{World, content, now};
use futures::FutureExt;
use serde_json::{Value, json};
use snapshotter::api::operation::Invocation;
use snapshotter::api::operation::run;
use snapshotter::api::{registry, tools};
use snapshotter::domain::call::{OperationState, OperationView};
use snapshotter::domain::error::{Error, ErrorCode, Outcome};
use snapshotter::domain::session::scope::Caller;
use snapshotter::session::{Abort, Annotations, Session, SnapshotRequest};

fn args(name: &str) -> Value {
    match name {
        "createToken" => json!({ "scopes": ["read"] }),
        "restore" | "branch" | "rewind" => json!({ "ref": "base" }),
        "fork" => json!({ "count": 2 }),
        "importBackup" => json!({ "key": "archive", "allowCrossSession": true }),
        _ => json!({}),
    }
}

/// Every operation that names what it makes, called as an operation and as a tool.
fn calls() -> Vec<(&'static str, String, Value)> {
    let mut calls = Vec::new();
    for entry in registry::all().filter(|entry| entry.descriptor.names_subject) {
        let name = entry.descriptor.name;
        calls.push((name, name.to_owned(), args(name)));
        let mut tools = tools::all();
        if let Some(tool) = tools.find(|tool| tool.operation.is_some_and(|its| its.name == name)) {
            let tool = tool.tool.name;
            let args = json!({ "name": tool, "input": args(name) });
            calls.push((name, "callTool".to_owned(), args));
        }
    }
    assert!(calls.len() >= 17, "{calls:?}");
    calls
}

/// A workspace that has changed since the snapshot `base`.
fn prepared(name: &str) -> World {
    if name == "undo" {
        return undoable();
    }
    let crossing = json!({ "fs": true, "shell": true, "snapshot": { "crossSession": true } });
    let (world, host) = used(json!({ "capabilities": crossing }));
    world.bucket.objects.borrow_mut().insert("archive".to_owned(), b"archive".to_vec());
    let annotations = Annotations { name: Some("base".to_owned()), ..Annotations::default() };
    let request = SnapshotRequest { annotations, ..SnapshotRequest::default() };
    now(host.snapshot(request, &Abort::default())).unwrap();
    world.write("sess", "later");
    if name == "resume" {
        pause(&host).unwrap();
    }
    world
}

/// Makes a call that breaks at an effect. Returns whether the call reached it.
fn broken(world: &World, op: &str, args: &Value, nth: usize, fault: Fault) -> bool {
    let control = json!({ "idempotencyKey": "k", "operationId": "call" });
    let asked = Invocation::parse(op, args.clone(), control).unwrap();
    let (host, abort) = (world.host("sess"), Abort::default());
    world.faults.arm(nth, fault);
    let (clock, log) = (&world.clock, &world.log);
    let _ = run(&host, &Caller::BINDING, asked, &abort, clock, log, String::new).now_or_never();
    world.faults.disarm()
}

/// The record of the call, if there is one.
fn told(host: &Session) -> Option<OperationView> {
    host.operation(&"call".to_owned().try_into().unwrap()).ok()
}

/// A call of any kind, broken at any effect, ends with a known outcome.
#[test]
fn what_holds_of_each_kind_of_call_is_known() {
    for (name, op, args) in calls() {
        for fault in [Fault::CrashBefore, Fault::CrashAfter] {
            let mut interrupted = 0;
            for nth in 0.. {
                let world = prepared(name);
                let reached = broken(&world, &op, &args, nth, fault);
                world.recover("sess");
                let Some(told) = told(&world.host("sess")) else {
                    assert!(reached, "{op} {args} is not recorded");
                    continue;
                };
                let at = format!("{op} {args}, {fault:?} at {nth}: {told:?}");
                match told.error {
                    None => assert_eq!(told.state, OperationState::Succeeded, "{at}"),
                    Some(error) => {
                        let error = Error::from(error);
                        assert_eq!(error.code, ErrorCode::Interrupted, "{at}");
                        assert_ne!(error.outcome, Outcome::Unknown, "{at}");
                        interrupted += 1;
                    }
                }
                if !reached {
                    break;
                }
            }
            assert!(interrupted > 2 || name == "createToken", "{op} {args}: {interrupted}");
        }
    }
}

#[test]
fn a_replacing_promotion_that_broke_off_does_not_answer_as_a_rewind() {
    let args = json!({ "from": { "snapshot": "base" }, "mode": "replace" });
    let mut committed = 0;
    for fault in [Fault::CrashBefore, Fault::CrashAfter] {
        for nth in 0.. {
            let world = prepared("promote");
            let reached = broken(&world, "promote", &args, nth, fault);
            world.recover("sess");
            let told = told(&world.host("sess"));
            if !reached {
                break;
            }
            let Some(error) = told.and_then(|told| told.error) else { continue };
            if Error::from(error).outcome == Outcome::Committed {
                assert_ne!(content(&world.host("sess")), "later", "{fault:?} at {nth}");
                committed += 1;
            }
        }
    }
    assert!(committed > 0);
}

/// A record may come from another version, say from before a roll back.
#[test]
fn what_cannot_be_read_of_a_call_holds_up_nothing() {
    // A call that a crash left to recover.
    let left = (0..).find_map(|nth| {
        let world = prepared("snapshot");
        assert!(broken(&world, "snapshot", &json!({}), nth, Fault::CrashBefore));
        let named = "SELECT COUNT(subject) AS count FROM operations";
        (world.database_count(named) == 1).then_some(world)
    });
    let world = left.unwrap();
    for subject in ["later:sess", "paused:../..", ""] {
        let row = "UPDATE operations SET state = 'running', answer = NULL, subject =";
        world.sql(&format!("{row} '{subject}'"));
        world.recover("sess");
        let host = world.host("sess");
        let told = told(&host).unwrap();
        assert_eq!(told.state, OperationState::Interrupted, "{subject:?}");
        assert_eq!(Error::from(told.error.unwrap()).outcome, Outcome::Unknown, "{subject:?}");
        let lines = world.log.0.take();
        let line = lines.iter().find(|line| line.event == "operation.unknown_subject").unwrap();
        assert_eq!(line.fields["operationId"], "call", "{subject:?}");
    }
}
