//! The catalogue against the bucket: snapshots that the bucket lost, and snapshots
//! that a rebuild restores from it.

use crate::claims::rewind_to;
use crate::support::faults::Fault;
use crate::world::{World, now, snapshot};
use futures::FutureExt;
use serde_json::json;
use snapshotter::api::tools;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::{BackupId, RestoreKind};
use snapshotter::domain::snapshot::ShownState;
use snapshotter::domain::snapshot::backup::{BackupMeta, data_key, meta_key};
use snapshotter::domain::snapshot::rebuild::Rebuilt;
use snapshotter::domain::snapshot::refs::SnapshotSelector;
use snapshotter::ports::log::Level;
use snapshotter::session::{
    Abort, DeleteOptions, ListRequest, ListedSnapshot, Session, SnapshotRequest, SnapshotView,
};

const DAY_MS: i64 = 24 * 3_600_000;

fn by_id(id: &BackupId) -> SnapshotSelector {
    SnapshotSelector::Id(id.clone())
}

fn get(host: &Session, id: &BackupId) -> SnapshotView {
    now(host.get(&by_id(id), false)).unwrap()
}

fn list(host: &Session) -> Vec<SnapshotView> {
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

fn keep_for_ever(host: &Session) -> BackupId {
    let id = snapshot(host);
    let edit = serde_json::from_value(json!({ "pinned": true })).unwrap();
    now(host.update_snapshot(&by_id(&id), &edit)).unwrap();
    id
}

/// Checks that the snapshots are the same, except that they may live longer.
fn assert_same(mut back: Vec<SnapshotView>, before: &[SnapshotView], context: &str) {
    for (view, was) in back.iter_mut().zip(before) {
        assert!(view.snapshot.expires_at >= was.snapshot.expires_at, "{context}");
        view.snapshot.expires_at.clone_from(&was.snapshot.expires_at);
    }
    assert_eq!(back, before, "{context}");
}

fn remove(world: &World, key: &str) {
    world.bucket.objects.borrow_mut().remove(key).unwrap();
}

/// Fires the alarm when it is due, for a little more than a day.
fn a_day(world: &World) {
    let end_ms = world.clock.0.get() + DAY_MS + 60_000;
    while let Some(at_ms) = world.alarm.at_ms.get().filter(|at_ms| *at_ms <= end_ms) {
        world.alarm.at_ms.take();
        world.clock.0.set(world.clock.0.get().max(at_ms));
        now(world.host("sess").recover()).unwrap();
    }
    world.clock.0.set(end_ms);
}

fn events_of(host: &Session, kind: &str) -> usize {
    let events = host.list_events(None, None).unwrap().events;
    events.iter().filter(|event| event.kind == kind).count()
}

fn meta_of(world: &World, id: &BackupId) -> BackupMeta {
    let bytes = world.bucket.objects.borrow()[&meta_key(id)].clone();
    BackupMeta::parse(id, &bytes).unwrap()
}

#[test]
fn what_r2_has_lost_is_noticed_within_a_day_and_what_is_left_of_it_goes() {
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

/// Another object of the same name, with empty storage, opened anew.
fn without_storage(world: &World) -> (World, Session) {
    let empty = world.other_session();
    let host = empty.open("sess");
    (empty, host)
}

fn rebuild_all(host: &Session, limit: u32) -> Rebuilt {
    let mut all = Rebuilt::default();
    let mut cursor = None;
    for _page in 0..100 {
        let page = now(host.rebuild(cursor.as_deref(), Some(limit))).unwrap();
        assert!(page.examined <= limit as usize);
        all.examined += page.examined;
        all.restored.extend(page.restored);
        all.known += page.known;
        all.foreign += page.foreign;
        all.incomplete += page.incomplete;
        all.problems.extend(page.problems);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return all;
        }
    }
    panic!("the rebuild never ends");
}

#[test]
fn a_session_without_storage_gets_its_own_snapshots_back_and_only_those() {
    let world = World::new();
    let host = world.open("sess");
    for round in 0..5 {
        let annotations = json!({
            "name": format!("v{round}"), "description": "kept",
            "labels": { "round": round.to_string() },
        });
        let annotations = serde_json::from_value(annotations).unwrap();
        let request = SnapshotRequest { annotations, ..SnapshotRequest::default() };
        now(host.snapshot(request, &Abort::default())).unwrap();
        world.clock.advance(1_000);
    }
    let pinned = list(&host)[2].snapshot.id.clone();
    let edit = serde_json::from_value(json!({ "pinned": true })).unwrap();
    now(host.update_snapshot(&by_id(&pinned), &edit)).unwrap();
    let before = list(&host);
    let theirs = world.other_session();
    let foreign = snapshot(&theirs.open("other"));

    let (empty, host) = without_storage(&world);
    assert_eq!(list(&host), []);
    let rebuilt = rebuild_all(&host, 2);
    assert_eq!((rebuilt.examined, rebuilt.restored.len(), rebuilt.foreign), (6, 5, 1));
    assert_same(list(&host), &before, "as they were, in the order they were taken");
    let refused = now(host.get(&by_id(&foreign), false)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::SnapshotNotOwned);
    let again = rebuild_all(&host, 100);
    assert_eq!((again.restored.len(), again.known), (0, 5));
    assert!(
        now(host.make_workspace(RestoreKind::Branch, &by_id(&pinned), false, &Abort::default()))
            .is_ok()
    );
    // A snapshot taken afterwards is newer than all of them.
    let newest = snapshot(&host);
    assert_eq!(list(&host)[0].snapshot.id, newest);
    now(host.delete(&by_id(&foreign), DeleteOptions::default())).unwrap_err();
    let _ = empty;
}

/// The catalogue's loss also loses what protected heads and hid autosaves. So for a
/// week, no rebuilt snapshot is deleted.
#[test]
fn what_comes_back_stays_though_no_workspace_needs_it_any_more() {
    let world = World::new();
    world.steady.set(true);
    let config = || json!({ "retention": { "keepAutosaves": 0, "keepLast": 1 } });
    let host = world.open_with("sess", config());
    let run = |host: &Session| {
        let input = json!({ "command": "cat" });
        now(tools::call(host, "workspace_run", input, &Abort::default())).unwrap()
    };
    run(&host);
    let base = snapshot(&host);
    let args = json!({ "ref": base });
    let branched = now(tools::call(&host, "workspace_branch", args, &Abort::default())).unwrap();
    let branch = branched["ref"]["ref"]["id"].as_str().unwrap();
    world.write(branch, "tried");
    run(&host);
    // The branch sleeps for longer than its autosave's time to live.
    for _ in 0..5 {
        a_day(&world);
    }
    let page = now(world.host("sess").list(&ListRequest {
        include_auto: true,
        include_expired: true,
        ..ListRequest::default()
    }));
    let before: Vec<BackupId> =
        page.unwrap().snapshots.into_iter().map(|row| row.snapshot.id).collect();
    assert_eq!(before.len(), 2, "both are heads");

    let empty = world.other_session();
    let host = empty.open_with("sess", config());
    assert_eq!(rebuild_all(&host, 100).restored.len(), 2);
    for _ in 0..6 {
        a_day(&empty);
    }
    let host = empty.host("sess");
    let back: Vec<BackupId> = list(&host).into_iter().map(|view| view.snapshot.id).collect();
    assert_eq!(back, before, "shown, and restorable");
    let restored =
        now(host.make_workspace(RestoreKind::Restored, &by_id(&back[0]), false, &Abort::default()));
    assert!(restored.is_ok(), "{restored:?}");
    empty.check_invariants("sess");
    // A second rebuild finds the same in `meta.json`.
    let (_third, host) = without_storage(&empty);
    rebuild_all(&host, 100);
    assert_eq!(list(&host).len(), 2);
}

#[test]
fn what_was_deleted_or_is_not_whole_does_not_come_back() {
    let world = World::new();
    let host = world.open("sess");
    let (deleted, half, unknown, good) =
        (snapshot(&host), snapshot(&host), snapshot(&host), snapshot(&host));
    now(host.delete(&by_id(&deleted), DeleteOptions::default())).unwrap();
    remove(&world, &data_key(&half));
    {
        let mut objects = world.bucket.objects.borrow_mut();
        let text = String::from_utf8(objects[&meta_key(&unknown)].clone()).unwrap();
        objects.insert(meta_key(&unknown), text.replace("\"full\"", "\"delta\"").into());
    }
    let orphan = BackupId::from_random([77; 16]);
    world.bucket.objects.borrow_mut().insert(data_key(&orphan), b"x".to_vec());
    let (_empty, host) = without_storage(&world);
    let rebuilt = rebuild_all(&host, 100);
    assert_eq!(rebuilt.restored, [good]);
    assert_eq!(rebuilt.incomplete, 2, "an archive without record, and a record without archive");
    assert_eq!(rebuilt.problems.len(), 1);
    assert_eq!(rebuilt.problems[0].error.code, ErrorCode::Unsupported);
    assert!(rebuilt.problems[0].error.message.contains("delta"), "the kind is named");
    assert!(world.bucket.objects.borrow().contains_key(&data_key(&orphan)), "nothing is removed");

    // A row with the state deleted wins over the bucket.
    let host = world.host("sess");
    world.bucket.objects.borrow_mut().insert(data_key(&deleted), Vec::new());
    let meta = world.bucket.objects.borrow()[&meta_key(&rebuilt.restored[0])].clone();
    let mut meta = BackupMeta::parse(&rebuilt.restored[0], &meta).unwrap();
    meta.id = deleted.clone();
    world.bucket.objects.borrow_mut().insert(meta_key(&deleted), meta.to_bytes().unwrap());
    assert_eq!(rebuild_all(&host, 100).restored, []);
}

#[test]
fn what_was_lost_comes_back_with_the_bucket() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "autosave": false }));
    let older = keep_for_ever(&host);
    let id = keep_for_ever(&host);
    let objects = world.bucket.objects.borrow().clone();
    world.bucket.objects.borrow_mut().retain(|key, _| key.contains(older.as_str()));
    a_day(&world);
    assert_eq!(get(&world.host("sess"), &id).snapshot.state, ShownState::Failed);
    *world.bucket.objects.borrow_mut() = objects;
    let host = world.host("sess");
    assert_eq!(rebuild_all(&host, 100).restored, std::slice::from_ref(&id));
    assert_eq!(get(&host, &id).snapshot.state, ShownState::Ready);
    world.check_invariants("sess");
}

