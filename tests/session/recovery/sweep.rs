//! The catalogue against the bucket: snapshots that the bucket lost.

use crate::leases::rewind_to;
use crate::support::faults::Fault;
use crate::world::{World, now, snapshot};
use futures::FutureExt;
use serde_json::json;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::{BackupId, RestoreKind};
use snapshotter::domain::limits::{LOST_DELETED_A_DAY, LOST_KEPT_MS, LOST_RECHECK_MS};
use snapshotter::domain::snapshot::ShownState;
use snapshotter::domain::snapshot::backup::{data_key, layer_key, meta_key};
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{
    Abort, DeleteOptions, ListRequest, ListedSnapshot, Session, SnapshotRequest, SnapshotView,
};

pub(super) const DAY_MS: i64 = 24 * 3_600_000;

pub(super) fn by_id(id: &BackupId) -> SnapshotSelector {
    SnapshotSelector::Id(id.clone())
}

pub(super) fn get(host: &Session, id: &BackupId) -> SnapshotView {
    now(host.get(&by_id(id), false)).unwrap()
}

pub(super) fn list(host: &Session) -> Vec<SnapshotView> {
    let page = now(host.list(&ListRequest::default())).unwrap();
    let rows = page.snapshots.into_iter();
    rows.map(|ListedSnapshot { r#ref, snapshot }| SnapshotView {
        unchanged: false,
        r#ref,
        snapshot,
        woken: None,
    })
    .collect()
}

pub(super) fn keep_for_ever(host: &Session) -> BackupId {
    let id = snapshot(host);
    let edit = serde_json::from_value(json!({ "pinned": true })).unwrap();
    now(host.update_snapshot(&by_id(&id), &edit)).unwrap();
    id
}

/// Checks that the snapshots are the same, except that they may live longer.
pub(super) fn assert_same(mut back: Vec<SnapshotView>, before: &[SnapshotView], context: &str) {
    for (view, was) in back.iter_mut().zip(before) {
        assert!(view.snapshot.expires_at >= was.snapshot.expires_at, "{context}");
        view.snapshot.expires_at.clone_from(&was.snapshot.expires_at);
    }
    assert_eq!(back, before, "{context}");
}

pub(super) fn remove(world: &World, key: &str) {
    world.bucket.objects.borrow_mut().remove(key).unwrap();
}

/// Fires the alarm when it is due, for a little more than a day.
pub(super) fn a_day(world: &World) {
    let end_ms = world.clock.0.get() + DAY_MS + 60_000;
    while let Some(at_ms) = world.alarm.at_ms.get().filter(|at_ms| *at_ms <= end_ms) {
        world.alarm.at_ms.take();
        world.clock.0.set(world.clock.0.get().max(at_ms));
        now(world.host("sess").recover()).unwrap();
    }
    world.clock.0.set(end_ms);
}

pub(super) fn events_of(host: &Session, kind: &str) -> usize {
    let events = host.list_events(None, None).unwrap().events;
    events.iter().filter(|event| event.kind == kind).count()
}

pub(super) fn meta_of(world: &World, id: &BackupId) -> BackupMeta {
    let bytes = world.bucket.objects.borrow()[&meta_key(id)].clone();
    BackupMeta::parse(id, &bytes).unwrap()
}

#[test]
fn what_r2_has_lost_is_noticed_within_a_day() {
    for lost in [&[data_key as fn(&BackupId) -> String][..], &[meta_key, data_key]] {
        let world = World::new();
        let host = world.open("sess");
        // The older snapshot is still there, so the bucket is the right one.
        let (kept, gone) = (keep_for_ever(&host), keep_for_ever(&host));
        for key in lost {
            remove(&world, &key(&gone));
        }
        a_day(&world);
        let host = world.host("sess");
        assert_eq!(get(&host, &gone).snapshot.state, ShownState::Failed);
        assert_eq!(get(&host, &gone).snapshot.unrestorable_because, Some(ErrorCode::SnapshotGone));
        assert_eq!(get(&host, &kept).snapshot.state, ShownState::Ready);
        let branch =
            now(host.make_workspace(RestoreKind::Branch, &by_id(&gone), false, &Abort::default()));
        let error = branch.unwrap_err();
        assert_eq!(error.code, ErrorCode::SnapshotGone);
        assert!(error.message.ends_with("is no longer whole in R2"), "{error:?}");
        assert_eq!(events_of(&host, "snapshot.lost"), 1);
        world.check_invariants("sess");
    }
}

