//! How often the bucket is read to look into large snapshots and to compare them.

use super::{LONG_AGO, snapshot_of};
use crate::support::faults::Fault;
use crate::support::tree::MemoryTree;
use crate::world::{World, call};
use serde_json::{Value, json};
use snapshotter::domain::ids::BackupId;
use snapshotter::session::Session;

/// Reads of the bucket in one call.
const MAX_READS: usize = 9;

/// A tree of `count` files of `size_bytes` in directories of a hundred. If `is_edited`,
/// one file in each has one byte more.
fn tree(count: usize, size_bytes: usize, is_edited: bool) -> MemoryTree {
    let content = "x".repeat(size_bytes);
    let edited = "x".repeat(size_bytes + 1);
    let mut tree = MemoryTree::default();
    for at in 0..count {
        let dir = format!("{:03}", at / 100);
        tree.make_dir(&dir);
        let (content, secs) = if is_edited && at % 100 == 50 {
            (&edited, LONG_AGO + 50)
        } else {
            (&content, LONG_AGO)
        };
        tree.put(&format!("{dir}/{:02}", at % 100), content, secs);
    }
    tree
}

/// The answer of a call whose isolate has read nothing before, and how often it reads
/// the bucket.
fn reads(world: &World, look: impl FnOnce(&Session) -> Value) -> (Value, usize) {
    let host = world.host("sess");
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    let answer = look(&host);
    let trace = world.faults.trace();
    world.faults.disarm();
    let reads = trace.iter().filter(|name| ["readRange", "get", "head"].contains(&name.as_str()));
    (answer, reads.count())
}

/// Two snapshots. The second one has one of a hundred files changed.
fn edited(count: usize, size_bytes: usize) -> (World, BackupId, BackupId) {
    let world = World::new();
    let host = world.open("sess");
    let old = snapshot_of(&world, &host, &tree(count, size_bytes, false));
    let new = snapshot_of(&world, &host, &tree(count, size_bytes, true));
    world.clock.advance(3_600_000);
    (world, old, new)
}

#[test]
fn looks_into_50_mb_or_25_000_files_read_the_bucket_less_than_10_times() {
    for (count, size_bytes) in [(1_000, 50_000), (25_000, 200)] {
        let (world, old, new) = edited(count, size_bytes);
        let of = |mut input: Value| {
            input["at"] = json!(new);
            input
        };
        let (listed, ls) =
            reads(&world, |host| call(host, "workspace_ls", of(json!({ "path": "007" }))).unwrap());
        assert_eq!(listed["entries"].as_array().unwrap().len(), 100);
        let (file, read) = reads(&world, |host| {
            call(host, "workspace_read_file", of(json!({ "path": "007/50" }))).unwrap()
        });
        assert_eq!(file["sizeBytes"], size_bytes + 1);
        let (found, diff) = reads(&world, |host| {
            let sides =
                json!({ "from": { "snapshot": old }, "to": { "snapshot": new }, "output": "list" });
            call(host, "workspace_diff", sides).unwrap()
        });
        assert_eq!(found["counts"]["modified"], count / 100);
        for (what, reads) in [("ls", ls), ("read", read), ("diff", diff)] {
            assert!((1..=MAX_READS).contains(&reads), "{what} of {count} files: {reads} reads");
        }
    }
}

#[test]
fn all_contents_of_a_large_tree_are_compared() {
    let (world, old, new) = edited(25_000, 200);
    let host = world.host("sess");
    let diff = |part: Value| {
        let mut input =
            json!({ "from": { "snapshot": old }, "to": { "snapshot": new }, "content": true });
        input.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
        call(&host, "workspace_diff", input)
    };
    assert_eq!(diff(json!({})).unwrap()["counts"]["modified"], 250);
    assert_eq!(diff(json!({ "path": "007" })).unwrap()["counts"]["modified"], 1);
    assert_eq!(diff(json!({ "glob": "0*/50" })).unwrap()["counts"]["modified"], 100);
}
