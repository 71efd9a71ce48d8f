//! What calls and the alarm cost with few snapshots and with many.

use crate::support::database::MemoryDatabase;
use crate::world::{World, now, snapshot};
use proptest::prelude::*;
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::retention::{RetentionPolicy, plan};
use snapshotter::ports::clock::Clock;
use snapshotter::ports::database::Database;
use snapshotter::usecases::host::catalogue::Catalogue;
use snapshotter::usecases::host::{Host, ListRequest};
use std::collections::BTreeSet;
use std::rc::Rc;

const DAY_MS: i64 = 24 * 3_600_000;

/// Stores `count` snapshots that live for a day yet.
fn fill(world: &World, count: i64) {
    let at_ms = world.clock.now_ms();
    world.sql(&format!(
        "WITH RECURSIVE made (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM made WHERE n < {count})
         INSERT INTO snapshots (id, binding, origin_sandbox_id, dir, kind, trigger, state, handle,
            created_at_ms, ttl_secs, size_bytes, checked_at_ms)
         SELECT printf('%08x-0000-4000-8000-0000000000ff', n), 'BACKUP_BUCKET', 'sess', '/workspace',
            'full', 'manual', 'ready',
            printf('{{\"id\":\"%08x-0000-4000-8000-0000000000ff\",\"dir\":\"/workspace\"}}', n),
            {at_ms} - n, 86400, 1, {at_ms} FROM made"
    ));
}

/// SQLite's instructions for each of some calls, on a host that has just been made.
fn costs(count: i64) -> Vec<(&'static str, i64)> {
    let world = World::new();
    let host = world.open("sess");
    snapshot(&host);
    fill(&world, count);
    world.alarm.at_ms.take();
    let mut costs = Vec::new();
    let mut measure = |name, call: &dyn Fn(&Host)| {
        let host = world.host("sess");
        let before = world.database.steps.get();
        call(&host);
        costs.push((name, world.database.steps.get() - before));
    };
    measure("the first call", &|host| now(host.wake()).unwrap());
    measure("describe", &|host| drop(host.describe().unwrap()));
    measure("the alarm", &|host| now(host.settle()).unwrap());
    measure("snapshot", &|host| drop(snapshot(host)));
    measure("list", &|host| {
        let request = ListRequest { limit: Some(5), ..ListRequest::default() };
        assert_eq!(now(host.list(&request)).unwrap().snapshots.len(), 5);
    });
    costs
}

#[test]
fn calls_and_the_alarm_cost_the_same_with_10_snapshots_and_with_10_000() {
    for ((name, few), (_, many)) in costs(10).into_iter().zip(costs(10_000)) {
        assert!(many * 2 <= few * 3, "{name}: {few} instructions with few, {many} with many");
    }
}

#[test]
fn many_that_expire_at_once_are_deleted_a_few_at_a_time() {
    let cost = |count| {
        let world = World::new();
        let host = world.open("sess");
        snapshot(&host);
        fill(&world, count);
        world.clock.advance(2 * DAY_MS);
        world.alarm.at_ms.take();
        let before = world.database.steps.get();
        now(host.settle()).unwrap();
        let gone = "SELECT COUNT(*) AS count FROM snapshots WHERE state = 'deleted'";
        let steps = world.database.steps.get() - before;
        assert_eq!(world.database_count(gone), 100);
        steps
    };
    let (few, many) = (cost(300), cost(10_000));
    assert!(many * 2 <= few * 3, "{few} instructions with few, {many} with many");
}

/// A snapshot: age in half days, time to live in days, trigger, whether it is
/// named, pinned, rebuilt lately, retired, and in use.
type Kept = ((i64, i64, usize, usize), (bool, bool, bool, bool, bool));

fn stored(rows: &[Kept], at_ms: i64) -> (Catalogue, BTreeSet<BackupId>) {
    let database = Rc::new(MemoryDatabase::new());
    let catalogue = Catalogue::open(database.clone()).unwrap();
    let mut in_use = BTreeSet::new();
    for (number, ((age, ttl, trigger, origin), (named, pinned, rebuilt, retired, used))) in
        rows.iter().enumerate()
    {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&number.to_be_bytes());
        let id = BackupId::from_random(bytes);
        let created_at_ms = at_ms - age * DAY_MS / 2;
        // A rebuilt one lives at least as long as it is protected.
        let ttl_secs = if *rebuilt { 400 } else { *ttl } * 86_400;
        let trigger = ["manual", "auto", "safety"][*trigger];
        let name = if *named { format!("'n{number}'") } else { "NULL".into() };
        let when = |flag: bool| if flag { at_ms.to_string() } else { "NULL".into() };
        let sql = format!(
            "INSERT INTO snapshots (id, binding, origin_sandbox_id, dir, name, kind, trigger, state,
                handle, created_at_ms, ttl_secs, size_bytes, pinned, rebuilt_at_ms, retired_at_ms)
             VALUES ('{id}', 'B', 'w{origin}', '/workspace', {name}, 'full', '{trigger}', 'ready',
                '{{\"id\":\"{id}\",\"dir\":\"/workspace\"}}', {created_at_ms}, {ttl_secs}, 1, {},
                {}, {})",
            i64::from(*pinned),
            when(*rebuilt),
            when(*retired),
        );
        database.exec(&sql, &[]).unwrap();
        if *used {
            in_use.insert(id);
        }
    }
    (catalogue, in_use)
}

fn any_rows() -> impl Strategy<Value = Vec<Kept>> {
    let rarely = || proptest::bool::weighted(0.1);
    let row = (
        (0..40_i64, 1..20_i64, 0..3_usize, 0..3_usize),
        (rarely(), rarely(), rarely(), rarely(), rarely()),
    );
    proptest::collection::vec(row, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_few_rows_that_are_read_decide_what_all_would(rows in any_rows(), keep_autosaves in 0..4_u32, due in 1..6_usize) {
        let at_ms = 1_800_000_000_000;
        let (catalogue, in_use) = stored(&rows, at_ms);
        let policy = RetentionPolicy { keep_autosaves, ..RetentionPolicy::default() };
        let all = plan(&catalogue.retention_candidates(&in_use).unwrap(), &policy, at_ms);
        let few = plan(&catalogue.retention_candidates_due(&in_use, at_ms, due).unwrap(), &policy, at_ms);
        let all_due: Vec<_> = all.deletions().collect();
        let few_due: Vec<_> = few.deletions().collect();
        prop_assert!(few_due.len() >= all_due.len().min(due));
        for decision in &few_due {
            prop_assert!(all_due.contains(decision));
        }
        // The end of a rebuilt one's protection makes nothing due: it lives longer than that.
        let rebuilt = rows.iter().any(|(_, (_, _, rebuilt, _, _))| *rebuilt);
        if all_due.is_empty() && !rebuilt {
            prop_assert_eq!(few.next_due_ms, all.next_due_ms);
        }
    }
}
