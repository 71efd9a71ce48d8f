//! Workspaces whose snapshots have another directory than `workspaceDir`, and the
//! archives that they wake from.

use crate::autosave::{MINUTE_MS, pass, read};
use crate::leases::delete;
use crate::workspaces::rewind::{rewind, to};
use crate::world::{World, now, snapshot};
use serde_json::json;
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::{BackupId, RestoreKind};
use snapshotter::domain::snapshot::refs::WorkspaceRef;
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{Abort, LiveFork, LiveForkRequest, Session};

const ROOT: &str = "/workspace/proj";
const ABOVE: &str = "/workspace";
const BELOW: &str = "/workspace/proj/sub";
const BESIDE: &str = "/home/data";

fn opened(dir: &str) -> (World, Session) {
    let world = World::new();
    let host = world.open_with("sess", json!({ "workspaceDir": ROOT, "snapshotDir": dir }));
    read(&host);
    world.write("sess", "work");
    (world, host)
}

fn branch(host: &Session, kind: RestoreKind, id: &BackupId) -> WorkspaceRef {
    let selector = SnapshotSelector::Id(id.clone());
    now(host.make_workspace(kind, &selector, false, &Abort::default())).unwrap().r#ref
}

/// The archives that a workspace wakes from if its container ends now. Shows each
/// by its directory; the named snapshot is marked.
fn wakes_from(world: &World, host: &Session, workspace: &str, named: &BackupId) -> Vec<String> {
    world.kill(workspace);
    world.restored.borrow_mut().clear();
    let answer = read(host);
    let restored = world.restored.borrow().clone();
    if let Some((last, _)) = restored.last() {
        let from = answer["woken"]["fromSnapshotId"].as_str().unwrap();
        assert!(restored.iter().any(|(id, _)| id.as_str() == from), "{answer}");
        assert!(answer["woken"]["message"].as_str().unwrap().contains(last.as_str()));
    }
    let name = |(id, dir)| if &id == named { format!("named {dir}") } else { dir };
    restored.into_iter().map(name).collect()
}

#[test]
fn the_origin_wakes_from_a_snapshot_of_any_directory_before_it_is_saved() {
    for dir in [ABOVE, BELOW, BESIDE] {
        let (world, host) = opened(dir);
        let id = snapshot(&host);
        assert_eq!(wakes_from(&world, &host, "sess", &id), [format!("named {dir}")]);
    }
}

#[test]
fn a_workspace_made_from_a_snapshot_of_any_directory_wakes_from_it_until_it_is_saved() {
    for (dir, then) in [
        (ABOVE, vec!["named /workspace"]),
        (BELOW, vec![ROOT]),
        // Both directories were saved.
        (BESIDE, vec![ROOT, BESIDE]),
    ] {
        for kind in [RestoreKind::Restored, RestoreKind::Branch] {
            let (world, host) = opened(dir);
            let id = snapshot(&host);
            let made = branch(&host, kind, &id);
            let sandbox = made.sandbox_id().as_str();
            now(host.switch(&made)).unwrap();
            assert_eq!(wakes_from(&world, &host, sandbox, &id), [format!("named {dir}")]);
            world.recover("sess");
            assert_eq!(wakes_from(&world, &host, sandbox, &id), then, "{dir}");
        }
    }
}

#[test]
fn what_is_rewound_to_is_what_a_workspace_wakes_from() {
    for (dir, at_once) in [
        (ABOVE, vec!["named /workspace"]),
        (BELOW, vec![ROOT, "named /workspace/proj/sub"]),
        (BESIDE, vec![ROOT, "named /home/data"]),
    ] {
        let (world, host) = opened(dir);
        let id = snapshot(&host);
        pass(&world, &host, 20 * MINUTE_MS);
        read(&host);
        rewind(&host, &to(&id)).unwrap();
        assert_eq!(wakes_from(&world, &host, "sess", &id), at_once, "{dir}");
    }
}

#[test]
fn an_idle_stop_saves_both_directories() {
    for (dir, archives) in [(ABOVE, vec![ABOVE]), (BELOW, vec![ROOT]), (BESIDE, vec![ROOT, BESIDE])]
    {
        let (world, host) = opened(dir);
        pass(&world, &host, 20 * MINUTE_MS);
        assert_eq!(world.disk("sess"), None, "{dir}");
        let none = BackupId::from_random([0; 16]);
        assert_eq!(wakes_from(&world, &host, "sess", &none), archives);
    }
}

