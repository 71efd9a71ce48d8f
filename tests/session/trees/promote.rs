//! Changes of one workspace brought into another.

use super::{LONG_AGO, project, set_tree, snapshot_of};
use crate::support::faults::Fault;
use crate::support::tree::MemoryTree;
use crate::workspaces::rewind::kinds;
use crate::world::{World, call, call_tool, now};
use futures::FutureExt;
use serde_json::{Value, json};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::{BackupId, SandboxId};
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{Abort, PromoteRequest, Session, TreeSelector};

/// A session with a project, and the snapshot that both sides came from.
fn begun() -> (World, Session, BackupId) {
    let world = World::new();
    let host = world.open("sess");
    let base = snapshot_of(&world, &host, &project());
    world.clock.advance(3_600_000);
    set_tree(&world, "sess", project());
    (world, host, base)
}

/// A snapshot of the active workspace that has this tree.
fn theirs_of(world: &World, host: &Session, tree: &MemoryTree) -> BackupId {
    let id = snapshot_of(world, host, tree);
    world.clock.advance(3_600_000);
    id
}

/// Their work, beside [`project`].
fn their_work() -> MemoryTree {
    let mut tree = project();
    tree.put("src/a.txt", "one\ntwo\n3\n", LONG_AGO + 5);
    tree.0.remove(&b"src/b.txt"[..]);
    tree.make_dir("new");
    tree.put("new/c.txt", "their file\n", LONG_AGO + 5);
    tree.link("link", "new/c.txt");
    tree
}

fn request(from: &BackupId, base: &BackupId, more: Value) -> PromoteRequest {
    let field = |name: &str| more.get(name).cloned().unwrap_or(Value::Null);
    let selector = |id: &BackupId| SnapshotSelector::Id(id.clone());
    PromoteRequest {
        from: TreeSelector::Snapshot(selector(from)),
        mode: serde_json::from_value(field("mode")).unwrap_or_default(),
        on_conflict: serde_json::from_value(field("onConflict")).unwrap(),
        base: Some(selector(base)),
        include_ignored: serde_json::from_value(field("includeIgnored")).unwrap_or_default(),
        discard_others: false,
        allow_cross_session: false,
        expected_active: None,
        dry_run: serde_json::from_value(field("dryRun")).unwrap_or_default(),
    }
}

pub fn promote(
    host: &Session,
    from: &BackupId,
    base: &BackupId,
    more: Value,
) -> Result<Value, Value> {
    let promoted = now(host.promote(&request(from, base, more), &Abort::default()));
    match promoted {
        Ok(promoted) => Ok(serde_json::to_value(promoted).unwrap()),
        Err(error) => Err(serde_json::to_value(error.to_wire().error).unwrap()),
    }
}

fn tree(world: &World) -> MemoryTree {
    world.trees.borrow()[&SandboxId::parse("sess").unwrap()].clone()
}

fn content(world: &World, path: &str) -> Option<String> {
    let tree = tree(world);
    tree.0.get(path.as_bytes()).map(|(_, content)| String::from_utf8(content.clone()).unwrap())
}