#[test]
fn a_lost_record_of_an_intact_archive_is_written_again_by_the_sweep() {
    let world = World::new();
    let host = world.open("sess");
    let id = keep_for_ever(&host);
    let before = meta_of(&world, &id);
    remove(&world, &meta_key(&id));
    a_day(&world);
    let host = world.host("sess");
    assert_eq!(meta_of(&world, &id), before);
    assert_eq!(get(&host, &id).snapshot.state, ShownState::Ready);
    assert_eq!(events_of(&host, "snapshot.repaired"), 1);
    assert_eq!(events_of(&host, "snapshot.lost"), 0);
    world.check_invariants("sess");
}

#[test]
fn a_restore_a_rewind_and_an_edit_write_a_lost_record_again_and_go_on() {
    let calls: [fn(&Session, &BackupId); 3] = [
        |host, id| {
            now(host.make_workspace(RestoreKind::Branch, &by_id(id), false, &Abort::default()))
                .unwrap();
        },
        |host, id| {
            now(host.rewind(&rewind_to(id), &Abort::default())).unwrap();
        },
        |host, id| {
            let edit = serde_json::from_value(json!({ "labels": { "a": "b" } })).unwrap();
            now(host.update_snapshot(&by_id(id), &edit)).unwrap();
        },
    ];
    for call in calls {
        let world = World::new();
        let host = world.open("sess");
        let id = snapshot(&host);
        let before = meta_of(&world, &id);
        remove(&world, &meta_key(&id));
        call(&host, &id);
        let after = meta_of(&world, &id);
        assert_eq!((after.created_at, after.size_bytes), (before.created_at, before.size_bytes));
        assert_eq!(get(&host, &id).snapshot.state, ShownState::Ready);
        assert_eq!(events_of(&host, "snapshot.repaired"), 1);
        world.check_invariants("sess");
    }
}

#[test]
fn no_record_is_written_for_an_archive_with_other_bytes() {
    let world = World::new();
    let host = world.open("sess");
    snapshot(&host);
    world.write("sess", "as it was");
    let id = keep_for_ever(&host);
    remove(&world, &meta_key(&id));
    for byte in world.bucket.objects.borrow_mut().get_mut(&data_key(&id)).unwrap() {
        *byte ^= 1;
    }
    a_day(&world);
    assert_eq!(get(&world.host("sess"), &id).snapshot.state, ShownState::Failed);
    world.check_invariants("sess");
}

#[test]
fn an_interrupted_repair_is_done_again() {
    for nth in 0..8 {
        for fault in [Fault::ErrorBefore, Fault::ErrorAfter] {
            let world = World::new();
            let host = world.open("sess");
            let id = keep_for_ever(&host);
            remove(&world, &meta_key(&id));
            world.clock.advance(DAY_MS + 60_000);
            world.faults.arm(nth, fault);
            let _ = world.host("sess").recover().now_or_never();
            world.faults.disarm();
            a_day(&world);
            assert_eq!(meta_of(&world, &id).id, id);
            assert_eq!(get(&world.host("sess"), &id).snapshot.state, ShownState::Ready);
            world.check_invariants("sess");
        }
    }
}

