//! Backups of archives' files, and packed backups.

use crate::support::container::hex;
use crate::support::faults::Fault;
use crate::support::stream::MemoryBytes;
use crate::world::{DIR, World, id, now, options};
use futures::FutureExt;
use snapshotter::domain::error::{Error, ErrorCode, Outcome};
use snapshotter::domain::files::tar::DroppedByImport;
use snapshotter::domain::snapshot::backup::{BackupHandle, SnapshotKind, data_key};
use snapshotter::ports::sandbox::*;
use snapshotter::sandbox::SandboxService;

const FILES: &[u8] = b"the files of the workspace";
const ARCHIVE: &[u8] = b"the files of the archive";

fn import(
    sandbox: &SandboxService,
    bytes: &[u8],
    sha256: Option<String>,
) -> Option<Result<BackupHandle, Error>> {
    let archive = Box::new(MemoryBytes::of([bytes.to_vec()]));
    let import = ImportBackupOptions { layer: false, sha256 };
    sandbox.import_backup(archive, import, options(&id(1))).now_or_never()
}

fn staged(world: &World) -> bool {
    let disk = world.container.disk.borrow();
    disk.as_ref().is_some_and(|disk| disk.dirs.keys().any(|path| path.contains("staged-")))
}

#[test]
fn the_archives_files_are_backed_up_and_the_workspace_stays() {
    let world = World::with_files(FILES);
    let sandbox = world.sandbox();
    import(&sandbox, ARCHIVE, Some(hex(ARCHIVE))).unwrap().unwrap();
    let meta = world.committed(&id(1)).unwrap();
    assert_eq!((meta.kind(), meta.dir.as_str()), (SnapshotKind::Full, DIR));
    assert_eq!(world.bucket.objects.borrow()[&data_key(&id(1))], ARCHIVE);
    assert_eq!(world.container.dir(DIR).as_deref(), Some(FILES));
    assert!(!staged(&world));
    // The archive's files say nothing about the workspace's directory.
    assert!(world.container.disk.borrow().as_ref().unwrap().manifests.is_empty());
    assert_eq!((world.leftovers(), world.unfinished_rows()), (Vec::new(), 0));
}

#[test]
fn the_handle_says_what_was_not_kept() {
    for (archive, expected) in [
        (ARCHIVE, None),
        (b"setuid", Some(DroppedByImport { owners: 0, special_bits: 2, attributes: 1 })),
    ] {
        let world = World::with_files(FILES);
        let handle = import(&world.sandbox(), archive, None).unwrap().unwrap();
        assert_eq!(handle.dropped(), expected);
    }
}

#[test]
fn refusals_say_why_and_leave_nothing() {
    for (status, code) in [
        (13, ErrorCode::TooLarge),
        (18, ErrorCode::InvalidArgument),
        (20, ErrorCode::Integrity),
        (21, ErrorCode::Unsupported),
        (26, ErrorCode::BackupFailed),
        (1, ErrorCode::BackupFailed),
    ] {
        let world = World::with_files(FILES);
        let sandbox = world.sandbox();
        world.container.script("stage.sh", status, "", "evil: because\n");
        let error = import(&sandbox, ARCHIVE, None).unwrap().unwrap_err();
        assert_eq!((error.code, error.outcome), (code, Outcome::None));
        assert!(error.message.contains("evil: because"), "{error}");
        assert!(world.bucket.keys().is_empty());
        assert_eq!(world.unfinished_rows(), 0);
    }
}

#[test]
fn it_is_whole_or_not_there_wherever_it_breaks_off() {
    let probe = World::with_files(FILES);
    probe.faults.arm(usize::MAX, Fault::ErrorBefore);
    import(&probe.sandbox(), ARCHIVE, None).unwrap().unwrap();
    let effects = probe.faults.trace().len();
    assert!(effects >= 6, "{:?}", probe.faults.trace());
    for nth in 0..effects {
        for fault in Fault::ALL {
            let world = World::with_files(FILES);
            world.faults.arm(nth, fault);
            let sandbox = world.sandbox();
            let result = import(&sandbox, ARCHIVE, None);
            world.faults.disarm();
            let at = format!("{fault:?} at {:?}", world.faults.trace().get(nth));
            if let Some(Err(error)) = &result
                && error.outcome == Outcome::None
            {
                assert_eq!(world.committed(&id(1)), None, "{at}");
            }
            let sandbox = if result.is_some() { sandbox } else { world.sandbox() };
            assert_eq!(now(sandbox.recover_backup(id(1))), Ok(BackupProgress::Ended), "{at}");
            if let Some(Ok(_)) = result {
                assert!(world.committed(&id(1)).is_some(), "{at}");
            }
            if world.committed(&id(1)).is_some() {
                assert_eq!(world.bucket.objects.borrow()[&data_key(&id(1))], ARCHIVE, "{at}");
            } else {
                assert!(world.bucket.keys().is_empty(), "{at}: {:?}", world.bucket.keys());
            }
            assert_eq!(world.unfinished_rows(), 0, "{at}");
            assert_eq!(world.container.dir(DIR).as_deref(), Some(FILES), "{at}");
            // The next import removes what a crash left on the disk.
            let next = Box::new(MemoryBytes::of([ARCHIVE.to_vec()]));
            let import = ImportBackupOptions::default();
            now(sandbox.import_backup(next, import, options(&id(2)))).unwrap();
            assert!(!staged(&world), "{at}");
        }
    }
}

#[test]
fn a_packed_backup_is_stored_once_under_the_key_that_is_named() {
    let world = World::with_files(FILES);
    let sandbox = world.sandbox();
    now(sandbox.create_backup(options(&id(1)))).unwrap();
    let backup = StoredBackup { id: id(1), binding: "BACKUP_BUCKET".to_owned() };
    let packed = now(sandbox.pack_backup(backup.clone(), FlattenBackupOptions::default())).unwrap();
    assert_eq!(
        (packed.size_bytes, packed.sha256.as_str()),
        (FILES.len() as u64, hex(FILES).as_str())
    );
    let to = StorePackedOptions {
        binding: "BACKUP_BUCKET".to_owned(),
        key: "there".to_owned(),
        size_bytes: packed.size_bytes,
        sha256: packed.sha256,
        instance_id: None,
    };
    now(sandbox.store_packed(packed.name.clone(), to.clone())).unwrap();
    assert_eq!(world.bucket.objects.borrow()["there"], FILES);
    assert_eq!(world.leftovers(), Vec::<String>::new());
    assert!(now(sandbox.store_packed(packed.name, to.clone())).is_err(), "its file is gone");
    for name in ["", "../x", "a b"] {
        let refused = now(sandbox.store_packed(name.to_owned(), to.clone())).unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidArgument);
    }
    let absent = StoredBackup { id: id(7), ..backup };
    let gone = now(sandbox.pack_backup(absent, FlattenBackupOptions::default())).unwrap_err();
    assert_eq!(gone.code, ErrorCode::SnapshotGone);
}
