//! Layered snapshots: what is read of them is what a full one of the same files has.

use super::promote::promote;
use super::{LONG_AGO, layer_of, project, set_tree, snapshot_of};
use crate::support::faults::Fault;
use crate::support::tree::MemoryTree;
use crate::world::{World, call, call_tool, content, now};
use serde_json::{Value, json};
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::limits::LAYERS_MAX;
use snapshotter::domain::snapshot::backup::{data_key, layer_key};
use snapshotter::domain::snapshot::selector::SnapshotSelector;
use snapshotter::session::{Abort, DownloadFile, Session};

/// The project over time.
fn history() -> Vec<MemoryTree> {
    let mut trees = vec![project()];
    let mut next = |change: &dyn Fn(&mut MemoryTree)| {
        let mut tree = trees.last().unwrap().clone();
        change(&mut tree);
        trees.push(tree);
    };
    next(&|tree| tree.put("src/a.txt", "one\n2\nthree\n", LONG_AGO + 1));
    next(&|tree| {
        tree.0.remove(&b"src/b.txt"[..]);
        tree.make_dir("src/deep");
        tree.put("src/deep/c.txt", "deep\n", LONG_AGO + 2);
        tree.link("link", "src/deep/c.txt");
    });
    // A directory becomes a file, and a file a directory.
    next(&|tree| {
        tree.0.retain(|path, _| !path.starts_with(b"ignored"));
        tree.put("ignored", "no directory", LONG_AGO + 3);
        tree.make_dir("src/a.txt");
        tree.put("src/a.txt/in", "one\n2\nthree\n", LONG_AGO + 3);
    });
    next(&|tree| {
        tree.0.remove(&b"ignored"[..]);
        tree.make_dir("ignored");
        tree.put("ignored/y", "y", LONG_AGO + 4);
        tree.0.get_mut(&b"src"[..]).unwrap().0.mode = 0o700;
    });
    trees
}

/// A session with a snapshot of each tree, all layers on the first, and a full one of the
/// last tree.
fn layered() -> (World, Session, Vec<BackupId>, BackupId) {
    let world = World::new();
    let host = world.open("sess");
    let trees = history();
    let mut ids = vec![snapshot_of(&world, &host, &trees[0])];
    for pair in trees.windows(2) {
        ids.push(layer_of(&world, &host, &pair[1], ids.last().unwrap(), &pair[0]));
    }
    let full = snapshot_of(&world, &host, trees.last().unwrap());
    world.clock.advance(3_600_000);
    (world, host, ids, full)
}

fn between(from: &BackupId, to: &BackupId) -> Value {
    json!({ "from": { "snapshot": from }, "to": { "snapshot": to }, "includeIgnored": true })
}

#[test]
fn every_look_at_a_layer_shows_what_a_full_snapshot_has() {
    let (_world, host, ids, full) = layered();
    let layer = ids.last().unwrap();
    for (tool, input) in [
        ("workspace_ls", json!({ "recursive": true })),
        ("workspace_ls", json!({ "recursive": true, "limit": 3 })),
        ("workspace_ls", json!({ "path": "src" })),
        ("workspace_ls", json!({ "path": "src/a.txt" })),
        ("workspace_read_file", json!({ "path": "link" })),
        ("workspace_read_file", json!({ "path": "src/a.txt/in", "startLine": 2 })),
        ("workspace_read_file", json!({ "path": "src/b.txt" })),
        ("workspace_read_file", json!({ "path": "ignored/x" })),
        ("workspace_read_file", json!({ "path": ".gitignore" })),
        ("workspace_stat", json!({ "path": "." })),
        ("workspace_stat", json!({ "path": "src" })),
        ("workspace_stat", json!({ "path": "link" })),
        ("workspace_stat", json!({ "path": "src/b.txt" })),
        ("workspace_grep", json!({ "pattern": "." })),
        ("workspace_grep", json!({ "pattern": "e", "limit": 1 })),
    ] {
        let look = |id: &BackupId| {
            let mut input = input.clone();
            input["at"] = json!(id);
            let mut seen = call(&host, tool, input)?;
            assert_eq!(seen.as_object_mut().unwrap().remove("snapshotId"), Some(json!(id)));
            Ok::<_, ErrorCode>(seen)
        };
        assert_eq!(look(layer), look(&full), "{tool} {input}");
    }
}

