//! Differences between snapshots and workspaces.

use super::{LONG_AGO, project, set_tree, snapshot_of};
use crate::support::tree::MemoryTree;
use crate::world::{World, call};
use serde_json::{Value, json};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::limits::TREE_DIFFERENCES_MAX;
use snapshotter::ports::clock::Clock;
use snapshotter::ports::sandbox::EndedProcess;
use snapshotter::session::Session;

fn world_of(tree: &MemoryTree) -> (World, Session, BackupId) {
    let world = World::new();
    let host = world.open("sess");
    let id = snapshot_of(&world, &host, tree);
    world.clock.advance(3_600_000);
    (world, host, id)
}

fn diff(host: &Session, input: Value) -> Value {
    call(host, "workspace_diff", input).unwrap()
}

fn between(from: &BackupId, to: &BackupId, more: Value) -> Value {
    let mut input = json!({ "from": { "snapshot": from }, "to": { "snapshot": to } });
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    input
}

/// Each change and its path.
fn told(diff: &Value) -> Vec<String> {
    let changes = diff["changes"].as_array().unwrap().iter();
    changes
        .map(|change| {
            format!("{} {}", change["change"].as_str().unwrap(), change["path"].as_str().unwrap())
        })
        .collect()
}

/// The project after some work.
fn worked() -> MemoryTree {
    let mut tree = project();
    tree.put("src/a.txt", "one\n2\nthree\n", LONG_AGO + 50);
    tree.0.remove(&b"src/b.txt"[..]);
    tree.put("src/c.txt", "same\n", LONG_AGO + 50);
    tree.put("ignored/x", "22", LONG_AGO + 50);
    tree.put("ignored/y", "3", LONG_AGO + 50);
    tree.put(".git/HEAD", "ref: x", LONG_AGO + 50);
    tree.make_dir(".git");
    tree.link("link", "src/c.txt");
    tree.0.get_mut(&b".gitignore"[..]).unwrap().0.mode = 0o600;
    tree
}

const WORK: [&str; 4] = ["mode .gitignore", "link link", "modified src/a.txt", "renamed src/c.txt"];

fn check_work(found: &Value) {
    assert_eq!(told(found), WORK);
    assert_eq!(found["counts"]["modified"], 2);
    assert_eq!(found["counts"]["renamed"], 1);
    assert_eq!(found["counts"]["access"], 1);
    let text = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    assert_eq!(found["changes"][2]["text"], text);
    assert_eq!(found["changes"][3]["renamedFrom"], json!({ "path": "src/b.txt" }));
    assert_eq!(found["changes"][1]["oldTarget"], "src/a.txt");
    assert_eq!(
        (&found["changes"][0]["oldMode"], &found["changes"][0]["mode"]),
        (&json!("644"), &json!("600"))
    );
    let ignored: Vec<(&str, &Value)> = found["ignored"]
        .as_array()
        .unwrap()
        .iter()
        .map(|place| (place["path"].as_str().unwrap(), &place["counts"]))
        .collect();
    assert_eq!(ignored.len(), 2, "{ignored:?}");
    assert_eq!((ignored[0].0, &ignored[0].1["added"]), (".git", &json!(1)));
    assert_eq!(
        (ignored[1].0, &ignored[1].1["added"], &ignored[1].1["modified"]),
        ("ignored", &json!(1), &json!(1))
    );
}

#[test]
fn two_snapshots_are_compared_in_the_bucket() {
    let (world, host, old) = world_of(&project());
    let new = snapshot_of(&world, &host, &worked());
    world.clock.advance(3_600_000);
    let starts = world.starts.get();
    let found = diff(&host, between(&old, &new, json!({})));
    check_work(&found);
    assert_eq!(found["from"]["snapshotId"], json!(old));
    assert_eq!(told(&diff(&host, between(&old, &old, json!({})))), Vec::<String>::new());
    let back = diff(&host, between(&new, &old, json!({ "output": "list" })));
    assert_eq!(
        told(&back),
        ["mode .gitignore", "link link", "modified src/a.txt", "renamed src/b.txt"]
    );
    assert!(back["changes"][2].get("text").is_none());
    assert_eq!(world.starts.get(), starts, "nothing was started");
}

