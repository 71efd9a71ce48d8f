//! Watches: changes in a directory, streamed as they happen.

use crate::{World, now};
use snapshotter::domain::error::ErrorCode;
use snapshotter::domain::files::path::AbsolutePath;
use snapshotter::domain::limits::WATCH_DIRECTORIES_MAX;
use snapshotter::ports::sandbox::watch::{WatchEvent, WatchEventKind, WatchOptions};
use snapshotter::ports::sandbox::{FileOptions, SandboxApi};
use snapshotter::ports::stream::Bytes;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A watch and its directory. The watch's paths are relative to that directory.
struct Watch {
    stream: Bytes,
    root: PathBuf,
}

impl World {
    fn watch_options(&self) -> WatchOptions {
        WatchOptions { within: Some(self.root.clone()), ..WatchOptions::default() }
    }

    fn watch_with(&self, path: &AbsolutePath, options: WatchOptions) -> Watch {
        let stream = now(self.sandbox.watch(path.clone(), options)).unwrap();
        let mut watch = Watch { stream, root: self.real("") };
        let first = watch.next();
        assert!(matches!(first[..], [WatchEventKind::Watching { .. }]), "{first:?}");
        watch
    }

    fn watch(&self) -> Watch {
        self.watch_with(&self.root, self.watch_options())
    }
}

impl Watch {
    /// The next events that came together; empty at the end.
    fn next(&mut self) -> Vec<WatchEventKind> {
        let bytes = now(self.stream.next()).unwrap().unwrap_or_default();
        let text = String::from_utf8(bytes).unwrap();
        text.lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .map(|json| serde_json::from_str::<WatchEvent>(json).unwrap().kind)
            .collect()
    }

