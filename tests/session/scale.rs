//! The cost of calls and of the alarm, with few snapshots and with many.

use crate::recovery::retention_oracle::plan;
use crate::support::database::MemoryDatabase;
use crate::world::{World, now, snapshot};
use proptest::prelude::*;
use serde_json::{Value, json};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::{BackupId, RestoreKind, SandboxId};
use snapshotter::domain::snapshot::SnapshotTrigger;
use snapshotter::domain::snapshot::refs::WorkspaceRef;
use snapshotter::domain::snapshot::retention::{Candidate, RetentionPolicy, Verdict};
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::ports::clock::Clock;
use snapshotter::ports::database::Database;
use snapshotter::session::catalogue::Catalogue;
use snapshotter::session::{Abort, DeleteOptions, ListRequest, Session};
use std::collections::BTreeSet;
use std::rc::Rc;

const DAY_MS: i64 = 24 * 3_600_000;

/// Stores `count` snapshots that live for another day.
fn fill(world: &World, count: i64) {
    let at_ms = world.clock.now_ms();
    world.sql(&format!(
        "WITH RECURSIVE made (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM made WHERE n < {count})
         INSERT INTO snapshots (id, binding, origin_sandbox_id, dir, trigger, state, handle,
            created_at_ms, ttl_secs, size_bytes, checked_at_ms)
         SELECT printf('%08x-0000-4000-8000-0000000000ff', n), 'BACKUP_BUCKET', 'sess', '/workspace',
            'manual', 'ready',
            printf('{{\"id\":\"%08x-0000-4000-8000-0000000000ff\",\"dir\":\"/workspace\"}}', n),
            {at_ms} - n, 86400, 1, {at_ms} FROM made"
    ));
}

/// Stores `count` ended rows of each kind: snapshots, workspaces, rewinds, calls.
fn fill_ended(world: &World, count: i64) {
    let at_ms = world.clock.now_ms();
    let made = format!(
        "WITH RECURSIVE made (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM made WHERE n < {count})"
    );
    for insert in [
        format!(
            "INSERT INTO snapshots (id, binding, origin_sandbox_id, dir, trigger, state,
                created_at_ms, ttl_secs, ended_at_ms)
             SELECT printf('%08x-0000-4000-8000-0000000000ee', n), 'BACKUP_BUCKET', 'ended-' || n,
                '/workspace', 'manual', 'deleted', {at_ms}, 86400, {at_ms} FROM made"
        ),
        format!(
            "INSERT INTO workspaces (sandbox_id, kind, state, created_at_ms, last_used_at_ms, ended_at_ms)
             SELECT 'ended-' || n, 'branch', 'destroyed', {at_ms}, {at_ms}, {at_ms} FROM made"
        ),
        "INSERT INTO heads (sandbox_id, position, backup_id, dir)
         SELECT 'ended-' || n, 0, printf('%08x-0000-4000-8000-0000000000ee', n), '/workspace' FROM made"
            .to_owned(),
        format!(
            "INSERT INTO rewinds (sandbox_id, backup_id, safety_id, state, began_at_ms)
             SELECT 'ended-' || n, 'x', 'y', 'done', {at_ms} FROM made"
        ),
        format!(
            "INSERT INTO operations (id, op, key, fingerprint, state, rights, started_at_ms)
             SELECT 'ended-' || n, 'snapshot', 'key-' || n, 'f', 'succeeded', '', {at_ms} FROM made"
        ),
    ] {
        world.sql(&format!("{made} {insert}"));
    }
}

/// The number of SQLite instructions of some calls, each on a new host.
fn costs(count: i64, retention: &Value) -> Vec<(&'static str, i64)> {
    let world = World::new();
    let host = world.open_with("sess", json!({ "retention": retention }));
    let deleted = snapshot(&host);
    snapshot(&host);
    fill(&world, count);
    fill_ended(&world, count);
    world.alarm.at_ms.take();
    let mut costs = Vec::new();
    let mut measure = |name, call: &dyn Fn(&Session)| {
        let host = world.host("sess");
        let before = world.database.steps.get();
        call(&host);
        costs.push((name, world.database.steps.get() - before));
    };
    measure("the first call", &|host| now(host.start()).unwrap());
    measure("describe", &|host| drop(host.describe().unwrap()));
    measure("usage", &|host| drop(host.usage().unwrap()));
    measure("the alarm", &|host| now(host.recover()).unwrap());
    measure("snapshot", &|host| drop(snapshot(host)));
    measure("list", &|host| {
        let request = ListRequest { limit: Some(5), ..ListRequest::default() };
        assert_eq!(now(host.list(&request)).unwrap().snapshots.len(), 5);
    });
    measure("delete", &|host| {
        let selector = SnapshotSelector::Id(deleted.clone());
        now(host.delete(&selector, DeleteOptions::default())).unwrap();
    });
    costs
}

