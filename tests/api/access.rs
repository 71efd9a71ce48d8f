//! Access: every operation and tool with every kind of caller.

use crate::support::isolates::Step;
use crate::world::{World, now};
use futures::FutureExt;
use serde_json::{Value, json};
use snapshotter::api::operation::Invocation;
use snapshotter::api::operation::Operation;
use snapshotter::api::operation::run;
use snapshotter::api::tools;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::session::scope::{Caller, Needs, Scope, Scopes};
use snapshotter::domain::snapshot::backup::meta_key;
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::session::{Abort, Session};
use std::collections::BTreeSet;

/// One call of every operation, and of every tool. Those with a route are sent as
/// the golden requests say.
fn calls() -> Vec<(String, Operation)> {
    let routed = include_str!("../golden/http-routes.txt").lines().map(|line| {
        let sent: Value = serde_json::from_str(line.splitn(3, ' ').nth(2).unwrap()).unwrap();
        let operation = &sent["operation"];
        (operation["op"].as_str().unwrap().to_owned(), operation["args"].clone())
    });
    let workspace = json!({ "ref": { "providerId": "cloudflare-sandbox", "ref": { "id": "x" } } });
    let rule = json!({ "olderThanSeconds": 0 });
    let others = [
        ("swapRef", workspace),
        ("openPort", json!({ "port": 80 })),
        ("readFile", json!({ "ref": "v1", "path": "a" })),
        ("prune", json!({ "binding": "B", "ids": [], "dryRun": true, "rule": rule })),
        ("rebuildOwn", json!({ "binding": "B", "ids": [] })),
    ]
    .map(|(op, args)| (op.to_owned(), args));
    let mut calls: Vec<(String, Operation)> = routed
        .chain(others)
        .map(|(op, args)| (op.clone(), Operation::parse(&op, args).unwrap()))
        .collect();
    for entry in tools::all() {
        let name = entry.tool.name;
        let args = json!({ "name": name, "input": {} });
        calls.push((name.to_owned(), Operation::parse("callTool", args).unwrap()));
    }
    calls
}

/// Every operation that can be parsed, as serde names them.
fn operations() -> BTreeSet<String> {
    let unknown = Operation::parse("?", json!({})).unwrap_err().message;
    let (_, names) = unknown.split_once("expected one of ").unwrap();
    names.split(", ").map(|name| name.trim_matches('`').to_owned()).collect()
}

fn call(
    world: &World,
    host: &Session,
    caller: &Caller,
    operation: Operation,
) -> Result<Value, ErrorCode> {
    now(run(
        host,
        caller,
        operation.into(),
        &Abort::default(),
        &world.clock,
        &world.log,
        String::new,
    ))
    .map_err(|error| error.code)
}

#[test]
fn every_operation_is_judged_by_the_one_table() {
    let known: BTreeSet<String> = calls().into_iter().map(|(name, _)| name).collect();
    for operation in operations() {
        let tested = ["callTool", "panic", "contracts"].contains(&operation.as_str());
        assert!(tested || known.contains(&operation), "no call of {operation} here");
    }
    let with = |scopes: &[Scope]| Caller::Binding {
        scopes: Some(Scopes::from_iter(scopes.iter().copied())),
    };
    let mut callers = vec![Caller::Operator, Caller::BINDING, with(&[]), with(&Scope::ALL)];
    for scope in Scope::ALL {
        callers.push(with(&[scope]));
        let others: Vec<Scope> = Scope::ALL.into_iter().filter(|other| *other != scope).collect();
        callers.push(with(&others));
    }
    let world = World::new();
    let host = world.open_with("sess", json!({ "previewPorts": [80, 5173] }));
    for (name, operation) in calls() {
        // The rate of calls is not what is tested.
        world.clock.advance(60_000);
        for caller in &callers {
            let answer = call(&world, &host, caller, operation.clone());
            let refused = answer == Err(ErrorCode::Forbidden);
            assert_eq!(refused, !caller.may(operation.needs()), "{name} by {caller:?}: {answer:?}");
        }
    }
    assert!(world.log.0.borrow().iter().all(|line| line.fields["caller"].is_string()));
}

#[test]
fn who_may_not_make_a_call_cannot_cancel_it() {
    let world = World::new();
    let host = world.open("sess");
    let id = "mine".to_owned().try_into().unwrap();
    let cancel = Operation::parse("cancel", json!({ "operationId": "mine" })).unwrap();
    let with = |scope| Caller::Binding { scopes: Some(Scopes::from_iter([scope])) };
    let reader = with(Scope::Read);
    assert_eq!(call(&world, &host, &reader, cancel.clone()), Err(ErrorCode::NotFound));
    let abort = Abort::default();
    let _running = host.cancellable(&id, &abort, Needs::Scope(Scope::Write)).unwrap();
    assert_eq!(call(&world, &host, &reader, cancel.clone()), Err(ErrorCode::Forbidden));
    assert!(abort.check().is_ok());
    assert!(call(&world, &host, &with(Scope::Write), cancel).is_ok());
    assert!(abort.check().is_err());
}