#[test]
fn an_emptied_bucket_loses_nothing_until_it_is_back() {
    for count in [1, 2, 6] {
        let world = World::new();
        let host = world.open("sess");
        let ids: Vec<BackupId> = (0..count).map(|_| keep_for_ever(&host)).collect();
        let objects = std::mem::take(&mut *world.bucket.objects.borrow_mut());
        let branch = |host: &Session, id: &BackupId| {
            now(host.make_workspace(RestoreKind::Branch, &by_id(id), false, &Abort::default()))
        };
        assert_eq!(branch(&host, &ids[0]).unwrap_err().code, ErrorCode::SnapshotGone);
        let edit = serde_json::from_value(json!({ "description": "kept" })).unwrap();
        now(host.update_snapshot(&by_id(&ids[0]), &edit)).unwrap();
        a_day(&world);
        let host = world.host("sess");
        for id in &ids {
            assert_eq!(get(&host, id).snapshot.state, ShownState::Ready);
        }
        let missing = host.describe().unwrap().missing;
        assert_eq!((missing.len(), missing[0].snapshots), (1, count as u64));
        assert_eq!(events_of(&host, "sweep.halted"), 1);

        // Somebody puts the right bucket back. The autosave taken meanwhile stays.
        world.bucket.objects.borrow_mut().extend(objects);
        a_day(&world);
        let host = world.host("sess");
        assert_eq!(host.describe().unwrap().missing, []);
        assert_eq!(events_of(&host, "sweep.resumed"), 1);
        assert_eq!(events_of(&host, "snapshot.lost"), 0);
        assert_eq!(
            meta_of(&world, &ids[0]).snapshotter.unwrap().annotations.description.as_deref(),
            Some("kept")
        );
        branch(&host, &ids[0]).unwrap();
        world.check_invariants("sess");
    }
}

#[test]
fn more_losses_than_a_few_are_not_believed_though_others_are_there() {
    let world = World::new();
    let host = world.open("sess");
    let ids: Vec<BackupId> = (0..6).map(|_| keep_for_ever(&host)).collect();
    for id in &ids[2..] {
        remove(&world, &meta_key(id));
        remove(&world, &data_key(id));
    }
    a_day(&world);
    let host = world.host("sess");
    assert!(ids.iter().all(|id| get(&host, id).snapshot.state == ShownState::Ready));
    assert_eq!(host.describe().unwrap().missing[0].snapshots, 4);
    // Deleting one missing snapshot confirms the loss; the sweep then marks the others.
    let options = DeleteOptions { force: true, ..DeleteOptions::default() };
    now(host.delete(&by_id(&ids[2]), options)).unwrap();
    a_day(&world);
    let host = world.host("sess");
    assert!(ids[3..].iter().all(|id| get(&host, id).snapshot.state == ShownState::Failed));
    assert_eq!(host.describe().unwrap().missing, []);
    world.check_invariants("sess");
}

#[test]
fn a_restore_that_finds_nothing_has_the_catalogue_say_so_at_once() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    remove(&world, &data_key(&id));
    let branch =
        now(host.make_workspace(RestoreKind::Branch, &by_id(&id), false, &Abort::default()));
    assert_eq!(branch.unwrap_err().code, ErrorCode::SnapshotGone);
    assert_eq!(get(&host, &id).snapshot.state, ShownState::Failed);
    world.check_invariants("sess");
}

#[test]
fn a_bucket_that_does_not_answer_loses_nothing() {
    let world = World::new();
    let host = world.open("sess");
    let id = keep_for_ever(&host);
    world.clock.advance(2 * DAY_MS);
    for (nth, fault) in [(0, Fault::ErrorBefore), (1, Fault::ErrorBefore), (2, Fault::ErrorBefore)]
    {
        world.alarm.at_ms.take();
        world.faults.arm(nth, fault);
        let _ = world.host("sess").recover().now_or_never();
        world.faults.disarm();
        assert_eq!(get(&host, &id).snapshot.state, ShownState::Ready);
    }
    a_day(&world);
    assert_eq!(get(&host, &id).snapshot.state, ShownState::Ready);
    world.check_invariants("sess");
}

