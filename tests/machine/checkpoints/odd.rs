//! Files that git would read for ever, locks of a dead git, and bytes that stay.

#![expect(clippy::disallowed_methods, reason = "real programs take real time")]

use crate::checkpoints::name;
use crate::{World, now};
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::ports::sandbox::SandboxApi;
use std::fs;
use std::time::{Duration, Instant};

/// The error of a checkpoint, which must come soon and leave nothing running.
fn refused(world: &World) -> Error {
    let began = Instant::now();
    let error = world.take_in(".", "odd").unwrap_err();
    assert!(began.elapsed() < Duration::from_secs(20), "{error}");
    assert_eq!(world.sh(&format!("pgrep -f '[g]it.*{}' || true", world.root)), "", "{error}");
    error
}

#[test]
fn a_pipe_or_a_device_that_git_would_read_is_refused_and_named() {
    let world = World::repository();
    for file in [
        ".gitignore",
        "s/.gitattributes",
        ".gitmodules",
        ".git/HEAD",
        ".git/config",
        ".git/index",
        ".git/packed-refs",
        ".git/info/exclude",
        ".git/objects/info/alternates",
        ".git/refs/heads/main",
    ] {
        for make in ["mkfifo", "ln -s /dev/zero", "ln -s /proc/kmsg", "truncate -s 3G"] {
            // Git maps these two, and reads attributes and modules only if they are no links.
            let mapped = [".git/index", ".git/packed-refs"].contains(&file);
            if make.starts_with("truncate") && mapped {
                continue;
            }
            world.sh(&format!(
                "mkdir -p s; if [ -e {file} ]; then mv {file} .git/away; fi; {make} {file}"
            ));
            let error = refused(&world);
            let last = file.rsplit('/').next().unwrap();
            assert!(error.message.contains(last), "{make} {file}: {error}");
            assert!(
                [ErrorCode::Conflict, ErrorCode::Unsupported].contains(&error.code),
                "{make} {file}: {error}"
            );
            world.sh(&format!("rm -f {file}; if [ -e .git/away ]; then mv .git/away {file}; fi"));
        }
    }
    for to in ["config include.path ../pipe", "config core.excludesFile pipe"] {
        world.sh(&format!("mkfifo pipe; git {to}"));
        if to.contains("include") {
            let error = refused(&world);
            assert!(error.message.contains("waits for ever"), "{error}");
            world.sh("rm pipe; git config --file .git/config --unset include.path");
        } else {
            world.take("fine");
        }
    }
    world.take("after");
}

#[test]
fn a_stale_lock_of_ours_is_removed_and_any_other_is_named_with_its_age() {
    let world = World::repository();
    world.sh("mkdir -p .git/refs/sandbox/snapshots; touch -d '2 days ago' .git/refs/sandbox/snapshots/x.lock");
    world.take("x");
    // One that is new may be held.
    world.sh("touch .git/refs/sandbox/snapshots/y.lock");
    let error = world.take_in(".", "y").unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict);
    assert!(error.message.contains(".git/refs/sandbox/snapshots/y.lock, "), "{error}");
    world.sh("git pack-refs --all; touch -d '2 days ago' .git/packed-refs.lock");
    let delete =
        || now(world.sandbox.delete_git_checkpoint(name("x"), world.path("."), world.options()));
    let error = delete().unwrap_err();
    let said = error.message.as_str();
    assert!(said.contains(".git/packed-refs.lock, 172") && said.contains(" s old"), "{error}");
    assert!(said.ends_with("no process has it open"), "{error}");
    let hint = error.hint.unwrap();
    assert!(hint.contains("remove the lock") && !hint.contains("disk"), "{hint}");
    world.sh("rm .git/packed-refs.lock");
    delete().unwrap();
}

#[test]
fn a_deletion_says_what_stays_and_removes_what_a_killed_git_left() {
    let world = World::repository();
    world.sh("head -c 3000000 /dev/urandom >big; head -c 2000000 /dev/urandom >staged");
    world.take("x");
    world.sh("rm big; git add staged; rm staged; mkdir -p .git/objects/pack .git/objects/00");
    world.sh("touch -d '1 hour ago' .git/objects/pack/tmp_pack_a .git/objects/00/tmp_obj_b .git/objects/pack/tmp_pack_open; touch .git/objects/pack/tmp_pack_new");
    let open = fs::File::open(world.real(".git/objects/pack/tmp_pack_open")).unwrap();
    let held =
        now(world.sandbox.delete_git_checkpoint(name("x"), world.path("."), world.options()));
    let held = held.unwrap().unwrap();
    assert!(
        (3_000_000..3_100_000).contains(&held),
        "what the index has is not only its own: {held}"
    );
    drop(open);
    assert_eq!(
        world.sh("find .git/objects -name 'tmp_*' | sort"),
        ".git/objects/pack/tmp_pack_new\n.git/objects/pack/tmp_pack_open"
    );
    let du = || -> u64 { world.sh("du -sk .git | cut -f 1").parse().unwrap() };
    world.sh("git gc -q");
    assert!(du() > 3_000, "a plain collection keeps them");
    world.sh("git gc -q --prune=now");
    assert!(du() < 3_000, "this one does not");
}

#[test]
fn many_new_files_become_packs_and_come_back() {
    let world = World::repository();
    world.sh("mkdir many; for n in $(seq 1 1200); do echo $n >many/$n; done; : >many/empty; head -c 99999 /dev/urandom >many/large; ln -s large many/link");
    let before = world.sh("find many -type f -exec sha256sum {} + | sort");
    let objects = || world.sh("find .git/objects -type f | wc -l").parse::<u64>().unwrap();
    world.take("all");
    assert!(objects() < 20, "{}", objects());
    assert_eq!(world.sh("git fsck --strict 2>&1 | grep -v dangling || true"), "");
    world.sh("rm -r many; mkdir many; echo other >many/7");
    world.try_restore("all").unwrap();
    assert_eq!(world.sh("find many -type f -exec sha256sum {} + | sort"), before);
    assert_eq!(world.sh("readlink many/link"), "large");
    // A few more are added as git adds them, and no second pack holds the same objects.
    world.sh("echo 1 >one; echo 2 >two");
    world.take("more");
    assert_eq!(world.sh("ls .git/objects/pack/*.pack | wc -l"), "1");
    world.sh("git gc --quiet --prune=now; git fsck --strict");
    world.try_restore("all").unwrap();
    assert_eq!(world.sh("find many -type f -exec sha256sum {} + | sort"), before);
}