/// Checks that no call costs more than 1.5 times as much with many rows as with few.
fn check_flat(retention: &Value, few: i64, many: i64) {
    let (few, many) = (costs(few, retention), costs(many, retention));
    for ((name, few), (_, many)) in few.into_iter().zip(many) {
        let message = format!("{retention}, {name}: {few} instructions with few, {many} with many");
        assert!(many * 2 <= few * 3, "{message}");
    }
}

#[test]
fn calls_and_the_alarm_cost_the_same_with_10_snapshots_and_with_100_000() {
    check_flat(&json!({}), 10, 100_000);
}

#[test]
fn they_do_with_keep_rules_and_limits_too() {
    for retention in [
        json!({ "keepLast": 500 }),
        json!({ "keepLast": 5, "keepDaily": 3 }),
        json!({ "maxCount": 10_000, "maxBytes": 1_u64 << 40 }),
        json!({ "maxCount": 500 }),
    ] {
        // In each case, none are due or as many as one alarm deletes.
        check_flat(&retention, 1_000, 9_000);
    }
}

#[test]
fn a_plan_that_is_shown_costs_the_same_with_many_due_and_with_very_many() {
    let cost = |count, retention: Value| {
        let world = World::new();
        let host = world.open_with("sess", json!({ "retention": retention }));
        snapshot(&host);
        fill(&world, count);
        let before = world.database.steps.get();
        let report = host.plan_retention().unwrap();
        assert!(report.truncated);
        assert_eq!(report.decisions.len(), 1_000);
        world.database.steps.get() - before
    };
    for retention in [json!({}), json!({ "keepLast": 5 }), json!({ "maxCount": 7 })] {
        let (few, many) = (cost(2_000, retention.clone()), cost(20_000, retention.clone()));
        assert!(many * 2 <= few * 3, "{retention}: {few} with few, {many} with many");
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
        now(host.recover()).unwrap();
        let gone = "SELECT COUNT(*) AS count FROM snapshots WHERE state = 'deleted'";
        let steps = world.database.steps.get() - before;
        assert_eq!(world.database_count(gone), 100);
        steps
    };
    let (few, many) = (cost(300), cost(10_000));
    assert!(many * 2 <= few * 3, "{few} instructions with few, {many} with many");
}

#[test]
fn what_is_gone_for_thirty_days_is_forgotten_a_few_at_a_time() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "autosave": false }));
    let deleted = snapshot(&host);
    snapshot(&host);
    fill(&world, 300);
    let selector = SnapshotSelector::Id(deleted.clone());
    now(host.delete(&selector, DeleteOptions { force: true, ..DeleteOptions::default() })).unwrap();
    world.sql(&format!(
        "UPDATE snapshots SET state = 'deleted', ended_at_ms = {} WHERE id LIKE '%ff'",
        world.clock.now_ms()
    ));
    let source = "00000007-0000-4000-8000-0000000000ff";
    world.sql(&format!("UPDATE workspaces SET from_backup_id = '{source}'"));
    let known =
        || world.database_count("SELECT COUNT(*) AS count FROM snapshots WHERE state = 'deleted'");
    let get = |selector: &SnapshotSelector| now(world.host("sess").get(selector, false));

    world.clock.advance(30 * DAY_MS - 1);
    now(world.host("sess").recover()).unwrap();
    assert!(get(&selector).is_ok(), "the tombstone is shown");
    assert_eq!(known(), 301);
    world.clock.advance(1);
    now(world.host("sess").recover()).unwrap();
    assert_eq!(known(), 102, "200 were looked at");
    world.alarm.at_ms.take();
    now(world.host("sess").start()).unwrap();
    assert!(world.alarm.at_ms.get().unwrap() <= world.clock.now_ms(), "the rest is due");
    now(world.host("sess").recover()).unwrap();
    assert_eq!(known(), 1, "a workspace was made from one");
    assert_eq!(get(&selector).unwrap_err().code, ErrorCode::SnapshotNotOwned);
    let kept = SnapshotSelector::Id(BackupId::parse(source).unwrap());
    assert!(get(&kept).is_ok());
}

