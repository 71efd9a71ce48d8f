//! Recorded calls: repeated under a key, or run without the caller waiting.

use crate::support::faults::Fault;
use crate::world::{World, now};
use futures::FutureExt;
use serde_json::{Value, json};
use snapshotter::api::operation::Invocation;
use snapshotter::api::operation::Started;
use snapshotter::api::operation::run;
use snapshotter::api::operation::start;
use snapshotter::domain::call::OperationState;
use snapshotter::domain::error::{Error, ErrorCode, Outcome, Result};
use snapshotter::domain::ids::{BackupId, OperationId};
use snapshotter::domain::limits::RECOVER_AFTER_MS;
use snapshotter::domain::session::scope::{Caller, Needs, Scope, Scopes};
use snapshotter::ports::clock::Clock;
use snapshotter::ports::log::LogLine;
use snapshotter::session::{Abort, ListRequest, Session};
use std::rc::Rc;

fn invocation(op: &str, args: Value, control: Value) -> Invocation {
    Invocation::parse(op, args, control).unwrap()
}

/// None if the object died meanwhile.
fn try_call(world: &World, host: &Session, asked: Invocation) -> Option<Result<Value>> {
    let (clock, log) = (&world.clock, &world.log);
    run(host, &Caller::BINDING, asked, &Abort::default(), clock, log, String::new).now_or_never()
}

fn call(world: &World, host: &Session, asked: Invocation) -> Result<Value> {
    try_call(world, host, asked).expect("no fault is armed")
}

fn keyed(op: &str, args: Value, key: &str) -> Invocation {
    invocation(op, args, json!({ "idempotencyKey": key }))
}

/// A call with a large answer. A read is recorded only if nobody waits for it.
fn kept_read(key: &str) -> Invocation {
    let args = json!({ "name": "workspace_read_file", "input": { "path": "a" } });
    invocation("callTool", args, json!({ "idempotencyKey": key, "respondAsync": true }))
}

fn snapshots(host: &Session) -> usize {
    now(host.list(&ListRequest::default())).unwrap().snapshots.len()
}

#[test]
fn a_repetition_gets_the_first_answer() {
    let world = World::new();
    let host = world.open("sess");
    let first = call(&world, &host, keyed("snapshot", json!({ "name": "a" }), "k")).unwrap();
    let again = keyed("snapshot", json!({ "name": "a" }), "k");
    assert_eq!(call(&world, &host, again.clone()).unwrap(), first);
    assert_eq!(call(&world, &world.host("sess"), again.clone()).unwrap(), first, "after a restart");
    let other = call(&world, &host, keyed("snapshot", json!({ "name": "b" }), "k")).unwrap_err();
    assert_eq!(other.code, ErrorCode::Conflict);
    assert_eq!(snapshots(&host), 1);
    // The record keeps a final error too: the answer stays, even if the name is free.
    let taken = keyed("snapshot", json!({ "name": "a" }), "k2");
    let refused = call(&world, &host, taken.clone()).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Conflict);
    call(&world, &host, invocation("delete", json!({ "ref": "a" }), Value::Null)).unwrap();
    assert_eq!(call(&world, &host, taken).unwrap_err().to_wire(), refused.to_wire());
    assert_eq!(snapshots(&host), 0);
    // After a day the key is new.
    world.clock.advance(24 * 3_600_000 + 1);
    call(&world, &host, again).unwrap();
    assert_eq!(snapshots(&host), 1);
}

#[test]
fn only_what_creates_takes_a_key_and_only_of_an_open_session() {
    let world = World::new();
    let refused = call(&world, &world.host("sess"), keyed("snapshot", json!({}), "k"));
    assert_eq!(refused.unwrap_err().code, ErrorCode::NotFound);
    let host = world.open("sess");
    let refused = call(&world, &host, keyed("close", json!({}), "k")).unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidArgument);
    let unknown = keyed("callTool", json!({ "name": "x", "input": {} }), "k");
    assert_eq!(call(&world, &host, unknown).unwrap_err().code, ErrorCode::NotFound);
    assert!(host.list_operations(None, None, |_| true).unwrap().operations.is_empty());
}

