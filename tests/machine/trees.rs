//! What a comparison reads of a workspace's tree. The real scripts answer as the tree in
//! memory of other tests.

use crate::machine::{TempDir, hasty_sandbox_with_path};
use crate::support::stream::MemoryBytes;
use crate::support::tree::MemoryTree;
use crate::{World, code, now, with_program};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use miniz_oxide::inflate::decompress_to_vec;
use sha2::{Digest, Sha256};
use snapshotter::domain::error::{Error, ErrorCode, Outcome};
use snapshotter::domain::files::tar::{self, TarExtras, TarKind};
use snapshotter::domain::snapshot::backup::BackupDir;
use snapshotter::domain::tree::record::Mark;
use snapshotter::domain::tree::{TreeEntry, TreeKind, record};
use snapshotter::ports::sandbox::{FileOptions, SandboxApi, TreeOptions, TreeRead};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

impl World {
    fn read_tree(&self, read: TreeRead, input: &[u8]) -> Vec<u8> {
        let options = TreeOptions { read, saved: None, instance_id: None };
        let input = Box::new(MemoryBytes::of([input.to_vec()]));
        BASE64
            .decode(now(self.sandbox.read_tree(input, self.root.clone(), options)).unwrap())
            .unwrap()
    }

    /// The tree on the disk, by Rust's own means.
    fn tree(&self) -> MemoryTree {
        let mut tree = MemoryTree::default();
        let mut dirs = vec![Vec::new()];
        while let Some(dir) = dirs.pop() {
            for found in fs::read_dir(self.real(&dir)).unwrap().flatten() {
                let name = found.file_name().as_bytes().to_vec();
                let path = if dir.is_empty() { name } else { [&dir, &b"/"[..], &name].concat() };
                let (metadata, real) = (found.metadata().unwrap(), self.real(&path));
                let mut content = Vec::new();
                let kind = if metadata.is_dir() {
                    dirs.push(path.clone());
                    TreeKind::Directory
                } else if metadata.is_symlink() {
                    let target = fs::read_link(real).unwrap();
                    TreeKind::Symlink { target: target.as_os_str().as_bytes().to_vec() }
                } else if metadata.is_file() {
                    content = fs::read(real).unwrap();
                    let modified_at_secs = Some(metadata.mtime());
                    TreeKind::File { size_bytes: metadata.len(), modified_at_secs }
                } else {
                    TreeKind::Other(b'p')
                };
                let mode = metadata.mode() & 0o7777;
                let entry = TreeEntry { kind, mode, uid: metadata.uid(), gid: metadata.gid() };
                tree.0.insert(path, (entry, content));
            }
        }
        tree
    }
}

const NAMES: [&[u8]; 9] = [
    b"-",
    b"plain",
    b" a b ",
    b"-rf",
    b"new\nline",
    b"bad\xff\xfe",
    b"a>b",
    b"dir/\xe2\x82\xac",
    b"dir/.hidden",
];

fn hostile() -> World {
    let world = World::new();
    for name in NAMES {
        world.put(name, [b"of ", name].concat());
    }
    world.link("a>b", "link>with>arrows");
    std::os::unix::fs::symlink(OsStr::from_bytes(b"no\nwhere\xff"), world.real("broken")).unwrap();
    fs::set_permissions(world.real("plain"), PermissionsExt::from_mode(0o4750)).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(world.real("pipe")).status().unwrap();
    assert!(pipe.success());
    world
}

fn lines(printed: &[u8]) -> BTreeSet<Vec<u8>> {
    let lines = printed.split(|byte| *byte == 0).filter(|line| !line.is_empty());
    lines.map(<[u8]>::to_vec).collect()
}

fn inflated(printed: &[u8]) -> BTreeSet<Vec<u8>> {
    lines(&decompress_to_vec(&printed[10..]).unwrap())
}

