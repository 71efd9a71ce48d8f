//! Scripts: what a session reads from an isolate, what it calls for it, and how it ends it.

use crate::support::isolates::Step::{Break, Hang, Hear, Raw, Send};
use crate::world::{World, now};
use async_trait::async_trait;
use futures::FutureExt;
use serde_json::{Value, json};
use snapshotter::api::operation::{Invocation, Operation, run};
use snapshotter::domain::error::{Error, ErrorCode, Outcome, Result};
use snapshotter::domain::session::scope::{Caller, Scope};
use snapshotter::session::{Abort, ScriptRequest, ScriptResult, ScriptTools, Session};
use std::cell::{Cell, RefCell};

fn opened(world: &World, script: Value) -> Session {
    world.clock.stop();
    world.open_with("sess", json!({ "capabilities": { "fs": true, "script": script } }))
}

fn request(code: &str) -> ScriptRequest {
    serde_json::from_value(json!({ "code": code })).unwrap()
}

/// Tools that answer what they are asked.
#[derive(Default)]
struct Parrot {
    asked: RefCell<Vec<(String, Value)>>,
    /// Whether calls never end by themselves.
    endless: Cell<bool>,
    most_at_once: Cell<usize>,
    at_once: Cell<usize>,
}

#[async_trait(?Send)]
impl ScriptTools for Parrot {
    fn names(&self) -> Vec<&'static str> {
        vec!["say"]
    }

    async fn call(&self, name: &str, input: Value, abort: &Abort) -> Result<Value> {
        self.asked.borrow_mut().push((name.to_owned(), input.clone()));
        self.at_once.set(self.at_once.get() + 1);
        self.most_at_once.set(self.most_at_once.get().max(self.at_once.get()));
        if self.endless.get() {
            abort.given_up().await;
        }
        self.at_once.set(self.at_once.get() - 1);
        abort.check()?;
        match name {
            "say" => Ok(input),
            _ => Err(Error::new(ErrorCode::NotFound, "no such function").with_cause("secret")),
        }
    }
}

fn call(id: u64, input: impl Into<Value>) -> Value {
    json!({ "call": id, "tool": "say", "input": input.into() })
}

fn done(fields: Value) -> Value {
    json!({ "done": fields })
}

fn outcome(host: &Session) -> ScriptResult {
    now(host.run_script(request("return 1"), &Parrot::default(), &Abort::default())).unwrap()
}

#[test]
fn a_script_calls_tools_and_its_value_is_the_answer() {
    let world = World::new();
    let host = opened(&world, json!({ "network": "allow", "maxDurationMs": 20_000 }));
    let logged = |message: Value, logs: &str| {
        let mut message = message;
        message["logs"] = json!(logs);
        Send(message)
    };
    world.isolates.do_steps([
        logged(call(1, "a"), "begun\n"),
        Hear,
        Send(json!({ "call": 2, "tool": "fly" })),
        Hear,
        logged(done(json!({ "value": { "n": 1 } })), "ended\n"),
    ]);
    let tools = Parrot::default();
    let result = now(host.run_script(request("return 1"), &tools, &Abort::default())).unwrap();
    assert_eq!(result.value, Some(json!({ "n": 1 })));
    assert_eq!((result.logs.as_str(), result.calls, result.error), ("begun\nended\n", 2, None));
    assert!(!result.timed_out);
    let heard = world.isolates.heard.borrow();
    assert_eq!(heard[0], json!({ "answer": 1, "value": "a" }));
    assert_eq!(heard[1]["error"]["code"], "NOT_FOUND");
    assert!(heard[1]["error"]["hint"].is_string() && !heard[1].to_string().contains("secret"));
    let programs = world.isolates.started.borrow();
    let program = &programs[0];
    assert!(program.network);
    assert_eq!(program.cpu_ms, 10_000, "CPU time has a limit of its own");
    let script = &program.modules.iter().find(|(name, _)| *name == "script.js").unwrap().1;
    assert!(script.starts_with("export default async (workspace) => { return 1\n"), "{script}");
    assert_eq!(world.isolates.cancelled.get(), 1, "nothing goes on after the answer");
    assert!(world.disks.borrow().is_empty(), "no container was started");
}

