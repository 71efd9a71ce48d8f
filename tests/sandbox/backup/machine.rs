//! Backups that hold the machine, too.

use crate::support::container::hex;
use crate::support::faults::Fault;
use crate::world::{DIR, World, handle, id, now, options};
use futures::FutureExt;
use snapshotter::domain::error::{ErrorCode, Outcome};
use snapshotter::domain::snapshot::backup::machine::MachinePart;
use snapshotter::domain::snapshot::backup::{BackupDir, machine_key};
use snapshotter::domain::snapshot::meta::BackupMeta;
use snapshotter::ports::sandbox::*;

const MACHINE: &[u8] = b"packages";

/// A world whose container persists its machine.
fn begin() -> World {
    let world = World::new();
    configure(&world);
    now(world.sandbox().ensure_running()).unwrap();
    world.container.set_dir(DIR, b"files");
    install(&world, MACHINE);
    world
}

fn configure(world: &World) {
    let options = ConfigureOptions {
        persist_machine: Some(vec![BackupDir::parse(DIR).unwrap()]),
        ..ConfigureOptions::default()
    };
    now(world.sandbox().configure(options)).unwrap();
}

/// A destroy that fails may leave the container running, without what says to save its machine.
#[test]
fn nothing_is_saved_without_a_configuration() {
    let world = begin();
    world.faults.arm(0, Fault::ErrorBefore);
    now(world.sandbox().destroy()).unwrap_err();
    assert!(world.faults.disarm() && machine(&world).is_some());
    let error = now(world.sandbox().create_backup(options(&id(1)))).unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::Unavailable, Outcome::None));
    assert!(world.committed(&id(1)).is_none());
    configure(&world);
    assert!(save(&world, 1).machine().is_some());
}

fn install(world: &World, machine: &[u8]) {
    world.container.disk.borrow_mut().as_mut().unwrap().machine = machine.to_vec();
}

fn machine(world: &World) -> Option<Vec<u8>> {
    world.container.disk.borrow().as_ref().map(|disk| disk.machine.clone())
}

fn save(world: &World, n: u8) -> BackupMeta {
    now(world.sandbox().create_backup(options(&id(n)))).unwrap();
    world.committed(&id(n)).unwrap()
}

fn part(meta: &BackupMeta) -> MachinePart {
    meta.machine().unwrap().clone()
}

fn stored(world: &World, n: u8) -> Option<Vec<u8>> {
    world.bucket.objects.borrow().get(&machine_key(&id(n))).cloned()
}

fn restore(world: &World, n: u8, force_image: bool) -> Result<RestoreBackupResult, ErrorCode> {
    let backup = StoredBackup { id: id(n), binding: "BACKUP_BUCKET".to_owned() };
    let options = RestoreBackupOptions {
        fresh_sandbox: true,
        machine: Some(RestoreMachine { backup, force_image }),
        ..RestoreBackupOptions::default()
    };
    now(world.sandbox().restore_backup(handle(&id(n)), options)).map_err(|error| error.code)
}

#[test]
fn it_is_beside_the_archive_and_named_in_the_record() {
    let world = begin();
    let saved = part(&save(&world, 1));
    assert_eq!(stored(&world, 1).as_deref(), Some(MACHINE));
    assert_eq!((saved.id, saved.size_bytes, saved.sha256), (id(1), 8, hex(MACHINE)));
    assert_eq!(saved.image.sha256, "a".repeat(64));
    assert_eq!(world.leftovers(), Vec::<String>::new());
}