#[test]
fn what_only_they_changed_comes_over_and_the_rest_stays() {
    let (world, host, base) = begun();
    let theirs = theirs_of(&world, &host, &their_work());
    let mut ours = project();
    ours.put("src/a.txt", "1\ntwo\nthree\n", LONG_AGO + 9);
    ours.put("mine.txt", "mine\n", LONG_AGO + 9);
    set_tree(&world, "sess", ours);
    let done = promote(&host, &theirs, &base, json!({})).unwrap();
    assert_eq!(done["changed"], true);
    assert_eq!(done["baseSnapshotId"], json!(base));
    assert_eq!(
        done["counts"],
        json!({ "added": 2, "removed": 1, "modified": 2, "renamed": 0, "access": 0 })
    );
    assert_eq!(done["mergedFiles"], 1);
    assert_eq!(content(&world, "src/a.txt").unwrap(), "1\ntwo\n3\n");
    assert_eq!(content(&world, "src/b.txt"), None);
    assert_eq!(content(&world, "new/c.txt").unwrap(), "their file\n");
    assert_eq!(content(&world, "mine.txt").unwrap(), "mine\n");
    let safety = &done["safetyRef"]["ref"]["backup"]["id"];
    let kept = call(&host, "workspace_get_snapshot", json!({ "ref": safety })).unwrap();
    assert!(kept.to_string().contains(r#""trigger":"safety""#), "{kept}");
    // Once more changes nothing.
    let again = promote(&host, &theirs, &base, json!({})).unwrap();
    assert_eq!((&again["changed"], again.get("safetyRef")), (&json!(false), None));
}

#[test]
fn what_is_ignored_is_left_out_unless_asked_for() {
    let (world, host, base) = begun();
    let mut work = their_work();
    work.make_dir("src/__pycache__");
    work.put("src/__pycache__/a.pyc", "compiled", LONG_AGO);
    work.put("ignored/built", "built", LONG_AGO);
    let theirs = theirs_of(&world, &host, &work);
    set_tree(&world, "sess", project());
    let done = promote(&host, &theirs, &base, json!({})).unwrap();
    assert_eq!(
        (content(&world, "src/__pycache__/a.pyc"), content(&world, "ignored/built")),
        (None, None)
    );
    assert_eq!(content(&world, "new/c.txt").unwrap(), "their file\n");
    let places: Vec<&str> = done["leftOut"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["path"].as_str().unwrap())
        .collect();
    assert_eq!(places, ["ignored", "src/__pycache__"]);
    let done = promote(&host, &theirs, &base, json!({ "includeIgnored": true })).unwrap();
    assert_eq!(done.get("leftOut"), None);
    assert_eq!(content(&world, "src/__pycache__/a.pyc").unwrap(), "compiled");
    assert_eq!(content(&world, "ignored/built").unwrap(), "built");
}

#[test]
fn a_dry_run_shows_what_would_come_over_and_changes_nothing() {
    let (world, host, base) = begun();
    let theirs = theirs_of(&world, &host, &their_work());
    let mut ours = project();
    ours.put("src/a.txt", "1\ntwo\nthree\n", LONG_AGO + 9);
    set_tree(&world, "sess", ours.clone());
    let objects = world.bucket.objects.borrow().len();
    let dry = promote(&host, &theirs, &base, json!({ "dryRun": true })).unwrap();
    assert_eq!((&dry["dryRun"], &dry["changed"]), (&json!(true), &json!(true)));
    assert_eq!((dry.get("safetyRef"), dry.get("conflicts")), (None, None));
    let told: Vec<(&str, &str)> = dry["changes"]["paths"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["change"].as_str().unwrap(), one["path"].as_str().unwrap()))
        .collect();
    assert_eq!(world.bucket.objects.borrow().len(), objects, "nothing is saved");
    assert_eq!(tree(&world), ours);
    let done = promote(&host, &theirs, &base, json!({})).unwrap();
    assert_eq!((&done["counts"], done.get("changes")), (&dry["counts"], None));
    assert!(told.contains(&("removed", "src/b.txt")) && told.contains(&("added", "new/c.txt")));
    assert!(told.contains(&("modified", "src/a.txt")), "{told:?}");
    // What would be refused is answered.
    let mut ours = project();
    ours.put("src/a.txt", "one\ntwo\nIII\n", LONG_AGO + 9);
    set_tree(&world, "sess", ours.clone());
    let dry = promote(&host, &theirs, &base, json!({ "dryRun": true })).unwrap();
    assert_eq!(
        (&dry["changed"], &dry["conflicts"][0]["path"]),
        (&json!(false), &json!("src/a.txt"))
    );
    assert_eq!(tree(&world), ours);
    let replaced =
        promote(&host, &theirs, &base, json!({ "dryRun": true, "mode": "replace" })).unwrap();
    assert_eq!((&replaced["dryRun"], &replaced["changed"]), (&json!(true), &json!(true)));
    assert_eq!(tree(&world), ours);
}

#[test]
fn a_conflict_changes_nothing_and_shows_both_sides() {
    let (world, host, base) = begun();
    let mut theirs = their_work();
    theirs.put("both", "theirs\n", LONG_AGO);
    let theirs = theirs_of(&world, &host, &theirs);
    let mut ours = project();
    ours.put("src/a.txt", "one\ntwo\nIII\n", LONG_AGO + 9);
    ours.put("src/b.txt", "changed\n", LONG_AGO + 9);
    ours.put("both", "ours\n", LONG_AGO);
    set_tree(&world, "sess", ours.clone());
    let snapshots = world.bucket.objects.borrow().len();
    let refused = promote(&host, &theirs, &base, json!({})).unwrap_err();
    assert_eq!(refused["code"], "CONFLICT");
    let conflicts = refused["details"]["conflicts"].as_array().unwrap();
    let told: Vec<(&str, &str)> = conflicts
        .iter()
        .map(|one| (one["path"].as_str().unwrap(), one["conflict"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [("both", "content"), ("src/a.txt", "content"), ("src/b.txt", "removedByThem")]
    );
    assert_eq!(conflicts[1]["lines"][0], json!({ "line": 3, "ours": "III\n", "theirs": "3\n" }));
    assert_eq!(
        (&conflicts[2]["ours"], &conflicts[2]["theirs"]),
        (&json!("modified"), &json!("removed"))
    );
    assert_eq!(tree(&world), ours, "nothing was changed");
    assert_eq!(world.bucket.objects.borrow().len(), snapshots, "nothing was saved");
}

#[test]
fn a_policy_decides_conflicts() {
    let prepare = || {
        let (world, host, base) = begun();
        let theirs = theirs_of(&world, &host, &their_work());
        let mut ours = project();
        ours.put("src/a.txt", "one\ntwo\nIII\n", LONG_AGO + 9);
        ours.put("src/b.txt", "changed\n", LONG_AGO + 9);
        set_tree(&world, "sess", ours);
        (world, host, base, theirs)
    };
    let by = |policy: &str| {
        let (world, host, base, theirs) = prepare();
        let done = promote(&host, &theirs, &base, json!({ "onConflict": policy })).unwrap();
        assert_eq!(done["decidedConflicts"].as_array().unwrap().len(), 2, "{policy}");
        assert_eq!(content(&world, "new/c.txt").unwrap(), "their file\n", "{policy}");
        (content(&world, "src/a.txt").unwrap(), content(&world, "src/b.txt"))
    };
    assert_eq!(by("ours"), ("one\ntwo\nIII\n".to_owned(), Some("changed\n".to_owned())));
    assert_eq!(by("theirs"), ("one\ntwo\n3\n".to_owned(), None));
    let (marked, kept) = by("markers");
    assert_eq!(marked, "one\ntwo\n<<<<<<< sess\nIII\n=======\n3\n>>>>>>> snapshot\n");
    assert_eq!(kept.as_deref(), Some("changed\n"));
}

#[test]
fn replace_gives_exactly_their_files() {
    let (world, host, base) = begun();
    let done = promote(&host, &base, &base, json!({ "mode": "replace" })).unwrap();
    assert_eq!(done["fromSnapshotId"], json!(base));
    assert!(done["safetyRef"].is_object());
    assert_eq!(world.restored.borrow().last().unwrap().0, base);
}

#[test]
fn another_workspace_is_saved_first_and_the_other_branches_are_destroyed() {
    let (world, host, base) = begun();
    let branch = |_: usize| {
        let made = call(&host, "workspace_fork", json!({})).unwrap();
        made["workspaces"][0]["ref"]["ref"]["id"].as_str().unwrap().to_owned()
    };
    let others: Vec<String> = (0..2).map(branch).collect();
    set_tree(&world, &others[0], their_work());
    let refused = |input: Value| {
        now(call_tool(&host, "workspace_promote", input, &Abort::default())).unwrap_err().code
    };
    assert_eq!(refused(json!({ "from": { "workspace": "sess" } })), ErrorCode::InvalidArgument);
    assert_eq!(
        refused(json!({ "from": { "workspace": "foreign" } })),
        ErrorCode::WorkspaceNotOwned
    );
    let before = host.list_workspaces();
    assert_eq!(now(before).unwrap().workspaces.len(), 3);
    // The archive that a fake sandbox makes is no tree, so only the replacement is played.
    let input =
        json!({ "from": { "workspace": others[0] }, "mode": "replace", "discardOthers": true });
    let done = call(&host, "workspace_promote", input).unwrap();
    assert_ne!(done["fromSnapshotId"], json!(base));
    assert_eq!(done["discarded"].as_array().unwrap().len(), 2);
    assert_eq!(now(host.list_workspaces()).unwrap().workspaces.len(), 1);
}

/// Whatever breaks, the files are those before or those after, and the events tell which.
#[test]
fn a_promotion_that_breaks_off_is_done_or_undone() {
    let mut broken = 0;
    for fault in Fault::ALL {
        for nth in 0..40 {
            let (world, host, base) = begun();
            let theirs = theirs_of(&world, &host, &their_work());
            let before = tree(&world);
            world.faults.arm(nth, fault);
            let request = request(&theirs, &base, json!({}));
            let answer = host.promote(&request, &Abort::default()).now_or_never();
            let at = format!("{fault:?} at {nth}, {:?}", world.faults.trace().last());
            if !world.faults.disarm() {
                break;
            }
            broken += 1;
            drop(host);
            world.recover("sess");
            let host = world.host("sess");
            let told = kinds(&host);
            let is_told = told.contains(&"workspace.promoted".to_owned());
            let is_rewound = told.contains(&"workspace.rewound".to_owned());
            let is_written = tree(&world) != before;
            assert_eq!(is_told, is_written && !is_rewound, "{at}: {told:?}");
            if let Some(Ok(promoted)) = answer {
                assert!(promoted.changed && is_told, "{at}: the call succeeded");
            }
        }
    }
    assert!(broken > 20, "{broken} breaks");
}