    /// All events up to now, one line each.
    fn told(&mut self) -> Vec<String> {
        let mark = "zz-mark";
        fs::write(self.root.join(mark), "").unwrap();
        let mut told = Vec::new();
        loop {
            let mut events: Vec<String> = self.next().iter().map(shown).collect();
            assert!(!events.is_empty(), "it ended after {told:?}");
            let is_last = events.iter().any(|event| event.ends_with(mark));
            events.retain(|event| !event.ends_with(mark));
            told.extend(events);
            if is_last {
                fs::remove_file(self.root.join(mark)).unwrap();
                while !self.next().iter().any(|event| shown(event) == format!("deleted {mark}")) {}
                return told;
            }
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }
}

fn shown(event: &WatchEventKind) -> String {
    let (kind, from, changed) = match event {
        WatchEventKind::Created(changed) => ("created", "", changed),
        WatchEventKind::Modified(changed) => ("modified", "", changed),
        WatchEventKind::Deleted(changed) => ("deleted", "", changed),
        WatchEventKind::Renamed { from, to, .. } => ("renamed", from.as_str(), to),
        other => return format!("{other:?}"),
    };
    let from = if from.is_empty() { String::new() } else { format!("{from} -> ") };
    let slash = if changed.directory { "/" } else { "" };
    format!("{kind} {from}{}{slash}", changed.path.path)
}

#[test]
fn each_kind_of_change_is_told_wherever_it_is() {
    let world = World::new();
    let mut watch = world.watch();
    fs::write(watch.at("a"), "1").unwrap();
    assert_eq!(watch.told(), ["created a"]);
    fs::write(watch.at("a"), "2").unwrap();
    assert_eq!(watch.told(), ["modified a"]);
    fs::rename(watch.at("a"), watch.at("b")).unwrap();
    assert_eq!(watch.told(), ["renamed a -> b"]);
    // Several at once, and deeper than any watched directory.
    fs::create_dir_all(watch.at("new/deep")).unwrap();
    fs::write(watch.at("new/deep/file"), "").unwrap();
    assert_eq!(watch.told(), ["created new/", "created new/deep/", "created new/deep/file"]);
    fs::rename(watch.at("new/deep"), watch.at("moved")).unwrap();
    fs::write(watch.at("moved/file"), "changed").unwrap();
    assert_eq!(watch.told(), ["renamed new/deep -> moved/", "modified moved/file"]);
    fs::remove_dir_all(watch.at("moved")).unwrap();
    fs::remove_file(watch.at("b")).unwrap();
    assert_eq!(watch.told(), ["deleted moved/file", "deleted moved/", "deleted b"]);
    world.link("/usr", "link");
    assert_eq!(watch.told(), ["created link"], "it is no directory, and not followed");
}

#[test]
fn nothing_in_a_new_directory_is_missed() {
    let world = World::new();
    let mut watch = world.watch();
    for n in 0..300 {
        fs::create_dir_all(watch.at(&format!("d{n}/sub"))).unwrap();
        fs::write(watch.at(&format!("d{n}/sub/f")), "").unwrap();
    }
    let told = watch.told();
    for n in 0..300 {
        let expected = format!("created d{n}/sub/f");
        assert!(told.contains(&expected), "{expected}");
    }
}

#[test]
fn odd_names_come_whole() {
    let world = World::new();
    let mut watch = world.watch();
    fs::write(watch.at("two\nlines\t "), "").unwrap();
    fs::write(watch.root.join(OsStr::from_bytes(b"\xff")), "").unwrap();
    assert_eq!(watch.told(), ["created two\nlines\t ", "created \u{fffd}"]);
    fs::rename(watch.root.join(OsStr::from_bytes(b"\xff")), watch.at("plain")).unwrap();
    let events = watch.next();
    let [WatchEventKind::Renamed { from_base64: Some(coded), to, .. }] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!((coded.as_str(), to.path.path_base64.as_ref()), ("/w==", None));
}

#[test]
fn what_leaves_the_directory_is_watched_no_longer_and_what_comes_in_is() {
    let world = World::new();
    let outside = world.top.path().join("outside");
    fs::create_dir_all(outside.join("in")).unwrap();
    fs::write(outside.join("in/file"), "").unwrap();
    let mut watch = world.watch();
    fs::create_dir_all(watch.at("out/sub")).unwrap();
    watch.told();
    fs::rename(watch.at("out"), outside.join("out")).unwrap();
    assert_eq!(watch.told(), ["deleted out/"]);
    fs::write(outside.join("out/sub/secret"), "").unwrap();
    assert!(watch.told().is_empty());
    fs::rename(outside.join("in"), watch.at("in")).unwrap();
    assert_eq!(watch.told(), ["created in/", "created in/file"]);
    fs::write(watch.at("in/file"), "x").unwrap();
    assert_eq!(watch.told(), ["modified in/file"]);
}

#[test]
fn our_own_writes_are_one_change() {
    let world = World::new();
    let mut watch = world.watch();
    let file = world.path("written");
    let write = || now(world.sandbox.write_file(file.clone(), "x".into(), FileOptions::default()));
    write().unwrap();
    assert_eq!(watch.told(), ["modified written"]);
    write().unwrap();
    assert_eq!(watch.told(), ["modified written"]);
}

#[test]
fn what_is_excluded_or_further_down_is_passed_over() {
    let world = World::new();
    fs::create_dir_all(world.real("node_modules/a")).unwrap();
    fs::create_dir_all(world.real("src")).unwrap();
    let exclude = vec!["node_modules".to_owned(), "*.tmp".to_owned()];
    let mut watch =
        world.watch_with(&world.root.clone(), WatchOptions { exclude, ..world.watch_options() });
    fs::write(watch.at("node_modules/a/file"), "").unwrap();
    fs::write(watch.at("src/x.tmp"), "").unwrap();
    assert!(watch.told().is_empty());
    fs::rename(watch.at("src/x.tmp"), watch.at("src/x")).unwrap();
    assert_eq!(watch.told(), ["created src/x"]);
    fs::rename(watch.at("src"), watch.at("src.tmp")).unwrap();
    assert_eq!(watch.told(), ["deleted src/"]);
    fs::write(watch.at("src.tmp/x"), "y").unwrap();
    assert!(watch.told().is_empty());

    let mut flat = world
        .watch_with(&world.root.clone(), WatchOptions { shallow: true, ..world.watch_options() });
    fs::create_dir(flat.at("new")).unwrap();
    fs::write(flat.at("new/file"), "").unwrap();
    assert_eq!(flat.told(), ["created new/"]);
}

#[test]
fn a_directory_further_down_is_named_from_the_root() {
    let world = World::new();
    let below = world.real("src/lib");
    fs::create_dir_all(&below).unwrap();
    let mut watch = world.watch_with(&world.path("src"), world.watch_options());
    fs::write(below.join("a"), "").unwrap();
    let events = watch.next();
    assert_eq!(events.iter().map(shown).collect::<Vec<_>>(), ["created src/lib/a"]);
}

#[test]
fn files_that_are_named_like_modules_change_nothing() {
    let world = World::new();
    for module in ["select", "re", "fnmatch", "ctypes", "sitecustomize"] {
        world.put(format!("{module}.py"), "raise SystemExit('imported')");
    }
    assert!(world.watch().told().is_empty());
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let world = World::new();
    world.put("file", "");
    world.link("/etc", "etc");
    let refused = |path: &str, options: WatchOptions| {
        let error = now(world.sandbox.watch(world.path(path), options)).err().unwrap();
        error.code
    };
    let options = || world.watch_options();
    assert_eq!(refused("none", options()), ErrorCode::NotFound);
    assert_eq!(refused("file", options()), ErrorCode::InvalidArgument);
    assert_eq!(refused("etc", options()), ErrorCode::InvalidArgument);
    for bad in [vec![String::new()], vec!["a/b".to_owned()], vec!["x".to_owned(); 65]] {
        let options = WatchOptions { exclude: bad, ..options() };
        assert_eq!(refused(".", options), ErrorCode::InvalidArgument);
    }
}

#[test]
fn more_directories_than_are_watched_end_it() {
    let world = World::new();
    let mut watch = world.watch();
    for n in 0..WATCH_DIRECTORIES_MAX {
        fs::create_dir(watch.at(&n.to_string())).unwrap();
    }
    let last = loop {
        match watch.next().pop() {
            Some(WatchEventKind::Error { error }) => break error,
            Some(_) => {}
            None => panic!("it ended"),
        }
    };
    assert_eq!(last.code, ErrorCode::TooLarge);
    assert!(watch.next().is_empty());
    let refused = now(world.sandbox.watch(world.root.clone(), world.watch_options())).err();
    assert_eq!(refused.unwrap().code, ErrorCode::TooLarge);
    let shallow = WatchOptions { shallow: true, ..world.watch_options() };
    world.watch_with(&world.root.clone(), shallow);
}

#[test]
fn lost_changes_are_told_and_what_follows_is_not_lost() {
    let world = World::new();
    let mut watch = world.watch();
    let group = world.group_of_watch();
    let signal = |name: &str| {
        let kill = format!("kill -s {name} -- -{group}");
        assert!(Command::new("sh").args(["-c", kill.as_str()]).status().unwrap().success());
    };
    signal("STOP");
    let kept: usize = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events")
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    for n in 0..kept {
        fs::write(watch.at(&format!("f{n}")), "").unwrap();
    }
    // Nobody was told of it.
    fs::create_dir(watch.at("unseen")).unwrap();
    signal("CONT");
    while !watch.next().contains(&WatchEventKind::Overflow) {}
    fs::write(watch.at("unseen/file"), "").unwrap();
    assert_eq!(watch.told(), ["created unseen/file"]);
}

#[test]
fn it_ends_with_its_directory() {
    let world = World::new();
    let below = world.real("below");
    fs::create_dir(&below).unwrap();
    let mut watch = world.watch_with(&world.path("below"), world.watch_options());
    fs::remove_dir(&below).unwrap();
    let events = watch.next();
    let [WatchEventKind::Error { error }] = &events[..] else { panic!("{events:?}") };
    assert_eq!(error.code, ErrorCode::NotFound);
    assert!(watch.next().is_empty());
}

#[test]
fn it_ends_when_nobody_wants_it() {
    let world = World::new();
    let mut watch = world.watch();
    let group = world.group_of_watch();
    now(watch.stream.cancel());
    assert!(watch.next().is_empty());
    // The watcher ends only after its reader is scheduled.
    let group = Path::new("/proc").join(group);
    let ended = (0..100).any(|_| {
        std::thread::park_timeout(std::time::Duration::from_millis(50));
        !group.exists()
    });
    assert!(ended);
    let left = fs::read_dir(world.own.path()).unwrap().count();
    assert_eq!(left, 1, "only the disk's identity");
}

impl World {
    /// The process group of the only watch.
    fn group_of_watch(&self) -> String {
        let files = fs::read_dir(self.own.path()).unwrap().map(|entry| entry.unwrap().path());
        let mut groups = files.filter(|file| file.extension() == Some(OsStr::new("group")));
        fs::read_to_string(groups.next().unwrap()).unwrap().trim().to_owned()
    }
}