#[test]
fn a_workspace_that_is_gone_is_forgotten_with_the_last_snapshot_of_it() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "autosave": false }));
    let base = snapshot(&host);
    let branch = || {
        let selector = SnapshotSelector::Id(base.clone());
        let branched =
            now(host.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default()))
                .unwrap();
        let id = branched.r#ref.sandbox_id().clone();
        let own = (now(host.switch(&WorkspaceRef::new(id.clone()))).unwrap(), snapshot(&host)).1;
        now(host.switch(&WorkspaceRef::new(SandboxId::parse("sess").unwrap()))).unwrap();
        (id, own)
    };
    let ((first, gone), (second, kept)) = (branch(), branch());
    for id in [&first, &second] {
        now(host.destroy_workspace(&WorkspaceRef::new(id.clone()))).unwrap();
    }
    let delete = |id: &BackupId| {
        let options = DeleteOptions { force: true, ..DeleteOptions::default() };
        now(host.delete(&SnapshotSelector::Id(id.clone()), options)).unwrap();
    };
    delete(&gone);
    let heads = "SELECT COUNT(*) AS count FROM heads WHERE sandbox_id <> 'sess'";
    assert_eq!(world.database_count(heads), 0, "none is passed by who asks what needs a snapshot");
    world.sql(&format!("UPDATE snapshots SET pinned = 1 WHERE id = '{kept}'"));
    let is_known = |id: &SandboxId| {
        let sql = format!("SELECT COUNT(*) AS count FROM workspaces WHERE sandbox_id = '{id}'");
        world.database_count(&sql) == 1
    };
    world.clock.advance(30 * DAY_MS - 1);
    now(world.host("sess").recover()).unwrap();
    assert!(is_known(&first) && is_known(&second));
    assert!(now(host.destroy_workspace(&WorkspaceRef::new(first.clone()))).is_ok());
    world.clock.advance(1);
    now(world.host("sess").recover()).unwrap();
    assert!(!is_known(&first) && is_known(&second));
    let again = now(host.destroy_workspace(&WorkspaceRef::new(first.clone())));
    assert_eq!(again.unwrap_err().code, ErrorCode::WorkspaceNotOwned);
    let lineage = now(world.host("sess").lineage()).unwrap();
    assert!(lineage.nodes.iter().any(|node| node.id == second.as_str()), "{}", lineage.text);
}

#[test]
fn a_session_that_was_closed_for_long_is_opened_again() {
    let world = World::new();
    let config = json!({ "autosave": false, "destroyOnClose": true });
    let host = world.open_with("sess", config.clone());
    now(host.close()).unwrap();
    let shown = host.describe().unwrap();
    world.clock.advance(40 * DAY_MS);
    now(world.host("sess").recover()).unwrap();
    let host = world.host("sess");
    assert_eq!(host.describe().unwrap(), shown);
    assert_eq!(world.database_count("SELECT COUNT(*) AS count FROM workspaces"), 1);
    now(host.lineage()).unwrap();
    world.alarm.at_ms.take();
    now(host.start()).unwrap();
    assert_eq!(world.alarm.at_ms.get(), None, "nothing is left to do");
    snapshot(&world.open_with("sess", config));
}

#[test]
fn old_recorded_calls_are_forgotten_a_few_at_a_time() {
    let world = World::new();
    world.open("sess");
    world.sql("DELETE FROM operations");
    fill_ended(&world, 1_200);
    world.clock.advance(DAY_MS + 1);
    let left = || world.database_count("SELECT COUNT(*) AS count FROM operations");
    for expected in [700, 200, 0] {
        now(world.host("sess").recover()).unwrap();
        assert_eq!(left(), expected);
    }
}

#[test]
fn edits_that_cannot_be_written_keep_no_later_one_from_its_turn() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "autosave": false }));
    fill(&world, 250);
    world.sql("UPDATE snapshots SET binding = 'NOWHERE'");
    let id = snapshot(&host);
    world.sql(&format!(
        "UPDATE snapshots SET unsynced_edits = 1,
            description = CASE id WHEN '{id}' THEN 'described' END"
    ));
    let is_synced = || {
        let sql = format!("SELECT unsynced_edits AS count FROM snapshots WHERE id = '{id}'");
        world.database_count(&sql) == 0
    };
    now(host.recover()).unwrap();
    assert!(!is_synced(), "an alarm tries 200");
    world.clock.advance(30_000);
    now(host.recover()).unwrap();
    assert!(is_synced());
}

/// A snapshot: age in half days, time to live in days, trigger, workspace and
/// size; whether it is named, pinned, rebuilt, retired, read, and a head.
type Kept = ((i64, i64, usize, usize, u64), (bool, bool, bool, bool, bool, bool));

