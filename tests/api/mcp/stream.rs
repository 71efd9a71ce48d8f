//! A tool call over MCP that is answered as a stream.

use crate::api::mcp::{older, received, run};
use crate::support::ports::TestClock;
use crate::world::World;
use async_trait::async_trait;
use futures::channel::oneshot;
use futures::executor::LocalPool;
use futures::task::LocalSpawnExt;
use futures::{FutureExt, StreamExt};
use serde_json::{Value, json};
use snapshotter::api::mcp::Received;
use snapshotter::api::mcp::stream;
use snapshotter::domain::limits::{MCP_OUTPUT_TOTAL_BYTES, MCP_PULSES_PER_PROGRESS};
use snapshotter::ports::clock::Clock;
use snapshotter::session::{Abort, Progress};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

const STREAMS: (&str, &str) = ("accept", "application/json, text/event-stream");

/// A clock whose sleep ends when the test says so.
#[derive(Clone)]
struct HandClock {
    time: TestClock,
    alarm: Rc<RefCell<Option<oneshot::Sender<()>>>>,
}

#[async_trait(?Send)]
impl Clock for HandClock {
    fn now_ms(&self) -> i64 {
        self.time.now_ms()
    }

    async fn sleep_ms(&self, _ms: u64) {
        let (sender, receiver) = oneshot::channel();
        *self.alarm.borrow_mut() = Some(sender);
        let _ = receiver.await;
    }
}

/// A tool call whose work ends when the test says so.
struct Running {
    pool: LocalPool,
    abort: Abort,
    body: stream::Body,
    clock: HandClock,
    finish: oneshot::Sender<()>,
    ended: Rc<Cell<bool>>,
}

fn running(headers: &[(&str, &str)], meta: Value) -> Running {
    let params = json!({ "name": "workspace_list_workspaces", "_meta": meta });
    let Received::Call(call) = received(headers, &older("tools/call", params)) else { panic!() };
    assert!(call.streamed);
    let world = World::new();
    let (abort, writer, body) = stream::open(&call);
    let clock = HandClock { time: world.clock.clone(), alarm: Rc::default() };
    let (finish, finished) = oneshot::channel();
    let ended = Rc::new(Cell::new(false));
    let pool = LocalPool::new();
    let task = {
        let (abort, clock, ended) = (abort.clone(), clock.clone(), ended.clone());
        async move {
            let host = world.open("sess");
            let work = async {
                abort.step("first step")?;
                let _ = finished.await;
                abort.check()?;
                run(&world, &host, &call, &abort).await
            };
            writer.write(&call, host.session(), &clock, work).await;
            ended.set(true);
        }
    };
    pool.spawner().spawn_local(task).unwrap();
    Running { pool, abort, body, clock, finish, ended }
}

impl Running {
    fn read(&mut self) -> Vec<String> {
        self.pool.run_until_stalled();
        let mut events = Vec::new();
        while let Some(Some(event)) = self.body.next().now_or_never() {
            events.push(event);
        }
        events
    }

    fn tick(&mut self) {
        self.clock.alarm.borrow_mut().take().unwrap().send(()).unwrap();
    }
}

#[test]
fn a_client_that_asked_hears_of_progress() {
    let mut call = running(&[STREAMS], json!({ "progressToken": "t" }));
    let progress = |count: u64, message: &str| {
        let params = json!({ "progressToken": "t", "progress": count, "message": message });
        let message =
            json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
        format!("event: message\ndata: {message}\n\n")
    };
    assert_eq!(call.read(), [progress(0, "started"), progress(1, "first step")]);
    for _ in 1..MCP_PULSES_PER_PROGRESS {
        call.tick();
        assert_eq!(call.read(), [":\n\n"]);
    }
    call.tick();
    assert_eq!(call.read(), [progress(2, "still working")]);
    call.finish.send(()).unwrap();
    call.finish = oneshot::channel().0;
    let last = call.read();
    assert_eq!(last.len(), 1);
    assert!(last[0].starts_with("event: message\ndata: {\"id\":1,"), "{last:?}");
    assert!(call.ended.get());
}

#[test]
fn what_a_command_prints_is_progress_between_the_others() {
    let mut call = running(&[STREAMS], json!({ "progressToken": 7 }));
    let printed = |count: u64, stream: &str, message: &str| {
        let params = json!({
            "progressToken": 7, "progress": count, "message": message,
            "_meta": { "snapshotter/stream": stream },
        });
        let message =
            json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
        format!("event: message\ndata: {message}\n\n")
    };
    assert_eq!(call.read().len(), 2);
    call.abort.report(Progress::Stdout("one\n"));
    call.abort.report(Progress::Stderr("oops"));
    call.abort.report(Progress::Stdout("two"));
    assert!(call.read().is_empty(), "it waits for the pulse");
    call.tick();
    assert_eq!(call.read(), [printed(2, "stdout", "one\ntwo"), printed(3, "stderr", "oops")]);
    call.tick();
    assert_eq!(call.read(), [":\n\n"]);
    call.abort.report(Progress::Stdout("last"));
    call.finish.send(()).unwrap();
    call.finish = oneshot::channel().0;
    let last = call.read();
    assert_eq!(last.len(), 2);
    assert_eq!(last[0], printed(4, "stdout", "last"), "before the response");
}

#[test]
fn a_flood_is_not_told_for_ever() {
    let mut call = running(&[STREAMS], json!({ "progressToken": 7 }));
    call.read();
    let mut told = Vec::new();
    for _ in 0..100 {
        call.abort.report(Progress::Stdout(&"x".repeat(MCP_OUTPUT_TOTAL_BYTES / 10)));
        call.abort.report(Progress::Stderr("y"));
        call.tick();
        told.extend(call.read().into_iter().filter(|event| event.contains("snapshotter/stream")));
    }
    assert_eq!(told.len(), 19, "both streams, until it was enough");
    assert!(told[18].contains("no more is shown") && !told[17].contains("no more"), "{}", told[18]);
}

#[test]
fn a_client_that_did_not_ask_is_kept_alive() {
    let mut call = running(&[STREAMS], json!({}));
    assert!(call.read().is_empty());
    for _ in 0..=MCP_PULSES_PER_PROGRESS {
        call.tick();
        assert_eq!(call.read(), [":\n\n"]);
    }
}

#[test]
fn a_cancelled_call_gets_no_response() {
    let mut call = running(&[STREAMS], json!({}));
    call.read();
    call.abort.abort();
    call.finish.send(()).unwrap();
    call.finish = oneshot::channel().0;
    assert!(call.read().is_empty());
    assert!(call.ended.get());
}

#[test]
fn closing_the_stream_cancels_in_the_newer_revision_only() {
    let mut old = running(&[STREAMS], json!({}));
    old.read();
    drop(old.body);
    old.pool.run_until_stalled();
    assert!(old.abort.check().is_ok());

    let headers = [
        STREAMS,
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "workspace_list_workspaces"),
    ];
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut new = running(&headers, meta);
    new.read();
    drop(new.body);
    assert!(new.abort.check().is_err());
}
