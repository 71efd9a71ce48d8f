//! Session tokens, from creation to end.

use crate::world::{World, now};
use serde_json::{Value, json};
use snapshotter::api::http::Secrets;
use snapshotter::api::http::authenticate;
use snapshotter::api::operation::Invocation;
use snapshotter::api::operation::Operation;
use snapshotter::api::operation::run;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::SessionId;
use snapshotter::domain::limits::TOKENS_MAX;
use snapshotter::domain::session::scope::Caller;
use snapshotter::ports::clock::Clock;
use snapshotter::session::{Abort, Session};

const KEYS: &str = "k1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

fn ask(
    world: &World,
    host: &Session,
    caller: &Caller,
    op: &str,
    args: Value,
) -> Result<Value, ErrorCode> {
    let invocation = Operation::parse(op, args).unwrap().into();
    invoke(world, host, caller, invocation)
}

fn invoke(
    world: &World,
    host: &Session,
    caller: &Caller,
    invocation: Invocation,
) -> Result<Value, ErrorCode> {
    now(run(host, caller, invocation, &Abort::default(), &world.clock, &world.log, String::new))
        .map_err(|error| error.code)
}

fn operator(world: &World, host: &Session, op: &str, args: Value) -> Result<Value, ErrorCode> {
    ask(world, host, &Caller::Operator, op, args)
}

/// The holder of a new token, as the Worker authenticates it.
fn holder(world: &World, made: &Value) -> Caller {
    let secrets = Secrets { api_token: None, token_keys: Some(KEYS.to_owned()) };
    let header = format!("Bearer {}", made["token"].as_str().unwrap());
    let identity = authenticate(Some(&header), &secrets, world.clock.now_ms()).unwrap();
    identity.in_session(&SessionId::parse("sess").unwrap()).unwrap()
}

#[test]
fn a_token_is_good_until_it_is_revoked_or_ends() {
    let world = World::new();
    let host = world.open("sess");
    let make = || {
        let args = json!({ "scopes": ["read"], "ttlSeconds": 60, "description": "for a person" });
        operator(&world, &host, "createToken", args).unwrap()
    };
    let (revoked, ends) = (make(), make());
    let (first, second) = (holder(&world, &revoked), holder(&world, &ends));
    let describe = |caller| ask(&world, &host, caller, "describe", json!({}));
    assert!(describe(&first).is_ok() && describe(&second).is_ok());
    for _again in 0..2 {
        let args = json!({ "tokenId": revoked["id"] });
        assert_eq!(operator(&world, &host, "revokeToken", args), Ok(json!({ "revoked": true })));
    }
    assert_eq!(describe(&first), Err(ErrorCode::Unauthenticated));
    assert!(describe(&second).is_ok());
    // Also after a restart of the object.
    let host = world.host("sess");
    assert_eq!(ask(&world, &host, &first, "describe", json!({})), Err(ErrorCode::Unauthenticated));
    let listed = operator(&world, &host, "listTokens", json!({})).unwrap();
    assert_eq!(listed["tokens"].as_array().unwrap().len(), 1);
    assert_eq!(listed["tokens"][0]["description"], "for a person");
    // The object refuses a token that expires after the Worker checked it.
    world.clock.advance(60_000);
    assert_eq!(ask(&world, &host, &second, "describe", json!({})), Err(ErrorCode::Unauthenticated));
    assert_eq!(operator(&world, &host, "listTokens", json!({})).unwrap(), json!({ "tokens": [] }));
}