#[test]
fn files_are_copied_and_downloaded_from_the_archives_that_have_them() {
    let (_world, host, ids, full) = layered();
    content(&host);
    let copied = |id: &BackupId| {
        let input = json!({ "ref": id, "paths": ["src", "ignored", ".gitignore", "link"] });
        call(&host, "workspace_copy_from_snapshot", input).unwrap();
        content(&host)
    };
    let layer = ids.last().unwrap();
    let tar = copied(layer);
    assert!(tar.contains("ignored/y") && !tar.contains("ignored/x"));
    assert_eq!(tar, copied(&full));
    let tag = |id: &BackupId, path: &str| {
        let request = DownloadFile {
            r#ref: SnapshotSelector::Id(id.clone()),
            allow_cross_session: false,
            path: path.to_owned(),
            offset: None,
            max_bytes: None,
            suffix_bytes: None,
        };
        let mut download = now(host.download_file(request)).unwrap();
        let bytes = now(download.content.next()).unwrap().unwrap();
        (download.etag, String::from_utf8(bytes).unwrap())
    };
    let (one, text) = tag(layer, "src/deep/c.txt");
    assert_eq!(text, "deep\n");
    let (other, text) = tag(layer, ".gitignore");
    assert_eq!(text, "ignored/\n");
    assert_ne!(one, other);
}

#[test]
fn the_files_of_a_database_are_copied_together() {
    let world = World::new();
    let host = world.open("sess");
    let mut tree = project();
    tree.put("app.db", "SQLite format 3\0x", LONG_AGO);
    tree.put("app.db-wal", "the log", LONG_AGO);
    tree.put("src/b.txt-wal", "no log", LONG_AGO);
    let id = snapshot_of(&world, &host, &tree);
    content(&host);
    for paths in [json!(["app.db"]), json!(["app.db-wal"]), json!(["src/b.txt", "app.db"])] {
        call(&host, "workspace_copy_from_snapshot", json!({ "ref": id, "paths": paths })).unwrap();
        let tar = content(&host);
        assert!(tar.contains("SQLite format 3") && tar.contains("the log"), "{paths}");
        assert_eq!(tar.matches("the log").count(), 1);
        assert!(!tar.contains("no log"));
    }
}

#[test]
fn layers_are_compared_like_full_snapshots() {
    let (world, host, ids, full) = layered();
    let diff = |input: Value| call(&host, "workspace_diff", input).unwrap();
    let layer = ids.last().unwrap();
    let same = diff(between(layer, &full));
    assert_eq!(same["changes"], json!([]));
    for other in [&ids[0], &ids[2]] {
        let (one, same) = (diff(between(other, layer)), diff(between(other, &full)));
        assert!(one["changes"].as_array().unwrap().len() > 4);
        assert_eq!((&one["changes"], &one["counts"]), (&same["changes"], &same["counts"]));
    }
    // A running workspace is compared in its container, with the list of the layers' tree.
    set_tree(&world, "sess", history().pop().unwrap());
    let from = |id: &BackupId| json!({ "from": { "snapshot": id }, "includeIgnored": true });
    assert_eq!(diff(from(layer))["changes"], json!([]));
    assert_eq!(diff(from(&ids[1]))["changes"], diff(between(&ids[1], &full))["changes"]);
    let compared = call(&host, "workspace_branch", json!({ "ref": full })).unwrap();
    let branch = compared["ref"]["ref"]["id"].as_str().unwrap();
    set_tree(&world, branch, history().pop().unwrap());
    let compared = call(&host, "workspace_compare", json!({ "base": layer })).unwrap();
    for row in compared["workspaces"].as_array().unwrap() {
        assert_eq!(row["changes"], json!([]), "{row}");
    }
}

#[test]
fn a_layer_is_promoted_as_the_full_snapshot_of_its_files() {
    let promoted = |is_layer: bool| {
        let (world, host, ids, full) = layered();
        set_tree(&world, "sess", history()[0].clone());
        let theirs = if is_layer { ids.last().unwrap() } else { &full };
        let promoted = promote(&host, theirs, &ids[0], json!({})).unwrap();
        let counts = promoted["counts"].clone();
        let tree = world.trees.borrow().values().next().unwrap().clone();
        (counts, tree)
    };
    assert_eq!(promoted(true), promoted(false));
}

