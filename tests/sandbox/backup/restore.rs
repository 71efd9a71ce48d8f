//! Restores that nothing breaks.

use crate::support::faults::Fault;
use crate::world::{DIR, World, handle, id, now, options};
use snapshotter::domain::error::{ErrorCode, Outcome};
use snapshotter::domain::ids::BackupId;
use snapshotter::domain::snapshot::backup::{data_key, meta_key};
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::ports::sandbox::*;

#[test]
fn a_restore_is_refused_before_the_container_is_touched() {
    let world = World::with_files(b"files");
    let sandbox = world.sandbox();
    now(sandbox.create_backup(options(&id(1)))).unwrap();
    let meta = world.committed(&id(1)).unwrap();
    let commands = world.container.commands.borrow().len();
    let restore = || {
        let error = now(sandbox.restore_backup(handle(&id(1)), RestoreBackupOptions::default()))
            .unwrap_err();
        assert_eq!(error.outcome, Outcome::None);
        error.code
    };
    let put_meta = |meta: &BackupMeta| {
        world.bucket.objects.borrow_mut().insert(meta_key(&id(1)), meta.to_bytes().unwrap());
    };
    put_meta(&BackupMeta { size_bytes: 6, ..meta.clone() });
    assert_eq!(restore(), ErrorCode::Integrity);
    put_meta(&BackupMeta { ttl: 59, ..meta.clone() });
    assert_eq!(restore(), ErrorCode::SnapshotExpired);
    put_meta(&meta);
    world.clock.advance(259_200_000 - 59_999);
    assert_eq!(restore(), ErrorCode::SnapshotExpired);
    world.clock.advance(-259_200_000);
    let data = world.bucket.objects.borrow_mut().remove(&data_key(&id(1))).unwrap();
    assert_eq!(restore(), ErrorCode::SnapshotGone);
    world.bucket.objects.borrow_mut().insert(data_key(&id(1)), data);
    world.bucket.objects.borrow_mut().insert(meta_key(&id(1)), b"{}".to_vec());
    assert_eq!(restore(), ErrorCode::Integrity);
    world.bucket.objects.borrow_mut().remove(&meta_key(&id(1)));
    assert_eq!(restore(), ErrorCode::SnapshotGone);
    assert_eq!(world.container.commands.borrow().len(), commands);
}

#[test]
fn a_wake_ignores_expiry_and_keeps_what_it_finds() {
    let world = World::with_files(b"saved");
    let sandbox = world.sandbox();
    now(sandbox.create_backup(options(&id(1)))).unwrap();
    world.clock.advance(400 * 24 * 3_600_000);
    world.container.set_dir(DIR, b"found");
    let restore = |wake| {
        let options = RestoreBackupOptions {
            wake,
            lifetime_checked: wake,
            ..RestoreBackupOptions::default()
        };
        now(sandbox.restore_backup(handle(&id(1)), options))
    };
    assert_eq!(restore(false).unwrap_err().code, ErrorCode::SnapshotExpired);
    let woken = restore(true).unwrap();
    assert_eq!(Some(woken.instance_id), now(sandbox.disk()).unwrap());
    assert_eq!(world.container.dir(DIR).as_deref(), Some(&b"saved"[..]));
    assert_eq!(world.container.dir(&woken.aside.unwrap()).as_deref(), Some(&b"found"[..]));
    world.container.set_dir(DIR, b"");
    assert_eq!(
        restore(true).unwrap().aside,
        None,
        "there is nothing to keep of an empty directory"
    );
}

#[test]
fn an_archive_that_was_changed_is_not_applied() {
    let world = World::with_files(b"files");
    let sandbox = world.sandbox();
    now(sandbox.create_backup(options(&id(1)))).unwrap();
    world.bucket.objects.borrow_mut().insert(data_key(&id(1)), b"filez".to_vec());
    world.container.set_dir(DIR, b"kept");
    let options = RestoreBackupOptions::default;
    let error = now(sandbox.restore_backup(handle(&id(1)), options())).unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::Integrity, Outcome::None));
    for (exit_code, code) in [
        (1, ErrorCode::RestoreFailed),
        (12, ErrorCode::InvalidArgument),
        (21, ErrorCode::Unsupported),
        (22, ErrorCode::Unsupported),
    ] {
        world.container.script("restore.sh", exit_code, "", "it said so\n");
        let error = now(sandbox.restore_backup(handle(&id(1)), options())).unwrap_err();
        assert_eq!((error.code, error.outcome), (code, Outcome::None));
        assert!(error.message.contains("it said so"));
        let is_missing_tool = error.hint.unwrap().contains("install it in the container's image");
        assert_eq!(is_missing_tool, exit_code == 21);
    }
    assert_eq!(world.container.dir(DIR).as_deref(), Some(&b"kept"[..]));
    assert_eq!(world.leftovers(), Vec::<String>::new());
}

#[test]
fn a_restore_that_was_prepared_downloads_nothing() {
    let world = World::with_files(b"first");
    let sandbox = world.sandbox();
    for n in [1, 2] {
        now(sandbox.create_backup(options(&id(n)))).unwrap();
    }
    let downloads = |work: &dyn Fn()| {
        world.faults.arm(usize::MAX, Fault::ErrorBefore);
        work();
        world.faults.trace().iter().filter(|effect| **effect == "download").count()
    };
    let backup = |n: u8, prepared: &BackupId| {
        let stored = StoredBackup { id: prepared.clone(), binding: "BACKUP_BUCKET".to_owned() };
        let options = CreateBackupOptions { prepare_restore: Some(stored), ..options(&id(n)) };
        now(sandbox.create_backup(options)).unwrap();
    };
    let restore = |n: u8| {
        now(sandbox.restore_backup(handle(&id(n)), RestoreBackupOptions::default())).unwrap();
    };
    world.container.set_dir(DIR, b"second");
    assert_eq!(downloads(&|| backup(3, &id(1))), 1);
    assert_eq!(downloads(&|| restore(1)), 0);
    assert_eq!(world.container.dir(DIR).as_deref(), Some(&b"first"[..]));
    assert_eq!(downloads(&|| restore(1)), 1, "it serves once");
    assert_eq!(downloads(&|| backup(4, &id(1))), 1);
    assert_eq!(downloads(&|| restore(2)), 1, "another backup was prepared");
    backup(5, &id(1));
    now(sandbox.create_backup(options(&id(7)))).unwrap();
    assert_eq!(downloads(&|| restore(1)), 1, "a backup removes what was prepared");
    backup(9, &id(1));
    let stored = StoredBackup { id: id(2), binding: "BACKUP_BUCKET".to_owned() };
    now(sandbox.pack_backup(stored, FlattenBackupOptions::default())).unwrap();
    assert_eq!(downloads(&|| restore(1)), 1, "so does an export");
    assert_eq!(downloads(&|| backup(8, &id(1))), 1);
    world.container.die();
    assert_eq!(downloads(&|| restore(1)), 1, "the disk that it was on is gone");
    // On a disk without room, nothing is prepared.
    world.container.script("room.sh", 26, "", "1 MiB of the disk are free\n");
    assert_eq!(downloads(&|| backup(6, &id(1))), 0);
}
