//! Layers that become full, on their own and so that what is below them can go.

use super::layers::{below, chain, delete, has, layer, meta};
use crate::support::faults::Fault;
use crate::world::{World, content, now, snapshot};
use futures::FutureExt;
use serde_json::json;
use snapshotter::domain::error::{Error, ErrorCode, Outcome};
use snapshotter::domain::ids::{BackupId, RestoreKind};
use snapshotter::domain::limits::REBUILT_KEPT_MS;
use snapshotter::domain::snapshot::backup::{
    SnapshotKind, data_key, held_key, layer_key, meta_key,
};
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{Abort, DeleteOptions, Session, SnapshotView};

fn flatten(host: &Session, id: &BackupId) -> Result<SnapshotView, Error> {
    now(host.flatten(&SnapshotSelector::Id(id.clone()), &Abort::default()))
}

fn purge(host: &Session, id: &BackupId) -> Result<(), Error> {
    let options = DeleteOptions { purge: true, force: true, ..DeleteOptions::default() };
    now(host.delete(&SnapshotSelector::Id(id.clone()), options)).map(drop)
}

fn is_gone(world: &World, id: &BackupId) -> bool {
    [data_key(id), layer_key(id), meta_key(id), held_key(id)].iter().all(|key| !has(world, key))
}

fn restored(world: &World, host: &Session, id: &BackupId) -> String {
    let from = SnapshotSelector::Id(id.clone());
    let made = now(host.make_workspace(RestoreKind::Branch, &from, false, &Abort::default()));
    world.disk(made.unwrap().r#ref.sandbox_id().as_str()).unwrap().content
}

fn stays_off() -> serde_json::Value {
    json!({ "autosave": false, "limits": { "maxRunning": 20, "maxWorkspaces": 20 } })
}

#[test]
fn a_layer_becomes_full_and_the_layers_on_it_need_nothing_below_it() {
    let world = World::new();
    let host = world.open_with("sess", stays_off());
    let ids = chain(&world, &host, 4);
    let before = host.usage().unwrap().snapshots.size_bytes;
    let view = flatten(&host, &ids[2]).unwrap();
    assert_eq!(view.snapshot.kind, Some(SnapshotKind::Full));
    assert!(has(&world, &data_key(&ids[2])) && !has(&world, &layer_key(&ids[2])));
    assert_eq!(below(&world, &ids[1]), ids[..1], "what is below it stays as it is");
    assert_eq!(below(&world, &ids[2]), []);
    assert_eq!(below(&world, &ids[3]), ids[2..3]);
    assert_eq!(below(&world, &ids[4]), ids[2..4]);
    let size = view.snapshot.size_bytes.unwrap();
    assert_eq!(host.usage().unwrap().snapshots.size_bytes, before - 1 + size);
    for (at, id) in ids.iter().enumerate().skip(1) {
        assert_eq!(
            restored(&world, &host, id),
            format!("a content of which a layer is a small part {}", at - 1)
        );
    }
    world.check_invariants("sess");
    assert_eq!(flatten(&host, &ids[2]).unwrap().snapshot.size_bytes, Some(size));
    let events = host.list_events(None, None).unwrap().events;
    let told = events.iter().filter(|event| event.kind == "snapshot.flattened").count();
    assert_eq!(told, 1, "a full one is left alone");
    // What was below goes when it is deleted, and what is above still does not.
    delete(&host, &ids[0]);
    delete(&host, &ids[1]);
    delete(&host, &ids[2]);
    world.recover("sess");
    assert!(is_gone(&world, &ids[0]) && is_gone(&world, &ids[1]));
    assert!(has(&world, &held_key(&ids[2])) && has(&world, &data_key(&ids[2])));
    restored(&world, &host, &ids[4]);
    world.check_invariants("sess");
}

#[test]
fn a_layer_taken_after_that_stands_on_the_full_archive() {
    let world = World::new();
    let host = world.open("sess");
    let ids = chain(&world, &host, 1);
    flatten(&host, &ids[1]).unwrap();
    world.write("sess", "more");
    assert_eq!(below(&world, &layer(&host)), ids[1..2]);
    world.check_invariants("sess");
}

#[test]
fn held_layers_above_are_told_too() {
    let world = World::new();
    let host = world.open_with("sess", stays_off());
    let ids = chain(&world, &host, 3);
    delete(&host, &ids[2]);
    flatten(&host, &ids[1]).unwrap();
    let held = BackupMeta::parse(&ids[2], &world.bucket.objects.borrow()[&held_key(&ids[2])]);
    let below: Vec<_> = held.unwrap().chain().parts().iter().map(|part| part.id.clone()).collect();
    assert_eq!(below, ids[1..2]);
    world.check_invariants("sess");
}

#[test]
fn a_purge_leaves_no_byte_and_every_other_snapshot_whole() {
    // Which are deleted before, and which is purged then.
    for (deleted, purged) in
        [(vec![], 0), (vec![], 1), (vec![1], 0), (vec![0], 0), (vec![1, 2], 0), (vec![0, 1], 1)]
    {
        let world = World::new();
        let host = world.open_with("sess", stays_off());
        let ids = chain(&world, &host, 3);
        for at in &deleted {
            delete(&host, &ids[*at]);
        }
        world.recover("sess");
        purge(&host, &ids[purged]).unwrap();
        assert!(is_gone(&world, &ids[purged]), "{deleted:?} {purged}");
        for (at, id) in ids.iter().enumerate().skip(1) {
            if at != purged && !deleted.contains(&at) {
                assert!(restored(&world, &host, id).ends_with(&format!(" {}", at - 1)));
            }
        }
        world.check_invariants("sess");
        purge(&host, &ids[purged]).unwrap();
    }
}

#[test]
fn a_purge_needs_no_workspace_and_an_open_session() {
    let world = World::new();
    let host = world.open_with("sess", stays_off());
    let ids = chain(&world, &host, 2);
    world.kill("sess");
    purge(&host, &ids[0]).unwrap();
    assert!(is_gone(&world, &ids[0]));
    assert_eq!(world.disk("sess"), None, "no workspace has woken");
    world.check_invariants("sess");
    now(host.close()).unwrap();
    let refused = purge(&host, &ids[1]).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Conflict);
    assert!(has(&world, &meta_key(&ids[1])), "nothing is deleted");
    let host = world.open_with("sess", stays_off());
    content(&host);
    // A pinned snapshot is refused before anything is archived.
    world.write("sess", "a content of which a layer is a small part");
    let pinned = snapshot(&host);
    world.write("sess", "v");
    let above = layer(&host);
    let edit = serde_json::from_value(json!({ "pinned": true })).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(pinned.clone()), &edit)).unwrap();
    let options = DeleteOptions { purge: true, ..DeleteOptions::default() };
    let refused = now(host.delete(&SnapshotSelector::Id(pinned), options)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Conflict);
    assert_eq!(meta(&world, &above).kind(), SnapshotKind::Layer);
}

