//! Layers: what they stand on, and what becomes of it.

use crate::world::{World, content, now, snapshot};
use serde_json::json;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::{BackupId, RestoreKind};
use snapshotter::domain::limits::{LAYERS_MAX, REBUILT_KEPT_MS};
use snapshotter::domain::snapshot::backup::{
    SnapshotKind, archive_key, data_key, held_key, layer_key, meta_key,
};
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{
    Abort, DeleteOptions, ListRequest, RewindRequest, Session, SnapshotRequest,
};

const LONG: &str = "a content of which a layer is a small part";

pub fn layer(host: &Session) -> BackupId {
    let request = SnapshotRequest { incremental: Some(true), ..SnapshotRequest::default() };
    now(host.snapshot(request, &Abort::default())).unwrap().snapshot.id
}

pub fn meta(world: &World, id: &BackupId) -> BackupMeta {
    BackupMeta::parse(id, &world.bucket.objects.borrow()[&meta_key(id)]).unwrap()
}

pub fn below(world: &World, id: &BackupId) -> Vec<BackupId> {
    meta(world, id).chain().parts().iter().map(|part| part.id.clone()).collect()
}

pub fn delete(host: &Session, id: &BackupId) {
    let options = DeleteOptions { force: true, ..DeleteOptions::default() };
    assert!(now(host.delete(&SnapshotSelector::Id(id.clone()), options)).unwrap().deleted);
}

pub fn has(world: &World, key: &str) -> bool {
    world.bucket.objects.borrow().contains_key(key)
}

/// A full snapshot and `count` layers, each on the one before.
pub fn chain(world: &World, host: &Session, count: usize) -> Vec<BackupId> {
    content(host);
    world.write("sess", LONG);
    let mut ids = vec![snapshot(host)];
    for at in 0..count {
        world.write("sess", &format!("{LONG} {at}"));
        ids.push(layer(host));
    }
    ids
}

#[test]
fn a_layer_names_all_archives_below_it_and_the_ninth_snapshot_is_full_again() {
    let world = World::new();
    let host = world.open("sess");
    let ids = chain(&world, &host, LAYERS_MAX + 1);
    for (at, id) in ids.iter().enumerate().take(LAYERS_MAX + 1).skip(1) {
        assert_eq!(below(&world, id), ids[..at], "{at}");
        assert!(has(&world, &layer_key(id)) && !has(&world, &data_key(id)));
    }
    assert_eq!(meta(&world, ids.last().unwrap()).kind(), SnapshotKind::Full);
    world.check_invariants("sess");
}

#[test]
fn who_does_not_ask_for_a_layer_gets_a_full_snapshot_even_of_unchanged_files() {
    let world = World::new();
    world.steady.set(true);
    let host = world.open("sess");
    let ids = chain(&world, &host, 1);
    let full = snapshot(&host);
    assert!(!ids.contains(&full));
    assert_eq!(meta(&world, &full).kind(), SnapshotKind::Full);
    assert_eq!(snapshot(&host), full, "a full one of the same files is given again");
    assert_eq!(layer(&host), full);
    let always = World::new();
    let host = always.open_with("sess", json!({ "incremental": true }));
    content(&host);
    always.write("sess", LONG);
    snapshot(&host);
    always.write("sess", "other");
    assert_eq!(meta(&always, &snapshot(&host)).kind(), SnapshotKind::Layer);
}

#[test]
fn automatic_and_safety_snapshots_and_those_of_live_forks_are_layers() {
    let world = World::new();
    let host = world.open("sess");
    let base = chain(&world, &host, 0).remove(0);
    world.write("sess", "saved by the alarm");
    content(&host);
    world.clock.advance(540_000);
    world.recover("sess");
    content(&host);
    world.write("sess", "saved by a rewind");
    let to = SnapshotSelector::Id(base.clone());
    let rewind = RewindRequest {
        r#ref: to,
        expected_head: None,
        allow_cross_session: false,
        expected_active: None,
        dry_run: false,
    };
    now(host.rewind(&rewind, &Abort::default())).unwrap();
    let all = ListRequest { include_auto: true, ..ListRequest::default() };
    let page = now(host.list(&all)).unwrap();
    let kinds: Vec<_> = page.snapshots.iter().map(|row| row.snapshot.kind.unwrap()).collect();
    let (full, layers) = kinds.split_last().unwrap();
    assert_eq!(*full, SnapshotKind::Full);
    assert_eq!(layers, [SnapshotKind::Layer, SnapshotKind::Layer]);
    assert_eq!(content(&host), LONG);
}

