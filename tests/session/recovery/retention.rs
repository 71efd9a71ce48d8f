//! The retention policy: by the alarm, on demand, and before a snapshot.

use crate::support::faults::Fault;
use crate::world::{World, call_tool, now, snapshot};
use futures::FutureExt;
use serde_json::{Value, json};
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::ids::{BackupId, RestoreKind};
use snapshotter::domain::snapshot::ShownState;
use snapshotter::domain::snapshot::retention::{RetentionConfig, RetentionPolicy};
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{Abort, RetentionReport, Session, SnapshotRequest};

const DAY_MS: i64 = 24 * 3_600_000;

fn open(world: &World, retention: Value) -> Session {
    world.open_with("sess", json!({ "retention": retention }))
}

fn take(host: &Session) -> Result<BackupId, Error> {
    now(host.snapshot(SnapshotRequest::default(), &Abort::default())).map(|view| view.snapshot.id)
}

fn state(host: &Session, id: &BackupId) -> ShownState {
    now(host.get(&SnapshotSelector::Id(id.clone()), false)).unwrap().snapshot.state
}

fn pin(host: &Session, id: &BackupId, pinned: bool) {
    let edit = serde_json::from_value(json!({ "pinned": pinned })).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(id.clone()), &edit)).unwrap();
}

/// Verdicts and reasons by snapshot, as a plan shows them.
fn reasons(report: &RetentionReport, of: &[&BackupId]) -> Vec<String> {
    of.iter()
        .map(|id| {
            let decision = report.decisions.iter().find(|decision| &&decision.id == id).unwrap();
            let shown = serde_json::to_value(decision).unwrap();
            format!("{} {}", shown["verdict"].as_str().unwrap(), shown["reason"].as_str().unwrap())
        })
        .collect()
}

/// Runs the alarm when it is due, until `ms` from now.
fn live(world: &World, ms: i64) {
    let end_ms = world.clock.0.get() + ms;
    for _ in 0..1_000 {
        let Some(at_ms) = world.alarm.at_ms.get().filter(|at_ms| *at_ms <= end_ms) else {
            world.clock.0.set(end_ms);
            return;
        };
        world.alarm.at_ms.take();
        world.clock.0.set(world.clock.0.get().max(at_ms));
        now(world.host("sess").recover()).unwrap();
    }
    panic!("the alarm never rests");
}

#[test]
fn expired_snapshots_are_deleted_by_the_alarm_and_the_newest_stays() {
    let world = World::new();
    let config = json!({ "autosave": false, "retention": { "ttlSeconds": 259_200 } });
    let host = world.open_with("sess", config);
    let (first, second) = (snapshot(&host), snapshot(&host));
    live(&world, 3 * DAY_MS - 1);
    assert_eq!(state(&host, &first), ShownState::Expired, "a minute early it can't be restored");
    live(&world, 1);
    assert_eq!(state(&host, &first), ShownState::Deleted);
    assert_eq!(state(&host, &second), ShownState::Expired, "the newest stays");
    let gone = now(host.make_workspace(
        RestoreKind::Branch,
        &SnapshotSelector::Id(first),
        false,
        &Abort::default(),
    ));
    assert_eq!(gone.unwrap_err().code, ErrorCode::SnapshotGone);
    let events = host.list_events(None, None).unwrap().events;
    let pruned: Vec<_> = events.iter().filter(|event| event.kind == "snapshot.pruned").collect();
    assert_eq!(pruned.len(), 1);
    assert_eq!(pruned[0].payload["reason"], "expired");
    world.check_invariants("sess");
}

#[test]
fn a_plan_says_why_and_changes_nothing_and_the_same_is_done_then() {
    let world = World::new();
    let host = open(&world, json!({ "keepLast": 2 }));
    let ids: Vec<BackupId> = (0..5)
        .map(|round| {
            now(call_tool(&host, "workspace_run", json!({ "command": "x" }), &Abort::default()))
                .unwrap();
            world.write("sess", &"x".repeat(round));
            take(&host).unwrap()
        })
        .collect();
    pin(&host, &ids[0], true);
    let plan = host.plan_retention().unwrap();
    assert_eq!(
        reasons(&plan, &ids.iter().collect::<Vec<_>>()),
        ["keep pinned", "delete superseded", "delete superseded", "keep keepLast", "keep head"]
    );
    assert_eq!((plan.delete_count, plan.freed_bytes, plan.kept_bytes), (2, 3, 7));
    assert_eq!(world.bucket.keys().len(), 10, "nothing was changed");
    let done = now(host.retain()).unwrap();
    assert_eq!((done.delete_count, done.freed_bytes), (2, 3));
    assert_eq!((done.kept_count, done.kept_bytes), (3, 7));
    assert_eq!(state(&host, &ids[1]), ShownState::Deleted);
    assert_eq!(now(host.retain()).unwrap().delete_count, 0);
    world.check_invariants("sess");
}

