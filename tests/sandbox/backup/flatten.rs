//! Layers that get a full archive.

use super::layers::{FULL, chain_of, restore};
use crate::support::container::hex;
use crate::support::faults::Fault;
use crate::world::{DIR, World, id, now};
use futures::FutureExt;
use snapshotter::domain::error::{Error, ErrorCode, Outcome};
use snapshotter::domain::snapshot::backup::{
    BackupMeta, SnapshotKind, data_key, layer_key, meta_key,
};
use snapshotter::domain::snapshot::chain::Chain;
use snapshotter::ports::sandbox::*;
use snapshotter::sandbox::SandboxService;

type MakeSandbox = fn(&World) -> SandboxService;

const SECOND: &[u8] = b"second";
const THIRD: &[u8] = b"third";

fn backup(n: u8) -> StoredBackup {
    StoredBackup { id: id(n), binding: "BACKUP_BUCKET".to_owned() }
}

fn flatten(sandbox: &SandboxService, n: u8) -> Option<Result<(), Error>> {
    sandbox.flatten_backup(backup(n), FlattenBackupOptions::default()).now_or_never()
}

fn meta(world: &World, n: u8) -> BackupMeta {
    BackupMeta::parse(&id(n), &world.bucket.objects.borrow()[&meta_key(&id(n))]).unwrap()
}

fn has(world: &World, key: &str) -> bool {
    world.bucket.objects.borrow().contains_key(key)
}

#[test]
fn the_record_names_the_full_archive_and_the_layer_stays() {
    let world = World::with_files(FULL);
    chain_of(&world, [SECOND, THIRD]);
    world.container.set_dir(DIR, b"fourth");
    let sandbox = world.sandbox();
    let before = meta(&world, 2);
    flatten(&sandbox, 2).unwrap().unwrap();
    let after = meta(&world, 2);
    assert_eq!((after.kind(), after.chain()), (SnapshotKind::Full, Chain::NONE));
    let part = after.part().unwrap();
    assert_eq!((part.size_bytes, part.sha256), (SECOND.len() as u64, hex(SECOND)));
    assert_eq!(after, before.flattened(SECOND.len() as u64, hex(SECOND)), "the rest is as it was");
    assert!(has(&world, &layer_key(&id(2))), "others may name it");
    assert_eq!(world.bucket.objects.borrow()[&data_key(&id(2))], SECOND);
    assert_eq!(world.container.dir(DIR).as_deref(), Some(&b"fourth"[..]));
    assert_eq!((world.leftovers(), world.unfinished_rows()), (Vec::new(), 0));
    let commands = world.container.commands.borrow().len();
    flatten(&sandbox, 2).unwrap().unwrap();
    flatten(&sandbox, 1).unwrap().unwrap();
    assert_eq!(world.container.commands.borrow().len(), commands, "full ones are left alone");
    for (n, content) in [(3, THIRD), (2, SECOND), (1, FULL)] {
        restore(&sandbox, n).unwrap();
        assert_eq!(world.container.dir(DIR).as_deref(), Some(content));
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
fn a_broken_flatten_is_committed_or_gone() {
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
                let is_full = || meta(&world, 2).kind() == SnapshotKind::Full;
                match &result {
                    Some(Ok(())) => assert!(is_full(), "{at}"),
                    Some(Err(error)) if error.outcome == Outcome::None => {
                        assert!(!is_full() && !has(&world, &data_key(&id(2))), "{at}");
                    }
                    Some(Err(error)) => assert_eq!(error.outcome, Outcome::Unknown, "{at}"),
                    None => {}
                }
                let sandbox = if result.is_some() { sandbox } else { make(&world) };
                assert_eq!(now(sandbox.recover_backup(id(2))), Ok(BackupProgress::Ended), "{at}");
                assert_eq!(is_full(), has(&world, &data_key(&id(2))), "{at}");
                assert!(has(&world, &layer_key(&id(2))), "{at}");
                let lost_answer = at.contains("createMultipart");
                assert!(lost_answer || world.bucket.uploads.borrow().is_empty(), "{at}");
                assert_eq!(world.unfinished_rows(), 0, "{at}");
                flatten(&sandbox, 2).unwrap().unwrap();
                for (n, content) in [(3, THIRD), (2, SECOND)] {
                    restore(&sandbox, n).unwrap();
                    assert_eq!(world.container.dir(DIR).as_deref(), Some(content), "{at}");
                }
            }
        }
    }
}