#[test]
fn an_unchanged_one_is_shared_and_a_changed_one_makes_a_new_backup_of_unchanged_files() {
    let world = begin();
    let first = save(&world, 1);
    let known = KnownArchive {
        id: id(1),
        size_bytes: first.size_bytes,
        sha256: hex(b"files"),
        chain: Default::default(),
    };
    let again = |n: u8| CreateBackupOptions {
        known_machine: Some(part(&first)),
        unless_equal: Some(known.clone()),
        ..options(&id(n))
    };
    assert_eq!(now(world.sandbox().create_backup(again(2))).unwrap().id, id(1));

    world.container.set_dir(DIR, b"other files");
    now(world.sandbox().create_backup(again(3))).unwrap();
    assert_eq!(part(&world.committed(&id(3)).unwrap()), part(&first));
    assert_eq!(stored(&world, 3), None);

    world.container.set_dir(DIR, b"files");
    install(&world, b"more");
    assert_eq!(now(world.sandbox().create_backup(again(4))).unwrap().id, id(4));
    assert_eq!(part(&world.committed(&id(4)).unwrap()).id, id(4));
    assert_eq!(stored(&world, 4).as_deref(), Some(&b"more"[..]));
}

#[test]
fn a_sandbox_that_persists_none_saves_none() {
    let world = World::with_files(b"files");
    assert_eq!(save(&world, 1).machine(), None);
    assert_eq!(world.container.count("save_machine.sh"), 0);
}

#[test]
fn a_broken_backup_leaves_all_of_it_or_nothing() {
    for fault in Fault::ALL {
        for nth in 0.. {
            let world = begin();
            world.faults.arm(nth, fault);
            let sandbox = world.sandbox();
            let result = sandbox.create_backup(options(&id(1))).now_or_never();
            if !world.faults.disarm() {
                assert!(nth >= 8, "{nth} {:?}", world.faults.trace());
                break;
            }
            let at = format!("{fault:?} at {:?}", world.faults.trace().get(nth));
            let sandbox = if result.is_some() { sandbox } else { world.sandbox() };
            if let Some(Err(error)) = &result
                && error.outcome == Outcome::None
            {
                assert_eq!((world.committed(&id(1)), stored(&world, 1)), (None, None), "{at}");
            }
            now(sandbox.recover_backup(id(1))).unwrap();
            match world.committed(&id(1)) {
                Some(meta) => assert_eq!(part(&meta).id, id(1), "{at}"),
                None => assert!(!matches!(result, Some(Ok(_))), "{at}"),
            }
            let committed = world.committed(&id(1)).is_some();
            assert_eq!(stored(&world, 1).is_some(), committed, "{at}");
        }
    }
}

#[test]
fn the_end_of_a_flatten_keeps_it() {
    let world = begin();
    save(&world, 1);
    let archive = world.bucket.objects.borrow()[&machine_key(&id(1))].clone();
    for fault in Fault::ALL {
        world.faults.arm(1, fault);
        let backup = StoredBackup { id: id(1), binding: "BACKUP_BUCKET".to_owned() };
        let _ = world.sandbox().flatten_backup(backup, Default::default()).now_or_never();
        world.faults.disarm();
        now(world.sandbox().recover_backup(id(1))).unwrap();
        assert_eq!(stored(&world, 1).as_ref(), Some(&archive));
    }
}

#[test]
fn a_fresh_container_gets_it() {
    let world = begin();
    save(&world, 1);
    world.container.die();
    restore(&world, 1, false).unwrap();
    assert_eq!(machine(&world).as_deref(), Some(MACHINE));
    assert_eq!(world.container.dir(DIR).as_deref(), Some(&b"files"[..]));
    // A wake that broke off after the machine finds it there.
    let starts = world.container.starts.borrow().len();
    restore(&world, 1, false).unwrap();
    assert_eq!(world.container.starts.borrow().len(), starts);
}

#[test]
fn a_container_in_which_a_restore_broke_off_is_replaced() {
    let world = begin();
    save(&world, 1);
    world.container.die();
    now(world.sandbox().ensure_running()).unwrap();
    let starts = world.container.starts.borrow().len();
    world.container.disk.borrow_mut().as_mut().unwrap().restored_machine =
        Some("incomplete".to_owned());
    install(&world, b"half");
    restore(&world, 1, false).unwrap();
    assert_eq!(machine(&world).as_deref(), Some(MACHINE));
    assert_eq!(world.container.starts.borrow().len(), starts + 1);
}