#[test]
fn a_running_workspace_is_compared_as_it_is() {
    let (world, host, old) = world_of(&project());
    set_tree(&world, "sess", worked());
    let from = json!({ "from": { "snapshot": old } });
    let found = diff(&host, from.clone());
    check_work(&found);
    assert_eq!(found["to"], json!({ "workspaceId": "sess" }));
    // Unchanged, it differs in nothing; nor does what was only touched.
    set_tree(&world, "sess", project());
    assert_eq!(told(&diff(&host, from.clone())), Vec::<String>::new());
    let mut touched = project();
    touched.put("src/a.txt", "one\ntwo\nthree\n", LONG_AGO + 7);
    set_tree(&world, "sess", touched);
    assert_eq!(told(&diff(&host, from.clone())), Vec::<String>::new());
    // Seen from the workspace, the same is the other way round.
    let mut more = project();
    more.put("new", "x", LONG_AGO);
    set_tree(&world, "sess", more);
    let back = json!({ "from": { "workspace": "sess" }, "to": { "snapshot": old } });
    assert_eq!(told(&diff(&host, back)), ["removed new"]);
}

#[test]
fn what_has_the_same_size_and_time_is_compared_by_content_if_it_is_recent_or_asked_for() {
    let now_secs = World::new().clock.now_ms() / 1_000;
    let (mut old, mut new) = (project(), project());
    old.put("recent", "1", now_secs);
    new.put("recent", "2", now_secs);
    old.put("forged", "1", LONG_AGO);
    new.put("forged", "2", LONG_AGO);
    let (world, host, from) = world_of(&old);
    let to = snapshot_of(&world, &host, &new);
    assert_eq!(told(&diff(&host, between(&from, &to, json!({})))), ["modified recent"]);
    let all = between(&from, &to, json!({ "content": true }));
    assert_eq!(told(&diff(&host, all.clone())), ["modified forged", "modified recent"]);
    set_tree(&world, "sess", new);
    let live = |content: bool| json!({ "from": { "snapshot": from }, "content": content });
    assert_eq!(told(&diff(&host, live(false))), ["modified recent"]);
    assert_eq!(told(&diff(&host, live(true))), ["modified forged", "modified recent"]);
}

#[test]
fn very_many_ignored_files_are_counted() {
    let (world, host, from) = world_of(&project());
    let mut tree = project();
    for at in 0..TREE_DIFFERENCES_MAX + 1 {
        tree.put(&format!("ignored/{at}"), "1", LONG_AGO);
    }
    let to = snapshot_of(&world, &host, &tree);
    world.clock.advance(3_600_000);
    set_tree(&world, "sess", tree);
    for input in [between(&from, &to, json!({})), json!({ "from": { "snapshot": from } })] {
        let found = diff(&host, input);
        assert_eq!(found["ignored"][0]["counts"]["added"], TREE_DIFFERENCES_MAX + 1);
        assert_eq!(told(&found), Vec::<String>::new());
    }
}

#[test]
fn a_workspace_that_does_not_run_is_compared_by_its_last_save() {
    let (world, host, old) = world_of(&project());
    world.disks.borrow_mut().clear();
    let starts = world.starts.get();
    let found = diff(&host, json!({ "from": { "snapshot": old } }));
    assert_eq!(told(&found), Vec::<String>::new());
    assert_eq!(found["to"]["snapshotId"], json!(old));
    assert!(found["to"]["savedAt"].is_string());
    assert_eq!(world.starts.get(), starts, "nothing was started");
}