#[test]
fn scripts_are_off_unless_declared_and_need_their_binding() {
    let world = World::new();
    let host = world.open("sess");
    let run = now(host.run_script(request("1"), &Parrot::default(), &Abort::default()));
    assert_eq!(run.unwrap_err().code, ErrorCode::Unsupported, "no declaration means all others");
    let world = World::new();
    world.isolates.missing.set(true);
    let config = || serde_json::from_value(json!({ "capabilities": { "script": true } })).unwrap();
    let refused = now(world.host("sess").open(config())).unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotConfigured);
    assert!(refused.message.contains("LOADER") && refused.hint.unwrap().contains("worker_loaders"));
    let unopened = now(world.host("sess").describe_workspace()).unwrap_err();
    assert_eq!(unopened.code, ErrorCode::NotFound, "nothing was stored");
    world.isolates.missing.set(false);
    now(world.host("sess").open(config())).unwrap();
    // The binding was removed since.
    world.isolates.missing.set(true);
    let run =
        now(world.host("sess").run_script(request("1"), &Parrot::default(), &Abort::default()));
    assert_eq!(run.unwrap_err().code, ErrorCode::NotConfigured);
}

#[test]
fn a_session_with_scripts_opens_again_without_their_binding() {
    let world = World::new();
    let with_scripts = json!({ "capabilities": { "fs": true, "script": true } });
    let plain = json!({ "capabilities": { "fs": true } });
    let opened = |id: &str, config: &Value| {
        let own = world.other_session();
        own.open_with(id, config.clone());
        own
    };
    let open_again = |own: &World, id: &str, config: &Value| {
        now(own.host(id).open(serde_json::from_value(config.clone()).unwrap()))
    };
    let (kept, closed) = (opened("kept", &with_scripts), opened("closed", &with_scripts));
    now(closed.host("closed").close()).unwrap();
    let without = opened("without", &plain);
    // The operator has removed the binding since.
    world.isolates.missing.set(true);
    let mut longer = with_scripts.clone();
    longer["sleepAfter"] = json!("30m");
    for (own, id, config) in
        [(&kept, "kept", &with_scripts), (&kept, "kept", &longer), (&closed, "closed", &longer)]
    {
        let view = open_again(own, id, config).unwrap();
        assert_eq!(serde_json::to_value(&view).unwrap()["status"], "open", "{id}");
        let host = own.host(id);
        let run = now(host.run_script(request("1"), &Parrot::default(), &Abort::default()));
        assert_eq!(run.unwrap_err().code, ErrorCode::NotConfigured);
    }
    // Scripts are part of the policy, so no later open adds them.
    let added = open_again(&without, "without", &with_scripts).unwrap_err();
    assert_eq!(added.code, ErrorCode::Conflict);
    let first = open_again(&world.other_session(), "new", &with_scripts).unwrap_err();
    assert_eq!(first.code, ErrorCode::NotConfigured);
}

#[test]
fn what_a_script_sends_is_not_trusted() {
    let world = World::new();
    let host = opened(&world, json!(true));
    let failed = |steps: Vec<_>| {
        world.isolates.do_steps(steps);
        let result = outcome(&host);
        assert_eq!(result.value, None);
        result.error.unwrap()
    };
    let long = Raw(vec![b'x'; (1 << 20) + 1]);
    assert!(failed(vec![long]).contains("more than 1048576 bytes"));
    let long = Raw([vec![b'x'; 1 << 20], b"xx\n".to_vec()].concat());
    assert!(failed(vec![long]).contains("more than 1048576 bytes"));
    for broken in [
        Raw(b"\n".to_vec()),
        Raw(b"\xff\n".to_vec()),
        Raw([vec![b'['; 500_000], b"\n".to_vec()].concat()),
        Send(json!({ "call": 1 })),
        Send(json!({ "call": "1", "tool": "say" })),
        Send(json!({ "admin": true })),
    ] {
        assert!(failed(vec![broken]).contains("broke its connection"));
    }
    assert!(failed(vec![]).contains("ended before it did"));
    assert!(failed(vec![Break("Worker exceeded CPU time limit.")]).contains("5000 ms of CPU time"));
    assert!(failed(vec![Break("Worker exceeded memory limit.")]).contains("more memory"));
    let text = "y".repeat(100_000);
    let error = failed(vec![Send(done(json!({ "error": text })))]);
    assert!(error.len() < 9_000 && error.ends_with("[cut off here]\n"));
    let logged = json!({ "done": {}, "logs": "é".repeat(100_000) });
    world.isolates.do_steps([Send(logged)]);
    let logs = outcome(&host).logs;
    assert!((64 * 1024..64 * 1024 + 30).contains(&logs.len()), "{}", logs.len());
}