#[test]
fn what_is_pinned_read_or_needed_for_a_wake_is_never_deleted() {
    let world = World::new();
    let host = open(&world, json!({ "keepLast": 1 }));
    let (pinned, head, plain) = (take(&host).unwrap(), take(&host).unwrap(), take(&host).unwrap());
    pin(&host, &pinned, true);
    let branch = |id: &BackupId| {
        let selector = SnapshotSelector::Id(id.clone());
        now(host.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default())).unwrap()
    };
    let branch = branch(&head);
    let newest = take(&host).unwrap();
    now(host.retain()).unwrap();
    for (id, expected) in [
        (&pinned, ShownState::Ready),
        (&head, ShownState::Ready),
        (&plain, ShownState::Deleted),
        (&newest, ShownState::Ready),
    ] {
        assert_eq!(state(&host, id), expected);
    }
    // A new workspace is still reading the pinned snapshot when it is unpinned.
    world.sql(&format!(
        "INSERT INTO workspaces (sandbox_id, kind, state, from_backup_id, created_at_ms, last_used_at_ms)
         VALUES ('sess-branch-x', 'branch', 'creating', '{pinned}', 0, 0)"
    ));
    pin(&host, &pinned, false);
    let shown = host.plan_retention().unwrap();
    assert_eq!(reasons(&shown, &[&pinned, &head]), ["keep beingRead", "keep head"]);
    world.sql("UPDATE workspaces SET state = 'destroyed' WHERE sandbox_id = 'sess-branch-x'");
    now(host.destroy_workspace(&branch.r#ref)).unwrap();
    now(host.retain()).unwrap();
    assert_eq!(state(&host, &pinned), ShownState::Deleted);
    assert_eq!(state(&host, &head), ShownState::Deleted, "no workspace needs it any more");
    world.check_invariants("sess");
}

#[test]
fn a_quota_makes_room_and_is_refused_only_where_there_is_none() {
    let world = World::new();
    let host = open(&world, json!({ "maxCount": 2 }));
    let (first, second) = (take(&host).unwrap(), take(&host).unwrap());
    let third = take(&host).unwrap();
    live(&world, 60_000);
    assert_eq!(state(&host, &first), ShownState::Deleted, "the oldest makes room");
    pin(&host, &second, true);
    pin(&host, &third, true);
    let pending = world.database_count("SELECT COUNT(*) AS count FROM snapshots");
    let error = take(&host).unwrap_err();
    assert_eq!(error.code, ErrorCode::QuotaExceeded);
    assert_eq!(error.details.as_ref().unwrap()["limit"], "maxCount");
    assert!(error.hint.is_some());
    assert_eq!(world.database_count("SELECT COUNT(*) AS count FROM snapshots"), pending);
    pin(&host, &second, false);
    assert!(take(&host).is_ok());
    live(&world, 60_000);
    assert_eq!(state(&host, &second), ShownState::Deleted);
    world.check_invariants("sess");
}

#[test]
fn bytes_are_bounded_too() {
    let world = World::new();
    let host = open(&world, json!({ "maxBytes": 10 }));
    now(call_tool(&host, "workspace_run", json!({ "command": "x" }), &Abort::default())).unwrap();
    world.write("sess", "12345678");
    let first = take(&host).unwrap();
    let second = take(&host).unwrap();
    live(&world, 60_000);
    assert_eq!(
        (state(&host, &first), state(&host, &second)),
        (ShownState::Deleted, ShownState::Ready)
    );
    world.write("sess", "123456789012");
    let third = take(&host).unwrap();
    live(&world, 60_000);
    assert_eq!(state(&host, &second), ShownState::Deleted);
    assert_eq!(state(&host, &third), ShownState::Ready, "one alone may exceed it");
    pin(&host, &third, true);
    let error = take(&host).unwrap_err();
    assert_eq!(
        (error.code, &error.details.unwrap()["keptBytes"]),
        (ErrorCode::QuotaExceeded, &json!(12))
    );
}

#[test]
fn a_snapshot_that_is_asked_for_too_soon_is_told_when_to_come_back() {
    let world = World::new();
    let host = open(&world, json!({ "minIntervalSeconds": 60 }));
    take(&host).unwrap();
    world.clock.advance(20_000);
    let error = take(&host).unwrap_err();
    assert_eq!(error.code, ErrorCode::RateLimited);
    assert!(error.retryable);
    assert_eq!(error.details.unwrap()["retryAfterMs"], 40_000);
    world.clock.advance(40_000);
    take(&host).unwrap();
    // The session does not wait after a snapshot that failed.
    world.clock.advance(60_000);
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    take(&host).unwrap();
    let trace = world.faults.trace();
    world.faults.disarm();
    world.clock.advance(60_000);
    world
        .faults
        .arm(trace.iter().position(|effect| effect == "putData").unwrap(), Fault::ErrorBefore);
    assert!(take(&host).is_err());
    world.faults.disarm();
    world.recover("sess");
    assert!(take(&host).is_ok());
}

#[test]
fn the_session_says_what_the_worker_does_not_and_only_at_its_first_open() {
    let world = World::new();
    let defaults: RetentionConfig =
        serde_json::from_value(json!({ "ttlSeconds": 120, "maxCount": 7 })).unwrap();
    let defaults = defaults.check("RETENTION", &RetentionPolicy::default()).unwrap();
    let host = world.try_host_with("sess", defaults).unwrap();
    let config =
        |retention: Value| serde_json::from_value(json!({ "retention": retention })).unwrap();
    now(host.open(config(json!({ "keepDaily": 3 })))).unwrap();
    let policy = host.plan_retention().unwrap().policy;
    assert_eq!((policy.ttl_seconds, policy.keep_daily, policy.max_count), (120, Some(3), Some(7)));
    let id = take(&host).unwrap();
    let view = now(host.get(&SnapshotSelector::Id(id), false)).unwrap().snapshot;
    assert_eq!(
        (view.created_at.as_str(), view.expires_at.as_str()),
        ("2027-01-15T08:00:00.000Z", "2027-01-15T08:02:00.000Z")
    );
    let changed = now(host.open(config(json!({ "keepDaily": 4 }))));
    assert_eq!(changed.unwrap_err().code, ErrorCode::Conflict);
    assert_eq!(
        now(host.open(config(json!({ "maxCount": 0 })))).unwrap_err().code,
        ErrorCode::InvalidArgument
    );
}

#[test]
fn a_read_only_session_shows_its_plan_and_executes_none() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "capabilities": { "readOnly": true } }));
    assert!(host.plan_retention().is_ok());
    assert_eq!(now(host.retain()).unwrap_err().code, ErrorCode::Forbidden);
}

