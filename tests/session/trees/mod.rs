//! Trees compared: archives written by hand, and workspaces whose trees are in memory.

mod compare;
mod cost;
mod diff;
mod promote;

use crate::support::tree::MemoryTree;
use crate::world::{World, snapshot};
use snapshotter::domain::ids::{BackupId, SandboxId};
use snapshotter::domain::snapshot::backup::data_key;
use snapshotter::session::Session;

/// Seconds well before any snapshot, so that times are trusted.
pub const LONG_AGO: i64 = 1_000;

/// Takes a snapshot whose archive holds this tree.
pub fn snapshot_of(world: &World, host: &Session, tree: &MemoryTree) -> BackupId {
    let id = snapshot(host);
    let archive = tree.archive();
    let size = archive.len();
    world.sql(&format!("UPDATE snapshots SET size_bytes = {size} WHERE id = '{id}'"));
    world.bucket.objects.borrow_mut().insert(data_key(&id), archive);
    id
}

/// What a workspace has now.
pub fn set_tree(world: &World, workspace: &str, tree: MemoryTree) {
    world.trees.borrow_mut().insert(SandboxId::parse(workspace).unwrap(), tree);
}

/// A small project.
pub fn project() -> MemoryTree {
    let mut tree = MemoryTree::default();
    tree.put(".gitignore", "ignored/\n", LONG_AGO);
    tree.make_dir("src");
    tree.put("src/a.txt", "one\ntwo\nthree\n", LONG_AGO);
    tree.put("src/b.txt", "same\n", LONG_AGO);
    tree.make_dir("ignored");
    tree.put("ignored/x", "1", LONG_AGO);
    tree.link("link", "src/a.txt");
    tree
}
