//! Layers: backups of what changed, and the restores that put them together.

use crate::support::container::hex;
use crate::world::{DIR, World, handle, id, now, options};
use snapshotter::domain::error::{Error, ErrorCode, Outcome};
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::backup::{SnapshotKind, archive_key, data_key, layer_key};
use snapshotter::domain::snapshot::chain::{Chain, Part};
use snapshotter::ports::sandbox::*;
use snapshotter::sandbox::SandboxService;

pub const FULL: &[u8] = b"all files, at first and for long";

fn part(n: u8, content: &[u8]) -> Part {
    Part { id: id(n), size_bytes: content.len() as u64, sha256: hex(content) }
}

fn layer_options(id: &BackupId, base: &Chain) -> CreateBackupOptions {
    CreateBackupOptions { base: base.clone(), ..options(id) }
}

pub fn restore(sandbox: &SandboxService, n: u8) -> Result<RestoreBackupResult, Error> {
    now(sandbox.restore_backup(handle(&id(n)), RestoreBackupOptions::default()))
}

/// A full backup 1, a layer 2 on it, and a layer 3 on that, with these contents of the
/// directory. Returns what a layer on them names.
pub fn chain_of(world: &World, contents: [&[u8]; 2]) -> Chain {
    let sandbox = world.sandbox();
    now(sandbox.create_backup(options(&id(1)))).unwrap();
    let mut base = Chain::NONE.with(part(1, FULL));
    for (n, content) in (2..).zip(contents) {
        world.container.set_dir(DIR, content);
        now(sandbox.create_backup(layer_options(&id(n), &base))).unwrap();
        base = base.with(part(n, content));
    }
    base
}

#[test]
fn what_changed_is_stored_as_a_layer_and_restored_with_what_is_below() {
    let world = World::with_files(FULL);
    let base = chain_of(&world, [b"second", b"third"]);
    for (n, below) in [(2_u8, 1), (3, 2)] {
        let objects = world.bucket.objects.borrow();
        assert!(
            objects.contains_key(&layer_key(&id(n))) && !objects.contains_key(&data_key(&id(n)))
        );
        drop(objects);
        let meta = world.committed(&id(n)).unwrap();
        assert_eq!(
            (meta.kind(), meta.chain().parts()),
            (SnapshotKind::Layer, &base.parts()[..below])
        );
    }
    // In another container, which has no manifest.
    world.container.die();
    let sandbox = world.sandbox();
    now(sandbox.ensure_running()).unwrap();
    for (n, content) in [(3, &b"third"[..]), (1, FULL), (2, b"second")] {
        restore(&sandbox, n).unwrap();
        assert_eq!(world.container.dir(DIR).as_deref(), Some(content));
        assert_eq!(world.leftovers(), Vec::<String>::new());
    }
    // The restore noted what the directory holds.
    world.container.set_dir(DIR, b"fourth");
    let base = Chain::NONE.with(part(1, FULL)).with(part(2, b"second"));
    now(sandbox.create_backup(layer_options(&id(4), &base))).unwrap();
    assert_eq!(world.committed(&id(4)).unwrap().chain(), base);
}

#[test]
fn what_cannot_be_a_layer_is_a_full_archive() {
    let base = Chain::NONE.with(part(1, FULL));
    let full = |world: &World, options: CreateBackupOptions| {
        let made = now(world.sandbox().create_backup(options)).unwrap();
        let meta = world.committed(&made.id).unwrap();
        assert_eq!((meta.kind(), meta.chain()), (SnapshotKind::Full, Chain::NONE));
    };
    // Nobody knows what has changed.
    full(&World::with_files(b"files"), layer_options(&id(2), &base));
    let world = World::with_files(FULL);
    now(world.sandbox().create_backup(options(&id(1)))).unwrap();
    world.container.set_dir(DIR, &FULL[..17]);
    full(&world, layer_options(&id(2), &base));
    // A record of 0.12 can't name what is below.
    world.container.set_dir(DIR, b"x");
    let base = Chain::NONE.with(part(2, &FULL[..17]));
    full(&world, CreateBackupOptions { snapshotter: None, ..layer_options(&id(3), &base) });
}

