//! Commands whose caller follows their output, or gives up, while they run.

use crate::support::stream::MemoryBytes;
use crate::world::{World, now};
use futures::FutureExt;
use serde_json::json;
use snapshotter::domain::egress::RefusedHost;
use snapshotter::domain::error::{ErrorCode, Outcome};
use snapshotter::domain::ids::OperationId;
use snapshotter::domain::session::scope::Needs;
use snapshotter::ports::sandbox::ExecResult;
use snapshotter::ports::stream::Bytes;
use snapshotter::session::{Abort, RunRequest, TerminalRequest};
use std::cell::RefCell;
use std::rc::Rc;

fn run_request() -> RunRequest {
    serde_json::from_value(serde_json::json!({ "command": "make" })).unwrap()
}

#[test]
fn a_wait_has_bounds() {
    let world = World::new();
    let host = world.open("sess");
    for (wait_ms, accepted) in [(0, false), (1, true), (3_600_000, true), (3_600_001, false)] {
        let request = RunRequest { wait_ms: Some(wait_ms), ..run_request() };
        match now(host.run(request)) {
            Ok(_) => assert!(accepted, "{wait_ms}"),
            Err(error) => {
                assert!(!accepted, "{error}");
                assert_eq!(error.details.unwrap()["field"], "waitMs");
            }
        }
    }
}

#[test]
fn a_command_that_is_followed_answers_as_one_that_is_not() {
    let world = World::new();
    let host = world.open("sess");
    let plain = now(host.run(run_request())).unwrap().answer;
    world.write("sess", "printed");
    let heard = Rc::new(RefCell::new(Vec::new()));
    let listener = heard.clone();
    let abort = Abort::reporting(move |told| listener.borrow_mut().push(format!("{told:?}")));
    let followed = now(host.run_followed(run_request(), &abort)).unwrap().answer;
    assert_eq!(followed, ExecResult { stdout: "printed".to_owned(), ..plain });
    assert_eq!(now(host.run(run_request())).unwrap().answer, followed);
    assert_eq!(*heard.borrow(), ["Stdout(\"printed\")"]);
}

#[test]
fn refused_hosts_are_logged_up_to_a_rate() {
    let world = World::new();
    let host = world.open("sess");
    let refused = |n: u32| RefusedHost { host: format!("h{n}.example.org"), count: 2 };
    world.refused.replace((0..20).map(refused).collect());
    let answer = now(host.run(run_request())).unwrap().answer;
    assert_eq!(answer.refused_hosts.len(), 20);
    let abort = Abort::reporting(|_| {});
    now(host.run_followed(run_request(), &abort)).unwrap();
    let events = host.list_events(Some(100), None).unwrap().events;
    let logged: Vec<_> = events.iter().filter(|event| event.kind == "egress.refused").collect();
    assert_eq!(logged.len(), 30);
    let first = json!({ "sandboxId": "sess", "host": "h0.example.org", "count": 2 });
    assert_eq!(logged.last().unwrap().payload, first);
}

#[test]
fn a_command_ends_when_its_caller_gives_up_and_not_before() {
    let world = World::new();
    let host = world.open("sess");
    world.endless.set(true);
    let id = OperationId::parse("op").unwrap();
    let abort = Abort::default();
    let _guard = host.cancellable(&id, &abort, Needs::Nothing).unwrap();
    let mut running = Box::pin(host.run_followed(run_request(), &abort));
    assert!((&mut running).now_or_never().is_none());
    assert!(!world.cancelled.borrow().get());
    host.cancel(&id).unwrap();
    let error = now(running).unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::Aborted, Outcome::Unknown));
    let hint = error.hint.unwrap();
    assert!(hint.contains("readProcessLog with name aborted-"), "{hint}");
    assert!(world.cancelled.borrow().get(), "the command was ended");
    // No command starts for a caller that gave up already.
    world.cancelled.replace(Rc::default());
    let abort = Abort::aborted();
    let refused = now(host.run_followed(run_request(), &abort)).unwrap_err();
    assert_eq!((refused.code, refused.outcome), (ErrorCode::Aborted, Outcome::None));
}

#[test]
fn a_command_whose_end_is_not_told_is_not_known_to_have_ended() {
    let world = World::new();
    let host = world.open("sess");
    let abort = Abort::reporting(|_| {});
    now(host.run(run_request())).unwrap();
    world.silent.set(true);
    let error = now(host.run_followed(run_request(), &abort)).unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::Unavailable, Outcome::Unknown));
}

#[test]
fn a_terminal_is_no_way_around_what_a_session_may_run() {
    let typed = || Box::new(MemoryBytes::of([])) as Bytes;
    for (id, capabilities, code) in [
        ("listed", json!({ "shell": { "allowlist": ["ls"] } }), ErrorCode::Forbidden),
        ("reads", json!({ "readOnly": true }), ErrorCode::Forbidden),
        ("without", json!({ "fs": true }), ErrorCode::Unsupported),
    ] {
        let host = World::new().open_with(id, json!({ "capabilities": capabilities }));
        let refused = now(host.terminal(TerminalRequest::default(), typed())).err().unwrap();
        assert_eq!(refused.code, code, "{id}");
    }
    let host = World::new().open("sess");
    let wide = TerminalRequest { cols: Some(0), ..TerminalRequest::default() };
    let refused = now(host.terminal(wide, typed())).err().unwrap();
    assert_eq!(refused.code, ErrorCode::InvalidArgument);
    let mut frames = now(host.terminal(TerminalRequest::default(), typed())).unwrap();
    assert!(now(frames.next()).unwrap().is_some());
}
