//! Rules that every implementation of a port must pass. Tests run them on the fakes natively, and
//! on the real adapters under workerd (`test-contracts` in test builds).

mod isolates;
mod objects;
mod pools;
mod starts;

pub use crate::ports::contract::isolates::isolates;
pub use crate::ports::contract::objects::objects;
pub use crate::ports::contract::pools::pools;
pub use crate::ports::contract::starts::starts;

use crate::domain::egress::Interception;
use crate::domain::{Error, ErrorCode, Result};
use crate::ports::container::{
    Command, Container, Happened, Offered, StartOptions, StoredObject, Upload,
};
use crate::ports::database::{column, insert, json_column, values};
use crate::ports::random::random_bytes;
use crate::ports::{Alarm, Bucket, Clock, Database, Random, SqlValue};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

fn check(holds: bool, rule: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::internal(rule).with_details(json!({ "broken": rule }))) }
}

/// Deletes are idempotent, creation never replaces, and folders come in pages in key order.
/// `prefix` must hold no objects and end with `/`.
///
/// # Errors
/// `INTERNAL` with the broken rule in `details`.
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
    let tagged = bucket.get_small_tagged(&first, 5).await?;
    let etag = tagged.map(|object| object.etag).unwrap_or_default();
    let seen = bucket.head(&first).await?.map(|info| info.etag);
    check(seen.as_ref() == Some(&etag), "head and get tell the same etag")?;
    bucket.replace_small(&first, &etag, b"world".to_vec()).await?;
    check(bucket.get_small(&first, 5).await? == Some(b"world".to_vec()), "replace replaces")?;
    let stale = bucket.replace_small(&first, &etag, b"other".to_vec()).await;
    check(code(stale) == Err(ErrorCode::Conflict), "replacing by an old etag is CONFLICT")?;
    check(bucket.get_small(&first, 5).await? == Some(b"world".to_vec()), "and changes nothing")?;
    let absent = bucket.replace_small(&missing, &etag, b"other".to_vec()).await;
    check(code(absent) == Err(ErrorCode::Conflict), "replacing what is gone is CONFLICT")?;
    check(bucket.head(&missing).await?.is_none(), "and brings nothing back")?;
    let too_large = bucket.get_small(&first, 4).await.map(drop);
    check(code(too_large) == Err(ErrorCode::TooLarge), "get past the limit is TOO_LARGE")?;

    let range = |offset, len_bytes| bucket.read_range(&first, offset, len_bytes);
    check(range(1, 3).await? == Some(b"orl".to_vec()), "a range is read alone")?;
    check(range(3, 9).await? == Some(b"ld".to_vec()), "a range ends with its object")?;
    check(bucket.read_range(&missing, 0, 1).await?.is_none(), "range of a missing object is none")?;

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

/// Values come back as they went in, and a failed statement changes nothing. Leaves no table.
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
    let sum: Vec<u64> = values(database, "SELECT ? + 1", &[41_i64.into()])?;
    check(sum == [42], "a whole number stays one, though it is bound as a float")?;
    let none: Vec<Option<i64>> = values(database, "SELECT MAX(i) FROM contract WHERE i = 7", &[])?;
    check(none == [None], "NULL is read as nothing")?;
    let number = values::<i64>(database, "SELECT NULL", &[]);
    check(number.is_err(), "and not as a number")?;
    let negative = values::<u64>(database, "SELECT i FROM contract WHERE i < 0", &[]);
    check(negative.is_err(), "a number below 0 is not read as one without a sign")?;
    insert(database, "contract", vec![("t", r#"{"a":[1]}"#.into()), ("i", true.into())])?;
    let mut rows = database.exec("SELECT i, t FROM contract WHERE i = 1", &[])?;
    let row = rows.first_mut().ok_or_else(|| Error::internal("a row is inserted"))?;
    check(json_column::<Value>(row, "t")? == json!({ "a": [1] }), "a column may hold JSON")?;
    check(column::<i64>(row, "i")? == 1, "true is bound as 1")?;
    check(column::<Option<i64>>(row, "i").is_err(), "a column that is not there is not NULL")?;
    database.exec("DROP TABLE contract", &[]).map(drop)
}

/// Sleeping takes about the requested time, and time does not run backwards.
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

/// `schedule_by` only moves an alarm to an earlier time. Leaves the alarm set.
///
/// # Errors
/// As [`bucket`].
pub async fn alarm(alarm: &dyn Alarm, now_ms: i64) -> Result<()> {
    let (soon, later) = (now_ms + 1_000_000, now_ms + 2_000_000);
    alarm.set(later).await?;
    check(alarm.due_ms().await? == Some(later), "an alarm is due when it was set for")?;
    alarm.schedule_by(soon).await?;
    check(alarm.due_ms().await? == Some(soon), "an earlier time moves the alarm")?;
    alarm.schedule_by(later).await?;
    check(alarm.due_ms().await? == Some(soon), "a later time does not")
}

/// Offers a file, and reads the answer as backup.sh does.
const OFFER: &str = r#"
# offer.sh FILE: offers FILE.
printf '%s\n\n' said
order=
read -r order
case $order in
  send) exec 3<"$1" && rm -f -- "$1" && exec cat <&3 ;;
  drop) rm -f -- "$1" ;;