#[test]
fn the_last_attempt_makes_a_full_archive() {
    let world = World::with_files(FULL);
    let sandbox = world.sandbox();
    now(sandbox.create_backup(options(&id(1)))).unwrap();
    let base = Chain::NONE.with(part(1, FULL));
    world.container.set_dir(DIR, b"second");
    for kind in [SnapshotKind::Layer, SnapshotKind::Full] {
        let new = id(if kind == SnapshotKind::Layer { 2 } else { 3 });
        for _ in 1..if kind == SnapshotKind::Layer { 2 } else { 3 } {
            world.container.script("backup.sh", 20, "", "it vanished\n");
        }
        let manifest = (hex(FULL), FULL.to_vec());
        world.container.disk.borrow_mut().as_mut().unwrap().manifests.insert(DIR.into(), manifest);
        now(sandbox.create_backup(layer_options(&new, &base))).unwrap();
        assert_eq!(world.committed(&new).unwrap().kind(), kind);
    }
}

#[test]
fn a_chain_that_its_record_cannot_name_is_refused() {
    let world = World::with_files(FULL);
    let own = Chain::NONE.with(part(1, FULL));
    let error = now(world.sandbox().create_backup(layer_options(&id(1), &own))).unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::InvalidArgument, Outcome::None));
}

#[test]
fn equal_layers_are_no_equal_trees() {
    let world = World::with_files(FULL);
    let sandbox = world.sandbox();
    let base = chain_of(&world, [b"second", b"third"]);
    let known = |n: usize| {
        let (below, own) = (&base.parts()[..n - 1], base.parts()[n - 1].clone());
        let chain = below.iter().cloned().fold(Chain::NONE, Chain::with);
        KnownArchive { id: own.id, size_bytes: own.size_bytes, sha256: own.sha256, chain }
    };
    // The script is asked about all archives of the known backup.
    world.container.script("backup.sh", 0, "unchanged\n", "");
    let unless =
        CreateBackupOptions { unless_equal: Some(known(3)), ..layer_options(&id(4), &base) };
    assert_eq!(now(sandbox.create_backup(unless)).unwrap().id, id(3));
    let asked = world.container.commands.borrow().last().unwrap().argv.clone();
    let sums = [FULL, b"second", b"third"].map(hex).join("+");
    assert_eq!(asked[7..9], [sums.clone(), sums]);
    // A layer, and then a full archive, with the bytes of the known layer.
    for (n, base) in [(4, base.clone()), (5, Chain::NONE)] {
        let unless =
            CreateBackupOptions { unless_equal: Some(known(3)), ..layer_options(&id(n), &base) };
        assert_eq!(now(sandbox.create_backup(unless)).unwrap().id, id(n));
    }
    // Full archives are compared as ever.
    let known = KnownArchive { id: id(5), chain: Chain::NONE, ..known(3) };
    let unless = CreateBackupOptions { unless_equal: Some(known), ..options(&id(6)) };
    assert_eq!(now(sandbox.create_backup(unless)).unwrap().id, id(5));
}

#[test]
fn a_restore_names_the_archive_that_is_missing_or_damaged() {
    for n in 1..=3_u8 {
        let world = World::with_files(FULL);
        chain_of(&world, [b"second", b"third"]);
        let sandbox = world.sandbox();
        let kind = if n == 1 { SnapshotKind::Full } else { SnapshotKind::Layer };
        let key = archive_key(&id(n), kind);
        let whole = world.bucket.objects.borrow()[&key].clone();
        world.container.set_dir(DIR, b"kept");
        let mut other = whole.clone();
        other[0] ^= 1;
        let damages = [
            (None, ErrorCode::SnapshotGone),
            (Some(whole[1..].to_vec()), ErrorCode::Integrity),
            (Some(other), ErrorCode::Integrity),
        ];
        for (damaged, code) in damages {
            world.bucket.objects.borrow_mut().remove(&key);
            world.bucket.objects.borrow_mut().extend(damaged.map(|bytes| (key.clone(), bytes)));
            let error = restore(&sandbox, 3).unwrap_err();
            assert_eq!((error.code, error.outcome), (code, Outcome::None), "{n}: {error}");
            assert!(error.message.contains(&format!(" {} ", id(n))), "{n}: {error}");
            assert_eq!(world.container.dir(DIR).as_deref(), Some(&b"kept"[..]));
            assert_eq!(world.leftovers(), Vec::<String>::new());
        }
        // What does not need it is not harmed.
        for below in 1..n {
            restore(&sandbox, below).unwrap();
        }
    }
}