fn stored(rows: &[Kept], at_ms: i64) -> (Rc<MemoryDatabase>, Catalogue, BTreeSet<BackupId>) {
    let database = Rc::new(MemoryDatabase::new());
    let catalogue = Catalogue::open(database.clone()).unwrap();
    let mut in_use = BTreeSet::new();
    for (number, ((age, ttl, trigger, origin, size), flags)) in rows.iter().enumerate() {
        let (named, pinned, rebuilt, retired, read, head) = *flags;
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&number.to_be_bytes());
        let id = BackupId::from_random(bytes);
        let created_at_ms = at_ms - age * DAY_MS / 2;
        // Some never expire.
        let ttl_secs = if *ttl == 0 { 315_360_000 } else { ttl * 86_400 };
        let trigger = ["manual", "auto", "safety"][*trigger];
        let name = if named { format!("'n{number}'") } else { "NULL".into() };
        let when = |flag: bool, at_ms: i64| if flag { at_ms.to_string() } else { "NULL".into() };
        let sql = format!(
            "INSERT INTO snapshots (id, binding, origin_sandbox_id, dir, name, trigger, state,
                handle, created_at_ms, ttl_secs, size_bytes, pinned, rebuilt_at_ms, retired_at_ms)
             VALUES ('{id}', 'B', 'w{origin}', '/workspace', {name}, '{trigger}', 'ready',
                '{{\"id\":\"{id}\",\"dir\":\"/workspace\"}}', {created_at_ms}, {ttl_secs}, {size},
                {}, {}, {})",
            i64::from(pinned),
            when(rebuilt, created_at_ms + DAY_MS),
            when(retired, at_ms),
        );
        database.run(&sql, &[]).unwrap();
        if head {
            for sql in [
                format!(
                    "INSERT INTO workspaces (sandbox_id, kind, state, created_at_ms, last_used_at_ms)
                     VALUES ('h{number}', 'fork', 'ready', 0, 0)"
                ),
                format!("INSERT INTO heads VALUES ('h{number}', 0, '{id}', '/workspace')"),
            ] {
                database.run(&sql, &[]).unwrap();
            }
        }
        if read || head {
            in_use.insert(id);
        }
    }
    (database, catalogue, in_use)
}

fn any_rows() -> impl Strategy<Value = Vec<Kept>> {
    let rarely = || proptest::bool::weighted(0.1);
    let row = (
        (0..40_i64, 0..20_i64, 0..3_usize, 0..3_usize, 0..4_u64),
        (rarely(), rarely(), rarely(), rarely(), rarely(), rarely()),
    );
    proptest::collection::vec(row, 0..40)
}

