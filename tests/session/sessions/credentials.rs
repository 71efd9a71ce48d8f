//! Secrets and credentials of running containers: an open changes them, and a close takes them
//! away, before it answers.

use crate::support::faults::Fault;
use crate::world::{World, close_unsaved, content, now};
use serde_json::{Value, json};
use snapshotter::domain::error::{Error, ErrorCode, Outcome};
use snapshotter::domain::ids::SandboxId;
use snapshotter::session::{Session, SessionView};

fn config(secrets: &Value) -> Value {
    json!({
        "network": { "mode": "allowlist", "hosts": ["api.example.com"] }, "secrets": secrets,
        "bucketMounts": [{ "bucket": "results", "mountPath": "/mnt/results",
            "endpoint": "https://s3.example.com",
            "credentials": { "accessKeyId": "AKIA", "secretAccessKey": "s3cr3t" } }],
    })
}

fn secret() -> Value {
    json!({ "KEY": { "hosts": ["api.example.com"], "header": "x-key", "value": "s3cr3t" } })
}

/// Opens a session whose container runs.
fn running(world: &World) -> Session {
    let host = world.open_with("sess", config(&secret()));
    content(&host);
    assert_eq!(reached(world), (1, 1));
    host
}

fn open(host: &Session, config: Value) -> Result<SessionView, Error> {
    now(host.open(serde_json::from_value(config).unwrap()))
}

/// How many secrets and buckets the container has.
fn reached(world: &World) -> (usize, usize) {
    let configured = world.configured.borrow();
    let options = &configured[&SandboxId::parse("sess").unwrap()];
    (options.egress_policy().secrets.len(), options.buckets().len())
}

/// How often a sandbox was configured since the last `arm`.
fn configured(world: &World) -> usize {
    world.faults.trace().iter().filter(|name| *name == "configure").count()
}

#[test]
fn a_secret_that_an_open_removes_is_out_of_use_when_it_answers() {
    let world = World::new();
    let host = running(&world);
    open(&host, config(&json!({}))).unwrap();
    assert_eq!(reached(&world), (0, 1));
    // The next object does the same.
    let host = world.host("sess");
    open(&host, config(&secret())).unwrap();
    assert_eq!(reached(&world), (1, 1));
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    open(&host, config(&secret())).unwrap();
    assert_eq!(configured(&world), 0, "nothing has changed");
    world.faults.disarm();
}

#[test]
fn a_closed_session_s_container_has_no_secret_and_no_bucket_until_it_is_opened_again() {
    let world = World::new();
    let host = running(&world);
    close_unsaved(&world, &host);
    assert!(world.disk("sess").is_some(), "it runs on");
    assert_eq!(reached(&world), (0, 0));
    // What still acts on the container does not bring them back.
    world.recover("sess");
    assert_eq!(reached(&world), (0, 0));
    open(&world.host("sess"), config(&secret())).unwrap();
    assert_eq!(reached(&world), (1, 1));
}

/// Breaks the call at its configuration of the sandbox, and returns how it ended.
fn broken(world: &World, call: impl Fn() -> Result<SessionView, Error>) -> Error {
    for nth in 0.. {
        world.faults.arm(nth, Fault::ErrorBefore);
        let called = call();
        let broke = world.faults.disarm();
        assert!(broke, "no step configures the sandbox");
        if world.faults.trace().last().is_some_and(|name| name == "configure") {
            return called.unwrap_err();
        }
    }
    unreachable!()
}

#[test]
fn a_container_that_keeps_them_fails_the_call_and_the_next_one_tries_again() {
    let world = World::new();
    let host = running(&world);
    let without = config(&json!({}));
    let error = broken(&world, || open(&host, without.clone()));
    assert_eq!((error.code, error.outcome), (ErrorCode::Unavailable, Outcome::Committed));
    assert_eq!(reached(&world), (1, 1));
    open(&host, without.clone()).unwrap();
    assert_eq!(reached(&world), (0, 1));

    let error = broken(&world, || now(host.close()));
    assert_eq!((error.code, error.outcome), (ErrorCode::Unavailable, Outcome::Committed));
    assert_eq!(reached(&world), (0, 1));
    now(world.host("sess").close()).unwrap();
    assert_eq!(world.disk("sess"), None, "saved and ended");
}
