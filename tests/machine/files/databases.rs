//! Files of databases of SQLite, which are replaced together, and never under a process.

use super::tar::{archive, file};
use crate::{World, code, now};
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::ports::sandbox::SandboxApi;
use std::fs::{self, File};

const OLD: &str = "SQLite format 3\0old";
const NEW: &str = "SQLite format 3\0new";

impl World {
    fn write(&self, path: &str, content: &str) -> Result<(), Error> {
        now(self.sandbox.write_file(self.path(path), content.to_owned(), self.options()))
    }
}

fn has(world: &World, path: &str) -> bool {
    world.real(path).exists()
}

fn database() -> World {
    let world = World::new();
    world.put("app.db", OLD);
    world.put("app.db-wal", "old log");
    world.put("app.db-shm", "old index");
    world.put("notes", "text");
    world.put("notes-wal", "text, too");
    world
}

#[test]
fn one_that_a_process_has_open_is_not_replaced_and_the_process_is_named() {
    for open in ["app.db", "app.db-wal"] {
        let world = database();
        let held = File::open(world.real(open)).unwrap();
        for (name, content) in [("app.db", NEW), ("app.db-wal", "new log"), ("app.db-journal", "x")]
        {
            let other = archive(&[file("other", "x"), file(name, content)]);
            for refused in [world.write(name, content), world.import(&other, ".").map(drop)] {
                let error = refused.unwrap_err();
                assert_eq!(error.code, ErrorCode::Conflict, "{error:?}");
                // Another test may be starting a program, which has the file for a moment, too.
                let named = "app.db is a database that process ";
                assert!(error.message.contains(named), "{}", error.message);
                // find, for one, may not name itself: it has ended, and has no command line.
                let command = error.message.rsplit("has open:").next().unwrap();
                assert!(!command.trim().is_empty(), "{}", error.message);
            }
        }
        assert_eq!(fs::read(world.real("app.db")).unwrap(), OLD.as_bytes());
        assert!(!has(&world, "other") && !has(&world, "app.db-journal"), "nothing was changed");
        drop(held);
        world.write("app.db", NEW).unwrap();
    }
}

#[test]
fn what_a_former_database_left_goes_with_it() {
    for is_written in [true, false] {
        let world = database();
        if is_written {
            world.write("app.db", NEW).unwrap();
        } else {
            world
                .import(&archive(&[file("app.db", NEW), file("app.db-wal", "new log")]), ".")
                .unwrap();
            assert_eq!(fs::read(world.real("app.db-wal")).unwrap(), b"new log");
        }
        assert_eq!(has(&world, "app.db-wal"), !is_written);
        assert!(!has(&world, "app.db-shm"));
        assert_eq!(fs::read(world.real("app.db")).unwrap(), NEW.as_bytes());
    }
    // What is called so, and is no database, is anybody's.
    let world = database();
    let held = File::open(world.real("notes")).unwrap();
    world.write("notes", "other").unwrap();
    world.import(&archive(&[file("notes", "third")]), ".").unwrap();
    assert!(has(&world, "notes-wal"));
    drop(held);
    assert_eq!(code(world.write("missing/x", "y")), ErrorCode::NotFound);
}

#[test]
fn its_files_leave_together() {
    let world = database();
    for names in [&["app.db"][..], &["app.db-wal"], &["app.db", "app.db-shm", "notes"]] {
        let target = World::new();
        let count = target.import(&world.export_paths(names).unwrap(), ".").unwrap().files;
        assert_eq!(count, 3 + u64::from(names.contains(&"notes")));
        assert_eq!(fs::read(target.real("app.db-wal")).unwrap(), b"old log");
    }
}