#[test]
fn a_tool_that_only_reads_runs_again_under_its_key() {
    let world = World::new();
    let host = world.open("sess");
    let recorded = || world.database_count("SELECT COUNT(*) AS count FROM operations");
    let write = |content: &str, key: &str| {
        let input = json!({ "path": "a", "content": content });
        let args = json!({ "name": "workspace_write_file", "input": input });
        call(&world, &host, keyed("callTool", args, key)).unwrap()
    };
    let args = || json!({ "name": "workspace_read_file", "input": { "path": "a" } });
    let read = || call(&world, &host, keyed("callTool", args(), "k")).unwrap();
    // Too large for a record.
    let large = "x".repeat(600 * 1024);
    let first = write("small", "first");
    write(&large, "second");
    for _ in 0..2 {
        assert_eq!(read()["content"], large);
    }
    assert_eq!(write("small", "first"), first);
    assert_eq!(read()["content"], large, "a write is recorded, and not repeated");
    assert_eq!(recorded(), 2);
    // If the first one still runs, whose answer was lost, the repetition waits for it.
    let id = OperationId::parse("op").unwrap();
    let running = host.cancellable(&id, &Abort::default(), Needs::Nothing).unwrap();
    let again = |control: Value| call(&world, &host, invocation("callTool", args(), control));
    let control = json!({ "idempotencyKey": "k", "operationId": "op" });
    let waits = again(control.clone()).unwrap_err();
    assert_eq!((waits.code, waits.retryable), (ErrorCode::Conflict, true));
    assert!(waits.details.unwrap()["retryAfterMs"].is_u64());
    let named = again(json!({ "operationId": "op" })).unwrap_err();
    assert_eq!((named.code, named.retryable), (ErrorCode::Conflict, false));
    drop(running);
    again(control).unwrap();
    assert_eq!(recorded(), 2);
}

