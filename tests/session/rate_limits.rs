//! Rates of calls to a session.

use crate::world::{World, now};
use serde_json::{Value, json};
use snapshotter::api::http::Answer;
use snapshotter::api::operation::Operation;
use snapshotter::api::operation::run;
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::session::scope::{Caller, Scope, Scopes};
use snapshotter::session::{Abort, Session};

fn ask(
    world: &World,
    host: &Session,
    caller: &Caller,
    op: &str,
    args: Value,
) -> Result<Value, Error> {
    let operation = Operation::parse(op, args).unwrap().into();
    now(run(host, caller, operation, &Abort::default(), &world.clock, &world.log, String::new))
}

fn code(answer: Result<Value, Error>) -> Option<ErrorCode> {
    answer.err().map(|error| error.code)
}

fn limited() -> (World, Session) {
    let world = World::new();
    let rates = json!({ "calls": { "perMinute": 60, "burst": 5 }, "snapshots": { "perMinute": 6, "burst": 2 } });
    let host = world.open_with("sess", json!({ "limits": rates }));
    (world, host)
}

#[test]
fn calls_past_the_rate_are_refused_and_what_stops_things_is_not() {
    let (world, host) = limited();
    let call = |op: &str, args| code(ask(&world, &host, &Caller::Operator, op, args));
    for _ in 0..5 {
        assert_eq!(call("describe", json!({})), None);
    }
    let refused = ask(&world, &host, &Caller::BINDING, "describe", json!({})).unwrap_err();
    assert_eq!((refused.code, refused.retryable), (ErrorCode::RateLimited, true));
    assert_eq!(refused.details, Some(json!({ "retryAfterMs": 1_000 })));
    let answer = Answer::of(Err(refused));
    assert_eq!((answer.status, answer.headers), (429, vec![("retry-after", "1".to_owned())]));
    let token = json!({ "tokenId": "00000000000000000000000000" });
    assert_eq!(call("revokeToken", token), None);
    assert_eq!(call("cancel", json!({ "operationId": "x" })), Some(ErrorCode::NotFound));
    assert_eq!(call("close", json!({})), None);
    world.clock.advance(1_000);
    assert_eq!(call("describe", json!({})), None);
    assert_eq!(call("describe", json!({})), Some(ErrorCode::RateLimited));
}

#[test]
fn a_refusal_for_the_scope_counts_and_a_token_that_is_no_good_does_not() {
    let (world, host) = limited();
    let reader = Caller::Binding { scopes: Some(Scopes::from_iter([Scope::Read])) };
    let id = "00000000000000000000000000".to_owned().try_into().unwrap();
    let revoked = Caller::Token { id, scopes: Scopes::from_iter(Scope::ALL) };
    for _ in 0..20 {
        let answer = ask(&world, &host, &revoked, "describe", json!({}));
        assert_eq!(code(answer), Some(ErrorCode::Unauthenticated));
    }
    for _ in 0..5 {
        let answer = ask(&world, &host, &reader, "snapshot", json!({}));
        assert_eq!(code(answer), Some(ErrorCode::Forbidden));
    }
    let answer = ask(&world, &host, &reader, "snapshot", json!({}));
    assert_eq!(code(answer), Some(ErrorCode::RateLimited));
}

#[test]
fn snapshots_have_a_rate_of_their_own_that_a_restart_keeps() {
    let (world, host) = limited();
    let by_tool = json!({ "name": "workspace_snapshot", "input": {} });
    let snapshot =
        |host: &Session| code(ask(&world, host, &Caller::Operator, "snapshot", json!({})));
    assert_eq!(snapshot(&host), None);
    assert_eq!(code(ask(&world, &host, &Caller::Operator, "callTool", by_tool.clone())), None);
    assert_eq!(snapshot(&host), Some(ErrorCode::RateLimited));
    let host = world.host("sess");
    let tool = ask(&world, &host, &Caller::Operator, "callTool", by_tool).unwrap_err();
    assert_eq!(tool.details, Some(json!({ "retryAfterMs": 10_000 })));
    // Opening again or switching does not refill the rate either.
    now(host.open(
        serde_json::from_value(json!({ "envVars": { "A": "b" }, "limits": {
        "calls": { "perMinute": 60, "burst": 5 }, "snapshots": { "perMinute": 6, "burst": 2 } } }))
        .unwrap(),
    ))
    .unwrap();
    assert_eq!(snapshot(&host), Some(ErrorCode::RateLimited));
    world.clock.advance(10_000);
    assert_eq!(snapshot(&host), None);
    assert_eq!(snapshot(&host), Some(ErrorCode::RateLimited));
}
