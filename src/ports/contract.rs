//! What every implementation of a port must do: run on the fakes natively and
//! on the real adapters under workerd (`test-contracts` in test builds).

use super::alarm::Alarm;
use super::bucket::Bucket;
use super::clock::Clock;
use super::database::{Database, SqlValue};
use super::random::{Random, random_bytes};
use crate::domain::error::{Error, ErrorCode, Result};
use serde_json::{Value, json};

fn check(holds: bool, rule: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::internal(rule).with_details(json!({ "broken": rule }))) }
}

/// Deletes are idempotent, creation never replaces, folders come in pages in
/// key order. `prefix` must be empty and ends with `/`.
///
/// # Errors
/// `INTERNAL` naming the rule that is broken in `details`.
pub async fn bucket(bucket: &dyn Bucket, prefix: &str) -> Result<()> {
    let key = |name: &str| format!("{prefix}{name}");
    let missing = key("missing");
    check(bucket.head(&missing).await?.is_none(), "head of a missing object is none")?;
    check(bucket.get_small(&missing, 9).await?.is_none(), "get of a missing object is none")?;
    bucket.delete(&missing).await?;

    let first = key("a/x");
    bucket.create_small(&first, b"hello".to_vec()).await?;
    let info = bucket.head(&first).await?;
    check(info.is_some_and(|info| info.size_bytes == 5), "head tells the size")?;
    check(bucket.get_small(&first, 5).await? == Some(b"hello".to_vec()), "get reads it whole")?;
    let code = |answer: Result<()>| answer.map_err(|error| error.code);
    let again = bucket.create_small(&first, b"other".to_vec()).await;
    check(code(again) == Err(ErrorCode::Conflict), "creating what exists is CONFLICT")?;
    check(bucket.get_small(&first, 5).await? == Some(b"hello".to_vec()), "and changes nothing")?;
    let too_large = bucket.get_small(&first, 4).await.map(drop);
    check(code(too_large) == Err(ErrorCode::TooLarge), "get past the limit is TOO_LARGE")?;

    for name in ["a/y", "b/x", "c/x", "d"] {
        bucket.create_small(&key(name), Vec::new()).await?;
    }
    let page = bucket.list_folders(prefix, None, 2).await?;
    check(page.folders == [key("a/"), key("b/")], "folders are listed once, in key order")?;
    check(page.cursor.is_some(), "a page that is not the last has a cursor")?;
    let rest = bucket.list_folders(prefix, page.cursor.as_deref(), 2).await?;
    check(rest.folders == [key("c/")], "the next page goes on; plain objects are not folders")?;
    check(rest.cursor.is_none(), "the last page has no cursor")?;

    for name in ["a/x", "a/y", "b/x", "c/x", "d"] {
        bucket.delete(&key(name)).await?;
    }
    check(bucket.head(&first).await?.is_none(), "a deleted object is gone")
}

/// Values come back as they went in; a failed statement changes nothing.
/// Leaves no table behind.
///
/// # Errors
/// As [`bucket`].
pub fn database(database: &dyn Database) -> Result<()> {
    database.exec("CREATE TABLE contract (i INTEGER, t TEXT) STRICT", &[])?;
    let largest = (1_i64 << 53) - 1;
    for (integer, text) in [(0, ""), (-1, "it's\n\u{1f980}"), (largest, "z")] {
        database.exec("INSERT INTO contract VALUES (?, ?)", &[integer.into(), text.into()])?;
    }
    database.exec("INSERT INTO contract VALUES (?, ?)", &[SqlValue::Null, SqlValue::Null])?;
    let rows = database.exec("SELECT i, t FROM contract ORDER BY rowid", &[])?;
    let read: Vec<Value> = rows.into_iter().map(Value::Object).collect();
    let expected = [
        json!({ "i": 0, "t": "" }),
        json!({ "i": -1, "t": "it's\n\u{1f980}" }),
        json!({ "i": largest, "t": "z" }),
        json!({ "i": null, "t": null }),
    ];
    check(read == expected, "values come back as they went in")?;
    let none = database.exec("SELECT i FROM contract WHERE i = 7", &[])?;
    check(none.is_empty(), "a query may have no rows")?;
    let wrong = database.exec("INSERT INTO contract VALUES (?, 'x')", &["text".into()]);
    check(wrong.is_err(), "a STRICT column refuses another type")?;
    let count = database.exec("SELECT count(*) AS n FROM contract", &[])?;
    check(count.first().and_then(|row| row.get("n")) == Some(&json!(4)), "and nothing was stored")?;
    database.exec("DROP TABLE contract", &[]).map(drop)
}

/// Sleeping takes about as long as asked, and time does not run backwards.
///
/// # Errors
/// As [`bucket`].
pub async fn clock(clock: &dyn Clock) -> Result<()> {
    let before_ms = clock.now_ms();
    check(before_ms > 1_700_000_000_000, "time is in milliseconds since 1970")?;
    clock.sleep_ms(20).await;
    let slept_ms = clock.now_ms() - before_ms;
    check((15..5_000).contains(&slept_ms), "sleeping takes about as long as asked")
}

/// Random bytes differ.
///
/// # Errors
/// As [`bucket`].
pub fn random(random: &dyn Random) -> Result<()> {
    let first: [u8; 16] = random_bytes(random)?;
    let second: [u8; 16] = random_bytes(random)?;
    check(first != second, "random bytes differ")
}

/// An alarm is only ever moved forward. Leaves it set.
///
/// # Errors
/// As [`bucket`].
pub async fn alarm(alarm: &dyn Alarm, now_ms: i64) -> Result<()> {
    let (soon, later) = (now_ms + 1_000_000, now_ms + 2_000_000);
    alarm.set(later).await?;
    check(alarm.due_ms().await? == Some(later), "an alarm is due when it was set for")?;
    alarm.wake_by(soon).await?;
    check(alarm.due_ms().await? == Some(soon), "an earlier time moves the alarm")?;
    alarm.wake_by(later).await?;
    check(alarm.due_ms().await? == Some(soon), "a later time does not")
}
