//! Access: every operation and tool with every kind of caller.

use crate::world::{World, now};
use serde_json::{Value, json};
use snapshotter::api::operation::Operation;
use snapshotter::api::operation::run;
use snapshotter::api::operations;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::session::scope::{Caller, Needs, Scope, Scopes};
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
    for entry in operations::tools() {
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