/// A script acts with its caller's scopes. Whoever has fewer may run scripts of their own, but
/// has nothing to do with this one.
#[test]
fn who_has_fewer_scopes_than_a_script_cannot_cancel_it_or_see_what_it_returned() {
    let with = |scopes: &[Scope]| Caller::Binding {
        scopes: Some(Scopes::from_iter(scopes.iter().copied())),
    };
    let reader = with(&[Scope::Read]);
    let writer = with(&[Scope::Read, Scope::Write]);
    let peer = with(&[Scope::Read, Scope::Write, Scope::Snapshot]);
    let script = || {
        let args = json!({ "name": "workspace_script", "input": { "code": "return 1" } });
        let control = json!({ "operationId": "mine", "idempotencyKey": "key" });
        Invocation::parse("callTool", args, control).unwrap()
    };
    let by_id = |op| Operation::parse(op, json!({ "operationId": "mine" })).unwrap();
    // Who runs it, who may not have to do with it, and who may.
    let cases = [
        (Caller::Operator, vec![&reader, &writer], vec![&peer, &Caller::Operator]),
        (peer.clone(), vec![&reader, &writer], vec![&peer, &Caller::BINDING]),
        (writer.clone(), vec![&reader], vec![&writer, &peer]),
        (reader.clone(), vec![], vec![&reader, &writer]),
    ];
    for (by, weaker, strong) in cases {
        let world = World::new();
        world.clock.stop();
        let capabilities = json!({ "fs": true, "snapshot": true, "script": {} });
        let host = world.open_with("sess", json!({ "capabilities": capabilities }));
        let start = |caller: Caller, abort: Abort| {
            let (host, world) = (&host, &world);
            async move {
                run(host, &caller, script(), &abort, &world.clock, &world.log, String::new).await
            }
        };
        // While it runs.
        world.isolates.do_steps([Step::Hang]);
        let abort = Abort::default();
        let mut running = Box::pin(start(by.clone(), abort.clone()));
        assert!((&mut running).now_or_never().is_none());
        let refused = Err(ErrorCode::Forbidden);
        for caller in &weaker {
            assert_eq!(call(&world, &host, caller, by_id("cancel")), refused);
            assert_eq!(call(&world, &host, caller, by_id("getOperation")), refused);
            assert!(abort.check().is_ok());
        }
        call(&world, &host, strong[0], by_id("cancel")).unwrap();
        assert!(abort.check().is_err());
        assert!(now(running).is_err());

        // Once it has ended.
        let world = World::new();
        world.clock.stop();
        let host = world.open_with("sess", json!({ "capabilities": capabilities }));
        let start = |caller: &Caller| {
            let abort = Abort::default();
            let work = run(&host, caller, script(), &abort, &world.clock, &world.log, String::new);
            now(work).map_err(|error| error.code)
        };
        world.isolates.do_steps([Step::Send(json!({ "done": { "value": "what it read" } }))]);
        let returned = start(&by).unwrap();
        assert!(returned.to_string().contains("what it read"));
        for caller in &weaker {
            assert_eq!(call(&world, &host, caller, by_id("getOperation")), refused);
            assert_eq!(call(&world, &host, caller, by_id("cancel")), refused);
            assert_eq!(start(caller), refused, "a repetition returns what it returned");
        }
        for caller in &strong {
            let seen = call(&world, &host, caller, by_id("getOperation")).unwrap();
            assert_eq!(seen["result"], returned);
            assert_eq!(start(caller), Ok(returned.clone()));
        }
    }
}

/// What went wrong with a call may tell what it was about.
#[test]
fn a_list_shows_only_the_state_of_calls_that_the_caller_could_not_make() {
    let world = World::new();
    let host = world.open("sess");
    let by = |caller: &Caller, op: &str, args: Value| {
        let asked = Invocation::parse(op, args, json!({ "idempotencyKey": op })).unwrap();
        now(run(&host, caller, asked, &Abort::default(), &world.clock, &world.log, String::new))
    };
    let unknown = json!({ "ref": "none-of-this-name" });
    by(&Caller::Operator, "restore", unknown).unwrap_err();
    let listed = |scopes: &[Scope]| {
        let scopes = Some(Scopes::from_iter(scopes.iter().copied()));
        let list = Operation::parse("listOperations", json!({})).unwrap();
        let page = call(&world, &host, &Caller::Binding { scopes }, list).unwrap();
        page["operations"][0].clone()
    };
    let (weak, strong) = (listed(&[Scope::Read]), listed(&[Scope::Read, Scope::Snapshot]));
    assert_eq!((&weak["op"], &weak["state"]), (&json!("restore"), &json!("failed")));
    assert_eq!((&weak["error"], &weak["step"]), (&Value::Null, &Value::Null));
    assert!(strong["error"]["code"].is_string());
}

/// The operation, or the tool that a model called, is in the row and in `meta.json`.
#[test]
fn a_snapshot_says_which_call_took_it() {
    let world = World::new();
    let host = world.open("sess");
    let take = |op: &str, args: Value| {
        let operation = Operation::parse(op, args).unwrap();
        let taken = call(&world, &host, &Caller::Operator, operation).unwrap();
        let id = BackupId::parse(taken["snapshot"]["id"].as_str().unwrap()).unwrap();
        let stored = world.bucket.objects.borrow()[&meta_key(&id)].clone();
        let meta = BackupMeta::parse(&id, &stored).unwrap();
        (taken["snapshot"]["savedBy"].clone(), meta.snapshotter.unwrap().cause.saved_by)
    };
    let by = |name: &str| (json!(name), Some(name.to_owned()));
    assert_eq!(take("snapshot", json!({})), by("snapshot"));
    world.write("sess", "changed");
    let tool = json!({ "name": "workspace_snapshot", "input": {} });
    assert_eq!(take("callTool", tool), by("workspace_snapshot"));
    world.write("sess", "changed again");
    let turn = json!({ "label": "done" });
    assert_eq!(take("saveTurn", turn), by("saveTurn"));
}