#[test]
fn only_what_differs_comes_back() {
    let world = hostile();
    let tree = world.tree();
    assert_eq!(tree.0.len(), NAMES.len() + 4, "dir, two links and a pipe");
    let list = |tree: &MemoryTree| -> Vec<u8> {
        let records = tree.0.iter().map(|(path, (entry, _))| record::write(path, entry));
        records.flat_map(|record| [record, vec![0]].concat()).collect()
    };
    let same = list(&tree);
    assert!(inflated(&world.read_tree(TreeRead::Differences, &same)).is_empty());
    let fresh = world.read_tree(TreeRead::Differences, b"");
    assert_eq!(inflated(&fresh), inflated(&tree.read(TreeRead::Differences, b"")));
    assert_eq!(inflated(&fresh).len(), tree.0.len());

    let mut other = tree.clone();
    other.0.remove(&b"new\nline"[..]).unwrap();
    other.put("gone", "x", 7);
    other.0.get_mut(&b"bad\xff\xfe"[..]).unwrap().0.mode = 0o600;
    let told = world.read_tree(TreeRead::Differences, &list(&other));
    assert_eq!(inflated(&told), inflated(&tree.read(TreeRead::Differences, &list(&other))));
    assert_eq!(inflated(&told).len(), 4, "a new one, a removed one, and both sides of one");
    let left: Vec<_> = fs::read_dir(world.own.path()).unwrap().flatten().collect();
    assert!(left.iter().all(|entry| entry.file_name() == "instance"), "{left:?}");
}

/// A file that keeps size and time when it is changed, as `cp -p` and `touch -r` do.
#[test]
fn what_a_manifest_lists_and_a_content_prove_what_is_the_same() {
    let world = World::new();
    for name in ["kept", "hidden", "new\nline", "-"] {
        world.put(name, "1");
    }
    let record = |path: &[u8], mark| record::write_marked(path, &world.tree().0[path].0, mark);
    let sum = |content: &str| Some(Mark::Content(Some(Sha256::digest(content).into())));
    let given = [
        record(b"kept", Some(Mark::Saved)),
        record(b"hidden", Some(Mark::Saved)),
        record(b"new\nline", sum("1")),
        record(b"-", sum("1")),
    ];
    let given = given.map(|record| [record, vec![0]].concat()).concat();
    let read = |saved: Option<&str>| -> Vec<String> {
        let saved = saved.map(str::to_owned);
        let options = TreeOptions { read: TreeRead::Differences, saved, instance_id: None };
        let input = Box::new(MemoryBytes::of([given.clone()]));
        let printed = now(world.sandbox.read_tree(input, world.root.clone(), options)).unwrap();
        let told = inflated(&BASE64.decode(printed).unwrap());
        told.into_iter().map(|line| String::from_utf8(line).unwrap()).collect()
    };
    assert_eq!(read(Some("one+two")), ["!"], "there is no manifest");
    let dir = BackupDir::parse(world.root.as_str()).unwrap();
    let hash = Sha256::digest(dir.as_str());
    let name: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let manifest = world.own.path().join(format!("manifest-{name}"));
    let note = format!(
        "{}\nexport LC_ALL=C\nat=$(clock)\nfind \"$1\" -printf \"$record\" >\"$2.list\"\nkeep_manifest \"$2\" one+two \"$at\" \"$2.list\"",
        include_str!("../../src/sandbox/scripts/backup/manifest.sh")
    );
    let noted = std::process::Command::new("sh")
        .args(["-ec", &note, "sh", world.root.as_str()])
        .arg(&manifest)
        .status();
    assert!(noted.unwrap().success());
    assert_eq!(read(Some("one+two")), [] as [&str; 0]);
    assert_eq!(read(Some("two+one")), ["!"], "it lists another tree");
    let real = world.real("hidden");
    let time = fs::metadata(&real).unwrap().modified().unwrap();
    fs::write(&real, "2").unwrap();
    fs::File::options().write(true).open(&real).unwrap().set_modified(time).unwrap();
    let told = read(Some("one+two"));
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[1].starts_with("-f ") && told[1].ends_with(" 1 ? hidden"), "{told:?}");
    assert!(told[0].starts_with("+f ") && told[0].ends_with(" hidden"), "{told:?}");
    // Without the manifest, nothing proves those that it would have proven.
    let told = read(None);
    assert_eq!(told.len(), 4, "{told:?}");
    world.put("new\nline", "2");
    assert!(read(None).iter().any(|line| line.ends_with("new\nline")));
}