#[test]
fn a_live_fork_has_what_is_saved() {
    for (dir, archive) in [(ABOVE, ABOVE), (BELOW, ROOT), (BESIDE, ROOT)] {
        let (world, host) = opened(dir);
        let forks = now(host.live_fork(&LiveForkRequest::default(), &Abort::default())).unwrap();
        let LiveFork::Made { r#ref } = &forks.workspaces[0] else { panic!("{forks:?}") };
        now(host.switch(r#ref)).unwrap();
        let sandbox = r#ref.sandbox_id().as_str();
        let from = [format!("named {archive}")];
        assert_eq!(wakes_from(&world, &host, sandbox, &forks.from_snapshot_id), from);
    }
}

#[test]
fn what_a_workspace_wakes_from_is_kept() {
    for dir in [ABOVE, BELOW, BESIDE] {
        let (world, host) = opened(dir);
        let id = snapshot(&host);
        let made = branch(&host, RestoreKind::Restored, &id);
        world.kill("sess");
        world.kill(made.sandbox_id().as_str());
        assert_eq!(delete(&host, &id, false), Some(ErrorCode::Conflict), "{dir}");
        // Long past its time to live.
        world.clock.advance(30 * 24 * 60 * MINUTE_MS);
        now(host.retain()).unwrap();
        assert!(host.snapshots_in_use().unwrap().contains(&id), "{dir}");
        assert_eq!(wakes_from(&world, &host, "sess", &id), [format!("named {dir}")]);
        world.kill("sess");
        assert_eq!(delete(&host, &id, true), None, "{dir}");
        assert_eq!(wakes_from(&world, &host, "sess", &id), [] as [String; 0], "it begins anew");
    }
}

#[test]
fn a_fresh_start_and_a_reopened_session_forget_it() {
    for dir in [ABOVE, BELOW, BESIDE] {
        let (world, host) = opened(dir);
        let id = snapshot(&host);
        world.kill("sess");
        now(host.start_fresh()).unwrap();
        assert_eq!(wakes_from(&world, &host, "sess", &id), [] as [String; 0]);
        assert!(!host.snapshots_in_use().unwrap().contains(&id), "{dir}");
    }
}

#[test]
fn what_another_session_wakes_from_is_lent_to_it() {
    for dir in [ABOVE, BELOW, BESIDE] {
        let (world, host) = opened(dir);
        let id = snapshot(&host);
        let edit = serde_json::from_value(json!({ "published": true })).unwrap();
        now(host.update_snapshot(&SnapshotSelector::Id(id.clone()), &edit)).unwrap();
        let other = world.other_session();
        let borrower =
            other.open_with("other", json!({ "workspaceDir": ROOT, "snapshotDir": dir }));
        let made = branch(&borrower, RestoreKind::Branch, &id);
        now(borrower.switch(&made)).unwrap();
        world.kill("sess");
        assert_eq!(delete(&host, &id, false), Some(ErrorCode::Conflict), "{dir}");
        let sandbox = made.sandbox_id().as_str();
        assert_eq!(wakes_from(&other, &borrower, sandbox, &id), [format!("named {dir}")]);
        other.recover("other");
        assert!(!wakes_from(&other, &borrower, sandbox, &id).join(" ").contains("named"), "{dir}");
    }
}

#[test]
fn a_claimed_snapshot_of_a_directory_above_gives_all_its_files_back() {
    let (world, host) = opened(ABOVE);
    let id = snapshot(&host);
    let edit = serde_json::from_value(json!({ "published": true })).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(id.clone()), &edit)).unwrap();
    let other = world.other_session();
    let claimer = other.open_with("other", json!({ "workspaceDir": ROOT, "from": id }));
    let first = claimer.describe().unwrap().active.sandbox_id().to_string();
    read(&claimer);
    other.recover("other");
    // The claimed snapshot's files, and over them the later save.
    assert_eq!(wakes_from(&other, &claimer, &first, &id), ["named /workspace", ROOT]);
    world.kill("sess");
    assert_eq!(delete(&host, &id, false), Some(ErrorCode::Conflict), "it is still needed");
}