#[test]
fn a_damaged_or_missing_one_destroys_the_container_and_names_the_backup() {
    let world = begin();
    save(&world, 1);
    world.container.die();
    let key = machine_key(&id(1));
    world.bucket.objects.borrow_mut().insert(key.clone(), b"PACKAGES".to_vec());
    assert_eq!(restore(&world, 1, false).unwrap_err(), ErrorCode::Integrity);
    assert_eq!(machine(&world), None, "it is of no use");
    world.bucket.objects.borrow_mut().insert(key.clone(), b"short".to_vec());
    assert_eq!(restore(&world, 1, false).unwrap_err(), ErrorCode::Integrity);
    world.bucket.objects.borrow_mut().remove(&key);
    assert!(restore(&world, 1, false).unwrap().machine_lost);
    assert_eq!(machine(&world).as_deref(), Some(&b""[..]), "the image is as it was built");
}

#[test]
fn another_image_is_refused_by_name_unless_forced() {
    let world = begin();
    save(&world, 1);
    world.container.die();
    world.container.image.set('b');
    assert_eq!(restore(&world, 1, false).unwrap_err(), ErrorCode::Conflict);
    assert_eq!(machine(&world).as_deref(), Some(&b""[..]));
    restore(&world, 1, true).unwrap();
    assert_eq!(machine(&world).as_deref(), Some(MACHINE));
}

#[test]
fn a_workspace_without_a_machine_begins_on_the_image() {
    let world = World::with_files(b"plain files");
    assert_eq!(save(&world, 2).machine(), None);
    let plain_after_wake = |wanted: Option<RestoreMachine>| {
        let options = RestoreBackupOptions {
            fresh_sandbox: true,
            wake: true,
            machine: wanted,
            ..RestoreBackupOptions::default()
        };
        // An earlier wake brought a machine, and then broke off.
        world.container.die();
        now(world.sandbox().ensure_running()).unwrap();
        install(&world, MACHINE);
        world.container.disk.borrow_mut().as_mut().unwrap().restored_machine = Some("m".into());
        let result = now(world.sandbox().restore_backup(handle(&id(2)), options)).unwrap();
        assert_eq!(Some(result.instance_id), now(world.sandbox().disk()).unwrap());
        assert_eq!(machine(&world).as_deref(), Some(&b""[..]));
        assert_eq!(world.container.dir(DIR).as_deref(), Some(&b"plain files"[..]));
    };
    plain_after_wake(None);
    configure(&world);
    let backup = StoredBackup { id: id(2), binding: "BACKUP_BUCKET".to_owned() };
    plain_after_wake(Some(RestoreMachine { backup, force_image: false }));
}

#[test]
fn the_second_archive_of_a_wake_keeps_the_machine_that_the_first_brought() {
    let world = begin();
    save(&world, 1);
    world.container.die();
    restore(&world, 1, false).unwrap();
    let starts = world.container.starts.borrow().len();
    let options = RestoreBackupOptions { fresh_sandbox: true, ..RestoreBackupOptions::default() };
    now(world.sandbox().restore_backup(handle(&id(1)), options)).unwrap();
    assert_eq!(machine(&world).as_deref(), Some(MACHINE));
    assert_eq!(world.container.starts.borrow().len(), starts);
}

#[test]
fn an_image_that_is_no_hash_is_not_recorded() {
    let world = begin();
    let archive = format!("machine 8 {}", "0f".repeat(32));
    for image in ["", "short", &"x".repeat(64), &"0F".repeat(32), &"0f".repeat(40)] {
        world.container.script("save_machine.sh", 0, &format!("{archive} {image}\n"), "");
        let error = now(world.sandbox().create_backup(options(&id(1)))).unwrap_err();
        assert_eq!(
            (error.code, error.outcome),
            (ErrorCode::BackupFailed, Outcome::None),
            "{image}"
        );
        assert!(world.bucket.keys().is_empty(), "{image}");
    }
}