#[test]
fn a_purge_shortly_after_a_rebuild_says_that_layers_may_be_found() {
    let world = World::new();
    let host = world.open_with("sess", stays_off());
    let ids = chain(&world, &host, 0);
    drop(host);
    let lost = world.other_session();
    let host = lost.open_with("sess", stays_off());
    now(host.rebuild(None, None)).unwrap();
    let refused = purge(&host, &ids[0]).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Conflict);
    assert!(refused.message.contains("rebuild"), "{refused}");
    assert!(has(&lost, &meta_key(&ids[0])), "nothing is deleted");
    lost.clock.advance(REBUILT_KEPT_MS + 1);
    purge(&host, &ids[0]).unwrap();
    assert!(is_gone(&lost, &ids[0]));
}

#[test]
fn another_sessions_snapshot_is_purged_by_its_own_session_only() {
    let world = World::new();
    let host = world.open("sess");
    let ids = chain(&world, &host, 0);
    let config = json!({ "capabilities": { "fs": true, "shell": true, "snapshot": { "crossSession": true } } });
    let other = world.other_session().open_with("other", config);
    let options = DeleteOptions { purge: true, allow_cross_session: true, ..Default::default() };
    let refused = now(other.delete(&SnapshotSelector::Id(ids[0].clone()), options)).unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidArgument);
    assert!(has(&world, &meta_key(&ids[0])));
}

/// How many effects a flatten of the snapshot `at` of a chain has before its first `effect`.
fn effects_before(effect: &str, layers: usize, at: usize) -> usize {
    let world = World::new();
    let host = world.open_with("sess", stays_off());
    let ids = chain(&world, &host, layers);
    world.faults.arm(usize::MAX, Fault::CrashBefore);
    flatten(&host, &ids[at]).unwrap();
    world.faults.trace().iter().position(|name| name == effect).unwrap()
}

