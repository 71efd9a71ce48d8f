//! Recorded commands: what is kept of each, and in which turn it is shown.

use crate::support::faults::{Fault, Faults};
use crate::world::{World, now, snapshot};
use futures::FutureExt;
use serde_json::{Value, json};
use snapshotter::domain::error::Outcome;
use snapshotter::domain::exec::recorded::CommandRecord;
use snapshotter::domain::ids::OperationId;
use snapshotter::domain::session::scope::Needs;
use snapshotter::session::{Abort, SaveTurnRequest, Session, TimelineRequest};
use std::rc::Rc;

fn run(host: &Session, request: Value) {
    now(host.run(serde_json::from_value(request).unwrap())).unwrap();
}

fn listed(host: &Session) -> Vec<CommandRecord> {
    host.list_commands(None, None).unwrap().commands
}

/// Commands and exit codes, newest first.
fn endings(host: &Session) -> Vec<Value> {
    let shown = |record: CommandRecord| {
        json!([record.command.command, record.command.exit_code, record.command.process])
    };
    listed(host).into_iter().map(shown).collect()
}

#[test]
fn every_way_to_run_something_is_recorded_once() {
    let world = World::new();
    let host = world.open_with(
        "sess",
        json!({ "capabilities": { "code": { "stateful": true }, "shell": {}, "snapshot": true } }),
    );
    snapshot(&host);
    world.write("sess", "printed");
    run(&host, json!({ "command": ["make", "all"] }));
    let followed = serde_json::from_value(json!({ "command": "followed" })).unwrap();
    now(host.run_followed(followed, &Abort::reporting(|_| {}))).unwrap();
    let streamed = serde_json::from_value(json!({ "command": "streamed" })).unwrap();
    let mut events = now(host.run_streamed(streamed)).unwrap();
    while now(events.next()).unwrap().is_some() {}
    now(host
        .run_code(serde_json::from_value(json!({ "language": "python", "code": "1" })).unwrap()))
    .unwrap();
    let create = serde_json::from_value(json!({ "language": "python" })).unwrap();
    let context = now(host.create_code_context(create)).unwrap().answer.context;
    let code = serde_json::from_value(json!({ "context": context, "code": "x = 1" })).unwrap();
    now(host.run_in_code_context(code, &Abort::default())).unwrap();
    let start = json!({ "name": "web", "command": "npm start" });
    now(host.start_process(serde_json::from_value(start).unwrap())).unwrap();
    let expected = json!([
        ["npm start", null, "web"],
        ["x = 1", 0, null],
        ["1", 0, null],
        ["streamed", 0, null],
        ["followed", 0, null],
        [["make", "all"], 0, null],
    ]);
    assert_eq!(json!(endings(&host)), expected);
    let records = listed(&host);
    assert_eq!(records[1].command.code_context, Some(context));
    assert_eq!(json!(records[2].command.language), "python");
    for at in [3, 4, 5] {
        assert_eq!(records[at].stdout, "printed", "{at}");
    }
}

#[test]
fn a_command_whose_caller_gives_up_is_recorded_without_an_end() {
    let world = World::new();
    let host = world.open("sess");
    snapshot(&host);
    world.write("sess", "printed");
    world.endless.set(true);
    let id = OperationId::parse("op").unwrap();
    let abort = Abort::default();
    let _guard = host.cancellable(&id, &abort, Needs::Nothing).unwrap();
    let request = serde_json::from_value(json!({ "command": "sleep 9" })).unwrap();
    let mut running = Box::pin(host.run_followed(request, &abort));
    assert!((&mut running).now_or_never().is_none());
    let [present] = &listed(&host)[..] else { panic!() };
    assert_eq!((present.command.seq, &*present.stdout), (None, "printed"));
    host.cancel(&id).unwrap();
    now(running).unwrap_err();
    let [ended] = &listed(&host)[..] else { panic!() };
    assert_eq!((ended.command.exit_code, &*ended.stdout), (None, "printed"));
    let kept = ended.command.process.as_ref().unwrap();
    assert!(kept.as_str().starts_with("aborted-"), "{kept}");
    // The same, of a stream whose reader goes away.
    let streamed = serde_json::from_value(json!({ "command": "tail -f log" })).unwrap();
    let mut events = now(host.run_streamed(streamed)).unwrap();
    now(events.next()).unwrap();
    now(events.cancel());
    assert_eq!(json!(endings(&host)[0]), json!(["tail -f log", null, null]));
}