#[test]
fn of_two_with_one_name_the_newer_has_it() {
    let world = World::new();
    let host = world.open("sess");
    let (old, new) = (snapshot(&host), {
        world.clock.advance(1_000);
        snapshot(&host)
    });
    for id in [&old, &new] {
        let mut objects = world.bucket.objects.borrow_mut();
        let mut meta = BackupMeta::parse(id, &objects[&meta_key(id)]).unwrap();
        meta.name = Some("best".into());
        objects.insert(meta_key(id), meta.to_bytes().unwrap());
    }
    let (empty, host) = without_storage(&world);
    rebuild_all(&host, 1);
    let named = now(host.get(&SnapshotSelector::Name("best".into()), false)).unwrap();
    assert_eq!((named.snapshot.id, get(&host, &old).snapshot.annotations.name), (new, None));
    empty.recover("sess");
    empty.check_invariants("sess");
}

#[test]
fn a_rebuild_broken_at_any_effect_goes_on() {
    for fault in Fault::ALL {
        for nth in 0.. {
            let world = World::new();
            let host = world.open("sess");
            for _ in 0..3 {
                snapshot(&host);
                world.clock.advance(1_000);
            }
            let before = list(&host);
            let (empty, host) = without_storage(&world);
            empty.faults.arm(nth, fault);
            let answer = host.rebuild(None, None).now_or_never();
            let reached = empty.faults.disarm();
            if !reached {
                assert!(nth >= 7, "only {nth} effects");
                assert_eq!(answer.unwrap().unwrap().restored.len(), 3);
                break;
            }
            drop(host);
            let host = empty.host("sess");
            rebuild_all(&host, 2);
            assert_same(list(&host), &before, &format!("{fault:?} at effect {nth}"));
            empty.recover("sess");
            empty.check_invariants("sess");
        }
    }
}

