//! Layers that get a full archive.

use super::layers::{FULL, chain_of, restore};
use crate::support::bucket::MemoryBucket;
use crate::support::container::hex;
use crate::support::faults::{Fault, Faults};
use crate::support::ports::TestClock;
use crate::world::{DIR, World, id, now, options};
use futures::FutureExt;
use snapshotter::domain::error::{Error, ErrorCode, Outcome};
use snapshotter::domain::snapshot::backup::{
    SnapshotKind, data_key, held_key, layer_key, machine_key, meta_key,
};
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::ports::sandbox::*;
use snapshotter::sandbox::SandboxService;
use std::cell::RefCell;
use std::rc::Rc;

type MakeSandbox = fn(&World) -> SandboxService;

const SECOND: &[u8] = b"second";
const THIRD: &[u8] = b"third";

fn backup(n: u8) -> StoredBackup {
    StoredBackup { id: id(n), binding: "BACKUP_BUCKET".to_owned() }
}

fn flatten(sandbox: &SandboxService, n: u8) -> Option<Result<FlattenedBackup, Error>> {
    sandbox.flatten_backup(backup(n), FlattenBackupOptions::default()).now_or_never()
}

fn meta(world: &World, n: u8) -> BackupMeta {
    BackupMeta::parse(&id(n), &world.bucket.objects.borrow()[&meta_key(&id(n))]).unwrap()
}

fn has(world: &World, key: &str) -> bool {
    world.bucket.objects.borrow().contains_key(key)
}

/// What the host does once it has compared both archives.
fn record(world: &World, n: u8, made: &FlattenedBackup) {
    let flat = meta(world, n).flattened(made.size_bytes, made.sha256.clone());
    world.bucket.objects.borrow_mut().insert(meta_key(&id(n)), flat.to_bytes().unwrap());
}

#[test]
fn the_full_archive_lies_beside_the_layer_whose_record_stays() {
    let world = World::with_files(FULL);
    chain_of(&world, [SECOND, THIRD]);
    world.container.set_dir(DIR, b"fourth");
    let sandbox = world.sandbox();
    let before = meta(&world, 2);
    let made = flatten(&sandbox, 2).unwrap().unwrap();
    assert_eq!((made.size_bytes, &made.sha256), (SECOND.len() as u64, &hex(SECOND)));
    assert_eq!(meta(&world, 2), before, "nothing has compared them yet");
    assert!(has(&world, &layer_key(&id(2))), "others may name it");
    assert_eq!(world.bucket.objects.borrow()[&data_key(&id(2))], SECOND);
    assert_eq!(world.container.dir(DIR).as_deref(), Some(&b"fourth"[..]));
    assert_eq!((world.leftovers(), world.unfinished_rows()), (Vec::new(), 0));
    // A late look for what is unfinished leaves it to the host, too.
    assert_eq!(now(world.sandbox().recover_backup(id(2))), Ok(BackupProgress::Ended));
    assert!(has(&world, &data_key(&id(2))));
    record(&world, 2, &made);
    let commands = world.container.commands.borrow().len();
    for n in [2, 1] {
        assert_eq!(flatten(&sandbox, n).unwrap().unwrap_err().code, ErrorCode::SnapshotGone);
    }
    assert_eq!(world.container.commands.borrow().len(), commands, "full ones are left alone");
    for (n, content) in [(3, THIRD), (2, SECOND), (1, FULL)] {
        restore(&sandbox, n).unwrap();
        assert_eq!(world.container.dir(DIR).as_deref(), Some(content));
    }
}

/// A flatten that a crash left, of a backup that was deleted since.
#[test]
fn a_sweep_takes_no_machine_and_no_archive_that_others_may_share() {
    for is_held in [false, true] {
        let world = World::with_files(FULL);
        chain_of(&world, [SECOND, THIRD]);
        let machine = machine_key(&id(2));
        world.bucket.objects.borrow_mut().insert(machine.clone(), b"machine".to_vec());
        world.faults.arm(usize::MAX, Fault::ErrorBefore);
        flatten(&world.sandbox(), 2).unwrap().unwrap();
        let upload = world.faults.trace().iter().position(|name| name == "upload").unwrap();
        world.bucket.objects.borrow_mut().remove(&data_key(&id(2)));
        world.faults.arm(upload, Fault::CrashAfter);
        assert!(flatten(&world.sandbox(), 2).is_none() && world.faults.disarm());
        let record = world.bucket.objects.borrow_mut().remove(&meta_key(&id(2))).unwrap();
        if is_held {
            world.bucket.objects.borrow_mut().insert(held_key(&id(2)), record);
        }
        assert_eq!(now(world.sandbox().recover_backup(id(2))), Ok(BackupProgress::Ended));
        assert!(has(&world, &machine), "another snapshot may share it");
        assert!(has(&world, &layer_key(&id(2))) && !has(&world, &data_key(&id(2))));
    }
}

/// A backup that was committed, and then hidden because others need a part of it.
#[test]
fn a_sweep_honours_a_hidden_record() {
    let first = |world: &World| world.sandbox().create_backup(options(&id(1))).now_or_never();
    let world = World::with_files(FULL);
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    first(&world).unwrap().unwrap();
    let commits = world.faults.trace().iter().rposition(|name| name == "create").unwrap();
    let world = World::with_files(FULL);
    world.faults.arm(commits, Fault::CrashAfter);
    assert!(first(&world).is_none() && world.faults.disarm());
    let mut objects = world.bucket.objects.borrow_mut();
    objects.insert(machine_key(&id(1)), b"machine".to_vec());
    let record = objects.remove(&meta_key(&id(1))).unwrap();
    objects.insert(held_key(&id(1)), record);
    drop(objects);
    assert_eq!(now(world.sandbox().recover_backup(id(1))), Ok(BackupProgress::Ended));
    assert!(has(&world, &machine_key(&id(1))) && has(&world, &data_key(&id(1))));
}

