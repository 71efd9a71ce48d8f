//! Changes that keep a file's size and time, as `tar`, `rsync`, `cp -p` and `touch -r` make
//! them.

use super::promote::promote;
use super::{LONG_AGO, layer_of, project, set_touched, set_tree, snapshot_of};
use crate::support::tree::MemoryTree;
use crate::world::{World, call};
use serde_json::{Value, json};
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::limits::TREE_DIFFERENCES_MAX;
use snapshotter::ports::clock::Clock;
use snapshotter::session::Session;

fn begun(tree: &MemoryTree) -> (World, Session, BackupId) {
    let world = World::new();
    let host = world.open("sess");
    let base = snapshot_of(&world, &host, tree);
    world.clock.advance(3_600_000);
    (world, host, base)
}

/// The project with the content of a file exchanged for one of equal length.
fn with(path: &str, content: &str) -> MemoryTree {
    let mut tree = project();
    let old = tree.0[path.as_bytes()].1.len();
    assert_eq!(old, content.len());
    tree.put(path, content, LONG_AGO);
    tree
}

fn modified(host: &Session, from: &BackupId, more: Value) -> Vec<String> {
    let mut input = json!({ "from": { "snapshot": from }, "output": "list" });
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let found = call(host, "workspace_diff", input).unwrap();
    let changes = found["changes"].as_array().unwrap().iter();
    changes.map(|change| change["path"].as_str().unwrap().to_owned()).collect()
}

fn active(world: &World, path: &str) -> String {
    let trees = world.trees.borrow();
    String::from_utf8(trees.values().next().unwrap().0[path.as_bytes()].1.clone()).unwrap()
}

#[test]
fn a_container_that_knows_what_changed_tells_of_it() {
    let (world, host, base) = begun(&project());
    set_tree(&world, "sess", with("src/b.txt", "SAME\n"));
    assert!(modified(&host, &base, json!({})).is_empty(), "nothing tells of it");
    set_touched(&world, "sess", ["src/b.txt", "src/a.txt"]);
    assert_eq!(modified(&host, &base, json!({})), ["src/b.txt"]);
    // What later saves hold counts too, and so do their base's files.
    let saved = layer_of(&world, &host, &with("src/a.txt", "ONE\ntwo\nthree\n"), &base, &project());
    let mut both = with("src/a.txt", "ONE\ntwo\nthree\n");
    both.put("src/b.txt", "SAME\n", LONG_AGO);
    set_tree(&world, "sess", both);
    set_touched(&world, "sess", ["src/b.txt"]);
    assert_eq!(modified(&host, &base, json!({})), ["src/a.txt", "src/b.txt"]);
    assert_eq!(modified(&host, &saved, json!({})), ["src/b.txt"]);
}

#[test]
fn a_layer_tells_what_changed_and_so_does_content() {
    let (world, host, base) = begun(&project());
    let changed = with("src/b.txt", "SAME\n");
    let layer = layer_of(&world, &host, &changed, &base, &project());
    let full = snapshot_of(&world, &host, &changed);
    world.clock.advance(3_600_000);
    assert_eq!(modified(&host, &base, json!({ "to": { "snapshot": layer } })), ["src/b.txt"]);
    assert!(modified(&host, &base, json!({ "to": { "snapshot": full } })).is_empty());
    let all = json!({ "to": { "snapshot": full }, "content": true });
    assert_eq!(modified(&host, &base, all), ["src/b.txt"]);
}

#[test]
fn a_promotion_brings_hidden_changes_over_and_overwrites_none() {
    for is_layer in [true, false] {
        let (world, host, base) = begun(&project());
        let changed = with("src/b.txt", "SAME\n");
        let theirs = match is_layer {
            true => layer_of(&world, &host, &changed, &base, &project()),
            false => snapshot_of(&world, &host, &changed),
        };
        world.clock.advance(3_600_000);
        set_tree(&world, "sess", project());
        let done = promote(&host, &theirs, &base, json!({})).unwrap();
        assert_eq!(
            (&done["changed"], active(&world, "src/b.txt")),
            (&json!(true), "SAME\n".into())
        );
    }
    // Whether or not the container knows that ours has changed.
    for touched in [None, Some(["src/b.txt"])] {
        let (world, host, base) = begun(&project());
        let mut changed = project();
        changed.put("src/b.txt", "their file\n", LONG_AGO + 9);
        let theirs = layer_of(&world, &host, &changed, &base, &project());
        world.clock.advance(3_600_000);
        set_tree(&world, "sess", with("src/b.txt", "OURS\n"));
        if let Some(touched) = touched {
            set_touched(&world, "sess", touched);
        }
        let refused = promote(&host, &theirs, &base, json!({})).unwrap_err();
        assert_eq!(refused["details"]["conflicts"][0]["conflict"], "content", "{refused}");
        assert_eq!(active(&world, "src/b.txt"), "OURS\n");
    }
}

/// An install right before the snapshot, and then four edits.
#[test]
fn many_files_that_changed_right_before_a_snapshot_are_no_differences() {
    let now_secs = World::new().clock.now_ms() / 1_000;
    let mut tree = MemoryTree::default();
    for at in 0..TREE_DIFFERENCES_MAX + 100 {
        let dir = format!("{:03}", at / 100);
        tree.make_dir(&dir);
        tree.put(&format!("{dir}/{:02}", at % 100), "x", now_secs);
    }
    let (world, host, base) = begun(&tree);
    let edited = ["000/00", "000/01", "100/99", "200/99"];
    for path in edited {
        tree.put(path, "y", now_secs);
    }
    let full = snapshot_of(&world, &host, &tree);
    world.clock.advance(3_600_000);
    assert_eq!(modified(&host, &base, json!({ "to": { "snapshot": full } })), edited);
    set_tree(&world, "sess", tree);
    assert_eq!(modified(&host, &base, json!({})), edited, "their contents tell");
    set_touched(&world, "sess", edited);
    assert_eq!(modified(&host, &base, json!({})), edited);
}