#[test]
fn a_repetition_is_told_the_same_token() {
    let world = World::new();
    let host = world.open("sess");
    let make = |host: &Session, args: Value| {
        let control = json!({ "idempotencyKey": "k", "operationId": "made" });
        let invocation = Invocation::parse("createToken", args, control).unwrap();
        invoke(&world, host, &Caller::Operator, invocation)
    };
    let asked = || json!({ "scopes": ["read"], "ttlSeconds": 3_600 });
    let first = make(&host, asked()).unwrap();
    assert_eq!(make(&host, asked()).unwrap(), first);
    let host = world.host("sess");
    assert_eq!(make(&host, asked()).unwrap(), first, "after a restart");
    assert_eq!(make(&host, json!({ "scopes": ["write"] })), Err(ErrorCode::Conflict));
    let list = || operator(&world, &host, "listTokens", json!({})).unwrap();
    assert_eq!(list()["tokens"].as_array().unwrap().len(), 1);
    // The record has everything but the token's text, and only the operator sees it.
    let look = |caller: &Caller| {
        ask(&world, &host, caller, "getOperation", json!({ "operationId": "made" }))
    };
    let mut view = first.clone();
    view.as_object_mut().unwrap().remove("token").unwrap();
    assert_eq!(look(&Caller::Operator).unwrap()["result"], view);
    assert_eq!(look(&holder(&world, &first)), Err(ErrorCode::Forbidden));
    let mac = first["token"].as_str().unwrap().rsplit_once('.').unwrap().1;
    for table in ["operations", "tokens", "events"] {
        assert!(!world.database_text(&format!("SELECT * FROM {table}")).contains(mac), "{table}");
    }
    // A repetition with the key does not bring a revoked token back.
    operator(&world, &host, "revokeToken", json!({ "tokenId": first["id"] })).unwrap();
    assert_eq!(make(&host, asked()), Err(ErrorCode::NotFound));
    assert_eq!(list(), json!({ "tokens": [] }));
}

#[test]
fn the_text_of_a_token_is_nowhere_but_in_its_answer() {
    let world = World::new();
    let host = world.open("sess");
    let made = operator(&world, &host, "createToken", json!({ "scopes": ["write"] })).unwrap();
    let token = made["token"].as_str().unwrap();
    let (signed, mac) = token.rsplit_once('.').unwrap();
    let claims = signed.rsplit_once('.').unwrap().1;
    let listed = operator(&world, &host, "listTokens", json!({})).unwrap();
    let events = operator(&world, &host, "listEvents", json!({})).unwrap();
    let caller = holder(&world, &made);
    let _refused = ask(&world, &host, &caller, "describe", json!({}));
    let log = serde_json::to_string(&*world.log.0.borrow()).unwrap();
    for text in [listed.to_string(), events.to_string(), log.clone()] {
        assert!(!text.contains(mac) && !text.contains(claims), "{text}");
    }
    assert!(log.contains(made["id"].as_str().unwrap()), "but its id is, to tell who did what");
    assert!(events.to_string().contains("token.created"));
}

#[test]
fn what_is_asked_for_is_checked() {
    let world = World::new();
    let host = world.host("sess");
    let make = |args: Value| operator(&world, &host, "createToken", args).map(drop);
    assert_eq!(make(json!({ "scopes": ["read"] })), Err(ErrorCode::NotFound), "never opened");
    now(host.open(serde_json::from_value(json!({})).unwrap())).unwrap();
    for args in [
        json!({ "scopes": [] }),
        json!({ "scopes": ["read"], "ttlSeconds": 0 }),
        json!({ "scopes": ["read"], "ttlSeconds": 7_776_001 }),
        json!({ "scopes": ["read"], "ttlSeconds": u64::MAX }),
        json!({ "scopes": ["read"], "description": "x".repeat(257) }),
        json!({ "scopes": ["read"], "description": "a\nb" }),
    ] {
        assert_eq!(make(args.clone()), Err(ErrorCode::InvalidArgument), "{args}");
    }
    assert!(Operation::parse("createToken", json!({})).is_err(), "scopes must be named");
    assert!(Operation::parse("createToken", json!({ "scopes": ["root"] })).is_err());
    for _ in 0..TOKENS_MAX {
        assert_eq!(make(json!({ "scopes": ["read"], "ttlSeconds": 1 })), Ok(()));
    }
    assert_eq!(make(json!({ "scopes": ["read"] })), Err(ErrorCode::QuotaExceeded));
    world.clock.advance(1_000);
    assert_eq!(make(json!({ "scopes": ["read"], "ttlSeconds": 7_776_000 })), Ok(()));
}

#[test]
fn a_session_that_is_made_up_has_no_tokens() {
    let world = World::new();
    let host = world.open("sess");
    let made = operator(&world, &host, "createToken", json!({ "scopes": ["read"] })).unwrap();
    let caller = holder(&world, &made);
    let elsewhere = world.other_session();
    let host = elsewhere.host("sess");
    assert_eq!(
        ask(&elsewhere, &host, &caller, "describe", json!({})),
        Err(ErrorCode::Unauthenticated)
    );
}
