//! Files that grow while they are archived.

#![expect(clippy::disallowed_methods, reason = "real programs take real time")]

use super::{ROOM, World, name};
use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Appends to the files of its arguments, faster than they can be read, for a minute.
const WRITER: &str = r#"
import sys, time
files = [open(name, "ab", 0) for name in sys.argv[1:]]
print("begun", flush=True)
end = time.time() + 60
while time.time() < end:
    for file in files: file.write(b"x" * 99 + b"\n")
    time.sleep(0.0005)
"#;
/// Longer than an archive of these trees takes; the writers go on for longer.
const PATIENCE: Duration = Duration::from_secs(40);

/// A program that is ended with the test.
struct Writer(Child);

impl Writer {
    fn new(world: &World, names: &[&str]) -> Self {
        let mut command = Command::new("python3");
        let command = command.current_dir(world.at("workspace")).args(["-c", WRITER]).args(names);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut begun = [0; 6];
        child.stdout.as_mut().unwrap().read_exact(&mut begun).unwrap();
        Self(child)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Checks that each file of a restored tree is a beginning of what the workspace has now.
fn check_beginnings(world: &World, dir: &str, names: &[&str], at_least: u64) {
    for name in names {
        let path = world.at(&format!("{dir}/{name}"));
        let restored = fs::metadata(&path).unwrap();
        assert!(restored.len() >= at_least, "{name}: {} bytes", restored.len());
        let length = restored.len().to_string();
        let now = world.at(&format!("workspace/{name}"));
        let same = Command::new("cmp").args(["-n", &length, "--", &path, &now]).status().unwrap();
        assert!(same.success(), "{name}");
    }
}

const MIB: u64 = 1024 * 1024;

#[test]
fn files_that_grow_are_archived_to_a_length_that_they_had() {
    let world = World::with_files();
    let names = ["app.log", "a/$(touch ran) 'odd' \"name\" *?[x]\\.log", "é -n.log"];
    for name in names {
        world.sh(&format!("head -c 60M /dev/zero >\"$(cat <<'NAME'\n{name}\nNAME\n)\""));
    }
    world.sh("chown 7:8 app.log; chmod 4640 app.log; ln app.log b/other-name");
    let base = world.full();
    let writer = Writer::new(&world, &names);
    let began = Instant::now();
    let full = vec![world.made(&world.backup("", "own/manifest-other", "", &[], ""))];
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    let size = fs::metadata(world.at("workspace/app.log")).unwrap().len();
    assert!(size > 60 * MIB);

    // A layer has them, too, and what else has changed.
    world.sh("echo more >>a/1; rm c/1; mkdir new");
    let began = Instant::now();
    let chain = world.layer(&base);
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    drop(writer);

    for (chain, dir, at_least) in [(&full, "full", 60 * MIB), (&chain, "layered", size)] {
        let ran = world.restore(chain, dir);
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        check_beginnings(&world, dir, &names, at_least);
        let log = fs::metadata(world.at(&format!("{dir}/app.log"))).unwrap();
        assert_eq!(log.permissions().mode() & 0o7777, 0o4640);
        assert_eq!((log.uid(), log.gid(), log.nlink()), (7, 8, 2));
        let other = fs::metadata(world.at(&format!("{dir}/b/other-name"))).unwrap();
        assert_eq!(other.ino(), log.ino());
    }
    // They have changed since, so nothing counts as unchanged.
    let ran = world.backup("", "own/manifest", &name(&chain), &chain, ROOM);
    assert_eq!(world.made(&ran).kind, "full");
    assert!(!fs::exists(world.at("workspace/ran")).unwrap());
}

#[test]
fn attributes_of_a_file_that_grows_are_kept() {
    let world = World::with_files();
    world.sh("head -c 100M /dev/zero >app.log
        python3 -c 'import os; os.setxattr(\"app.log\", \"user.of\", b\"a \\x00 server\")'");
    let writer = Writer::new(&world, &["app.log"]);
    let full = world.full();
    drop(writer);
    assert!(world.restore(&full, "full").status.success());
    let asked = "import os, sys; sys.stdout.buffer.write(os.getxattr(sys.argv[1], 'user.of'))";
    let said = Command::new("python3").args(["-c", asked, &world.at("full/app.log")]).output();
    assert_eq!(said.unwrap().stdout, b"a \0 server");
}

#[test]
fn a_file_that_has_grown_and_then_shrinks_fails_the_attempt() {
    let world = World::with_files();
    let base = world.full();
    world.sh("head -c 100M /dev/zero >app.log");
    let writer = Writer::new(&world, &["app.log"]);
    // Once the file is to be archived by its length.
    let hook = format!(
        "mksquashfs() {{ [ ! -s '{}.lengths' ] || : >'{}'; command mksquashfs \"$@\"; }}",
        world.at("own/backup-1.sqsh"),
        world.at("workspace/app.log")
    );
    let ran = world.backup(&hook, "own/manifest", "", &base, ROOM);
    drop(writer);
    let stderr = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(20), "{stderr}");
    assert!(stderr.contains("workspace/app.log shrank from 10"), "{stderr}");
}

#[test]
fn what_is_never_read_to_its_end_ends_the_attempt() {
    let world = World::with_files();
    // A FIFO in the place of a file that was listed: opening it waits for a writer.
    let hook = format!(
        "timeout() {{ shift 2; command timeout --foreground 1 \"$@\"; }}
        mksquashfs() {{ rm '{0}' && mkfifo '{0}' && exec mksquashfs \"$@\" -p 'hung f 644 0 0 cat {0}'; }}",
        world.at("workspace/a/1")
    );
    let began = Instant::now();
    let ran = world.backup(&hook, "own/manifest", "", &[], "");
    let stderr = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(40), "{stderr}");
    assert!(stderr.contains("took longer than"), "{stderr}");
    assert!(began.elapsed() < PATIENCE);
    assert_eq!(world.left(), ["lock"]);
}