/// After any break, a caller that repeats a keyed call until it succeeds has done it
/// exactly once.
#[test]
fn repeated_until_it_succeeds_it_is_done_once() {
    let branch = || keyed("branch", json!({ "ref": "base" }), "k");
    let take = || keyed("snapshot", json!({ "name": "once" }), "k");
    let restore = || {
        let args = json!({ "name": "workspace_restore", "input": { "ref": "base" } });
        keyed("callTool", args, "k")
    };
    let token = || keyed("createToken", json!({ "scopes": ["read"] }), "k");
    type Case = (&'static str, fn() -> Invocation);
    for (name, asked) in [
        ("take", take as fn() -> Invocation),
        ("branch", branch),
        ("restore", restore),
        ("token", token),
    ] as [Case; 4]
    {
        for fault in Fault::ALL {
            for nth in 0.. {
                let world = World::new();
                let host = world.open("sess");
                let base = invocation("snapshot", json!({ "name": "base" }), Value::Null);
                call(&world, &host, base).unwrap();
                world.faults.arm(nth, fault);
                let broken = try_call(&world, &host, asked());
                let reached = world.faults.disarm();
                drop(host);
                let what = format!("{name}, {fault:?} at {nth}: {broken:?}");
                let done = (0..5).find_map(|_| {
                    world.recover("sess");
                    call(&world, &world.host("sess"), asked()).ok()
                });
                let committed = broken.as_ref().is_none_or(Result::is_err)
                    && done.is_none()
                    && name == "restore";
                assert!(done.is_some() || committed, "{what} never succeeds");
                world.recover("sess");
                world.check_invariants("sess");
                let host = world.host("sess");
                assert_eq!(snapshots(&host), if name == "take" { 2 } else { 1 }, "{what}");
                let workspaces = now(host.list_workspaces()).unwrap().workspaces.len();
                let made = usize::from(["branch", "restore"].contains(&name));
                assert_eq!(workspaces, 1 + made, "{what}");
                let tokens = host.list_tokens().unwrap().tokens.len();
                assert_eq!(tokens, usize::from(name == "token"), "{what}");
                if !reached {
                    assert!(nth > 2 || name == "token", "{name} has so few effects");
                    break;
                }
            }
        }
    }
}

#[test]
fn what_is_not_waited_for_is_told_of() {
    let world = World::new();
    let host = Rc::new(world.open("sess"));
    let begin = |control: Value| {
        let asked = invocation("snapshot", json!({ "name": "later" }), control);
        let (clock, log) = (Rc::new(world.clock.clone()), Rc::new(world.log.clone()));
        now(start(host.clone(), Caller::BINDING, asked, clock, log, String::new))
    };
    let control = || json!({ "respondAsync": true, "idempotencyKey": "k", "operationId": "op" });
    let Started { operation, work } = begin(control()).unwrap();
    assert_eq!((operation.op.as_str(), operation.state), ("snapshot", OperationState::Running));
    let due_ms = world.alarm.at_ms.get().unwrap() - world.clock.now_ms();
    assert!(due_ms <= 5_000, "the object is kept in memory");
    assert_eq!(snapshots(&host), 0);
    // A repetition meanwhile finds the same operation, whether its caller waits or not.
    let again = begin(control()).unwrap();
    assert!(again.work.is_none() && again.operation.id == operation.id);
    let logged = |line: &LogLine| line.event == "snapshot" && line.fields["repeats"] == "op";
    assert_eq!(world.log.0.borrow().iter().filter(|line| logged(line)).count(), 1, "it is logged");
    let waiting = call(&world, &host, keyed("snapshot", json!({ "name": "later" }), "k"));
    let waiting = waiting.unwrap_err();
    assert_eq!((waiting.code, waiting.retryable), (ErrorCode::Conflict, true));
    assert!(waiting.details.unwrap()["retryAfterMs"].is_u64());
    now(host.recover()).unwrap();
    assert_eq!(host.operation(&operation.id).unwrap().state, OperationState::Running);
    now(work.unwrap());
    let ended = host.operation(&operation.id).unwrap();
    assert_eq!(ended.state, OperationState::Succeeded);
    assert_eq!(ended.result.unwrap()["snapshot"]["name"], "later");
    assert!(ended.step.is_some() && ended.ended_at.is_some());
    let listed = host.list_operations(None, None, |_| true).unwrap().operations;
    assert!(listed.len() == 1 && listed[0].result.is_none());
    // The operation's end is final, and its id cannot be used twice.
    let cancel = invocation("cancel", json!({ "operationId": "op" }), Value::Null);
    let answer = call(&world, &host, cancel).unwrap();
    assert_eq!(answer, json!({ "cancelRequested": false, "state": "succeeded" }));
    let taken = begin(json!({ "respondAsync": true, "operationId": "op" }));
    assert_eq!(taken.err().unwrap().code, ErrorCode::Conflict);
}

#[test]
fn cancelled_before_it_begins_it_is_cancelled() {
    let world = World::new();
    let host = Rc::new(world.open("sess"));
    let asked = invocation("snapshot", json!({}), json!({ "respondAsync": true }));
    let (clock, log) = (Rc::new(world.clock.clone()), Rc::new(world.log.clone()));
    let started =
        now(start(host.clone(), Caller::BINDING, asked, clock, log, String::new)).unwrap();
    let id = started.operation.id;
    assert_eq!(host.cancel(&id).unwrap(), OperationState::Running);
    now(started.work.unwrap());
    let ended = host.operation(&id).unwrap();
    assert_eq!(ended.state, OperationState::Cancelled);
    assert_eq!(ended.error.unwrap().code, ErrorCode::Aborted);
    assert_eq!(snapshots(&host), 0);
}

#[test]
fn a_restart_interrupts_what_nobody_can_know_of() {
    let world = World::new();
    let host = Rc::new(world.open("sess"));
    let run = json!({ "name": "workspace_run", "input": { "command": "make" } });
    let asked = invocation("callTool", run, json!({ "respondAsync": true, "idempotencyKey": "k" }));
    let (clock, log) = (Rc::new(world.clock.clone()), Rc::new(world.log.clone()));
    let started =
        now(start(host, Caller::BINDING, asked.clone(), clock, log, String::new)).unwrap();
    drop(started.work);
    let host = world.host("sess");
    now(host.start()).unwrap();
    assert_eq!(world.alarm.at_ms.get(), Some(world.clock.now_ms()), "the alarm looks at it");
    let left = host.operation(&started.operation.id).unwrap();
    assert_eq!(left.state, OperationState::Interrupted);
    let error = Error::from(left.error.unwrap());
    assert_eq!((error.code, error.outcome), (ErrorCode::Interrupted, Outcome::Unknown));
    assert!(error.hint.is_some());
    // The command may have run, so a repetition with its key does not run it again.
    let again = Invocation { control: keyed("close", json!({}), "k").control, ..asked };
    assert_eq!(call(&world, &host, again).unwrap_err().code, ErrorCode::Interrupted);
}

/// After a day, the sandbox still works on its backup. The alarm cannot forget the
/// call yet, and must not fire again and again.
#[test]
fn one_that_outlasts_its_key_leaves_the_alarm_at_rest() {
    let left = (0..).find_map(|nth| {
        let world = World::new();
        let host = world.open("sess");
        world.faults.arm(nth, Fault::CrashBefore);
        assert!(try_call(&world, &host, keyed("snapshot", json!({}), "k")).is_none());
        world.faults.disarm();
        let pending = "SELECT id FROM snapshots WHERE state = 'pending'";
        let rows = world.database.run(pending, &[]).unwrap();
        rows.first().map(|row| (world, BackupId::parse(row["id"].as_str().unwrap()).unwrap()))
    });
    let (world, id) = left.unwrap();
    world.making.borrow_mut().push(id);
    world.clock.advance(2 * 24 * 3_600_000);
    let host = world.host("sess");
    for _ in 0..3 {
        world.alarm.at_ms.set(None);
        now(host.recover()).unwrap();
        assert!(world.alarm.at_ms.get().unwrap() >= world.clock.now_ms() + RECOVER_AFTER_MS);
        world.clock.advance(3_600_000);
    }
    world.making.borrow_mut().clear();
    now(host.recover()).unwrap();
    world.clock.advance(3_600_000);
    now(host.recover()).unwrap();
    assert_eq!(world.database_count("SELECT COUNT(*) AS count FROM operations"), 0);
}

#[test]
fn who_may_not_make_a_call_does_not_see_its_result() {
    let world = World::new();
    let host = world.open("sess");
    let control = json!({ "idempotencyKey": "k", "operationId": "op" });
    call(&world, &host, invocation("snapshot", json!({}), control)).unwrap();
    let look = |scope| {
        let caller = Caller::Binding { scopes: Some(Scopes::from_iter([scope])) };
        let asked = invocation("getOperation", json!({ "operationId": "op" }), Value::Null);
        let (clock, log) = (&world.clock, &world.log);
        let abort = Abort::default();
        now(run(&host, &caller, asked, &abort, clock, log, String::new)).map_err(|error| error.code)
    };
    assert_eq!(look(Scope::Read), Err(ErrorCode::Forbidden));
    assert!(look(Scope::Snapshot).is_ok());
}

#[test]
fn a_key_is_kept_however_many_come_after_it() {
    let world = World::new();
    let host = world.open_with(
        "sess",
        json!({ "limits": { "calls": { "perMinute": 60_000, "burst": 60_000 } } }),
    );
    let run = |key: &str| {
        let args = json!({ "name": "workspace_mkdir", "input": { "path": key } });
        call(&world, &host, keyed("callTool", args, key))
    };
    let take = || call(&world, &host, keyed("snapshot", json!({}), "first")).unwrap();
    let first = take();
    for count in 0..1_001 {
        run(&format!("k{count}")).unwrap();
    }
    for count in 0..1_001 {
        let control = json!({ "operationId": format!("unkeyed{count}"), "respondAsync": true });
        let list = json!({ "name": "workspace_mkdir", "input": { "path": "a" } });
        call(&world, &host, invocation("callTool", list, control)).unwrap();
    }
    assert_eq!(take(), first, "the same answer");
    assert_eq!(world.database_count("SELECT COUNT(*) AS count FROM snapshots"), 1, "and done once");
    let unkeyed =
        world.database_count("SELECT COUNT(*) AS count FROM operations WHERE key IS NULL");
    assert_eq!(unkeyed, 1_000, "the newest");
    world.clock.advance(24 * 3_600_000 + 1);
    assert_ne!(take(), first, "a day later it is another call");
}

#[test]
fn more_keys_than_can_be_kept_are_refused_not_forgotten() {
    let world = World::new();
    let host = world.open("sess");
    let take = |key: &str| call(&world, &host, keyed("snapshot", json!({}), key));
    let first = take("first").unwrap();
    world.clock.advance(3_600_000);
    world.sql("UPDATE sqlite_sequence SET seq = 99999 WHERE name = 'operations'");
    take("last").unwrap();
    let full = take("another").unwrap_err();
    let wait = full.details.as_ref().unwrap()["retryAfterMs"].as_i64();
    assert_eq!((full.code, wait), (ErrorCode::RateLimited, Some(23 * 3_600_000)));
    assert_eq!(take("first").unwrap(), first, "repetitions are answered");
    call(&world, &host, invocation("snapshot", json!({}), Value::Null)).unwrap();
    world.clock.advance(23 * 3_600_000 + 1);
    take("another").unwrap();
}

#[test]
fn large_answers_make_room_for_later_ones() {
    let world = World::new();
    let host = world.open("sess");
    let read = |key: &str| call(&world, &host, kept_read(key));
    let input = json!({ "path": "a", "content": "x".repeat(500 * 1024) });
    let write = invocation(
        "callTool",
        json!({ "name": "workspace_write_file", "input": input }),
        Value::Null,
    );
    call(&world, &host, write).unwrap();
    let small = call(&world, &host, keyed("snapshot", json!({}), "small")).unwrap();
    for count in 0..132 {
        read(&format!("k{count}")).unwrap();
    }
    let kept = world.database_count("SELECT SUM(length(answer)) AS count FROM operations");
    assert!(kept <= 64 * 1024 * 1024 + 64 * 1024, "{kept}");
    let dropped = read("k0").unwrap_err();
    assert_eq!((dropped.code, dropped.outcome), (ErrorCode::TooLarge, Outcome::Committed));
    assert!(dropped.hint.is_some());
    read("k131").unwrap();
    assert_eq!(call(&world, &host, keyed("snapshot", json!({}), "small")).unwrap(), small);
}

#[test]
fn what_is_kept_is_bounded() {
    let world = World::new();
    let host = world.open("sess");
    let input = json!({ "path": "a", "content": "x".repeat(600 * 1024) });
    let write = json!({ "name": "workspace_write_file", "input": input });
    call(&world, &host, keyed("callTool", write, "secret-in-the-body")).unwrap();
    let rows = world.database_text("SELECT * FROM operations");
    assert!(!rows.contains("xxxxxxxxxx"), "the body is only hashed");
    let first = call(&world, &host, kept_read("large")).unwrap();
    assert!(first["content"].as_str().unwrap().len() == 600 * 1024);
    let again = call(&world, &host, kept_read("large")).unwrap_err();
    assert_eq!((again.code, again.outcome), (ErrorCode::TooLarge, Outcome::Committed));
    world.clock.advance(25 * 3_600_000);
    world.recover("sess");
    assert!(
        world.host("sess").list_operations(None, None, |_| true).unwrap().operations.is_empty()
    );
}
