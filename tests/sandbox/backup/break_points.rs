//! Backup and restore, broken before and after each of their effects.

use crate::support::container::hex;
use crate::support::faults::Fault;
use crate::world::{DIR, World, handle, id, now, options};
use futures::FutureExt;
use snapshotter::domain::error::{ErrorCode, Outcome};
use snapshotter::domain::snapshot::backup::SnapshotKind;
use snapshotter::domain::snapshot::chain::{Chain, Part};
use snapshotter::ports::sandbox::{
    BackupProgress, CreateBackupOptions, RestoreBackupOptions, SandboxApi, StoredBackup,
};
use snapshotter::sandbox::SandboxService;

type MakeSandbox = fn(&World) -> SandboxService;

const CONTENT: &[u8] = b"the files of the workspace";

/// A world, and the options of a backup there, of this kind.
fn begin(kind: SnapshotKind) -> (World, CreateBackupOptions) {
    let mut options = options(&id(1));
    if kind == SnapshotKind::Full {
        return (World::with_files(CONTENT), options);
    }
    let content = CONTENT.repeat(2);
    let world = World::with_files(&content);
    now(world.sandbox().create_backup(crate::world::options(&id(9)))).unwrap();
    world.container.set_dir(DIR, CONTENT);
    let (size_bytes, sha256) = (content.len() as u64, hex(&content));
    options.base = Chain::NONE.with(Part { id: id(9), size_bytes, sha256 });
    (world, options)
}

/// How many effects a backup has when nothing breaks.
fn effects_of_backup(make: MakeSandbox, kind: SnapshotKind) -> usize {
    let (world, options) = begin(kind);
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    now(make(&world).create_backup(options)).unwrap();
    assert_eq!(world.committed(&id(1)).unwrap().kind(), kind);
    world.faults.trace().len()
}

fn break_backup_everywhere(make: MakeSandbox, kind: SnapshotKind) {
    let effects = effects_of_backup(make, kind);
    assert!(effects >= 5, "{effects}");
    for nth in 0..effects {
        for fault in Fault::ALL {
            let (world, backup) = begin(kind);
            world.faults.arm(nth, fault);
            let sandbox = make(&world);
            let result = sandbox.create_backup(backup).now_or_never();
            assert!(world.faults.disarm(), "{nth} of {effects}");
            let at = format!("{fault:?} at {:?}", world.faults.trace().get(nth));
            // An upload whose id was lost with its answer holds no parts, and R2 ends it.
            let lost_answer = at.contains("createMultipart");
            let no_uploads = || lost_answer || world.bucket.uploads.borrow().is_empty();
            match &result {
                Some(Ok(_)) => assert!(world.committed(&id(1)).is_some(), "{at}"),
                Some(Err(error)) if error.outcome == Outcome::None => {
                    assert_eq!(world.committed(&id(1)), None, "{at}");
                    assert!(no_uploads(), "{at}");
                }
                Some(Err(error)) => assert_eq!(error.outcome, Outcome::Unknown, "{at}"),
                None => {}
            }

            // Whether the object lived or died, the host asks for the backup's state.
            let sandbox = if result.is_some() { sandbox } else { make(&world) };
            assert_eq!(now(sandbox.recover_backup(id(1))), Ok(BackupProgress::Ended), "{at}");
            let committed = world.committed(&id(1));
            if let Some(Ok(_)) = result {
                assert!(committed.is_some(), "{at}");
            }
            assert!(no_uploads(), "{at}");
            assert_eq!(world.unfinished_rows(), 0, "{at}");

            // No late call brings it back or overwrites it.
            let late = now(sandbox.create_backup(options(&id(1)))).unwrap_err();
            assert_eq!(late.code, ErrorCode::Conflict, "{at}");
            assert_eq!(world.committed(&id(1)), committed, "{at}");

            // The sandbox still works.
            now(sandbox.create_backup(options(&id(2)))).unwrap();
            assert!(world.committed(&id(2)).is_some(), "{at}");
        }
    }
}

#[test]
fn a_broken_backup_is_committed_or_gone() {
    break_backup_everywhere(World::sandbox, SnapshotKind::Full);
}

#[test]
fn a_broken_backup_in_parts_is_committed_or_gone() {
    break_backup_everywhere(World::sandbox_in_parts, SnapshotKind::Full);
}