#[test]
fn an_object_that_wakes_up_looks_whether_anything_is_due() {
    let world = World::new();
    let host = world.open("sess");
    let (first, _second) = (snapshot(&host), snapshot(&host));
    world.alarm.at_ms.take();
    world.clock.advance(31 * DAY_MS);
    // As after an update from a version that set no alarm for retention.
    world.recover("sess");
    assert_eq!(state(&world.host("sess"), &first), ShownState::Deleted);
}

#[test]
fn every_break_point_of_retention_settles() {
    for fault in Fault::ALL {
        for nth in 0.. {
            let world = World::new();
            let host = open(&world, json!({ "keepLast": 1 }));
            let ids: Vec<BackupId> = (0..3).map(|_| take(&host).unwrap()).collect();
            world.alarm.at_ms.take();
            world.faults.arm(nth, fault);
            let broken = world.host("sess");
            let answer = broken.retain().now_or_never();
            let reached = world.faults.disarm();
            drop(broken);
            if !reached {
                assert!(nth >= 5, "only {nth} effects");
                assert_eq!(answer.unwrap().unwrap().delete_count, 2);
                break;
            }
            live(&world, 10 * 60_000);
            let host = world.host("sess");
            now(host.retain()).unwrap();
            let states: Vec<ShownState> = ids.iter().map(|id| state(&host, id)).collect();
            assert_eq!(
                states,
                [ShownState::Deleted, ShownState::Deleted, ShownState::Ready],
                "{fault:?} at effect {nth}"
            );
            world.check_invariants("sess");
        }
    }
}

#[test]
fn what_is_pinned_while_others_are_deleted_stays() {
    let world = World::new();
    let host = open(&world, json!({ "keepLast": 1 }));
    let ids: Vec<BackupId> = (0..3).map(|_| take(&host).unwrap()).collect();
    // Retention stops at the first delete while another call pins the second snapshot.
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    let probe = world.faults.trace();
    assert!(probe.is_empty());
    world.faults.arm(1, Fault::CrashBefore);
    let mut pruning = Box::pin(host.retain());
    assert!((&mut pruning).now_or_never().is_none());
    world.faults.disarm();
    pin(&host, &ids[1], true);
    drop(pruning);
    live(&world, 10 * 60_000);
    let states: Vec<ShownState> = ids.iter().map(|id| state(&host, id)).collect();
    assert_eq!(states, [ShownState::Deleted, ShownState::Ready, ShownState::Ready]);
    world.check_invariants("sess");
}

#[test]
fn what_a_workspace_woke_from_makes_room_for_what_it_is_saved_as() {
    let world = World::new();
    let host = open(&world, json!({ "maxCount": 1 }));
    let (first, second) = (take(&host).unwrap(), take(&host).unwrap());
    live(&world, 60_000);
    assert_eq!(
        (state(&host, &first), state(&host, &second)),
        (ShownState::Deleted, ShownState::Ready)
    );
    // This does not hold if another workspace would wake from the snapshot too.
    let selector = SnapshotSelector::Id(second.clone());
    now(host.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default())).unwrap();
    assert_eq!(take(&host).unwrap_err().code, ErrorCode::QuotaExceeded);
}