/// The owner of a claimed layer makes it full while another session restores it.
#[test]
fn a_restore_tries_once_more_if_the_record_has_changed_meanwhile() {
    for changes in [true, false] {
        let bucket: Rc<RefCell<Option<MemoryBucket>>> = Rc::default();
        let faults = Faults::decided_by(Rc::default(), {
            let bucket = bucket.clone();
            move |name| {
                // Right after the record was read.
                if name == "head"
                    && let Some(bucket) = bucket.borrow_mut().take()
                {
                    let mut objects = bucket.objects.borrow_mut();
                    objects.remove(&layer_key(&id(2))).unwrap();
                    if changes {
                        let record = BackupMeta::parse(&id(2), &objects[&meta_key(&id(2))]);
                        let flat = record.unwrap().flattened(SECOND.len() as u64, hex(SECOND));
                        objects.insert(meta_key(&id(2)), flat.to_bytes().unwrap());
                        objects.insert(data_key(&id(2)), SECOND.to_vec());
                    }
                }
                None
            }
        });
        let world = World::breaking(TestClock::new(), faults).filled(FULL);
        chain_of(&world, [SECOND, THIRD]);
        world.container.set_dir(DIR, b"other");
        let sandbox = world.sandbox();
        *bucket.borrow_mut() = Some(world.bucket.clone());
        let restored = restore(&sandbox, 2);
        if changes {
            restored.unwrap();
            assert_eq!(world.container.dir(DIR).as_deref(), Some(SECOND));
        } else {
            assert_eq!(restored.unwrap_err().code, ErrorCode::SnapshotGone);
            assert_eq!(world.container.dir(DIR).as_deref(), Some(&b"other"[..]));
        }
    }
}

#[test]
fn what_cannot_be_made_full_says_why_and_stays_a_layer() {
    for (status, code) in [
        (1, ErrorCode::BackupFailed),
        (20, ErrorCode::Integrity),
        (21, ErrorCode::Unsupported),
        (23, ErrorCode::Unavailable),
        (26, ErrorCode::BackupFailed),
    ] {
        let world = World::with_files(FULL);
        chain_of(&world, [SECOND, THIRD]);
        let before = world.bucket.objects.borrow().clone();
        world.container.script("flatten.sh", status, "archive 0\narchive 1\n", "what it says\n");
        let error = flatten(&world.sandbox(), 3).unwrap().unwrap_err();
        assert_eq!((error.code, error.outcome), (code, Outcome::None));
        assert!(error.message.contains("what it says"), "{error}");
        assert_eq!(status == 20, error.message.contains(id(2).as_str()), "{error}");
        assert_eq!(*world.bucket.objects.borrow(), before);
        assert_eq!((world.leftovers(), world.unfinished_rows()), (Vec::new(), 0));
    }
    let world = World::with_files(FULL);
    chain_of(&world, [SECOND, THIRD]);
    world.container.script("room.sh", 26, "", "it does not fit\n");
    let error = flatten(&world.sandbox(), 3).unwrap().unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (ErrorCode::BackupFailed, "it does not fit"));
    world.bucket.objects.borrow_mut().remove(&layer_key(&id(2)));
    let error = flatten(&world.sandbox(), 3).unwrap().unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::SnapshotGone, Outcome::None));
}

#[test]
fn a_broken_flatten_leaves_a_whole_archive_or_none() {
    let prepared = || {
        let world = World::with_files(FULL);
        chain_of(&world, [SECOND, THIRD]);
        world
    };
    for make in [World::sandbox as MakeSandbox, World::sandbox_in_parts] {
        let world = prepared();
        world.faults.arm(usize::MAX, Fault::ErrorBefore);
        flatten(&make(&world), 2).unwrap().unwrap();
        let effects = world.faults.trace().len();
        assert!(effects >= 8, "{effects}");
        for nth in 0..effects {
            for fault in Fault::ALL {
                let world = prepared();
                world.faults.arm(nth, fault);
                let sandbox = make(&world);
                let result = flatten(&sandbox, 2);
                assert!(world.faults.disarm());
                let at = format!("{fault:?} at {:?}", world.faults.trace().get(nth));
                let is_there = || has(&world, &data_key(&id(2)));
                match &result {
                    Some(Ok(_)) => assert!(is_there(), "{at}"),
                    Some(Err(error)) if error.outcome == Outcome::None => {
                        assert!(!is_there(), "{at}");
                    }
                    Some(Err(error)) => assert_eq!(error.outcome, Outcome::Unknown, "{at}"),
                    None => {}
                }
                let sandbox = if result.is_some() { sandbox } else { make(&world) };
                assert_eq!(now(sandbox.recover_backup(id(2))), Ok(BackupProgress::Ended), "{at}");
                assert!(is_there() || !matches!(result, Some(Ok(_))), "{at}");
                assert_eq!(meta(&world, 2).kind(), SnapshotKind::Layer, "{at}");
                assert!(has(&world, &layer_key(&id(2))), "{at}");
                let lost_answer = at.contains("createMultipart");
                assert!(lost_answer || world.bucket.uploads.borrow().is_empty(), "{at}");
                assert_eq!(world.unfinished_rows(), 0, "{at}");
                let made = flatten(&sandbox, 2).unwrap().unwrap();
                record(&world, 2, &made);
                for (n, content) in [(3, THIRD), (2, SECOND)] {
                    restore(&sandbox, n).unwrap();
                    assert_eq!(world.container.dir(DIR).as_deref(), Some(content), "{at}");
                }
            }
        }
    }
}