#[test]
fn hashes_and_contents_are_those_of_the_files() {
    let world = hostile();
    let tree = world.tree();
    let asked: Vec<u8> = NAMES
        .into_iter()
        .chain([&b"missing"[..], b"dir", b"broken", b"a/b"])
        .flat_map(|name| [name, b"\0"].concat())
        .collect();
    let hashes = world.read_tree(TreeRead::Hashes, &asked);
    assert_eq!(lines(&hashes), lines(&tree.read(TreeRead::Hashes, &asked)));
    for max_bytes in [0, 3, 1_000] {
        let read = TreeRead::Contents { max_bytes };
        assert_eq!(world.read_tree(read, &asked), tree.read(read, &asked), "{max_bytes}");
    }
    assert!(world.read_tree(TreeRead::Hashes, b"").is_empty());
}

#[test]
fn a_tree_that_is_not_there_is_an_error() {
    let world = World::new();
    let read = |path: &str| {
        let options = TreeOptions { read: TreeRead::Differences, saved: None, instance_id: None };
        let input = Box::new(MemoryBytes::of([b"f 644 0 0 0 0 a\0".to_vec()]));
        now(world.sandbox.read_tree(input, world.path(path), options))
    };
    // A workspace's directory is made again, empty, and the call says so.
    assert_eq!(code(read("missing")), ErrorCode::Conflict);
    world.put("file", "x");
    assert_eq!(code(read("file")), ErrorCode::Conflict);
}

impl World {
    fn apply(&self, archive: Vec<u8>) -> Result<(), Error> {
        let options = FileOptions { within: Some(self.root.clone()), ..FileOptions::default() };
        let archive = Box::new(MemoryBytes::of([archive]));
        now(self.sandbox.apply_changes(archive, self.root.clone(), options))
    }
}