fn ls(host: &Session, id: &BackupId) -> Result<Value, Error> {
    let input = json!({ "at": id, "recursive": true });
    now(call_tool(host, "workspace_ls", input, &Abort::default()))
}

#[test]
fn an_archive_that_is_missing_or_damaged_is_named() {
    type Damage = fn(&mut Vec<u8>);
    let damages: [Damage; 4] = [
        |bytes| bytes.truncate(bytes.len() - 1),
        |bytes| bytes.truncate(9),
        Vec::clear,
        |bytes| bytes.fill(0),
    ];
    for at in 0..history().len() {
        let (world, host, ids, full) = layered();
        let top = ids.last().unwrap();
        let key = if at == 0 { data_key(&ids[0]) } else { layer_key(&ids[at]) };
        for damage in damages {
            let whole = world.bucket.objects.borrow()[&key].clone();
            damage(world.bucket.objects.borrow_mut().get_mut(&key).unwrap());
            let error = ls(&world.host("sess"), top).unwrap_err();
            assert_eq!(error.code, ErrorCode::Integrity, "{error:?}");
            assert!(error.message.contains(ids[at].as_str()), "{error:?}");
            world.bucket.objects.borrow_mut().insert(key.clone(), whole);
        }
        world.bucket.objects.borrow_mut().remove(&key);
        let error = ls(&host, top).unwrap_err();
        assert_eq!(error.code, ErrorCode::SnapshotGone, "{error:?}");
        for id in [top, &ids[at]] {
            assert!(error.message.contains(id.as_str()), "{error:?}");
        }
        // What does not need it is read.
        assert!(at == 0 || ls(&host, &ids[at - 1]).is_ok());
        assert!(ls(&host, &full).is_ok());
    }
}

#[test]
fn a_published_layer_is_read_by_another_session() {
    let (world, host, ids, full) = layered();
    let layer = ids.last().unwrap();
    let other = world.other_session().open("other");
    assert_eq!(ls(&other, layer).unwrap_err().code, ErrorCode::SnapshotNotOwned);
    let edit = serde_json::from_value(json!({ "published": true })).unwrap();
    now(host.update_snapshot(&SnapshotSelector::Id(layer.clone()), &edit)).unwrap();
    assert_eq!(ls(&other, layer).unwrap()["entries"], ls(&host, &full).unwrap()["entries"]);
    // The layers below are not.
    assert_eq!(ls(&other, &ids[1]).unwrap_err().code, ErrorCode::SnapshotNotOwned);
}

/// How often a call reads the bucket.
fn reads(world: &World, host: &Session, id: &BackupId) -> usize {
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    ls(host, id).unwrap();
    let trace = world.faults.trace();
    world.faults.disarm();
    trace.iter().filter(|name| ["readRange", "get", "head"].contains(&name.as_str())).count()
}

#[test]
fn a_small_layer_takes_one_read_and_layers_share_what_was_read_of_their_base() {
    let world = World::new();
    let host = world.open("sess");
    let mut tree = MemoryTree::default();
    for at in 0..2_000 {
        tree.put(&format!("{at:04}"), &"x".repeat(2_000), LONG_AGO);
    }
    let mut ids = vec![snapshot_of(&world, &host, &tree)];
    for at in 0..LAYERS_MAX {
        let mut next = tree.clone();
        next.put(&format!("{at:04}"), "edited", LONG_AGO + 1);
        ids.push(layer_of(&world, &host, &next, ids.last().unwrap(), &tree));
        tree = next;
    }
    world.clock.advance(3_600_000);
    let host = world.host("sess");
    let base = reads(&world, &host, &ids[0]);
    assert!(base <= 2, "{base}");
    for id in &ids[1..] {
        assert_eq!(reads(&world, &host, id), 1, "its own archive");
        assert_eq!(reads(&world, &host, id), 0);
    }
    let all = reads(&world, &world.host("sess"), ids.last().unwrap());
    assert_eq!(all, base + LAYERS_MAX);
}