#[test]
fn a_process_whose_start_got_no_answer_is_recorded_by_its_name() {
    let mut world = World::new();
    world.faults = Faults::decided_by(Rc::default(), |name| {
        (name == "startProcess").then_some(Fault::ErrorAfter)
    });
    let host = world.open("sess");
    let start = json!({ "name": "web", "command": "npm start" });
    let error = now(host.start_process(serde_json::from_value(start).unwrap())).unwrap_err();
    assert_eq!(error.outcome, Outcome::Unknown);
    assert_eq!(json!(endings(&host)), json!([["npm start", null, "web"]]));
}

#[test]
fn what_never_ran_is_not_recorded() {
    let world = World::new();
    let host = world.open("sess");
    let request = json!({ "command": "pwd", "cwd": "../.." });
    now(host.run(serde_json::from_value(request).unwrap())).unwrap_err();
    now(host.run_followed(
        serde_json::from_value(json!({ "command": "pwd" })).unwrap(),
        &Abort::aborted(),
    ))
    .unwrap_err();
    assert_eq!(listed(&host), []);
}

#[test]
fn values_of_variables_are_in_no_record() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "envVars": { "KEY": "session-key-1" } }));
    snapshot(&host);
    world.write("sess", "session-key-1 and of-its-own-2, short");
    let own = json!({ "OWN": "of-its-own-2", "SHORT": "short" });
    run(&host, json!({ "command": "echo session-key-1 of-its-own-2 short", "env": own }));
    let [record] = &listed(&host)[..] else { panic!() };
    assert_eq!(json!(record.command.command), "echo <redacted> <redacted> short");
    assert_eq!(record.stdout, "<redacted> and <redacted>, short");
    // Nor in what is stored.
    let stored = world.database_text("SELECT command || stdout || stderr FROM commands");
    assert!(stored.contains("<redacted>") && !stored.contains("session-key-1"), "{stored}");
}

#[test]
fn only_the_last_commands_are_kept_and_only_their_ends() {
    let world = World::new();
    let host = world.open("sess");
    snapshot(&host);
    world.write("sess", &format!("{}the end", "x".repeat(10_000)));
    for number in 0..203 {
        run(&host, json!({ "command": format!("command {number}") }));
    }
    let mut seen = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let page = host.list_commands(None, cursor.as_deref()).unwrap();
        assert!(page.commands.len() <= 50);
        seen.extend(page.commands);
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 200);
    assert_eq!(json!(seen[199].command.command), "command 3");
    assert_eq!(seen[0].stdout.len(), 4_096);
    assert!(seen[0].stdout.ends_with("the end"));
}

#[test]
fn the_timeline_shows_the_commands_of_each_turn() {
    let world = World::new();
    let host = world.open("sess");
    let turn = |files: &str| {
        world.write("sess", files);
        world.clock.advance(1_000);
        now(host.save_turn(SaveTurnRequest::default(), &Abort::default())).unwrap();
        world.clock.advance(1_000);
    };
    let ran = |command: &str| {
        run(&host, json!({ "command": command }));
        world.clock.advance(1_000);
    };
    ran("first");
    turn("1");
    for number in 0..12 {
        ran(&format!("echo {number} {}", "x".repeat(300)));
    }
    turn("2");
    turn("3");
    ran("later");
    let asked = |limit: u32, cursor: Option<String>| {
        let request = TimelineRequest { limit: Some(limit), cursor };
        now(host.timeline(&request)).unwrap()
    };
    let page = asked(2, None);
    let commands = |ran: &snapshotter::domain::exec::recorded::CommandsRun| -> Vec<String> {
        ran.commands.iter().map(|one| one.command.shown()).collect()
    };
    assert_eq!(commands(&page.since), ["later"]);
    assert_eq!(commands(&page.turns[0].ran), [""; 0]);
    let second = &page.turns[1].ran;
    assert_eq!((second.commands.len(), second.earlier_commands), (10, Some(2)));
    assert!(commands(second)[0].starts_with("echo 2 xxx"));
    assert!(commands(second)[0].len() <= 203);
    let page = asked(2, page.next_cursor);
    assert_eq!(commands(&page.since), [""; 0], "only the first page has what ran since");
    assert_eq!(commands(&page.turns[0].ran), ["first"]);
}
