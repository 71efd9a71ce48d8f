//! Automatic saves, and idle workspaces.

mod idle;
mod retire;
mod schedule;
mod unchanged;

use crate::world::{World, call_tool, now};
use serde_json::{Value, json};
use snapshotter::domain::error::Error;
use snapshotter::domain::snapshot::summary::SnapshotSummary;
use snapshotter::ports::clock::Clock;
use snapshotter::session::{
    Abort, Annotations, ListRequest, Session, SnapshotRequest, SnapshotView,
};

pub const MINUTE_MS: i64 = 60_000;

pub fn call(host: &Session, tool: &str, input: Value) -> Result<Value, Error> {
    now(call_tool(host, tool, input, &Abort::default()))
}

pub fn read(host: &Session) -> Value {
    call(host, "workspace_run", json!({ "command": "cat" })).unwrap()
}

pub fn all(host: &Session) -> Vec<SnapshotSummary> {
    let request = ListRequest { include_auto: true, ..ListRequest::default() };
    now(host.list(&request)).unwrap().snapshots.into_iter().map(|row| row.snapshot).collect()
}

fn kinds(host: &Session) -> Vec<String> {
    host.list_events(None, None).unwrap().events.into_iter().map(|event| event.kind).collect()
}

/// Runs the alarm whenever it is due, for `ms`.
pub fn pass(world: &World, host: &Session, ms: i64) {
    let until_ms = world.clock.now_ms() + ms;
    for _ in 0..1_000 {
        match world.alarm.at_ms.get() {
            Some(at_ms) if at_ms <= until_ms => {
                world.alarm.at_ms.take();
                world.clock.0.set(world.clock.now_ms().max(at_ms));
                now(host.recover()).unwrap();
            }
            _ => {
                world.clock.0.set(until_ms);
                return;
            }
        }
    }
    panic!("the alarm never rests");
}

/// A world where equal files give equal archives, and a workspace in use.
pub fn used(config: Value) -> (World, Session) {
    let world = World::new();
    world.steady.set(true);
    let host = world.open_with("sess", config);
    read(&host);
    world.write("sess", "work");
    (world, host)
}

pub fn take(host: &Session, request: SnapshotRequest) -> SnapshotView {
    now(host.snapshot(request, &Abort::default())).unwrap()
}

fn named(name: &str) -> SnapshotRequest {
    let annotations = Annotations { name: Some(name.into()), ..Annotations::default() };
    SnapshotRequest { annotations, ..SnapshotRequest::default() }
}
