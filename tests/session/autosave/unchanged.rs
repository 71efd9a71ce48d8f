//! Files that need no save, because a snapshot has them already.

use super::schedule::assert_saved_soon;
use super::{MINUTE_MS, call, named, pass, read, take, used};

use crate::world::now;
use serde_json::json;
use snapshotter::domain::error::{ErrorCode, Outcome};
use snapshotter::domain::ids::RestoreKind;
use snapshotter::domain::snapshot::SnapshotTrigger;
use snapshotter::domain::snapshot::backup::{Ttl, data_key};
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::domain::time::rfc3339;
use snapshotter::ports::clock::Clock;
use snapshotter::session::{Abort, ListRequest, SnapshotRequest};

#[test]
fn a_snapshot_of_what_has_not_changed_is_the_one_there_is() {
    let (world, host) = used(json!({}));
    let first = take(&host, SnapshotRequest::default());
    assert!(!first.unchanged);
    world.clock.advance(3_600_000);
    let keys = world.bucket.keys();
    let second = take(&host, named("v1"));
    assert!(second.unchanged);
    assert_eq!(
        (&second.snapshot.id, second.snapshot.annotations.name.as_deref()),
        (&first.snapshot.id, Some("v1"))
    );
    assert!(
        second.snapshot.expires_at > first.snapshot.expires_at,
        "it lives as long as a new one"
    );
    assert_eq!(take(&host, SnapshotRequest::default()).snapshot.id, first.snapshot.id);
    assert_eq!(world.bucket.keys(), keys);
    // One snapshot has one name: a second name for the same files is a second archive.
    let third = take(&host, named("v2"));
    assert!(!third.unchanged && third.snapshot.id != first.snapshot.id);
    let by_name = |name: &str| {
        now(host.get(&SnapshotSelector::Name(name.into()), false)).unwrap().snapshot.id
    };
    assert_eq!((by_name("v1"), by_name("v2")), (first.snapshot.id, third.snapshot.id));
    world.write("sess", "other work");
    assert!(!take(&host, SnapshotRequest::default()).unchanged);
    world.check_invariants("sess");
}

#[test]
fn an_automatic_one_that_is_asked_for_becomes_a_manual_one() {
    let (world, host) = used(json!({}));
    pass(&world, &host, 11 * MINUTE_MS);
    let asked = take(&host, SnapshotRequest::default());
    assert!(asked.unchanged && asked.woken.is_some());
    assert_eq!(asked.snapshot.cause.trigger, SnapshotTrigger::Manual);
    assert_eq!(
        now(host.list(&ListRequest::default())).unwrap().snapshots[0].snapshot.id,
        asked.snapshot.id
    );
    world.check_invariants("sess");
}

#[test]
fn equality_with_what_the_bucket_lost_is_worth_nothing() {
    let (world, host) = used(json!({}));
    let first = take(&host, SnapshotRequest::default()).snapshot.id;
    world.bucket.objects.borrow_mut().remove(&data_key(&first));
    let second = take(&host, SnapshotRequest::default());
    assert!(!second.unchanged && second.snapshot.id != first);
    world.kill("sess");
    assert_eq!(read(&host)["stdout"], "work");
    world.check_invariants("sess");
}

#[test]
fn what_could_not_be_saved_of_one_container_keeps_a_fresh_one_waiting_for_nothing() {
    let (world, host) = used(json!({ "autosave": { "everyMs": 5_000 } }));
    world.bucket.refuses.set(true);
    pass(&world, &host, 5 * MINUTE_MS);
    world.kill("sess");
    world.bucket.refuses.set(false);
    now(host.start_fresh()).unwrap();
    assert_saved_soon(&world, &host, "fresh");
}