fn state(host: &Session, id: &BackupId) -> ShownState {
    get(host, id).snapshot.state
}

/// A full snapshot and layers on it, each on the one before, and one more that stands alone.
fn chain(world: &World, layers: usize) -> (Vec<BackupId>, BackupId) {
    let host =
        world.open_with("sess", json!({ "autosave": false, "retention": { "keepTurns": 9 } }));
    let alone = keep_for_ever(&host);
    world.write("sess", "a content of which a layer is a small part");
    let mut ids = vec![keep_for_ever(&host)];
    for at in 0..layers {
        world.write("sess", &format!("a content of which a layer is a small part {at}"));
        let incremental = SnapshotRequest { incremental: Some(true), ..SnapshotRequest::default() };
        ids.push(now(host.snapshot(incremental, &Abort::default())).unwrap().snapshot.id);
    }
    for id in &ids {
        let edit = serde_json::from_value(json!({ "pinned": true })).unwrap();
        now(host.update_snapshot(&by_id(id), &edit)).unwrap();
    }
    (ids, alone)
}

#[test]
fn a_lost_base_costs_nothing_that_exists_and_heals_all_above_it() {
    let world = World::new();
    let (ids, alone) = chain(&world, 2);
    let base = world.bucket.objects.borrow_mut().remove(&data_key(&ids[0])).unwrap();
    let before = world.bucket.objects.borrow().clone();
    a_day(&world);
    let host = world.host("sess");
    assert!(ids.iter().all(|id| state(&host, id) == ShownState::Failed));
    assert_eq!(state(&host, &alone), ShownState::Ready);
    assert_eq!(*world.bucket.objects.borrow(), before, "nothing is deleted");
    assert_eq!(events_of(&host, "snapshot.lost"), 3);
    let refused =
        now(host.make_workspace(RestoreKind::Branch, &by_id(&ids[2]), false, &Abort::default()));
    assert_eq!(refused.unwrap_err().code, ErrorCode::SnapshotGone);
    // Somebody puts it back, from a replica, within the week.
    world.bucket.objects.borrow_mut().insert(data_key(&ids[0]), base);
    a_day(&world);
    let host = world.host("sess");
    for id in &ids {
        assert_eq!(state(&host, id), ShownState::Ready);
        assert!(get(&host, id).snapshot.pinned);
        now(host.make_workspace(RestoreKind::Branch, &by_id(id), false, &Abort::default()))
            .unwrap();
    }
    assert_eq!(events_of(&host, "snapshot.repaired"), 3);
    world.check_invariants("sess");
}

#[test]
fn a_rebuild_looks_for_lost_ones_at_once() {
    let world = World::new();
    let (ids, _) = chain(&world, 1);
    let layer = world.bucket.objects.borrow_mut().remove(&layer_key(&ids[1])).unwrap();
    a_day(&world);
    let host = world.host("sess");
    assert_eq!(
        (state(&host, &ids[0]), state(&host, &ids[1])),
        (ShownState::Ready, ShownState::Failed)
    );
    assert_eq!(now(host.rebuild(None, None)).unwrap().restored, []);
    world.bucket.objects.borrow_mut().insert(layer_key(&ids[1]), layer);
    assert_eq!(now(host.rebuild(None, None)).unwrap().restored, ids[1..]);
    assert_eq!(state(&host, &ids[1]), ShownState::Ready);
    world.check_invariants("sess");
}

#[test]
fn what_is_lost_with_others_counts_before_a_loss_is_believed() {
    let world = World::new();
    let (ids, _) = chain(&world, 3);
    remove(&world, &data_key(&ids[0]));
    // Also where one is found by a restore, and not by the sweep.
    let host = world.host("sess");
    let branch =
        now(host.make_workspace(RestoreKind::Branch, &by_id(&ids[3]), false, &Abort::default()));
    assert_eq!(branch.unwrap_err().code, ErrorCode::SnapshotGone);
    a_day(&world);
    let host = world.host("sess");
    assert_eq!(state(&host, &ids[0]), ShownState::Ready);
    assert_eq!(host.describe().unwrap().missing[0].snapshots, 4);
    assert_eq!(events_of(&host, "sweep.halted"), 1);
}