/// The archive of these lists and entries.
fn changes(lists: &[(&str, &[&[u8]])], entries: &[(&str, TarKind<'_>, u32, &[u8])]) -> Vec<u8> {
    changes_with(lists, entries, |_| TarExtras::default())
}

/// The same with owners and attributes.
fn changes_with(
    lists: &[(&str, &[&[u8]])],
    entries: &[(&str, TarKind<'_>, u32, &[u8])],
    extras: impl Fn(&[u8]) -> TarExtras,
) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut put = |name: &[u8], kind: TarKind<'_>, mode: u32, content: &[u8]| {
        let extras = extras(name.strip_prefix(b"tree/").unwrap_or_default());
        archive.extend(tar::header_with(name, kind, mode, 1_000, &extras).unwrap());
        archive.extend(content);
        archive.extend(tar::padding(content.len() as u64));
    };
    for name in ["expect", "absent", "files", "dirs", "access"] {
        let list = lists.iter().find(|(other, _)| *other == name).map_or(&[][..], |(_, list)| list);
        let content: Vec<u8> = list.iter().flat_map(|line| [*line, b"\0"].concat()).collect();
        put(name.as_bytes(), TarKind::File { size_bytes: content.len() as u64 }, 0o600, &content);
    }
    put(b"tree", TarKind::Directory, 0o700, b"");
    for (path, kind, mode, content) in entries {
        put(&[b"tree/", path.as_bytes()].concat(), *kind, *mode, content);
    }
    archive.extend(tar::end());
    archive
}

#[test]
fn changes_are_made_as_the_tree_in_memory_makes_them() {
    let world = hostile();
    let before = world.tree();
    let record = |path: &[u8]| record::write(path, &before.0[path].0);
    let (plain, dir) = (record(b"plain"), record(b"dir"));
    let mut expect: Vec<&[u8]> = vec![&plain, &dir];
    expect.sort_unstable();
    let owned = |path: &[u8]| TarExtras {
        owner: if path == b"fresh/in" || path.contains(&b'>') { (7, 8) } else { (0, 0) },
        ..TarExtras::default()
    };
    let archive = changes_with(
        &[
            ("expect", &expect),
            ("absent", &[b"fresh"]),
            ("files", &[b"-rf", b"dir/.hidden", b"dir/\xe2\x82\xac", b"broken"]),
            ("dirs", &[b"dir"]),
            ("access", &[b"700", b"5:6", b" a b "]),
        ],
        &[
            ("fresh", TarKind::Directory, 0o751, b""),
            ("fresh/in", TarKind::File { size_bytes: 3 }, 0o4711, b"new"),
            ("link>with>arrows", TarKind::Symlink { target: b"plain" }, 0o777, b""),
            ("plain", TarKind::File { size_bytes: 5 }, 0o600, b"other"),
        ],
        owned,
    );
    let mut wanted = before.clone();
    wanted.apply(&archive).unwrap();
    world.apply(archive).unwrap();
    let found = world.tree();
    for (path, (entry, content)) in &wanted.0 {
        assert_eq!(
            found.0.get(path),
            Some(&(entry.clone(), content.clone())),
            "{}",
            String::from_utf8_lossy(path)
        );
    }
    assert_eq!(found.0.len(), wanted.0.len());
    assert!(!found.0.contains_key(&b"dir"[..]), "it was empty by then");
}

#[test]
fn nothing_is_changed_if_the_tree_is_not_as_expected() {
    let world = hostile();
    let before = world.tree();
    let stale = b"f 644 0 0 1 5 plain".as_slice();
    for lists in [
        [("expect", &[stale][..]), ("files", &[b"-rf"])],
        [("absent", &[b"plain"]), ("files", &[b"-rf"])],
    ] {
        let error = world.apply(changes(&lists, &[])).unwrap_err();
        assert_eq!((error.code, error.outcome), (ErrorCode::Conflict, Outcome::None));
    }
    let cut = changes(
        &[("files", &[b"-rf"])],
        &[("plain", TarKind::File { size_bytes: 9 }, 0o644, b"other")],
    );
    let error = world.apply(cut[..cut.len() - 1_200].to_vec()).unwrap_err();
    assert_eq!(error.outcome, Outcome::None, "{error:?}");
    assert_eq!(world.tree(), before);
}

/// An object that was restarted undoes the changes, which puts another directory in place.
#[test]
fn changes_that_come_after_an_undo_are_not_made() {
    let world = World::new();
    world.put("file", "x");
    let archive = changes(
        &[("absent", &[b"late"])],
        &[("late", TarKind::File { size_bytes: 1 }, 0o644, b"x")],
    );
    let lock = world.own.path().join("lock");
    let (root, aside) = (world.root.as_str().to_owned(), world.top.path().join("aside"));
    let undo = r#"exec 9>"$1"; flock 9; echo locked; sleep 3; cp -a "$2" "$3.new"; mv "$2" "$3"; mv "$3.new" "$2""#;
    let mut undo = std::process::Command::new("sh")
        .args(["-ec", undo, "sh"])
        .args([lock.as_os_str(), OsStr::new(&root), aside.as_os_str()])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut locked = [0; 7];
    undo.stdout.as_mut().unwrap().read_exact(&mut locked).unwrap();
    let error = world.apply(archive).unwrap_err();
    assert!(undo.wait().unwrap().success());
    assert_eq!((error.code, error.outcome), (ErrorCode::Conflict, Outcome::None), "{error:?}");
    assert!(world.real("file").exists() && !world.real("late").exists());
}

#[test]
fn an_archive_that_ends_between_two_entries_changes_nothing() {
    let world = World::new();
    let entry = ("new", TarKind::File { size_bytes: 1 }, 0o644, &b"x"[..]);
    let whole = changes(&[], &[entry]);
    let error = world.apply(whole[..whole.len() - 1_024].to_vec()).unwrap_err();
    assert_eq!(error.outcome, Outcome::None, "{error:?}");
    assert!(!world.real("new").exists());
    world.apply(whole).unwrap();
}

#[test]
fn a_database_that_a_process_has_open_is_not_changed() {
    let world = World::new();
    world.put("app.db", "SQLite format 3\0");
    world.put("app.db-wal", "x");
    let held = fs::File::open(world.real("app.db")).unwrap();
    let entry = ("app.db-wal", TarKind::File { size_bytes: 1 }, 0o644, &b"y"[..]);
    for archive in [changes(&[], &[entry]), changes(&[("files", &[b"app.db"])], &[])] {
        let error = world.apply(archive).unwrap_err();
        assert_eq!((error.code, error.outcome), (ErrorCode::Conflict, Outcome::None), "{error:?}");
        assert!(error.message.contains("app.db is a database"), "{}", error.message);
    }
    drop(held);
    world.apply(changes(&[], &[entry])).unwrap();
}

#[test]
fn a_failure_after_the_first_change_says_so() {
    let world = World::new();
    world.put("dir/file", "x");
    // A directory is in the way of a file.
    let archive = changes(&[], &[("dir", TarKind::File { size_bytes: 1 }, 0o644, b"x")]);
    assert_eq!(world.apply(archive).unwrap_err().outcome, Outcome::Unknown);
    let left: Vec<_> = fs::read_dir(world.own.path()).unwrap().flatten().collect();
    assert!(left.iter().all(|entry| entry.file_name() != "changes"), "{left:?}");
}

/// What Python prints.
pub fn python(code: &str, path: &std::path::Path) -> String {
    let ran = std::process::Command::new("python3").args(["-c", code]).arg(path).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

const ATTRIBUTES: &str = "import os, sys
for name in sorted(os.listxattr(sys.argv[1])): print(name, os.getxattr(sys.argv[1], name))";
/// `cap_net_bind_service=ep`.
pub const CAPABILITY: &[u8] = b"\x01\0\0\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

#[test]
fn attributes_and_capabilities_are_brought_over_with_owner_and_bits() {
    let world = World::new();
    let extras = |path: &[u8]| match path {
        b"tool" => TarExtras {
            owner: (7, 3_000_000),
            attributes: vec![
                (b"user.k=v%".to_vec(), b"one\0two\n".to_vec()),
                (b"security.capability".to_vec(), CAPABILITY.to_vec()),
                (b"trusted.secret".to_vec(), b"no".to_vec()),
            ],
        },
        _ => TarExtras::default(),
    };
    let entries = [("tool", TarKind::File { size_bytes: 1 }, 0o4711, &b"x"[..])];
    world.apply(changes_with(&[], &entries, extras)).unwrap();
    let tool = world.real("tool");
    let found = fs::metadata(&tool).unwrap();
    assert_eq!((found.uid(), found.gid(), found.mode() & 0o7777), (7, 3_000_000, 0o4711));
    let attributes = python(ATTRIBUTES, &tool);
    assert_eq!(attributes.matches("security.capability").count(), 1, "{attributes}");
    assert!(attributes.ends_with("user.k=v% b'one\\x00two\\n'\n"), "{attributes}");

    // A new mode does not take them away.
    let access: &[&[u8]] = &[b"755", b"7:3000000", b"tool"];
    world.apply(changes(&[("access", access)], &[])).unwrap();
    assert_eq!(python(ATTRIBUTES, &tool), attributes);
    assert_eq!(fs::metadata(&tool).unwrap().mode() & 0o7777, 0o755);
}

impl World {
    fn try_to_read(&self, read: TreeRead, input: &[u8]) -> Result<Vec<u8>, Error> {
        let options = TreeOptions { read, saved: None, instance_id: None };
        let input = Box::new(MemoryBytes::of([input.to_vec()]));
        let printed = now(self.sandbox.read_tree(input, self.root.clone(), options))?;
        Ok(BASE64.decode(printed).unwrap())
    }
}

#[test]
fn a_program_that_is_ended_hides_no_difference() {
    // Each prints half of its output, and then is killed, at its nth run.
    for name in ["find", "sed", "sort", "comm", "gzip", "cat", "xargs"] {
        for nth in 1..=12 {
            let count = TempDir::new();
            let script = format!(
                "runs='{}'\necho >>\"$runs/count\"\n[ \"$(wc -l <\"$runs/count\")\" -eq {nth} ] || exec \"$REAL\" \"$@\"
                \"$REAL\" \"$@\" >\"$runs/printed\"\nhead -c \"$(($(wc -c <\"$runs/printed\") / 2))\" \"$runs/printed\"\nkill -KILL $$",
                count.path().display()
            );
            let world = with_program(name, &script, None);
            for path in ["a", "b", "c", "d"] {
                world.put(path, path);
            }
            let tree = world.tree();
            let given = |tree: &MemoryTree| -> Vec<u8> {
                let all = tree.0.iter().map(|(path, (entry, _))| record::write(path, entry));
                all.flat_map(|record| [record, vec![0]].concat()).collect()
            };
            let mut other = tree.clone();
            other.0.remove(&b"d"[..]).unwrap();
            other.put("gone", "x", 7);
            let Ok(told) = world.try_to_read(TreeRead::Differences, &given(&other)) else {
                continue;
            };
            assert_eq!(
                inflated(&told),
                inflated(&tree.read(TreeRead::Differences, &given(&other))),
                "{name} {nth}"
            );
        }
    }
}

#[test]
fn changes_are_not_made_if_what_checks_them_is_ended() {
    let world = with_program("comm", "kill -KILL $$", None);
    world.put("file", "x");
    let lists: [(&str, &[&[u8]]); 2] =
        [("expect", &[b"f 644 0 0 9 9 file"]), ("files", &[b"file"])];
    let error = world.apply(changes(&lists, &[])).unwrap_err();
    assert_eq!(error.outcome, Outcome::None, "{error:?}");
    assert!(world.real("file").exists());
}

#[test]
fn a_file_that_vanishes_does_not_hide_those_after_it() {
    let world = World::new();
    world.put("last", "last");
    let comes_and_goes = world.real("comes-and-goes");
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                fs::write(&comes_and_goes, "x").unwrap();
                fs::remove_file(&comes_and_goes).unwrap();
            }
        });
        let asked = [b"comes-and-goes\0".repeat(2_000), b"last\0".to_vec()].concat();
        let read = TreeRead::Contents { max_bytes: 100 };
        let told: Vec<_> = (0..5).map(|_| world.try_to_read(read, &asked)).collect();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        for told in told {
            assert!(told.unwrap().ends_with(b"4 4\nlast"));
        }
    });
}