#[test]
fn a_broken_layer_is_committed_or_gone() {
    break_backup_everywhere(World::sandbox, SnapshotKind::Layer);
    break_backup_everywhere(World::sandbox_in_parts, SnapshotKind::Layer);
}

#[test]
fn an_archive_that_was_stored_whole_leaves_nothing_on_the_disk() {
    for make in [World::sandbox as MakeSandbox, World::sandbox_in_parts] {
        let world = World::with_files(CONTENT);
        now(make(&world).create_backup(options(&id(1)))).unwrap();
        assert_eq!(world.leftovers(), Vec::<String>::new());
    }
}

#[test]
fn a_broken_restore_leaves_the_directory_as_it_was() {
    let prepared = || {
        let world = World::with_files(CONTENT);
        now(world.sandbox().create_backup(options(&id(1)))).unwrap();
        world.container.set_dir(DIR, b"other files by now");
        world
    };
    let restore = |world: &World| {
        let sandbox = world.sandbox();
        let options = RestoreBackupOptions::default();
        let result = sandbox.restore_backup(handle(&id(1)), options).now_or_never();
        (sandbox, result)
    };
    let world = prepared();
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    restore(&world).1.unwrap().unwrap();
    assert_eq!(world.container.dir(DIR).as_deref(), Some(CONTENT));
    let effects = world.faults.trace().len();
    assert!(effects >= 5, "{effects}");

    for nth in 0..effects {
        for fault in Fault::ALL {
            let world = prepared();
            world.faults.arm(nth, fault);
            let (sandbox, result) = restore(&world);
            assert!(world.faults.disarm());
            let at = format!("{fault:?} at {:?}", world.faults.trace().get(nth));
            let found = world.container.dir(DIR);
            match &result {
                Some(Ok(done)) => {
                    assert!(done.success, "{at}");
                    assert_eq!(found.as_deref(), Some(CONTENT), "{at}");
                }
                Some(Err(error)) if error.outcome == Outcome::None => {
                    assert_eq!(found.as_deref(), Some(&b"other files by now"[..]), "{at}");
                    assert_eq!(world.leftovers(), Vec::<String>::new(), "{at}");
                }
                // The container swaps at once: it has the old files or the new ones.
                Some(Err(_)) | None => assert!(found.is_some(), "{at}"),
            }
            assert!(world.committed(&id(1)).is_some(), "{at}");
            if result.is_some() {
                // The mutex is free again.
                let again = sandbox.restore_backup(handle(&id(1)), RestoreBackupOptions::default());
                now(again).unwrap();
            } else {
                restore(&world).1.unwrap().unwrap();
            }
            assert_eq!(world.container.dir(DIR).as_deref(), Some(CONTENT), "{at}");
        }
    }
}

#[test]
fn a_broken_preparation_costs_neither_the_backup_nor_the_restore() {
    let made = || {
        let world = World::with_files(CONTENT);
        now(world.sandbox().create_backup(options(&id(1)))).unwrap();
        world.container.set_dir(DIR, b"other files by now");
        world
    };
    let stored = StoredBackup { id: id(1), binding: "BACKUP_BUCKET".to_owned() };
    let prepare =
        || CreateBackupOptions { prepare_restore: Some(stored.clone()), ..options(&id(2)) };
    let world = made();
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    now(world.sandbox().create_backup(prepare())).unwrap();
    let effects = world.faults.trace();
    let of_preparing = ["get", "room.sh", "download", "prepare.sh"];
    let is_of_preparing = |effect: &String| of_preparing.contains(&effect.as_str());
    assert!(effects.iter().filter(|effect| is_of_preparing(effect)).count() >= 4, "{effects:?}");

    for (nth, effect) in effects.iter().enumerate() {
        for fault in Fault::ALL {
            let world = made();
            world.faults.arm(nth, fault);
            let mut sandbox = world.sandbox();
            let result = sandbox.create_backup(prepare()).now_or_never();
            assert!(world.faults.disarm());
            let at = format!("{fault:?} at {effect}");
            match result {
                None => sandbox = world.sandbox(),
                Some(result) => {
                    assert!(result.is_ok() || !is_of_preparing(effect), "{at}: {result:?}")
                }
            }
            now(sandbox.restore_backup(handle(&id(1)), RestoreBackupOptions::default())).unwrap();
            assert_eq!(world.container.dir(DIR).as_deref(), Some(CONTENT), "{at}");
        }
    }
}
