//! `events`: what happened in the session.

use crate::api::{answer, operations as op, read};
use crate::error::Error;
use crate::output::Out;
use crate::remote::Remote;
use clap::Args;
use serde::Deserialize;
use serde_json::Value;
use std::io::Write;
use std::thread::sleep;
use std::time::Duration;

answer! {
    /// Events, newest first.
    pub struct EventPage { events: Vec<EventView>, next_cursor: Option<String> }

    /// An event.
    pub struct EventView { seq: u64, at: String, kind: String, payload: Value, warning: Option<String> }
}

const POLL: Duration = Duration::from_millis(1500);
const PAGE: u64 = 100;

/// Show what happened in the session, newest first
#[derive(Debug, Args)]
pub struct Events {
    /// At most this many
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Continue after this cursor of an earlier list
    #[arg(long, value_name = "CURSOR", conflicts_with = "follow")]
    cursor: Option<String>,
    /// Print the latest events, oldest first, then new ones as they happen. With -o json, one event per line
    #[arg(long, short)]
    follow: bool,
}

impl Events {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        use op::list_events::query;
        let session = remote.session()?;
        if self.follow {
            return follow(remote, session, self.limit.unwrap_or(10));
        }
        let call = op::list_events::call(session)?
            .doing("Asking")
            .query(query::LIMIT, self.limit)
            .query(query::CURSOR, self.cursor);
        remote.show(&call, table)
    }
}

/// Prints a page of events.
pub fn table(out: &Out, answer: &Value) -> Result<(), Error> {
    let page: EventPage = read(answer)?;
    let rows = page.events.into_iter().map(|event| {
        [event.seq.to_string(), event.at.clone(), event.kind.clone(), details(&event)]
    });
    out.table(["SEQ", "AT", "KIND", "DETAILS"], rows.collect())?;
    out.more(page.next_cursor.as_deref())
}

/// The content of an event, as `key=value`. Nested values stay JSON.
fn details(event: &EventView) -> String {
    let pairs = event.payload.as_object().into_iter().flatten().map(|(key, value)| match value {
        Value::String(text) => format!("{key}={text}"),
        value => format!("{key}={value}"),
    });
    let warning = event.warning.iter().map(|warning| format!("warning: {warning}"));
    pairs.chain(warning).collect::<Vec<_>>().join(" ")
}

/// Polls, because the server does not stream events. Prints each event once, oldest first.
fn follow(remote: &Remote, session: &str, first: u64) -> Result<(), Error> {
    let mut seen = None;
    loop {
        let mut fresh = newer_than(remote, session, seen, first)?;
        fresh.reverse();
        for event in fresh {
            let view: EventView = read(&event)?;
            seen = seen.max(Some(view.seq));
            print(&remote.out, &event, &view)?;
        }
        sleep(POLL);
    }
}

/// The events after `seen`, newest first. Without `seen`, the latest `first` events.
fn newer_than(
    remote: &Remote,
    session: &str,
    seen: Option<u64>,
    first: u64,
) -> Result<Vec<Value>, Error> {
    use op::list_events::query;
    let mut fresh = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let limit = if seen.is_some() { PAGE } else { first.min(PAGE) };
        let call = op::list_events::call(session)?
            .query(query::LIMIT, Some(limit))
            .query(query::CURSOR, cursor.as_ref());
        let answer = remote.client.json(&call)?;
        let page: EventPage = read(&answer)?;
        let all = answer.get("events").and_then(Value::as_array).cloned().unwrap_or_default();
        let known =
            page.events.iter().take_while(|event| seen.is_none_or(|seen| event.seq > seen)).count();
        let is_all = known < page.events.len() || seen.is_none();
        fresh.extend(all.into_iter().take(known));
        match page.next_cursor {
            Some(next) if !is_all => cursor = Some(next),
            _ => return Ok(fresh),
        }
    }
}

fn print(out: &Out, event: &Value, view: &EventView) -> Result<(), Error> {
    if out.is_json() {
        return out.json_line(event);
    }
    out.line(format!("{}  {}  {}", view.at, view.kind, details(view)))?;
    Ok(std::io::stdout().flush()?)
}