#[test]
fn a_flood_of_calls_is_bounded_and_waits_in_the_isolate() {
    let world = World::new();
    let host = opened(&world, json!(true));
    let tools = Parrot::default();
    // Nothing ever reads the answers, so nothing more is read.
    world.isolates.do_steps((0..1_000).map(|id| Send(call(id, "x"))));
    let abort = Abort::default();
    let mut running = Box::pin(host.run_script(request("1"), &tools, &abort));
    assert!((&mut running).now_or_never().is_none());
    assert_eq!(tools.asked.borrow().len(), 4);
    drop(running);
    // Each answer is read: the limit on all calls ends it.
    world.isolates.do_steps((0..1_000).flat_map(|id| [Send(call(id, "x")), Hear]));
    let tools = Parrot::default();
    let result = now(host.run_script(request("1"), &tools, &Abort::default())).unwrap();
    assert_eq!((result.calls, tools.asked.borrow().len()), (500, 500));
    assert!(result.error.unwrap().contains("more than 500 calls"));
    let tools = Parrot::default();
    tools.endless.set(true);
    world.isolates.do_steps((0..1_000).map(|id| Send(call(id, "x"))));
    let abort = Abort::default();
    let mut running = Box::pin(host.run_script(request("1"), &tools, &abort));
    assert!((&mut running).now_or_never().is_none());
    assert_eq!(tools.most_at_once.get(), 4);
    abort.abort();
    assert_eq!(now(running).unwrap_err().code, ErrorCode::Aborted);
}

#[test]
fn a_script_ends_when_its_time_is_up_or_its_caller_gives_up() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "capabilities": { "script": true } }));
    // Sleeping takes no time in this world, unless the clock stands.
    world.isolates.do_steps([Hang]);
    let result = outcome(&host);
    assert!(result.timed_out && result.error.unwrap().contains("5000 ms"));
    assert_eq!(world.isolates.cancelled.get(), 1, "its isolate is ended");
    world.isolates.silent.set(true);
    assert!(outcome(&host).timed_out, "also while it starts");
    world.isolates.silent.set(false);
    world.clock.stop();
    let (tools, abort) = (Parrot::default(), Abort::default());
    tools.endless.set(true);
    world.isolates.do_steps([Send(call(1, "x")), Hang]);
    let mut running = Box::pin(host.run_script(request("1"), &tools, &abort));
    assert!((&mut running).now_or_never().is_none());
    abort.abort();
    let error = now(running).unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::Aborted, Outcome::Unknown));
    assert_eq!(tools.at_once.get(), 0, "its call has ended, and was not dropped");
    assert_eq!(world.isolates.cancelled.get(), 2);
}

#[test]
fn few_scripts_of_a_session_run_at_once() {
    let world = World::new();
    let host = opened(&world, json!(true));
    world.isolates.do_steps([Hang]);
    let (tools, abort) = (Parrot::default(), Abort::default());
    let mut running: Vec<_> =
        (0..4).map(|_| Box::pin(host.run_script(request("1"), &tools, &abort))).collect();
    for script in &mut running {
        assert!(script.now_or_never().is_none());
    }
    let refused = now(host.run_script(request("1"), &tools, &abort)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::QuotaExceeded);
    assert_eq!(refused.details, Some(json!({ "limit": "scripts" })));
    drop(running.pop());
    world.isolates.do_steps([Send(done(json!({ "value": 1 })))]);
    assert_eq!(outcome(&host).value, Some(json!(1)), "one that is gone makes room");
    let long = "x".repeat(256 * 1024 + 1);
    let refused = now(host.run_script(request(&long), &tools, &abort)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::TooLarge);
}