fn any_policy() -> impl Strategy<Value = RetentionPolicy> {
    let maybe = |most| proptest::option::of(1..most);
    (maybe(8_u32), maybe(8_u32), 0..4_u32, maybe(20_u32), maybe(40_u32)).prop_map(
        |(keep_last, keep_daily, keep_autosaves, max_count, max_bytes)| RetentionPolicy {
            keep_last,
            keep_daily,
            keep_autosaves,
            max_count,
            max_bytes: max_bytes.map(u64::from),
            ..RetentionPolicy::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn what_is_found_by_index_is_what_the_planner_decides(
        rows in any_rows(), policy in any_policy(), limit in 1..6_usize,
    ) {
        let at_ms = 1_800_000_000_000;
        let (database, catalogue, in_use) = stored(&rows, at_ms);
        catalogue.end_rebuilt(at_ms).unwrap();
        let all = plan(&catalogue.retention_candidates(&in_use).unwrap(), &policy, at_ms);
        let to_delete: Vec<_> = all.deletions().map(|(row, why)| (row.clone(), why)).collect();

        let due = catalogue.due(&policy, &in_use, at_ms, 1_000).unwrap();
        prop_assert_eq!(&due.deletions, &to_delete);
        prop_assert_eq!((due.kept.count, due.kept.size_bytes), (all.kept_count, all.kept_bytes));
        prop_assert_eq!(due.exceeded, all.exceeded);
        prop_assert!(!due.more);
        if to_delete.is_empty() {
            prop_assert_eq!(due.next_due_ms, all.next_due_ms);
        }

        let gone = to_delete.iter().map(|(row, _)| row.seq).collect();
        let kept = catalogue.kept(&policy, &in_use, at_ms, &gone, 1_000).unwrap();
        let kept: Vec<_> = kept.into_iter().map(|(row, why)| (row.seq, Verdict::Keep(why))).collect();
        let all_kept = all.decisions.iter().filter(|decision| !gone.contains(&decision.candidate.seq));
        let all_kept: Vec<_> =
            all_kept.map(|decision| (decision.candidate.seq, decision.verdict)).collect();
        prop_assert_eq!(kept, all_kept);

        // Deleting a few at a time has the same result.
        let mut left = to_delete.len();
        loop {
            let due = catalogue.due(&policy, &in_use, at_ms, limit).unwrap();
            prop_assert_eq!(due.deletions.len(), left.min(limit));
            prop_assert_eq!(due.more, left > limit);
            for found in &due.deletions {
                prop_assert!(to_delete.contains(found), "{:?}", found);
                let sql = format!("UPDATE snapshots SET state = 'deleting' WHERE id = '{}'", found.0.id);
                database.run(&sql, &[]).unwrap();
            }
            left -= due.deletions.len();
            if due.deletions.is_empty() {
                break;
            }
        }
        prop_assert_eq!(left, 0);
    }

    #[test]
    fn there_is_room_where_the_planner_could_make_some(rows in any_rows(), policy in any_policy()) {
        let at_ms = 1_800_000_000_000;
        let (_, catalogue, in_use) = stored(&rows, at_ms);
        catalogue.end_rebuilt(at_ms).unwrap();
        let mut candidates = catalogue.retention_candidates(&in_use).unwrap();
        let asked = Candidate {
            id: BackupId::from_random([255; 16]),
            origin: SandboxId::parse("w0").unwrap(),
            seq: i64::MAX,
            created_at_ms: i64::MAX,
            expires_at_ms: None,
            size_bytes: 1,
            trigger: SnapshotTrigger::Manual,
            pinned: false,
            head: true,
            being_read: false,
            rebuilt_until_ms: None,
            retired: false,
        };
        candidates.push(asked);
        let all = plan(&candidates, &policy, at_ms);
        let kept = catalogue.protected(&in_use, at_ms).unwrap();
        let full = policy.max_count.is_some_and(|max| kept.count >= u64::from(max))
            || policy.max_bytes.is_some_and(|max| kept.size_bytes >= max);
        prop_assert_eq!(full, all.exceeded.is_some(), "{:?}", kept);
    }

    /// The sums follow every edit of a snapshot.
    #[test]
    fn sums_are_those_of_the_rows(rows in any_rows(), edited in any_rows()) {
        let at_ms = 1_800_000_000_000;
        let (database, catalogue, _) = stored(&rows, at_ms);
        for (number, ((_, ttl, trigger, origin, size), (named, pinned, rebuilt, retired, gone, dropped))) in
            edited.iter().enumerate()
        {
            let trigger = ["manual", "auto", "safety"][*trigger];
            let state = if *gone { "deleting" } else { "ready" };
            let seq = number + 1;
            database.run(&format!(
                "UPDATE snapshots SET trigger = '{trigger}', origin_sandbox_id = 'w{origin}', size_bytes = {size},
                    name = CASE WHEN {named} THEN 'n{number}' END, pinned = {pinned}, ttl_secs = {ttl} + 61,
                    rebuilt_at_ms = CASE WHEN {rebuilt} THEN 1 END, retired_at_ms = CASE WHEN {retired} THEN 1 END,
                    state = '{state}' WHERE seq = {seq}"), &[]).unwrap();
            if *dropped {
                database.run(&format!("DELETE FROM snapshots WHERE seq = {seq}"), &[]).unwrap();
            }
        }
        for (kept, counted) in [
            (
                "SELECT automatic, guard, count, bytes FROM snapshot_sums WHERE count > 0 ORDER BY 1, 2",
                "SELECT trigger = 'auto' AS automatic, guard, COUNT(*) AS count, SUM(size_bytes) AS bytes
                 FROM snapshots WHERE state = 'ready' GROUP BY 1, 2 ORDER BY 1, 2",
            ),
            (
                "SELECT origin_sandbox_id, count FROM autosave_counts ORDER BY 1",
                "SELECT origin_sandbox_id, COUNT(*) AS count FROM snapshots WHERE state = 'ready'
                    AND trigger = 'auto' AND name IS NULL AND retired_at_ms IS NULL GROUP BY 1 ORDER BY 1",
            ),
        ] {
            prop_assert_eq!(database.run(kept, &[]).unwrap(), database.run(counted, &[]).unwrap());
        }
        prop_assert_eq!(catalogue.stored().unwrap().all.count,
            catalogue.retention_candidates(&BTreeSet::new()).unwrap().len() as u64);
    }
}

#[test]
#[should_panic(expected = "reads a whole table that grows")]
fn a_statement_that_reads_a_whole_table_fails_the_test_that_runs_it() {
    let world = World::new();
    world.open("sess");
    let database: Rc<dyn Database> = world.database.clone();
    drop(database.exec("SELECT id FROM snapshots WHERE description = 'x'", &[]));
}
