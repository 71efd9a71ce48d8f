//! Code contexts: who may use them, what wakes a workspace, and how a call on one ends.

use crate::world::{World, now};
use futures::FutureExt;
use serde_json::{Value, json};
use snapshotter::api::tools;
use snapshotter::domain::egress::RefusedHost;
use snapshotter::domain::error::{Error, ErrorCode, Outcome};
use snapshotter::domain::ids::{CodeContextId, OperationId};
use snapshotter::domain::session::scope::{Caller, Needs};
use snapshotter::session::{Abort, RanInContext, Session};
use std::cell::RefCell;
use std::rc::Rc;

fn open(world: &World) -> Session {
    world.open_with("sess", json!({ "capabilities": { "code": { "stateful": true } } }))
}

fn create(host: &Session, request: Value) -> Result<CodeContextId, Error> {
    let request = serde_json::from_value(request).unwrap();
    now(host.create_code_context(request)).map(|placed| placed.answer.context)
}

fn run_for(host: &Session, id: &CodeContextId, abort: &Abort) -> Result<RanInContext, Error> {
    let request = serde_json::from_value(json!({ "context": id, "code": "x + 1" })).unwrap();
    now(host.run_in_code_context(request, abort)).map(|placed| placed.answer)
}

fn run(host: &Session, id: &CodeContextId) -> Result<RanInContext, Error> {
    run_for(host, id, &Abort::default())
}

fn listed(host: &Session) -> usize {
    now(host.list_code_contexts(Default::default())).unwrap().answer.contexts.len()
}

fn delete(host: &Session, id: &CodeContextId) -> bool {
    let request = serde_json::from_value(json!({ "context": id })).unwrap();
    now(host.delete_code_context(request)).unwrap().answer.deleted
}

#[test]
fn only_a_new_context_wakes_the_workspace_and_one_of_an_earlier_container_never_runs() {
    let world = World::new();
    let host = open(&world);
    let stranger = CodeContextId::parse(&"0".repeat(26)).unwrap();
    assert_eq!(listed(&host), 0);
    assert!(delete(&host, &stranger));
    assert_eq!(run(&host, &stranger).unwrap_err().code, ErrorCode::NotFound);
    assert_eq!(world.starts.get(), 0, "no container started");
    let id = create(&host, json!({ "language": "python" })).unwrap();
    assert_eq!((world.starts.get(), listed(&host)), (1, 1));
    let ran = run(&host, &id).unwrap();
    assert_eq!((ran.exec.stdout.as_str(), ran.left.left.value), ("x + 1", Some(json!(6))));
    assert_eq!(ran.left.context_ended, None);

    world.kill("sess");
    let refused = run(&host, &id).unwrap_err();
    assert_eq!((refused.code, refused.outcome), (ErrorCode::NotFound, Outcome::None));
    assert!(refused.message.contains("ended with its container"), "{refused}");
    assert!(refused.hint.unwrap().contains("createCodeContext"));
    assert_eq!((listed(&host), world.starts.get()), (0, 1), "nothing was woken");
    // The same, once something else has woken the workspace.
    let other = create(&host, json!({ "language": "javascript" })).unwrap();
    assert_eq!(run(&host, &id).unwrap_err().code, ErrorCode::NotFound);
    assert!(run(&host, &other).is_ok());
    assert!(delete(&host, &other) && delete(&host, &other), "again succeeds");
    assert_eq!(run(&host, &other).unwrap_err().code, ErrorCode::NotFound);
}

