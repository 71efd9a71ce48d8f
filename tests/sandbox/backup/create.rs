//! Backups that nothing breaks.

use crate::support::container::hex;
use crate::support::faults::Fault;
use crate::world::{DIR, World, id, now, options};
use futures::FutureExt;
use snapshotter::domain::error::{ErrorCode, Outcome};
use snapshotter::domain::snapshot::backup::{data_key, meta_key};
use snapshotter::domain::snapshot::chain::Chain;
use snapshotter::ports::sandbox::*;

#[test]
fn a_backup_without_provenance_is_one_of_0_12() {
    let world = World::with_files(b"files");
    let options = CreateBackupOptions { snapshotter: None, ..options(&id(1)) };
    let made = now(world.sandbox().create_backup(options)).unwrap();
    let objects = world.bucket.objects.borrow();
    let text = String::from_utf8(objects[&meta_key(&made.id)].clone()).unwrap();
    assert_eq!(
        text,
        format!(
            r#"{{"id":"{}","dir":"/workspace","name":null,"sizeBytes":5,"ttl":259200,"createdAt":"2027-01-15T08:00:00.000Z"}}"#,
            made.id
        )
    );
}

#[test]
fn archives_in_parts_are_put_together() {
    let world = World::with_files(b"0123456789abcdef!");
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    now(world.sandbox_in_parts().create_backup(options(&id(1)))).unwrap();
    assert_eq!(world.bucket.objects.borrow()[&data_key(&id(1))], b"0123456789abcdef!");
    let parts = world.faults.trace().iter().filter(|name| *name == "uploadPart").count();
    assert_eq!(parts, 5);
}

#[test]
fn files_that_change_fail_the_attempt_and_then_the_backup() {
    let world = World::with_files(b"files");
    for _ in 0..2 {
        world.container.script("backup.sh", 20, "", "log shrank from 9 to 3 bytes\n");
    }
    now(world.sandbox().create_backup(options(&id(1)))).unwrap();
    assert_eq!(world.container.count("backup.sh"), 3);
    for _ in 0..3 {
        world.container.script("backup.sh", 20, "", "log shrank from 9 to 3 bytes\n");
    }
    let error = now(world.sandbox().create_backup(options(&id(2)))).unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::BackupFailed, Outcome::None));
    assert!(error.message.contains("log shrank"), "{error}");
    assert!(error.retryable);
    assert_eq!(world.container.count("backup.sh"), 6);
    assert_eq!(world.committed(&id(2)), None);
    // Its id is free again.
    now(world.sandbox().create_backup(options(&id(2)))).unwrap();
}

#[test]
fn a_refused_backup_writes_nothing() {
    let world = World::with_files(b"files");
    let sandbox = world.sandbox();
    let refused = |change: &dyn Fn(&mut CreateBackupOptions)| {
        let mut options = options(&id(1));
        change(&mut options);
        let error = now(sandbox.create_backup(options)).unwrap_err();
        assert_eq!(error.outcome, Outcome::None);
        error.code
    };
    let elsewhere =
        snapshotter::domain::snapshot::backup::BackupDir::parse("/home/nobody").unwrap();
    assert_eq!(refused(&|o| o.dir = elsewhere.clone()), ErrorCode::NotFound);
    assert_eq!(refused(&|o| o.name = Some("a\nb".into())), ErrorCode::InvalidArgument);
    let other_binding = |o: &mut CreateBackupOptions| {
        o.snapshotter.as_mut().unwrap().binding = "API_TOKEN".into();
    };
    assert_eq!(refused(&other_binding), ErrorCode::NotConfigured);
    world.container.script("backup.sh", 12, "", "is not a directory\n");
    assert_eq!(refused(&|_| {}), ErrorCode::InvalidArgument);
    world.container.script("backup.sh", 21, "", "mksquashfs is not installed\n");
    assert_eq!(refused(&|_| {}), ErrorCode::Unsupported);
    assert!(world.bucket.keys().is_empty());
    assert_eq!(world.leftovers(), Vec::<String>::new());
}

#[test]
fn an_archive_that_the_disk_has_no_room_for_is_not_tried_again() {
    let world = World::with_files(b"files");
    let said = "the archive does not fit on the container's disk: 9 MiB of the disk are free\n";
    world.container.script("backup.sh", 26, "", said);
    let error = now(world.sandbox().create_backup(options(&id(1)))).unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::BackupFailed, Outcome::None));
    assert!(error.message.contains("9 MiB"), "{error}");
    assert!(error.hint.unwrap().contains("delete"));
    assert_eq!(world.container.count("backup.sh"), 1);
    assert!(world.bucket.keys().is_empty());
}

#[test]
fn a_running_backup_is_known_and_a_settled_one_refused() {
    let world = World::with_files(b"files");
    let sandbox = world.sandbox();
    now(sandbox.ensure_running()).unwrap();
    world.faults.arm(0, Fault::CrashBefore);
    let mut held = sandbox.create_backup(options(&id(1))).boxed_local();
    assert!((&mut held).now_or_never().is_none());
    world.faults.disarm();
    // A backup that waits for the mutex counts as running too.
    let mut waiting = sandbox.create_backup(options(&id(2))).boxed_local();
    assert!((&mut waiting).now_or_never().is_none());
    for n in [1, 2] {
        assert_eq!(now(sandbox.recover_backup(id(n))), Ok(BackupProgress::Running));
        let twice = now(sandbox.create_backup(options(&id(n)))).unwrap_err();
        assert_eq!(twice.code, ErrorCode::Conflict);
    }
    assert_eq!(now(sandbox.recover_backup(id(3))), Ok(BackupProgress::Ended));
    let late = now(sandbox.create_backup(options(&id(3)))).unwrap_err();
    assert_eq!(late.code, ErrorCode::Conflict);
    // The first is cancelled, so the second gets the mutex.
    drop(held);
    now(waiting).unwrap();
    assert_eq!(now(sandbox.recover_backup(id(1))), Ok(BackupProgress::Ended));
}

