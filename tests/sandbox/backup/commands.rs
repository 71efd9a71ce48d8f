//! How many commands an operation runs in its container: each costs its caller 60 to 100 ms.

use crate::world::{DIR, World, handle, id, now, options};
use snapshotter::domain::snapshot::chain::Chain;
use snapshotter::ports::sandbox::*;
use snapshotter::sandbox::SandboxService;

/// How many processes a call begins.
fn processes<T>(world: &World, call: impl FnOnce() -> T) -> usize {
    let before = world.container.processes.get();
    call();
    world.container.processes.get() - before
}

#[test]
fn no_operation_runs_more_commands_than_it_needs() {
    let world = World::with_files(b"files");
    let sandbox = world.sandbox();
    let new_object = processes(&world, || now(sandbox.ensure_running()).unwrap());
    assert_eq!(new_object, 1, "which disk it is");

    let back_up = |options| now(sandbox.create_backup(options)).unwrap();
    assert_eq!(processes(&world, || back_up(options(&id(1)))), 1, "a snapshot");
    let meta = world.committed(&id(1)).unwrap();
    let known = KnownArchive {
        id: id(1),
        size_bytes: meta.size_bytes,
        sha256: meta.snapshotter.unwrap().sha256,
        chain: Chain::NONE,
    };
    let unless = |n| CreateBackupOptions { unless_equal: Some(known.clone()), ..options(&id(n)) };
    assert_eq!(processes(&world, || back_up(unless(2))), 1, "an equal archive");
    world.container.script("backup.sh", 0, "unchanged\n", "");
    assert_eq!(processes(&world, || back_up(unless(3))), 1, "no change");

    // A rewind: its safety snapshot, beside which the restore is prepared, and the restore.
    world.container.set_dir(DIR, b"other files");
    let stored = StoredBackup { id: id(1), binding: "BACKUP_BUCKET".to_owned() };
    let safety = CreateBackupOptions { prepare_restore: Some(stored), ..options(&id(4)) };
    assert_eq!(processes(&world, || back_up(safety)), 3, "one of them for the snapshot");
    let restore = |sandbox: &SandboxService, n| {
        now(sandbox.restore_backup(handle(&id(n)), RestoreBackupOptions::default())).unwrap()
    };
    assert_eq!(processes(&world, || restore(&sandbox, 1)), 1, "what is prepared");
    assert_eq!(processes(&world, || restore(&sandbox, 4)), 1, "what is not");

    let run = || {
        let command = CommandLine::Shell("true".to_owned());
        now(sandbox.exec(command, ExecOptions::default())).unwrap()
    };
    assert_eq!(processes(&world, run), 1, "a command");

    world.container.die();
    let another = world.sandbox();
    assert_eq!(processes(&world, || restore(&another, 1)), 2, "a new container");
}