#[test]
fn without_from_it_is_what_has_changed_since_the_last_turn_or_requested_snapshot() {
    let (world, host, first) = world_of(&project());
    set_tree(&world, "sess", worked());
    let found = diff(&host, json!({}));
    check_work(&found);
    assert_eq!(found["from"]["snapshotId"], json!(first));
    world.sql(&format!("UPDATE snapshots SET name = 'works' WHERE id = '{first}'"));
    assert_eq!(diff(&host, json!({}))["from"]["name"], "works");
    // Nobody asked for these: what has changed before them is still shown.
    for trigger in ["auto", "safety"] {
        let later = snapshot_of(&world, &host, &worked());
        world.sql(&format!("UPDATE snapshots SET trigger = '{trigger}' WHERE id = '{later}'"));
        world.clock.advance(3_600_000);
        let found = diff(&host, json!({}));
        assert_eq!(found["from"]["snapshotId"], json!(first), "{trigger}");
        check_work(&found);
    }
    let asked = snapshot_of(&world, &host, &worked());
    world.clock.advance(3_600_000);
    let found = diff(&host, json!({}));
    assert_eq!(told(&found), Vec::<String>::new());
    assert_eq!(found["from"]["snapshotId"], json!(asked));
    // A snapshot is shown against the requested one before it.
    let found = diff(&host, json!({ "to": { "snapshot": asked } }));
    assert_eq!(found["from"]["snapshotId"], json!(first));
    check_work(&found);
    // One that was deleted is passed over.
    world.sql(&format!("UPDATE snapshots SET state = 'deleted' WHERE id = '{asked}'"));
    assert_eq!(diff(&host, json!({}))["from"]["snapshotId"], json!(first));
}

#[test]
fn a_dry_run_of_a_rewind_says_what_would_change_and_end() {
    let (world, host, first) = world_of(&project());
    set_tree(&world, "sess", worked());
    call(&host, "workspace_start", json!({ "name": "web", "command": "npm start" })).unwrap();
    let process = EndedProcess { pid: 7, command: "node server.js".into() };
    world.users.borrow_mut().push(process);
    let (starts, objects) = (world.starts.get(), world.bucket.objects.borrow().len());
    let rewind = |input: Value| call(&host, "workspace_rewind", input);
    let plan = rewind(json!({ "ref": first, "dryRun": true })).unwrap();
    assert_eq!((&plan["dryRun"], plan.get("safetyRef")), (&json!(true), None));
    assert_eq!(plan["fromSnapshotId"], json!(first));
    let paths = &plan["changes"]["paths"];
    assert_eq!(paths[2], json!({ "path": "src/a.txt", "change": "modified" }));
    assert_eq!(plan["changes"]["counts"]["modified"], 2);
    assert_eq!(plan["changes"]["ignored"][1]["path"], "ignored");
    assert_eq!(plan["endedProcesses"], json!([{ "pid": 7, "command": "node server.js" }]));
    assert_eq!(plan["endedBackground"], json!(["web"]));
    assert_eq!(world.bucket.objects.borrow().len(), objects, "nothing is saved");
    assert_eq!((world.starts.get(), world.users.borrow().len()), (starts, 1));
    assert_eq!(rewind(json!({ "ref": "none", "dryRun": true })), Err(ErrorCode::NotFound));
    assert_eq!(rewind(json!({ "ref": "sess", "dryRun": true })), Err(ErrorCode::NotFound));
    let head = json!({ "ref": first, "dryRun": true, "expectedHead": "00000000-0000-4000-8000-000000000000" });
    assert_eq!(rewind(head), Err(ErrorCode::PreconditionFailed));
}

#[test]
fn a_workspace_without_a_snapshot_is_new_as_a_whole() {
    let world = World::new();
    let host = world.open("sess");
    call(&host, "workspace_run", json!({ "command": "true" })).unwrap();
    set_tree(&world, "sess", project());
    let found = diff(&host, json!({}));
    assert_eq!(
        told(&found),
        ["added .gitignore", "added link", "added src", "added src/a.txt", "added src/b.txt"]
    );
    assert_eq!(found["from"], json!({}));
    assert_eq!(found["changes"][3]["text"], "@@ -0,0 +1,3 @@\n+one\n+two\n+three\n");
}