#[test]
fn what_a_layer_needs_is_hidden_when_it_is_deleted_and_goes_with_the_last_layer() {
    // In any order: the archives below a layer stay as long as it does.
    for order in [[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
        let world = World::new();
        let host = world.open_with("sess", json!({ "autosave": false }));
        let ids = chain(&world, &host, 2);
        let mut left: Vec<usize> = vec![0, 1, 2];
        for at in order {
            delete(&host, &ids[at]);
            delete(&host, &ids[at]);
            left.retain(|one| *one != at);
            world.recover("sess");
            let top = left.iter().max().copied();
            for (at, id) in ids.iter().enumerate() {
                let kind = if at == 0 { SnapshotKind::Full } else { SnapshotKind::Layer };
                let is_needed = top.is_some_and(|top| at <= top);
                assert_eq!(has(&world, &archive_key(id, kind)), is_needed, "{order:?} {at}");
                assert_eq!(has(&world, &meta_key(id)), left.contains(&at), "{order:?} {at}");
                let is_held = is_needed && !left.contains(&at);
                assert_eq!(has(&world, &held_key(id)), is_held, "{order:?} {at}");
            }
            let held = top.map_or(0, |top| top + 1) - left.len();
            assert_eq!(host.usage().unwrap().held.count, held as u64);
            assert_eq!(host.usage().unwrap().held.size_bytes > 0, held > 0);
            assert_eq!(host.usage().unwrap().snapshots.count, left.len() as u64);
            let listed = now(host.list(&ListRequest::default())).unwrap().snapshots;
            assert_eq!(listed.len(), left.len());
            let restore = |id: &BackupId| {
                let from = SnapshotSelector::Id(id.clone());
                now(host.make_workspace(RestoreKind::Branch, &from, false, &Abort::default()))
            };
            assert_eq!(restore(&ids[at]).unwrap_err().code, ErrorCode::SnapshotGone);
            if let Some(top) = top {
                restore(&ids[top]).unwrap();
            }
        }
        let events = host.list_events(None, None).unwrap().events;
        let told = events.iter().filter(|event| event.kind == "snapshot.deleted").count();
        assert_eq!(told, 3, "each delete is told once");
    }
}

#[test]
fn a_lost_archive_is_noticed_in_all_layers_above_it_and_the_next_snapshot_is_full() {
    let world = World::new();
    let host = world.open("sess");
    let ids = chain(&world, &host, 2);
    let untouched = {
        world.write("sess", "another chain");
        snapshot(&host)
    };
    let now_restored = |id: &BackupId| {
        let from = SnapshotSelector::Id(id.clone());
        now(host.make_workspace(RestoreKind::Restored, &from, false, &Abort::default()))
    };
    world.bucket.objects.borrow_mut().remove(&layer_key(&ids[1]));
    assert_eq!(now_restored(&ids[2]).unwrap_err().code, ErrorCode::SnapshotGone);
    now_restored(&ids[0]).unwrap();
    now_restored(&untouched).unwrap();
    let on_lost = World::new();
    let host = on_lost.open("sess");
    let ids = chain(&on_lost, &host, 2);
    on_lost.bucket.objects.borrow_mut().remove(&data_key(&ids[0]));
    on_lost.write("sess", "more");
    assert_eq!(meta(&on_lost, &layer(&host)).kind(), SnapshotKind::Full);
}

#[test]
fn a_rebuild_brings_back_what_layers_need_and_deletes_nothing_that_it_has_not_understood() {
    let world = World::new();
    let host = world.open_with("sess", json!({ "autosave": false }));
    let ids = chain(&world, &host, 2);
    delete(&host, &ids[0]);
    world.recover("sess");
    drop(host);
    let lost = world.other_session();
    let host = lost.open_with("sess", json!({ "autosave": false }));
    let mut cursor = None;
    loop {
        let page = now(host.rebuild(cursor.as_deref(), Some(1))).unwrap();
        lost.recover("sess");
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert!(has(&lost, &data_key(&ids[0])), "its layers were found later");
    let listed = now(host.list(&ListRequest::default())).unwrap().snapshots;
    assert_eq!(listed.len(), 2);
    lost.check_invariants("sess");
    delete(&host, &ids[2]);
    delete(&host, &ids[1]);
    lost.recover("sess");
    assert!(has(&lost, &data_key(&ids[0])), "another layer might be found");
    lost.clock.advance(REBUILT_KEPT_MS);
    lost.recover("sess");
    assert_eq!(lost.bucket.keys(), Vec::<String>::new());
}
