//! Trees compared: archives written by hand, and workspaces whose trees are in memory.

mod compare;
mod cost;
mod diff;
mod hidden;
mod layers;
mod promote;

use crate::support::tree::MemoryTree;
use crate::world::{World, snapshot};
use sha2::{Digest, Sha256};
use snapshotter::domain::ids::{BackupId, SandboxId};
use snapshotter::domain::snapshot::backup::{
    SnapshotKind, archive_key, data_key, layer_key, meta_key,
};
use snapshotter::domain::snapshot::chain::{Chain, Part};
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::session::Session;

/// Seconds well before any snapshot, so that times are trusted.
pub const LONG_AGO: i64 = 1_000;

/// Takes a snapshot whose archive holds this tree.
pub fn snapshot_of(world: &World, host: &Session, tree: &MemoryTree) -> BackupId {
    let id = snapshot(host);
    put_archive(world, &id, tree);
    id
}

/// Gives a snapshot an archive that holds this tree.
pub fn put_archive(world: &World, id: &BackupId, tree: &MemoryTree) {
    let archive = tree.archive();
    let (size, sum) = (archive.len(), sum(&archive));
    world.sql(&format!(
        "UPDATE snapshots SET size_bytes = {size}, sha256 = '{sum}', chain = NULL WHERE id = '{id}'"
    ));
    let mut objects = world.bucket.objects.borrow_mut();
    let mut meta = BackupMeta::parse(id, &objects[&meta_key(id)]).unwrap();
    meta.size_bytes = size as u64;
    let ours = meta.snapshotter.as_mut().unwrap();
    (ours.kind, ours.chain, ours.sha256) = (SnapshotKind::Full, Chain::NONE, sum);
    objects.insert(meta_key(id), meta.to_bytes().unwrap());
    objects.remove(&layer_key(id));
    objects.insert(data_key(id), archive);
}

fn sum(archive: &[u8]) -> String {
    Sha256::digest(archive).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Takes a snapshot whose archive is a layer on another one's: `tree` on `base_tree`.
pub fn layer_of(
    world: &World,
    host: &Session,
    tree: &MemoryTree,
    base: &BackupId,
    base_tree: &MemoryTree,
) -> BackupId {
    let id = snapshot(host);
    let archive = tree.layer_on(base_tree);
    let chain = chain_on(world, base);
    let (size_bytes, sum) = (archive.len() as u64, sum(&archive));
    let column = serde_json::to_string(&chain).unwrap();
    world.sql(&format!(
        "UPDATE snapshots SET size_bytes = {size_bytes}, sha256 = '{sum}', chain = '{column}' WHERE id = '{id}'"
    ));
    let mut objects = world.bucket.objects.borrow_mut();
    let mut meta = BackupMeta::parse(&id, &objects[&meta_key(&id)]).unwrap();
    meta.size_bytes = size_bytes;
    let ours = meta.snapshotter.as_mut().unwrap();
    (ours.kind, ours.chain, ours.sha256) = (SnapshotKind::Layer, chain, sum);
    objects.insert(meta_key(&id), meta.to_bytes().unwrap());
    objects.remove(&data_key(&id));
    objects.insert(layer_key(&id), archive);
    id
}

/// The chain of a layer on this snapshot.
fn chain_on(world: &World, base: &BackupId) -> Chain {
    let objects = world.bucket.objects.borrow();
    let meta = BackupMeta::parse(base, &objects[&meta_key(base)]).unwrap();
    let archive = &objects[&archive_key(base, meta.kind())];
    let sha256 = meta.snapshotter.as_ref().unwrap().sha256.clone();
    meta.chain().with(Part { id: base.clone(), size_bytes: archive.len() as u64, sha256 })
}

/// What a workspace has now.
pub fn set_tree(world: &World, workspace: &str, tree: MemoryTree) {
    world.trees.borrow_mut().insert(SandboxId::parse(workspace).unwrap(), tree);
}

/// Has the container know which files have changed since the workspace's last save.
pub fn set_touched<const N: usize>(world: &World, workspace: &str, paths: [&str; N]) {
    let paths = paths.map(|path| path.as_bytes().to_vec()).into_iter().collect();
    world.touched.borrow_mut().insert(SandboxId::parse(workspace).unwrap(), paths);
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