/// A chain with an interrupted flatten of its second snapshot, as a new object finds it.
fn interrupted(effect: &str) -> (World, Session, Vec<BackupId>) {
    let world = World::new();
    let host = world.open_with("sess", stays_off());
    let ids = chain(&world, &host, 2);
    world.faults.arm(effects_before(effect, 2, 1), Fault::CrashAfter);
    let (of_middle, abort) = (SnapshotSelector::Id(ids[1].clone()), Abort::default());
    assert!(host.flatten(&of_middle, &abort).now_or_never().is_none());
    assert!(world.faults.disarm());
    drop(host);
    let host = world.host("sess");
    (world, host, ids)
}

#[test]
fn a_full_archive_of_other_files_changes_nothing() {
    let world = World::new();
    let host = world.open_with("sess", stays_off());
    let ids = chain(&world, &host, 3);
    let before = world.bucket.objects.borrow().clone();
    *world.forged.borrow_mut() = Some(b"a content with a backdoor".to_vec());
    type Attempt = fn(&Session, &BackupId) -> Result<(), Error>;
    let calls: [Attempt; 2] = [|host, id| flatten(host, id).map(drop), purge];
    for make_full in calls {
        let error = make_full(&host, &ids[1]).unwrap_err();
        assert_eq!((error.code, error.outcome), (ErrorCode::Integrity, Outcome::None));
        assert!(error.message.contains("evil.txt"), "{error}");
        assert_eq!(*world.bucket.objects.borrow(), before);
    }
    assert!(restored(&world, &host, &ids[1]).ends_with(" 0"));
    world.check_invariants("sess");
    world.forged.take();
    flatten(&host, &ids[1]).unwrap();
    world.check_invariants("sess");
}

#[test]
fn an_interrupted_flatten_is_settled_before_it_is_begun_again() {
    for effect in ["flattenData", "compareTrees"] {
        let (world, host, ids) = interrupted(effect);
        world.faults.arm(usize::MAX, Fault::CrashBefore);
        flatten(&host, &ids[1]).unwrap();
        let trace = world.faults.trace();
        world.faults.disarm();
        let at = |name: &str| trace.iter().position(|effect| effect == name).unwrap();
        assert!(at("recoverBackup") < at("flattenData"), "{trace:?}");
        assert_eq!(below(&world, &ids[2]), ids[1..2]);
        world.recover("sess");
        world.check_invariants("sess");
    }
    let (world, host, ids) = interrupted("flattenData");
    world.making.borrow_mut().push(ids[1].clone());
    let refused = flatten(&host, &ids[1]).unwrap_err();
    assert_eq!((refused.code, refused.outcome), (ErrorCode::Conflict, Outcome::None));
    world.making.borrow_mut().clear();
    flatten(&host, &ids[1]).unwrap();
}

#[test]
fn nothing_is_deleted_while_an_interrupted_flatten_is_not_settled() {
    let (world, host, ids) = interrupted("replace");
    let options = DeleteOptions { force: true, ..DeleteOptions::default() };
    for id in &ids[1..] {
        let refused = now(host.delete(&SnapshotSelector::Id(id.clone()), options)).unwrap_err();
        assert_eq!(refused.code, ErrorCode::Conflict, "{refused}");
        assert!(host.snapshots_in_use().unwrap().contains(id));
    }
    let deleted = now(host.delete(&SnapshotSelector::Id(ids[0].clone()), options));
    deleted.unwrap();
    world.recover("sess");
    assert!(!has(&world, &layer_key(&ids[1])));
    for id in &ids[1..] {
        restored(&world, &world.host("sess"), id);
    }
    delete(&world.host("sess"), &ids[2]);
    world.recover("sess");
    world.check_invariants("sess");
}

#[test]
fn a_layer_that_becomes_full_while_a_sweep_looks_for_it_is_not_lost() {
    for polls in 0.. {
        let world = World::new();
        let host = world.open_with("sess", stays_off());
        let ids = chain(&world, &host, 1);
        world.clock.advance(25 * 3_600_000);
        world.faults.slow.set(true);
        let context = &mut std::task::Context::from_waker(futures::task::noop_waker_ref());
        let mut sweep = Box::pin(host.recover());
        let ended = (0..polls).any(|_| sweep.as_mut().poll(context).is_ready());
        world.faults.slow.set(false);
        flatten(&host, &ids[1]).unwrap();
        if !ended {
            assert!((0..100).any(|_| sweep.as_mut().poll(context).is_ready()));
        }
        for id in &ids {
            let shown = now(host.get(&SnapshotSelector::Id(id.clone()), false)).unwrap();
            assert!(shown.snapshot.restorable, "flattened after {polls} polls: {shown:?}");
        }
        if ended {
            assert!(polls > 4, "the sweep looks for both");
            break;
        }
    }
}

