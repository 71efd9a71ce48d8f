//! An object's event log: a table `events` in its SQLite.

use crate::domain::json::parse_stored;
use crate::domain::limits::EVENTS_KEPT;
use crate::domain::time::rfc3339;
use crate::domain::{EventView, Result, StoredEvent};
use crate::ports::database::{SEQ_MAX, query};
use crate::ports::{Database, SqlValue};
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    seq: i64,
    at_ms: i64,
    kind: String,
    payload: String,
}

/// Also deletes the oldest events beyond [`EVENTS_KEPT`].
pub(crate) fn add(database: &dyn Database, now_ms: i64, event: &StoredEvent) -> Result<()> {
    database.exec(
        "INSERT INTO events (at_ms, kind, payload) VALUES (?, ?, ?)",
        &[now_ms.into(), event.kind.as_str().into(), event.payload.to_string().into()],
    )?;
    database.exec(
        "DELETE FROM events WHERE seq <= (SELECT MAX(seq) FROM events) - ?",
        &[i64::from(EVENTS_KEPT).into()],
    )?;
    Ok(())
}

pub(crate) fn list(
    database: &dyn Database,
    before_seq: Option<i64>,
    limit: u32,
) -> Result<Vec<EventView>> {
    let before_seq = before_seq.unwrap_or(SEQ_MAX);
    select(
        database,
        "SELECT seq, at_ms, kind, payload FROM events WHERE seq < ?
         ORDER BY seq DESC LIMIT ?",
        &[before_seq.into(), i64::from(limit).into()],
    )
}

/// Lists events with this value in a column that the table has an index on.
pub(crate) fn list_with(
    database: &dyn Database,
    column: &str,
    value: &str,
    before_seq: Option<i64>,
    limit: u32,
) -> Result<Vec<EventView>> {
    let before_seq = before_seq.unwrap_or(SEQ_MAX);
    select(
        database,
        &format!(
            "SELECT seq, at_ms, kind, payload FROM events
             WHERE {column} = ? AND seq < ? ORDER BY seq DESC LIMIT ?"
        ),
        &[value.into(), before_seq.into(), i64::from(limit).into()],
    )
}

fn select(database: &dyn Database, sql: &str, values: &[SqlValue]) -> Result<Vec<EventView>> {
    let view = |Row { seq, at_ms, kind, payload }: Row| {
        let payload = parse_stored(format_args!("event {seq}"), &payload)?;
        Ok(EventView::of_stored(seq, rfc3339(at_ms), StoredEvent { kind, payload }))
    };
    query::<Row>(database, sql, values)?.into_iter().map(view).collect()
}
