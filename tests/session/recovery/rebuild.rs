//! Snapshots that a rebuild restores from the bucket.

use super::sweep::{a_day, assert_same, by_id, get, keep_for_ever, list, remove};

use crate::support::faults::Fault;
use crate::world::{World, call_tool, now, snapshot};
use futures::FutureExt;
use serde_json::json;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::{BackupId, RestoreKind};
use snapshotter::domain::snapshot::ShownState;
use snapshotter::domain::snapshot::backup::{data_key, meta_key};
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::domain::snapshot::rebuild::Rebuilt;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{Abort, DeleteOptions, ListRequest, Session, SnapshotRequest};

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
        now(call_tool(host, "workspace_run", input, &Abort::default())).unwrap()
    };
    run(&host);
    let base = snapshot(&host);
    let args = json!({ "ref": base });
    let branched = now(call_tool(&host, "workspace_branch", args, &Abort::default())).unwrap();
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
fn a_session_is_deleted_right_after_its_rebuild() {
    let world = World::new();
    world.steady.set(true);
    let host = world.open("sess");
    let base = snapshot(&host);
    world.write("sess", "changed");
    world.clock.advance(1_000);
    let layer = snapshot(&host);
    assert_ne!(base, layer);
    let (empty, host) = without_storage(&world);
    assert_eq!(rebuild_all(&host, 100).restored.len(), 2);
    assert_eq!(now(host.delete_session(true)).unwrap().snapshots, 2);
    assert_eq!(empty.bucket.keys(), [] as [String; 0]);
    assert_eq!(host.describe().unwrap_err().code, ErrorCode::NotFound);
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