/// Objects are copied to another bucket one by one, and the binding names that one already.
#[test]
fn a_bucket_that_is_being_filled_is_not_the_same_bucket() {
    let world = World::new();
    let (ids, alone) = chain(&world, 1);
    // The daily check has seen all of it.
    a_day(&world);
    let copied_ms = world.clock.0.get() + 3_600_000;
    for key in world.bucket.keys() {
        world.bucket.uploaded_at_ms.borrow_mut().insert(key, copied_ms);
    }
    let missing = world.bucket.objects.borrow_mut().remove(&data_key(&ids[0])).unwrap();
    let before = world.bucket.objects.borrow().clone();
    a_day(&world);
    let host = world.host("sess");
    for id in ids.iter().chain([&alone]) {
        assert_eq!(state(&host, id), ShownState::Ready);
    }
    assert_eq!(events_of(&host, "snapshot.lost"), 0);
    assert_eq!(*world.bucket.objects.borrow(), before);
    world.bucket.objects.borrow_mut().insert(data_key(&ids[0]), missing);
    a_day(&world);
    assert_eq!(world.host("sess").describe().unwrap().missing, []);
    world.check_invariants("sess");
}

#[test]
fn what_was_lost_for_days_goes_a_few_a_day() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "autosave": false }));
    let alone = keep_for_ever(&host);
    let of_later = || -> Vec<BackupId> {
        let host = world.host("sess");
        let lost: Vec<BackupId> = (0..2).map(|_| keep_for_ever(&host)).collect();
        for id in &lost {
            let edit = serde_json::from_value(json!({ "pinned": false }));
            now(host.update_snapshot(&by_id(id), &edit.unwrap())).unwrap();
            remove(&world, &data_key(id));
        }
        a_day(&world);
        lost
    };
    let mut lost: Vec<BackupId> = (0..3).flat_map(|_| of_later()).collect();
    // The workspace would wake from the last one.
    let head = lost.pop().unwrap();
    let left = || lost.iter().filter(|id| world.bucket.keys().contains(&meta_key(id))).count();
    for _ in 0..4 {
        a_day(&world);
        assert_eq!(left(), 5, "somebody may put back the rest");
    }
    // However late the alarm is.
    world.clock.advance(2 * LOST_KEPT_MS);
    for _ in 0..3 {
        now(world.host("sess").recover()).unwrap();
        assert_eq!(left(), 5 - LOST_DELETED_A_DAY as usize);
        world.clock.advance(LOST_RECHECK_MS);
    }
    a_day(&world);
    assert_eq!(left(), 0);
    assert!(world.bucket.keys().contains(&meta_key(&head)), "it may still be put back");
    assert_eq!(state(&world.host("sess"), &alone), ShownState::Ready);
    world.check_invariants("sess");
}

#[test]
fn a_lost_one_can_be_deleted() {
    let world = World::new();
    let (ids, _) = chain(&world, 1);
    remove(&world, &data_key(&ids[0]));
    a_day(&world);
    let host = world.host("sess");
    let options = DeleteOptions { force: true, purge: true, ..DeleteOptions::default() };
    let refused = now(host.delete(&by_id(&ids[0]), options)).unwrap_err();
    assert_eq!(refused.details.unwrap()["layers"], json!([ids[1]]));
    for id in ids.iter().rev() {
        now(host.delete(&by_id(id), options)).unwrap();
        assert!(world.bucket.keys().iter().all(|key| !key.contains(id.as_str())));
    }
    world.check_invariants("sess");
}