#[test]
fn a_patch_is_what_git_takes() {
    let (world, host, old) = world_of(&project());
    let mut new = worked();
    new.put("bin", "a\0b", LONG_AGO);
    let new = snapshot_of(&world, &host, &new);
    let patch = diff(&host, between(&old, &new, json!({ "output": "patch" })));
    let text = patch["patch"].as_str().unwrap();
    for part in
        ["diff --git a/src/a.txt b/src/a.txt\n", "GIT binary patch", "rename from src/b.txt"]
    {
        assert!(text.contains(part), "{text} should have {part}");
    }
    assert_eq!(patch["truncated"], false);
    let little = diff(&host, between(&old, &new, json!({ "output": "patch", "maxBytes": 300 })));
    assert_eq!(little["truncated"], true);
    assert!(little["patch"].as_str().unwrap().len() <= 300);
}

#[test]
fn paths_globs_pages_and_ignored_files_can_be_chosen() {
    let (world, host, old) = world_of(&project());
    let new = snapshot_of(&world, &host, &worked());
    let told = |more: Value| told(&diff(&host, between(&old, &new, more)));
    assert_eq!(told(json!({ "path": "src" })), ["modified src/a.txt", "renamed src/c.txt"]);
    assert_eq!(told(json!({ "path": "./src/a.txt" })), ["modified src/a.txt"]);
    assert_eq!(told(json!({ "glob": "*.txt" })), ["modified src/a.txt", "renamed src/c.txt"]);
    let all = told(json!({ "includeIgnored": true }));
    assert_eq!(all.len(), WORK.len() + 4, "{all:?}");
    let first = diff(&host, between(&old, &new, json!({ "limit": 3 })));
    assert_eq!((first["changes"].as_array().unwrap().len(), &first["nextOffset"]), (3, &json!(3)));
    assert_eq!(told(json!({ "offset": 3 })), ["renamed src/c.txt"]);
    assert_eq!(told(json!({ "offset": 99 })), Vec::<String>::new());
    for bad in [
        json!({ "path": "/etc" }),
        json!({ "path": "a/../.." }),
        json!({ "glob": "{a" }),
        json!({ "context": 101 }),
        json!({ "maxBytes": 0 }),
        json!({ "limit": 0 }),
        json!({ "limit": 100_000 }),
        json!({ "output": "html" }),
        json!({ "from": { "file": "x" } }),
    ] {
        let refused = call(&host, "workspace_diff", between(&old, &new, bad.clone()));
        assert_eq!(refused, Err(ErrorCode::InvalidArgument), "{bad}");
    }
}

#[test]
fn two_running_workspaces_are_compared_by_what_each_changed() {
    let (world, host, old) = world_of(&project());
    let other = call(&host, "workspace_branch", json!({ "ref": old })).unwrap();
    let other = other["ref"]["ref"]["id"].as_str().unwrap().to_owned();
    let (mut mine, mut theirs) = (project(), project());
    mine.put("src/a.txt", "mine\n", LONG_AGO + 9);
    theirs.put("src/a.txt", "them\n", LONG_AGO + 9);
    mine.put("both", "x", LONG_AGO + 9);
    theirs.put("both", "x", LONG_AGO + 9);
    theirs.put("only", "x", LONG_AGO + 9);
    set_tree(&world, "sess", mine);
    set_tree(&world, &other, theirs);
    let input = json!({ "from": { "workspace": "sess" }, "to": { "workspace": other } });
    assert_eq!(told(&diff(&host, input)), ["added only", "modified src/a.txt"]);
}

#[test]
fn what_is_not_the_sessions_is_refused() {
    let (world, host, old) = world_of(&project());
    let theirs = "9f6f7d64-5a02-4b5c-9d3e-0123456789ab";
    set_tree(&world, "sess", project());
    let diff = |input: Value| call(&host, "workspace_diff", input).unwrap_err();
    assert_eq!(diff(json!({ "from": { "snapshot": theirs } })), ErrorCode::SnapshotNotOwned);
    assert_eq!(diff(json!({ "to": { "workspace": "other" } })), ErrorCode::WorkspaceNotOwned);
    let crossing = json!({ "from": { "snapshot": theirs }, "allowCrossSession": true });
    assert_eq!(diff(crossing), ErrorCode::CrossSessionDisabled);
    call(&host, "workspace_delete_snapshot", json!({ "ref": old })).unwrap();
    assert_eq!(diff(json!({ "from": { "snapshot": old } })), ErrorCode::SnapshotGone);
}