#[test]
fn a_wake_that_fails_brings_the_alarm_no_sooner() {
    let (world, host) = used(json!({ "autosave": { "everyMs": 5_000 } }));
    let id = take(&host, SnapshotRequest::default()).snapshot.id;
    world.write("sess", "later");
    world.bucket.refuses.set(true);
    pass(&world, &host, 5 * MINUTE_MS);
    world.kill("sess");
    let data = world.bucket.objects.borrow_mut().remove(&data_key(&id)).unwrap();
    let due_ms = world.alarm.at_ms.get();
    for _ in 0..3 {
        let failed = call(&host, "workspace_run", json!({ "command": "cat" }));
        assert_eq!(failed.unwrap_err().code, ErrorCode::RestoreFailed);
        assert_eq!(world.alarm.at_ms.get(), due_ms);
    }
    world.bucket.objects.borrow_mut().insert(data_key(&id), data);
    world.bucket.refuses.set(false);
    assert_saved_soon(&world, &host, "woken at last");
}

#[test]
fn a_head_that_the_bucket_lost_is_missed_by_who_sleeps_and_replaced_by_who_runs() {
    let (world, host) = used(json!({}));
    let first = take(&host, SnapshotRequest::default()).snapshot.id;
    let branch = || {
        let selector = SnapshotSelector::Id(first.clone());
        let branched =
            now(host.make_workspace(RestoreKind::Branch, &selector, false, &Abort::default()));
        branched.unwrap().r#ref
    };
    let (runs, sleeps) = (branch(), branch());
    world.kill(sleeps.sandbox_id().as_str());
    let data = world.bucket.objects.borrow_mut().remove(&data_key(&first)).unwrap();
    assert!(!take(&host, SnapshotRequest::default()).unchanged);
    pass(&world, &host, MINUTE_MS);
    world.kill(runs.sandbox_id().as_str());
    now(host.switch(&runs)).unwrap();
    assert_eq!(read(&host)["stdout"], "work", "it was saved anew");
    now(host.switch(&sleeps)).unwrap();
    let failed = call(&host, "workspace_run", json!({ "command": "cat" })).unwrap_err();
    assert_eq!(failed.code, ErrorCode::RestoreFailed, "it does not begin anew as if it had none");
    drop(data);
}

/// The first caller that asks for an autosave sets its time to live. A snapshot
/// that somebody asked for lives at least as long as that caller's answer said.
#[test]
fn a_shorter_life_holds_for_an_autosave_that_is_asked_for() {
    let (world, host) = used(json!({ "autosave": { "everyMs": 1_000 } }));
    world.write("sess", "work");
    world.clock.advance(2_000);
    now(host.recover()).unwrap();
    let saved_ms = world.clock.now_ms();
    world.clock.advance(10_000);
    let lives = |secs: Option<u64>| {
        let ttl = secs.map(|secs| Ttl::from_secs(secs).unwrap());
        let taken = take(&host, SnapshotRequest { ttl, ..SnapshotRequest::default() });
        assert!(taken.unchanged);
        taken.snapshot.expires_at
    };
    assert_eq!(lives(Some(600)), rfc3339(world.clock.now_ms() + 600_000), "saved at {saved_ms}");
    let longer = lives(Some(900));
    assert_eq!(longer, rfc3339(world.clock.now_ms() + 900_000));
    assert_eq!(lives(Some(600)), longer, "the caller before was told so");
    world.check_invariants("sess");
}

#[test]
fn a_sandbox_that_reports_another_backup_is_not_believed() {
    let (world, host) = used(json!({}));
    let first = take(&host, named("first")).snapshot.id;
    world.write("sess", "more work");
    *world.misreported.borrow_mut() = Some(first.clone());
    let refused = now(host.snapshot(named("second"), &Abort::default())).unwrap_err();
    assert_eq!((refused.code, refused.outcome), (ErrorCode::Internal, Outcome::Unknown));
    *world.misreported.borrow_mut() = None;
    pass(&world, &host, MINUTE_MS);
    let second = now(host.get(&SnapshotSelector::Name("second".into()), false)).unwrap();
    assert_ne!(second.snapshot.id, first, "what it did make is found under its own id");
}