/// A layer that is taken in another workspace while the purge makes the first layer full.
#[test]
fn a_purge_says_that_it_did_not_remove_all() {
    let world = World::new();
    let host = world.open_with("sess", stays_off());
    let ids = chain(&world, &host, 1);
    let (base, abort) = (SnapshotSelector::Id(ids[0].clone()), Abort::default());
    let branch = now(host.make_workspace(RestoreKind::Branch, &base, false, &abort)).unwrap();
    now(host.switch(&branch.r#ref)).unwrap();
    let options = DeleteOptions { purge: true, force: true, ..DeleteOptions::default() };
    world.faults.slow.set(true);
    let context = &mut std::task::Context::from_waker(futures::task::noop_waker_ref());
    let mut purging = Box::pin(host.delete(&base, options));
    while !has(&world, &data_key(&ids[1])) {
        assert!(purging.as_mut().poll(context).is_pending());
    }
    world.faults.slow.set(false);
    let on_base = layer(&host);
    assert_eq!(below(&world, &on_base), ids[..1]);
    let refused = now(purging).unwrap_err();
    assert_eq!((refused.code, refused.outcome), (ErrorCode::Conflict, Outcome::Committed));
    assert!(has(&world, &data_key(&ids[0])), "the new layer stands on it");
    purge(&host, &ids[0]).unwrap();
    assert!(is_gone(&world, &ids[0]));
    world.check_invariants("sess");
}

/// Until nothing reads the old records, the layer's archive and what is below it stay.
#[test]
fn a_flatten_waits_for_those_who_read_it_and_is_finished_by_the_alarm() {
    let world = World::new();
    let host = world.open_with("sess", stays_off());
    let ids = chain(&world, &host, 2);
    let (of_middle, abort) = (SnapshotSelector::Id(ids[1].clone()), Abort::default());
    let at = |effect: &str, call: &dyn Fn()| {
        world.faults.arm(usize::MAX, Fault::CrashBefore);
        call();
        world.faults.trace().iter().position(|name| name == effect).unwrap()
    };
    // A restore of the layer above, which has read its record, and hangs.
    let from = SnapshotSelector::Id(ids[2].clone());
    let restore = || Box::pin(host.make_workspace(RestoreKind::Branch, &from, false, &abort));
    let nth = at("restore", &|| drop(now(restore()).unwrap()));
    let hang = || {
        world.faults.arm(nth, Fault::CrashBefore);
        let mut restoring = restore();
        assert!(restoring.as_mut().now_or_never().is_none() && world.faults.disarm());
        restoring
    };
    let restoring = hang();
    let refused = flatten(&host, &ids[1]).unwrap_err();
    assert_eq!((refused.code, refused.outcome), (ErrorCode::Conflict, Outcome::None));
    assert!(!has(&world, &data_key(&ids[1])), "nothing was archived");
    drop(restoring);
    drop(host);
    world.recover("sess");

    // A flatten that ends midway, and a restore that begins then.
    let host = world.host("sess");
    // Both branches are also asked whether they run.
    world.faults.arm(effects_before("replace", 2, 1) + 2, Fault::CrashAfter);
    assert!(host.flatten(&of_middle, &abort).now_or_never().is_none());
    assert_eq!(world.faults.trace().last().unwrap(), "replace");
    world.faults.disarm();
    let restore = || Box::pin(host.make_workspace(RestoreKind::Branch, &from, false, &abort));
    world.faults.arm(nth, Fault::CrashBefore);
    let mut restoring = restore();
    assert!(restoring.as_mut().now_or_never().is_none() && world.faults.disarm());
    let refused = flatten(&host, &ids[1]).unwrap_err();
    assert_eq!((refused.code, refused.outcome), (ErrorCode::Unavailable, Outcome::Unknown));
    // Nothing becomes a layer on it meanwhile.
    world.write("sess", "more");
    assert_eq!(meta(&world, &layer(&host)).kind(), SnapshotKind::Full);
    world.clock.advance(600_000);
    now(host.recover()).unwrap();
    assert!(has(&world, &layer_key(&ids[1])) && has(&world, &data_key(&ids[1])));
    drop(restoring);
    drop(host);
    world.clock.advance(600_000);
    world.recover("sess");
    assert!(!has(&world, &layer_key(&ids[1])));
    assert_eq!(below(&world, &ids[2]), ids[1..2]);
    world.check_invariants("sess");
}