#[test]
fn a_file_that_becomes_a_pipe_is_not_waited_for() {
    let swap =
        "for file; do :; done\nrm -- \"$file\" && mkfifo -- \"$file\"\nexec \"$REAL\" \"$@\"";
    let world = with_program("sha256sum", swap, Some(1));
    world.put("file", "x");
    let error = world.try_to_read(TreeRead::Hashes, b"file\0").unwrap_err();
    assert!(error.message.contains("took too long"), "{error:?}");
    let opened = "import errno, os, sys\ntry: os.open(sys.argv[1], os.O_WRONLY | os.O_NONBLOCK)\nexcept OSError as error: print(error.errno == errno.ENXIO)";
    assert_eq!(python(opened, &world.real("file")), "True\n", "nobody reads it any more");
}

#[test]
fn a_pipe_in_the_place_of_a_database_is_not_read() {
    let world =
        World::of(|own| hasty_sandbox_with_path(own, &std::env::var_os("PATH").unwrap(), 5));
    world.put("x-wal", "log");
    let pipe = std::process::Command::new("mkfifo").arg(world.real("x")).status().unwrap();
    assert!(pipe.success());
    let _held = fs::File::open(world.real("x-wal")).unwrap();
    let entry = ("x-wal", TarKind::File { size_bytes: 3 }, 0o644, &b"new"[..]);
    world.apply(changes(&[], &[entry])).unwrap();
    assert_eq!(fs::read(world.real("x-wal")).unwrap(), b"new");
}