/// Runs a script as a caller with these scopes, through its operation.
fn as_caller(world: &World, host: &Session, scopes: &[Scope]) -> Result<Value> {
    let caller = Caller::Binding { scopes: Some(scopes.iter().copied().collect()) };
    let operation = Operation::parse("runScript", json!({ "code": "1" })).unwrap();
    let invocation = Invocation::from(operation);
    let incident = || "incident".to_owned();
    now(run(host, &caller, invocation, &Abort::default(), &world.clock, &world.log, incident))
}

#[test]
fn a_script_can_do_what_its_caller_can_and_no_more() {
    let world = World::new();
    world.clock.stop();
    let modules = json!({ "fs": true, "snapshot": true, "shell": true, "script": true });
    let host = world.open_with("sess", json!({ "capabilities": modules }));
    let forbidden = |tool: &str, scopes: &[Scope]| {
        let input = match tool {
            "write_file" => json!({ "path": "a", "content": "x" }),
            "ls" => json!({ "at": "none" }),
            _ => json!({}),
        };
        let asked = json!({ "call": 1, "tool": tool, "input": input });
        world.isolates.do_steps([Send(asked), Hear, Send(done(json!({})))]);
        world.isolates.heard.borrow_mut().clear();
        as_caller(&world, &host, scopes).unwrap();
        world.isolates.heard.borrow()[0]["error"]["code"].as_str().map(str::to_owned)
    };
    let code = |code: &str| Some(code.to_owned());
    assert_eq!(forbidden("list_snapshots", &[Scope::Read]), None);
    assert_eq!(forbidden("ls", &[Scope::Read]), code("NOT_FOUND"));
    assert_eq!(forbidden("write_file", &[Scope::Read]), code("FORBIDDEN"));
    assert_eq!(forbidden("snapshot", &[Scope::Read, Scope::Write]), code("FORBIDDEN"));
    assert_eq!(forbidden("write_file", &[Scope::Read, Scope::Write]), None);
    assert_eq!(forbidden("snapshot", &[Scope::Read, Scope::Snapshot]), None);
    for tool in [
        "script",
        "run",
        "run_code",
        "delete_snapshot",
        "restore",
        "close",
        "callTool",
        "rm",
        "",
        "workspace_ls",
        "__proto__",
        "constructor",
    ] {
        assert_eq!(forbidden(tool, &Scope::ALL), code("NOT_FOUND"), "{tool}");
    }
    let refused = as_caller(&world, &host, &[Scope::Write]).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Forbidden, "a script reads what it is for");
    let calls = world.log.0.borrow().iter().filter(|line| line.event == "callTool").count();
    assert!(calls >= 6, "each call has its line in the log: {calls}");
}

#[test]
fn a_script_in_a_read_only_session_reads() {
    let world = World::new();
    world.clock.stop();
    let modules = json!({ "fs": true, "snapshot": true, "script": true, "readOnly": true });
    let host = world.open_with("sess", json!({ "capabilities": modules }));
    let asked = |tool: &str, input: Value| json!({ "call": 1, "tool": tool, "input": input });
    let write = asked("write_file", json!({ "path": "a", "content": "x" }));
    let list = asked("list_snapshots", json!({}));
    world.isolates.do_steps([Send(write), Hear, Send(list), Hear, Send(done(json!({})))]);
    as_caller(&world, &host, &Scope::ALL).unwrap();
    let heard = world.isolates.heard.borrow();
    assert_eq!(heard[0]["error"]["code"], "FORBIDDEN");
    assert!(heard[1].get("error").is_none(), "{}", heard[1]);
}