#[test]
fn a_session_has_contexts_if_it_declared_them() {
    let input = json!({ "language": "python" });
    for (id, capabilities, code) in [
        ("all", Value::Null, ErrorCode::Unsupported),
        ("plain", json!({ "code": true }), ErrorCode::Unsupported),
        ("none", json!({ "shell": true }), ErrorCode::Unsupported),
        ("reads", json!({ "code": { "stateful": true }, "readOnly": true }), ErrorCode::Forbidden),
        (
            "node",
            json!({ "code": { "stateful": true, "languages": ["javascript"] } }),
            ErrorCode::InvalidArgument,
        ),
    ] {
        let host = World::new().open_with(id, json!({ "capabilities": capabilities }));
        assert_eq!(create(&host, input.clone()).unwrap_err().code, code, "{id}");
        let tools = tools::list(
            &host.config().unwrap().modules,
            &snapshotter::domain::session::config::ToolSelection::All,
            &Caller::Operator,
        )
        .unwrap();
        let named = tools.iter().filter(|tool| tool.name.ends_with("code_context")).count();
        assert_eq!(named, if id == "node" { 3 } else { 0 }, "{id}");
    }
    let unlisted = json!({ "capabilities": {
        "code": { "stateful": true, "languages": ["python"] }, "shell": { "allowlist": ["node"] }
    } });
    let config: snapshotter::domain::session::config::WorkspaceConfig =
        serde_json::from_value(unlisted).unwrap();
    let world = World::new();
    let host = world.host("sess");
    assert_eq!(now(host.open(config)).unwrap_err().code, ErrorCode::InvalidArgument);
}

#[test]
fn code_in_a_context_has_the_time_of_a_command() {
    let world = World::new();
    let config = json!({ "capabilities": {
        "code": { "stateful": true }, "shell": { "maxDurationMs": 9_000 }
    } });
    let host = world.open_with("sess", config);
    let id = create(&host, json!({ "language": "python" })).unwrap();
    let long =
        serde_json::from_value(json!({ "context": id, "code": "1", "timeoutMs": 9_001 })).unwrap();
    let refused = now(host.run_in_code_context(long, &Abort::default())).unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidArgument);
    run(&host, &id).unwrap();
    assert_eq!(*world.started.borrow(), ["Some(9000) ms: x + 1"]);
}

#[test]
fn a_call_reports_what_it_prints_and_is_interrupted_when_its_caller_gives_up() {
    let world = World::new();
    let host = open(&world);
    let id = create(&host, json!({ "language": "python" })).unwrap();
    let heard = Rc::new(RefCell::new(Vec::new()));
    let listener = heard.clone();
    let abort = Abort::reporting(move |told| listener.borrow_mut().push(format!("{told:?}")));
    run_for(&host, &id, &abort).unwrap();
    assert_eq!(*heard.borrow(), ["Stdout(\"x + 1\")"]);

    world.endless.set(true);
    let operation = OperationId::parse("op").unwrap();
    let abort = Abort::default();
    let _guard = host.cancellable(&operation, &abort, Needs::Nothing).unwrap();
    let request = serde_json::from_value(json!({ "context": id, "code": "x + 1" })).unwrap();
    let mut running = Box::pin(host.run_in_code_context(request, &abort));
    assert!((&mut running).now_or_never().is_none());
    host.cancel(&operation).unwrap();
    let error = now(running).unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::Aborted, Outcome::Unknown));
    assert!(error.message.contains("interrupted"), "{error}");
    assert!(world.cancelled.borrow().get(), "the sandbox was told");
    assert_eq!(run_for(&host, &id, &Abort::aborted()).unwrap_err().outcome, Outcome::None);
}

#[test]
fn hosts_refused_to_code_in_a_context_are_logged_as_those_refused_to_commands() {
    let world = World::new();
    let host = open(&world);
    let id = create(&host, json!({ "language": "python" })).unwrap();
    world.refused.replace(vec![RefusedHost { host: "evil.example.org".to_owned(), count: 2 }]);
    assert_eq!(run(&host, &id).unwrap().exec.refused_hosts, *world.refused.borrow());
    let events = host.list_events(Some(100), None).unwrap().events;
    let logged: Vec<_> = events.iter().filter(|event| event.kind == "egress.refused").collect();
    let payload = json!({ "sandboxId": "sess", "host": "evil.example.org", "count": 2 });
    assert_eq!(logged.iter().map(|event| &event.payload).collect::<Vec<_>>(), [&payload]);
}