esac"#;
const SIZE: &str = "\n# size.sh FILE: prints its size.\nstat -c %s -- \"$1\"";
const TAKE: &str = "\n# take.sh FILE: stores what it reads.\ncat >\"$1\" && stat -c %s -- \"$1\"";
const FAIL: &str = "\n# fail.sh FILE: reads nothing.\nexit 7";

/// A container starts and ends, bytes travel both ways unchanged, and a transfer with a wrong size
/// or checksum fails and stores nothing. The container must not run, and does not afterwards.
/// `bucket` is `binding`'s; `prefix` must hold no objects and end with `/`.
///
/// # Errors
/// As [`bucket`].
pub async fn container(
    container: &dyn Container,
    clock: &dyn Clock,
    bucket: &dyn Bucket,
    binding: &str,
    prefix: &str,
) -> Result<()> {
    let path = "/tmp/contract";
    let remove = Command {
        argv: ["rm", "-f", "--", path].map(str::to_owned).to_vec(),
        output_max_bytes: 64,
        kill_after_ms: Some(10_000),
        ..Command::default()
    };
    container.destroy().await?;
    check(!container.is_running(), "one that was destroyed does not run")?;
    let refused = container.run(&remove).await.map_err(|error| error.code);
    check(refused.err() == Some(ErrorCode::Unavailable), "and runs nothing: UNAVAILABLE")?;

    let all =
        Interception { all_http: true, https: ["*".into()].into(), ..Interception::default() };
    container.intercept(&all).await?;
    container.start(&StartOptions { enable_internet: false, instance_type: None })?;
    check(container.is_running(), "one that was started runs")?;
    container.set_inactivity_timeout(60_000).await?;
    container.intercept(&all).await?;
    let mut answered = container.run(&remove).await;
    for _ in 0..100 {
        if answered.is_ok() {
            break;
        }
        clock.sleep_ms(100).await;
        answered = container.run(&remove).await;
    }
    check(answered?.exit_code == 0, "it becomes ready, and a command ends")?;
    check(container.why_ended().await.is_none(), "while it runs, it has not ended")?;
    let mut process = container.spawn(&remove).await?;
    check(process.next().await? == Happened::Exited(0), "one that is spawned ends as well")?;

    let shell = Command { argv: vec!["sh".to_owned()], ..Command::default() };
    let terminal = container.open_terminal(&shell).await?;
    terminal.write(b"exit 7\n").await?;
    while terminal.exit_code().is_none() {
        let mut position = 0;
        terminal.read(&mut |printed| position = printed.end());
        terminal.changed(position).await;
    }
    check(terminal.exit_code() == Some(Ok(7)), "a terminal takes what is typed")?;
    let mut printed = Vec::new();
    terminal.read(&mut |kept| (_, printed) = kept.from(0, 1024));
    check(String::from_utf8_lossy(&printed).contains("exit 7"), "and prints it")?;

    let bytes: Vec<u8> = (0..100_000_u32).map(|n| (n % 251) as u8).collect();
    let size_bytes = bytes.len() as u64;
    let (source, copy, parts) =
        (format!("{prefix}source"), format!("{prefix}copy"), format!("{prefix}parts"));
    bucket.create_small(&source, bytes.clone()).await?;
    container.download(binding, &source, size_bytes, path).await?;
    let sha256: [u8; 32] = Sha256::digest(&bytes).into();
    let upload = |key| Upload { path, binding, key, size_bytes, sha256 };
    container.upload(&upload(&copy)).await?;
    check(bucket.get_small(&copy, size_bytes).await? == Some(bytes.clone()), "bytes come back")?;
    bucket.delete(&copy).await?;

    for wrong in [
        Upload { sha256: [0; 32], ..upload(&copy) },
        Upload { size_bytes: size_bytes + 1, ..upload(&copy) },
        Upload { size_bytes: size_bytes - 1, ..upload(&copy) },
        Upload { path: "/tmp/contract-missing", ..upload(&copy) },
    ] {
        let refused = container.upload(&wrong).await;
        check(refused.is_err(), "an upload that is not exact fails")?;
        check(bucket.head(&copy).await?.is_none(), "and stores nothing")?;
    }
    check(container.run(&remove).await.is_ok(), "and the container works on")?;

    // The fake knows each script by its second line.
    let shell = |script: &str| Command {
        argv: ["sh", "-c", script, "sh", path].map(str::to_owned).to_vec(),
        ..remove.clone()
    };
    let offers = shell(OFFER);
    let offered = async || {
        container.download(binding, &source, size_bytes, path).await?;
        match container.offer(&offers).await? {
            Offered::File(said, offer) => {
                check(said == b"said\n\n", "it says what it offers").map(|()| offer)
            }
            Offered::Ended(_) => Err(Error::internal("a command that waits has not ended")),
        }
    };
    offered().await?.upload(&upload(&copy)).await?;
    check(bucket.get_small(&copy, size_bytes).await? == Some(bytes.clone()), "it is told to send")?;
    bucket.delete(&copy).await?;
    for wrong in [
        Upload { sha256: [0; 32], ..upload(&copy) },
        Upload { size_bytes: size_bytes + 1, ..upload(&copy) },
        Upload { size_bytes: size_bytes - 1, ..upload(&copy) },
    ] {
        let refused = offered().await?.upload(&wrong).await;
        check(refused.is_err(), "what it sends must be exact")?;
        check(bucket.head(&copy).await?.is_none(), "or nothing is stored")?;
    }
    drop(offered().await?);
    offered().await?.keep().await?;
    let size = shell(SIZE);
    check(container.run(&size).await?.exit_code == 0, "what is kept stays")?;
    offered().await?.discard();
    let mut gone = false;
    for _ in 0..100 {
        gone = gone || container.run(&size).await?.exit_code != 0;
        if !gone {
            clock.sleep_ms(50).await;
        }
    }
    check(gone, "what is dropped goes")?;
    let ended = container.offer(&remove).await?;
    check(matches!(ended, Offered::Ended(_)), "a command may offer nothing")?;

    let object = |key: &str| StoredObject { key: key.to_owned(), size_bytes };
    let both = [object(&source), object(&source)];
    let taken = container.run_with_objects(&shell(TAKE), binding, &both).await?;
    let twice = format!("{}\n", 2 * size_bytes);
    check(taken.stdout == twice.as_bytes(), "a command reads objects one after the other")?;
    let lacking = [object(&source), object(&copy)];
    let missing = container.run_with_objects(&shell(TAKE), binding, &lacking).await;
    let code = missing.map_err(|error| error.code);
    check(code.err() == Some(ErrorCode::SnapshotGone), "a missing one is SNAPSHOT_GONE")?;
    let failed = container.run_with_objects(&shell(FAIL), binding, &both).await?;
    check(failed.exit_code == 7, "a command may fail before it reads them")?;

    container.download(binding, &source, size_bytes, path).await?;
    let upload_id = container.create_multipart(binding, &parts).await?;
    let whole = upload(&parts);
    let part = container.upload_part(&whole, &upload_id, 1, 0, size_bytes).await?;
    check(bucket.head(&parts).await?.is_none(), "parts are no object until completed")?;
    container.complete_multipart(&whole, &upload_id, &[part]).await?;
    check(bucket.get_small(&parts, size_bytes).await? == Some(bytes), "and then are")?;
    let upload_id = container.create_multipart(binding, &copy).await?;
    bucket.abort_multipart(&copy, &upload_id).await?;
    bucket.abort_multipart(&copy, &upload_id).await?;

    let missing = container.download(binding, &copy, size_bytes, path).await;
    let code = missing.map_err(|error| error.code);
    check(code == Err(ErrorCode::SnapshotGone), "a missing archive is SNAPSHOT_GONE")?;
    let longer = container.download(binding, &source, size_bytes + 1, path).await;
    let code = longer.map_err(|error| error.code);
    check(code == Err(ErrorCode::RestoreFailed), "one of another size is RESTORE_FAILED")?;
    for key in [&source, &parts] {
        bucket.delete(key).await?;
    }
    container.destroy().await?;
    check(!container.is_running(), "destroying ends it")
}