#[test]
fn an_id_that_r2_knows_is_not_overwritten() {
    let world = World::with_files(b"files");
    now(world.sandbox().create_backup(options(&id(1)))).unwrap();
    // Another sandbox, with rows of its own.
    let other = World::with_files(b"other files");
    let before = world.bucket.objects.borrow().clone();
    other.bucket.objects.borrow_mut().extend(before.clone());
    let error = now(other.sandbox().create_backup(options(&id(1)))).unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    assert_eq!(*other.bucket.objects.borrow(), before);
}

#[test]
fn a_new_object_cleans_up_at_its_first_use() {
    let world = World::with_files(b"files of some size");
    let sandbox = world.sandbox_in_parts();
    // Timeout, identity, archive, repository, head, upload begun, and then the first part.
    world.faults.arm(6, Fault::CrashAfter);
    assert!(sandbox.create_backup(options(&id(1))).now_or_never().is_none());
    world.faults.disarm();
    drop(sandbox);
    assert_eq!(world.unfinished_rows(), 1);
    assert!(!world.bucket.uploads.borrow().is_empty());
    now(world.sandbox().create_backup(options(&id(2)))).unwrap();
    assert!(world.bucket.uploads.borrow().is_empty());
    assert_eq!(world.unfinished_rows(), 0);
    assert_eq!(world.committed(&id(1)), None);
}

#[test]
fn an_archive_that_equals_a_known_one_is_not_uploaded() {
    let world = World::with_files(b"files");
    let sandbox = world.sandbox();
    now(sandbox.create_backup(options(&id(1)))).unwrap();
    let meta = world.committed(&id(1)).unwrap();
    let known = KnownArchive {
        id: id(1),
        size_bytes: meta.size_bytes,
        sha256: meta.snapshotter.unwrap().sha256,
        chain: Chain::NONE,
    };
    let unless = |known| CreateBackupOptions { unless_equal: Some(known), ..options(&id(2)) };
    let handle = now(sandbox.create_backup(unless(known.clone()))).unwrap();
    assert_eq!(handle.id, id(1));
    assert_eq!((world.committed(&id(2)), world.unfinished_rows()), (None, 0));
    assert_eq!(world.leftovers(), Vec::<String>::new());
    // What the manifest proves is not even archived, so nothing is removed.
    let removed = world.container.count("rm");
    world.container.script("backup.sh", 0, "unchanged\n", "");
    assert_eq!(now(sandbox.create_backup(unless(known.clone()))).unwrap().id, id(1));
    assert_eq!(world.container.count("rm"), removed);
    let other = KnownArchive { size_bytes: known.size_bytes + 1, ..known.clone() };
    assert_eq!(now(sandbox.create_backup(unless(other))).unwrap().id, id(2));
    world.container.set_dir(DIR, b"other");
    let changed = CreateBackupOptions { unless_equal: Some(known), ..options(&id(3)) };
    assert_eq!(now(sandbox.create_backup(changed)).unwrap().id, id(3));
    assert!(world.committed(&id(3)).is_some());
}

#[test]
fn an_archive_of_another_container_is_no_backup_of_this_one() {
    for (attempts, unless_equal) in [(1, false), (2, false), (2, true)] {
        let world = World::with_files(b"files");
        let sandbox = world.sandbox();
        let instance = now(sandbox.ensure_running()).unwrap();
        let mut options = CreateBackupOptions { instance_id: Some(instance), ..options(&id(1)) };
        options.unless_equal = unless_equal.then(|| KnownArchive {
            id: id(2),
            size_bytes: 6,
            sha256: hex(b"others"),
            chain: Chain::NONE,
        });
        for _ in 1..attempts {
            world.container.script("backup.sh", 20, "", "log shrank from 9 to 3 bytes\n");
        }
        world.faults.slow.set(true);
        let mut making = sandbox.create_backup(options).boxed_local();
        // Each poll ends right before an attempt begins.
        for attempt in 1..=attempts {
            assert!((&mut making).now_or_never().is_none());
            assert_eq!(world.container.count("backup.sh"), attempt - 1);
        }
        world.faults.slow.set(false);
        // Another call finds no container, and starts one.
        now(sandbox.destroy()).unwrap();
        world.configure();
        now(sandbox.ensure_running()).unwrap();
        world.container.set_dir(DIR, b"others");
        let error = now(making).unwrap_err();
        assert_eq!(error.code, ErrorCode::WorkspaceLost, "{error}");
        assert_eq!(world.committed(&id(1)), None);
        assert_eq!(world.leftovers(), Vec::<String>::new());
        assert_eq!(now(sandbox.recover_backup(id(1))), Ok(BackupProgress::Ended));
    }
}
