//! Backups and restores whose callers give up.

use super::layers::{FULL, chain_of};
use crate::support::faults::Fault;
use crate::support::stream::{LiveBytes, MemoryBytes};
use crate::world::{World, handle, id, now, options};
use futures::FutureExt;
use futures::future::LocalBoxFuture;
use snapshotter::domain::error::{Error, ErrorCode, Outcome};
use snapshotter::ports::sandbox::*;
use snapshotter::sandbox::SandboxService;
use std::rc::Rc;

/// The groups that were ended, by the ids in the names of their files.
fn stopped(world: &World) -> Vec<String> {
    let commands = world.container.commands.borrow();
    let stops = commands.iter().filter(|command| command.argv[2].contains("\n# stop.sh "));
    stops.map(|stop| stop.argv[4].rsplit("group-").next().unwrap().to_owned()).collect()
}

fn backup(n: u8) -> StoredBackup {
    StoredBackup { id: id(n), binding: "BACKUP_BUCKET".to_owned() }
}

type Ended = Result<(), Error>;

/// How a call ends.
fn ended<'a, T>(call: impl Future<Output = Result<T, Error>> + 'a) -> LocalBoxFuture<'a, Ended> {
    call.map(|ended| ended.map(drop)).boxed_local()
}

#[test]
fn an_import_ends_while_its_archive_arrives() {
    let world = World::with_files(b"files");
    let sandbox = world.sandbox();
    let (sender, archive) = LiveBytes::pair();
    sender.unbounded_send(b"the first part".to_vec()).unwrap();
    let import = ImportBackupOptions::default();
    let mut importing =
        sandbox.import_backup(archive, import.clone(), options(&id(1))).boxed_local();
    assert!((&mut importing).now_or_never().is_none());
    let rest = MemoryBytes::of([b"the archive".to_vec()]);
    let mut waits = sandbox.import_backup(Box::new(rest), import, options(&id(2))).boxed_local();
    assert!((&mut waits).now_or_never().is_none());
    now(sandbox.stop_backup(id(2))).unwrap();
    let error = (&mut waits).now_or_never().expect("it waits for nothing").unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::Aborted, Outcome::None));
    now(sandbox.stop_backup(id(1))).unwrap();
    let error = (&mut importing).now_or_never().expect("its script has ended").unwrap_err();
    assert_eq!((error.code, error.outcome), (ErrorCode::Aborted, Outcome::None));
    assert!(world.bucket.keys().is_empty());
    // Its id may be used again.
    drop(sender);
    let next = MemoryBytes::of([b"the archive".to_vec()]);
    now(sandbox.import_backup(Box::new(next), ImportBackupOptions::default(), options(&id(1))))
        .unwrap();
}

#[test]
fn one_that_waits_for_its_turn_ends_at_once() {
    let world = World::with_files(b"files");
    let sandbox = world.sandbox();
    now(sandbox.create_backup(options(&id(1)))).unwrap();
    world.faults.arm(0, Fault::CrashBefore);
    let mut first = sandbox.create_backup(options(&id(2))).boxed_local();
    assert!((&mut first).now_or_never().is_none());
    world.faults.disarm();
    let flatten = FlattenBackupOptions::default;
    let restore = RestoreBackupOptions::default();
    let waiting = [
        (id(3), ended(sandbox.create_backup(options(&id(3))))),
        (id(1), ended(sandbox.restore_backup(handle(&id(1)), restore))),
        (id(1), ended(sandbox.pack_backup(backup(1), flatten()))),
        (id(1), ended(sandbox.flatten_backup(backup(1), flatten()))),
    ];
    for (waits_for, mut waits) in waiting {
        assert!((&mut waits).now_or_never().is_none());
        now(sandbox.stop_backup(waits_for)).unwrap();
        let ended = (&mut waits).now_or_never().expect("it waits for nothing");
        let error = ended.unwrap_err();
        assert_eq!((error.code, error.outcome), (ErrorCode::Aborted, Outcome::None));
    }
    drop(first);
    now(sandbox.create_backup(options(&id(3)))).unwrap();
}

#[test]
fn the_restore_that_a_safety_snapshot_prepares_ends_with_it() {
    let world = World::with_files(b"files");
    let sandbox = world.sandbox();
    now(sandbox.create_backup(options(&id(1)))).unwrap();
    let saving = CreateBackupOptions { prepare_restore: Some(backup(1)), ..options(&id(2)) };
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    now(sandbox.create_backup(saving.clone())).unwrap();
    let prepare = world.faults.trace().iter().position(|name| name == "prepare.sh").unwrap();
    let saving = CreateBackupOptions { id: Some(id(3)), ..saving };
    world.faults.arm(prepare, Fault::CrashBefore);
    let mut saving = sandbox.create_backup(saving).boxed_local();
    assert!((&mut saving).now_or_never().is_none());
    world.faults.disarm();
    now(sandbox.stop_backup(id(3))).unwrap();
    assert_eq!(stopped(&world), [id(3).to_string(), id(1).to_string()]);
}

/// Begins what has that script work on a layer with a machine, each step waiting once.
fn begun(script: &'static str) -> (World, Rc<SandboxService>, LocalBoxFuture<'static, Ended>) {
    let world = World::with_files(FULL);
    let machine = ConfigureOptions {
        persist_machine: Some(vec![handle(&id(2)).dir]),
        ..ConfigureOptions::default()
    };
    let sandbox = Rc::new(world.sandbox());
    now(sandbox.configure(machine)).unwrap();
    chain_of(&world, [b"second", b"third"]);
    world.container.commands.borrow_mut().clear();
    world.faults.slow.set(true);
    world.faults.arm(usize::MAX, Fault::ErrorBefore);
    let restore = RestoreBackupOptions {
        fresh_sandbox: true,
        machine: Some(RestoreMachine { backup: backup(2), force_image: false }),
        ..RestoreBackupOptions::default()
    };
    let (object, flatten) = (sandbox.clone(), FlattenBackupOptions::default());
    let work = async move {
        match script {
            "flatten.sh" => object.flatten_backup(backup(2), flatten).await.map(drop),
            "pack.sh" => object.pack_backup(backup(2), flatten).await.map(drop),
            _ => object.restore_backup(handle(&id(2)), restore).await.map(drop),
        }
    };
    (world, sandbox, work.boxed_local())
}

#[test]
fn nothing_is_laid_out_for_one_that_was_given_up_while_its_archives_came() {
    for script in ["flatten.sh", "pack.sh", "restore_machine.sh"] {
        let (probe, _, mut work) = begun(script);
        let mut polls = 0;
        while !probe.faults.trace().iter().any(|name| name == "download") {
            assert!((&mut work).now_or_never().is_none(), "{script}");
            polls += 1;
        }
        let (world, sandbox, mut work) = begun(script);
        for _ in 1..polls {
            assert!((&mut work).now_or_never().is_none(), "{script}");
        }
        world.faults.slow.set(false);
        now(sandbox.stop_backup(id(2))).unwrap();
        let error = now(work).unwrap_err();
        assert!(world.faults.trace().iter().any(|name| name == "download"), "{script}");
        assert_eq!((error.code, error.outcome), (ErrorCode::Aborted, Outcome::None), "{script}");
        assert_eq!(world.container.count(script), 0, "{script}");
        assert_eq!(stopped(&world), [id(2).to_string()], "{script}");
    }
}