/// When the alarm failed to recover something, in seconds since `from_ms`, within a day.
fn failed_at(world: &World, from_ms: i64) -> Vec<i64> {
    let mut at = Vec::new();
    while let Some(at_ms) = world.alarm.at_ms.take().filter(|at_ms| *at_ms <= from_ms + DAY_MS) {
        world.clock.0.set(world.clock.0.get().max(at_ms));
        world.log.0.borrow_mut().clear();
        now(world.host("sess").recover()).unwrap();
        let lines = world.log.0.borrow();
        let failed =
            lines.iter().filter(|line| line.event == "recover" && line.level == Level::Warn);
        at.extend(failed.map(|_| (world.clock.0.get() - from_ms) / 1_000));
    }
    at
}

#[test]
fn what_cannot_be_settled_is_tried_ever_less_often_and_at_once_when_asked_for() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    world.sql("UPDATE snapshots SET state = 'deleting', binding = 'GONE'");
    world.alarm.at_ms.set(Some(world.clock.0.get()));
    let at = failed_at(&world, world.clock.0.get());
    assert_eq!(at[..8], [0, 30, 90, 210, 450, 930, 1_890, 3_810]);
    assert!((24..=32).contains(&at.len()), "{at:?}");
    assert!(at.windows(2).all(|two| two[1] - two[0] <= 3_600), "{at:?}");
    let said = world.log.0.borrow().iter().find(|line| line.event == "recover").cloned().unwrap();
    assert_eq!(said.fields["failures"], at.len());
    assert!(said.fields["message"].as_str().unwrap().contains("GONE"), "{said:?}");

    world.sql("UPDATE snapshots SET binding = 'BACKUP_BUCKET'");
    let host = world.host("sess");
    now(host.delete(&by_id(&id), DeleteOptions::default())).unwrap();
    assert_eq!(get(&host, &id).snapshot.state, ShownState::Deleted);
    assert_eq!(world.database_count("SELECT COUNT(*) AS count FROM retries"), 0);
    world.check_invariants("sess");
}

#[test]
fn a_row_that_failed_does_not_keep_the_alarm_busy_while_a_call_works_on_it() {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot(&host);
    world.sql("UPDATE snapshots SET state = 'deleting', binding = 'GONE'");
    world.sql("DELETE FROM layers");
    now(host.recover()).unwrap();
    world.sql("UPDATE snapshots SET binding = 'BACKUP_BUCKET'");
    world.clock.advance(60_000);
    world.alarm.at_ms.take();
    // The delete has set the alarm, and stops before its first effect on the bucket.
    world.faults.arm(1, Fault::CrashBefore);
    let selector = by_id(&id);
    let options = DeleteOptions { force: true, ..DeleteOptions::default() };
    let mut delete = Box::pin(host.delete(&selector, options));
    assert!((&mut delete).now_or_never().is_none());
    assert_eq!(world.faults.trace(), ["alarm", "delete"]);
    world.faults.disarm();
    world.alarm.at_ms.take();
    now(host.recover()).unwrap();
    assert!(world.alarm.at_ms.get().unwrap() > world.clock.0.get(), "not at once again");
}
