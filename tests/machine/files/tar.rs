//! Exports and imports of tar archives, also of malicious ones.

use crate::support::stream::MemoryBytes;
use crate::{World, code, now, with_program};
use snapshotter::domain::error::{Error, ErrorCode, Outcome};
use snapshotter::domain::files::tar::DroppedByImport;
use snapshotter::domain::files::tar::{self, TarExtras, TarKind};
use snapshotter::domain::ids::UploadId;
use snapshotter::ports::sandbox::{
    FileOptions, ImportedTar, SandboxApi, UploadPart, UploadedArchive,
};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

/// An entry of a tar archive, byte for byte.
pub(super) struct Entry<'a> {
    name: &'a str,
    kind: u8,
    link: &'a str,
    mode: u32,
    content: &'a [u8],
    /// A false size for the header.
    claims: Option<u64>,
}

fn entry<'a>(kind: u8, name: &'a str) -> Entry<'a> {
    Entry { name, kind, link: "", mode: 0o644, content: b"", claims: None }
}

pub(super) fn file<'a>(name: &'a str, content: &'a str) -> Entry<'a> {
    Entry { content: content.as_bytes(), ..entry(b'0', name) }
}

fn link<'a>(kind: u8, name: &'a str, link: &'a str) -> Entry<'a> {
    Entry { link, ..entry(kind, name) }
}

fn dir(name: &str) -> Entry<'_> {
    Entry { mode: 0o755, ..entry(b'5', name) }
}

impl Entry<'_> {
    fn bytes(&self) -> Vec<u8> {
        let mut header = [0; 512];
        let mut put = |at: usize, text: &[u8]| header[at..at + text.len()].copy_from_slice(text);
        put(0, self.name.as_bytes());
        put(100, format!("{:07o}", self.mode).as_bytes());
        put(108, b"0001750\0");
        put(116, b"0001750\0");
        let size = self.claims.unwrap_or(self.content.len() as u64);
        put(124, format!("{size:011o}").as_bytes());
        put(136, b"14000000000");
        put(148, b"        ");
        put(156, &[self.kind]);
        put(157, self.link.as_bytes());
        put(257, if self.kind == b'S' { b"ustar  \0" } else { b"ustar\x0000" });
        if self.kind == b'S' {
            // One extent of no bytes at the end, of a file that claims 8 EiB less one.
            put(386, b"77777777777\0");
            put(398, b"00000000000\0");
            put(483, b"77777777777\0");
        }
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        let mut bytes = header.to_vec();
        bytes.extend(self.content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
        bytes
    }
}

fn without_end(entries: &[Entry<'_>]) -> Vec<u8> {
    entries.iter().flat_map(Entry::bytes).collect()
}

pub(super) fn archive(entries: &[Entry<'_>]) -> Vec<u8> {
    [without_end(entries), vec![0; 10_240]].concat()
}

impl World {
    pub(super) fn import(&self, archive: &[u8], path: &str) -> Result<ImportedTar, Error> {
        let chunks = archive.chunks(1_000).map(<[u8]>::to_vec);
        let stream = Box::new(MemoryBytes::of(chunks));
        now(self.sandbox.import_tar(stream, self.path(path), self.options()))
    }

    fn part(&self, upload: &str, part: u16, content: &[u8], claims: usize) -> Result<(), Error> {
        let stream = Box::new(MemoryBytes::of(content.chunks(1_000).map(<[u8]>::to_vec)));
        let part = UploadPart {
            upload: UploadId::parse(upload)?,
            part: part.try_into()?,
            size_bytes: claims as u64,
        };
        now(self.sandbox.store_part(stream, part, self.path("."), self.options()))
    }

    fn finish(&self, upload: &str, parts: u16, sha256: &str) -> Result<ImportedTar, Error> {
        let archive = UploadedArchive {
            upload: UploadId::parse(upload)?,
            parts: parts.try_into()?,
            sha256: Some(sha256.to_owned()).filter(|sum| !sum.is_empty()),
        };
        now(self.sandbox.import_upload(archive, self.path("in"), self.options()))
    }

    fn abort(&self, upload: &str) -> Result<(), Error> {
        let upload = UploadId::parse(upload)?;
        now(self.sandbox.drop_upload(upload, self.path("."), self.options()))
    }

    fn export(&self, path: &str) -> Result<Vec<u8>, Error> {
        let mut stream = now(self.sandbox.export_tar(self.path(path), self.options()))?;
        let mut bytes = Vec::new();
        while let Some(chunk) = now(stream.next())? {
            bytes.extend(chunk);
        }
        Ok(bytes)
    }

    /// Exports these paths of the workspace.
    pub(super) fn export_paths(&self, paths: &[&str]) -> Result<Vec<u8>, Error> {
        let paths = paths.iter().map(|path| self.path(path)).collect();
        let options = FileOptions { paths, ..self.options() };
        let mut stream = now(self.sandbox.export_tar(self.path("."), options))?;
        let mut bytes = Vec::new();
        while let Some(chunk) = now(stream.next())? {
            bytes.extend(chunk);
        }
        Ok(bytes)
    }

    /// All files inside and outside the workspace, and in the sandbox's own directory.
    fn everything(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        for top in [self.top.path(), self.own.path()] {
            walk(top, &mut found);
        }
        found.retain(|path, _| !path.ends_with("/lock") && !path.ends_with("/instance"));
        found
    }
}

fn walk(dir: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let meta = fs::symlink_metadata(&path).unwrap();
        let held = if meta.is_dir() {
            walk(&path, found);
            String::new()
        } else if meta.is_symlink() {
            fs::read_link(&path).unwrap().to_string_lossy().into_owned()
        } else {
            fs::read_to_string(&path).unwrap()
        };
        found.insert(path.to_string_lossy().into_owned(), format!("{:o} {held}", meta.mode()));
    }
}

#[test]
fn what_leaves_comes_back_as_it_was() {
    let world = World::new();
    world.put("from/a b\n\"\\", "odd");
    world.put("from/-n", "dash");
    world.put("from/.hidden/deep/é", "é");
    world.put("from/run.sh", "#!/bin/sh\n");
    fs::set_permissions(world.real("from/run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    fs::create_dir(world.real("from/empty")).unwrap();
    world.link("../../outside", "from/out");
    fs::hard_link(world.real("from/-n"), world.real("from/same")).unwrap();
    let fifo = Command::new("mkfifo").arg(world.real("from/fifo")).status().unwrap();
    assert!(fifo.success());
    let exported = world.export("from").unwrap();
    let told = world.import(&exported, "to/here").unwrap();
    assert_eq!((told.files, told.directories, told.links), (5, 3, 1));
    assert_eq!(told.entries, 9);
    fs::remove_file(world.real("from/fifo")).unwrap();
    let (mut from, mut to) = (BTreeMap::new(), BTreeMap::new());
    walk(&world.real("from"), &mut from);
    walk(&world.real("to/here"), &mut to);
    let below = |found: BTreeMap<String, String>, top: &str| -> Vec<(String, String)> {
        let top = world.real(top).to_string_lossy().into_owned();
        found.into_iter().map(|(path, held)| (path.replace(&top, ""), held)).collect()
    };
    assert_eq!(below(from, "from"), below(to, "to/here"));
    let inode = |path: &str| fs::metadata(world.real(path)).unwrap().ino();
    assert_eq!(inode("to/here/-n"), inode("to/here/same"), "still one file");
    assert!(!exported.windows(6).any(|bytes| bytes == b"secret"), "links are not followed");
}

#[test]
fn chosen_paths_leave_together_and_nothing_else_does() {
    let world = World::new();
    for path in ["-n", "--checkpoint=1", "a b\n\"\\", "!", "(", "é/-x", "d/sub/f", "d/g", "left"] {
        world.put(path, path);
    }
    world.put("one", "shared");
    fs::create_dir(world.real("e")).unwrap();
    fs::hard_link(world.real("one"), world.real("e/other")).unwrap();
    fs::set_permissions(world.real("d/g"), fs::Permissions::from_mode(0o750)).unwrap();
    world.link("../outside", "out");
    world.link("d", "alias");
    let paths =
        ["-n", "--checkpoint=1", "a b\n\"\\", "!", "(", "é", "one", "e", "out", "alias/sub"];
    let exported = world.export_paths(&paths).unwrap();
    let told = world.import(&exported, "to").unwrap();
    assert_eq!((told.files, told.directories, told.links), (9, 3, 1));
    let read = |path: &str| fs::read_to_string(world.real(path)).unwrap();
    for path in ["-n", "--checkpoint=1", "a b\n\"\\", "!", "(", "é/-x", "d/sub/f"] {
        assert_eq!(read(&format!("to/{path}")), path);
    }
    let inode = |path: &str| fs::metadata(world.real(path)).unwrap().ino();
    assert_eq!(inode("to/one"), inode("to/e/other"), "still one file");
    assert_eq!(fs::read_link(world.real("to/out")).unwrap(), Path::new("../outside"));
    for absent in ["to/left", "to/d/g", "to/alias"] {
        assert!(fs::symlink_metadata(world.real(absent)).is_err(), "{absent}");
    }
    assert!(!exported.windows(6).any(|bytes| bytes == b"secret"), "links are not followed");
    let again = world.import(&world.export_paths(&["d/g", "d/sub"]).unwrap(), "more").unwrap();
    assert_eq!((again.files, again.directories), (2, 1));
    assert_eq!(fs::metadata(world.real("more/d/g")).unwrap().mode() & 0o7777, 0o750);
}

#[test]
fn a_path_that_cannot_leave_is_named_before_anything_does() {
    let world = World::new();
    world.put("good", "good");
    world.link("../outside", "out");
    world.link("nowhere", "broken");
    let fifo = Command::new("mkfifo").arg(world.real("fifo")).status().unwrap();
    assert!(fifo.success());
    for (path, code, says) in [
        ("missing", ErrorCode::NotFound, "missing: does not exist"),
        ("missing/deeper", ErrorCode::NotFound, "missing/deeper: does not exist"),
        ("good/x", ErrorCode::NotFound, "good/x: does not exist"),
        ("broken/x", ErrorCode::NotFound, "broken/x: does not exist"),
        ("out/secret", ErrorCode::InvalidArgument, "out/secret leads outside"),
        ("out/none", ErrorCode::InvalidArgument, "out/none leads outside"),
        ("out/none/x", ErrorCode::InvalidArgument, "out/none/x leads outside"),
        ("fifo", ErrorCode::InvalidArgument, "fifo: is not a file, directory or link"),
    ] {
        let error = world.export_paths(&["good", path, "good"]).unwrap_err();
        assert_eq!((error.code, error.message.contains(says)), (code, true), "{error}");
    }
    let below = FileOptions { paths: vec![world.path("good")], ..world.options() };
    let other = now(world.sandbox.export_tar(world.path("d"), below));
    assert_eq!(other.err().unwrap().code, ErrorCode::InvalidArgument);
    assert!(world.export_paths(&["broken"]).is_ok(), "a link itself");
}

#[test]
fn files_are_replaced_and_directories_are_merged() {
    let world = World::new();
    world.put("d/old", "old");
    world.put("d/both", "old");
    world.put("d/sub/kept", "kept");
    world.link("../outside/secret", "d/link");
    let bytes = archive(&[
        dir("./"),
        file("./both", "new"),
        dir("./sub"),
        file("./sub/added", "new"),
        file("./link", "a file now"),
        file("./.dot", "dot"),
        dir("./fresh"),
        file("./fresh/x", "x"),
        // The last entry with a name counts.
        file("./both", "newest"),
        Entry { mode: 0o6755, ..file("./setuid", "x") },
        Entry { mode: 0o1777, ..dir("./sticky") },
        link(b'1', "./hard", "./both"),
        link(b'2', "./away", "/etc"),
    ]);
    world.import(&bytes, "d").unwrap();
    let read = |path: &str| fs::read_to_string(world.real(path)).unwrap();
    assert_eq!([read("d/old"), read("d/both")], ["old", "newest"]);
    assert_eq!([read("d/sub/kept"), read("d/sub/added")], ["kept", "new"]);
    assert_eq!([read("d/link"), read("d/.dot"), read("d/fresh/x")], ["a file now", "dot", "x"]);
    assert_eq!(read("d/hard"), "newest");
    let mode = |path: &str| fs::symlink_metadata(world.real(path)).unwrap().mode() & 0o7777;
    assert_eq!((mode("d/setuid"), mode("d/sticky")), (0o755, 0o777));
    assert_eq!(fs::metadata(world.real("d/both")).unwrap().mtime(), 0o14000000000);
    let owner = fs::metadata(world.real("d/old")).unwrap().uid();
    assert_eq!(fs::metadata(world.real("d/both")).unwrap().uid(), owner, "not the archive's");
    assert_eq!(fs::read_link(world.real("d/away")).unwrap(), Path::new("/etc"));
    let secret = world.top.path().join("outside/secret");
    assert_eq!(fs::read_to_string(secret).unwrap(), "secret\n");
    assert_eq!(fs::read_dir(world.own.path()).unwrap().count(), 2, "the identity and the lock");
}

#[test]
fn what_would_leave_the_directory_is_refused_by_name_and_changes_nothing() {
    let world = World::new();
    world.put("d/kept", "kept");
    world.link("../../outside", "d/out");
    let outside = world.top.path().join("outside/secret");
    let outside = outside.to_str().unwrap();
    let good = || file("good", "good");
    let before = world.everything();
    for (entries, says) in [
        (vec![file("/etc/evil", "x")], "/etc/evil: its name is absolute"),
        (vec![file(outside, "x")], "is absolute"),
        (vec![file("../outside/evil", "x")], "../outside/evil: its name has a .."),
        (vec![dir("a"), file("a/../../evil", "x")], "a/../../evil"),
        (vec![file("a/..", "x")], "a/.."),
        (vec![link(b'1', "hard", outside)], "hard: what it is a link to is absolute"),
        (vec![link(b'1', "hard", "../../outside/secret")], "hard: what it is a link to has a .."),
        (vec![link(b'1', "hard", "kept")], "hard"),
        (
            vec![link(b'2', "s", "../../outside"), file("s/evil", "x")],
            "s/evil: its name lies behind",
        ),
        (vec![link(b'2', "s", "d"), dir("d"), file("s/evil", "x")], "s/evil"),
        (vec![link(b'2', "./s", ".."), file("s//evil", "x")], "s//evil"),
        (
            vec![link(b'2', "s", "/"), link(b'1', "hard", "s/etc/passwd")],
            "hard: what it is a link to",
        ),
        (vec![link(b'2', "s", ".."), dir("s"), file("s/evil", "x")], "s: its name is that of"),
        (
            vec![link(b'2', "s", ".."), link(b'1', "t", "s"), file("t/evil", "x")],
            "t/evil: its name lies behind",
        ),
        (vec![dir("a"), link(b'2', "a/s", "../.."), file("a/./s/evil", "x")], "a/./s/evil"),
        (vec![entry(b'3', "char")], "char: is not a file"),
        (vec![entry(b'4', "block")], "block: is not a file"),
        (vec![entry(b'6', "fifo")], "fifo: is not a file"),
        (vec![entry(b'V', "volume")], "volume"),
        (vec![file(".", "x")], "the directory itself"),
    ] {
        let mut all = vec![good()];
        all.extend(entries);
        let error = world.import(&archive(&all), "d").unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument, "{error}");
        assert!(error.message.contains(says), "{error} should say {says}");
        assert_eq!(world.everything(), before, "{says}");
    }
}

#[test]
fn what_is_in_the_way_in_the_workspace_is_a_conflict_and_changes_nothing() {
    let world = World::new();
    world.put("d/dir/kept", "kept");
    world.put("d/file", "kept");
    world.link("../../outside", "d/out");
    let before = world.everything();
    for (entries, says) in [
        (vec![dir("out"), file("out/evil", "x")], "out: is a symbolic link there"),
        (vec![file("out/evil", "x")], "out: is a symbolic link there"),
        (vec![file("dir", "x")], "dir: is a directory there"),
        (vec![link(b'2', "dir", "x")], "dir: is a directory there"),
        (vec![file("file/x", "x")], "file: is no directory there"),
    ] {
        let mut all = vec![file("good", "good")];
        all.extend(entries);
        let error = world.import(&archive(&all), "d").unwrap_err();
        assert_eq!(error.code, ErrorCode::Conflict, "{error}");
        assert!(error.message.contains(says), "{error} should say {says}");
        assert_eq!(world.everything(), before, "{says}");
    }
    for path in ["d/out", "d/out/deeper"] {
        let error = world.import(&archive(&[file("evil", "x")]), path).unwrap_err();
        assert!(error.message.contains("outside the workspace"), "{error}");
        assert_eq!(code(world.export(path)), ErrorCode::InvalidArgument);
    }
    assert_eq!(code(world.import(&archive(&[]), "d/file")), ErrorCode::InvalidArgument);
    assert_eq!(code(world.export("d/file")), ErrorCode::InvalidArgument);
    assert_eq!(code(world.export("none")), ErrorCode::NotFound);
    assert_eq!(world.everything(), before);
}

#[test]
fn what_is_broken_or_no_archive_changes_nothing() {
    let world = World::new();
    world.put("d/kept", "kept");
    let whole = without_end(&[file("one", "1"), file("two", &"2".repeat(2_000))]);
    let mut damaged = archive(&[file("one", "1"), file("two", "2")]);
    damaged[1_024 + 3] ^= 1;
    let gzip = Command::new("sh").args(["-c", "echo x | gzip"]).output().unwrap().stdout;
    let before = world.everything();
    for (bytes, says) in [
        (Vec::new(), "is empty"),
        (b"this is no tar archive".to_vec(), "can't be read"),
        (vec![b'x'; 20_000], "can't be read"),
        (gzip, "can't be read"),
        (whole.clone(), "has no end marker"),
        (whole[..1_024].to_vec(), "has no end marker"),
        (whole[..2_000].to_vec(), "can't be read"),
        (damaged, "can't be read"),
    ] {
        let error = world.import(&bytes, "d").unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument, "{error}");
        assert!(error.message.contains(says), "{error} should say {says}");
        assert_eq!(world.everything(), before, "{says}");
    }
    let claims = Entry { claims: Some(0o77777777777), ..entry(b'0', "huge") };
    assert_eq!(code(world.import(&archive(&[claims]), "d")), ErrorCode::InvalidArgument);
    let sparse = archive(&[entry(b'S', "sparse")]);
    let error = world.import(&sparse, "d").unwrap_err();
    assert_eq!(error.code, ErrorCode::TooLarge, "{error}");
    assert_eq!(world.everything(), before);
}

#[test]
fn parts_in_any_order_are_one_archive() {
    let world = World::new();
    let whole = archive(&[dir("d"), file("d/f", &"x".repeat(5_000)), link(b'2', "l", "d/f")]);
    let parts: Vec<&[u8]> = whole.chunks(7_001).collect();
    assert_eq!(parts.len(), 3);
    let send =
        |number: usize| world.part("u", number as u16, parts[number - 1], parts[number - 1].len());
    let before = world.everything();

    let missing = world.finish("u", 3, "").unwrap_err();
    assert_eq!(missing.code, ErrorCode::Conflict);
    send(3).unwrap();
    world.part("u", 1, b"to be replaced", 14).unwrap();
    send(1).unwrap();
    let missing = world.finish("u", 3, "").unwrap_err();
    assert_eq!(
        (missing.code, missing.message.as_str()),
        (ErrorCode::Conflict, "parts of the upload are missing: 2")
    );

    // A part must have exactly the announced length.
    let short = world.part("u", 2, &parts[1][..10], parts[1].len()).unwrap_err();
    assert_eq!(short.code, ErrorCode::Unavailable, "{short}");
    let long = world.part("u", 2, parts[1], 10).unwrap_err();
    assert_eq!(long.code, ErrorCode::TooLarge, "{long}");
    assert!(world.finish("u", 3, "").is_err());

    send(2).unwrap();
    let more = world.finish("u", 2, "").unwrap_err();
    assert_eq!(
        (more.code, more.message.ends_with("the upload has 3 parts, not 2")),
        (ErrorCode::Conflict, true),
        "{more}"
    );
    let other = world.finish("u", 3, &"0".repeat(64)).unwrap_err();
    assert_eq!(other.code, ErrorCode::InvalidArgument);
    let sum = other.message.rsplit(' ').next().unwrap().to_owned();
    assert_eq!(
        world.finish("u", 3, &sum).unwrap(),
        ImportedTar {
            entries: 3,
            files: 1,
            directories: 1,
            links: 1,
            size_bytes: 5_000,
            dropped: Some(DroppedByImport { owners: 3, ..DroppedByImport::default() }),
        }
    );
    assert_eq!(fs::read_to_string(world.real("in/d/f")).unwrap(), "x".repeat(5_000));

    // The parts are gone, so a second finish is refused.
    assert_eq!(world.finish("u", 3, &sum).unwrap_err().code, ErrorCode::Conflict);
    fs::remove_dir_all(world.real("in")).unwrap();
    assert_eq!(world.everything(), before);
}

#[test]
fn an_upload_that_is_given_up_leaves_nothing() {
    let world = World::new();
    let before = world.everything();
    for upload in ["a", "b", "c", "d"] {
        world.part(upload, 1, b"x", 1).unwrap();
    }
    let fifth = world.part("e", 1, b"x", 1).unwrap_err();
    assert_eq!(fifth.code, ErrorCode::RateLimited);
    world.part("a", 2, b"x", 1).unwrap();
    for _ in 0..2 {
        world.abort("a").unwrap();
    }
    world.part("e", 1, b"x", 1).unwrap();
    // After an hour, the next call sweeps them.
    for upload in ["b", "c", "d", "e"] {
        let dir = world.own.path().join(format!("upload-{upload}"));
        let status = Command::new("touch").args(["-d", "-61 minutes"]).arg(dir).status().unwrap();
        assert!(status.success());
    }
    world.import(&archive(&[dir("d")]), "in").unwrap();
    fs::remove_dir_all(world.real("in")).unwrap();
    assert_eq!(world.everything(), before);
}

#[test]
fn an_archive_in_parts_is_refused_like_a_whole_one_and_its_parts_stay() {
    let world = World::new();
    let bad = archive(&[file("../evil", "x")]);
    world.part("u", 1, &bad, bad.len()).unwrap();
    let before = world.everything();
    let refused = world.finish("u", 1, "").unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidArgument, "{refused}");
    assert_eq!(world.everything(), before);
    let good = archive(&[file("fine", "x")]);
    world.part("u", 1, &good, good.len()).unwrap();
    assert_eq!(world.finish("u", 1, "").unwrap().files, 1);
}

#[test]
fn an_import_says_what_it_drops_and_keeps_the_attributes_of_users() {
    let world = World::new();
    let extras = |attributes: &[(&str, &[u8])]| TarExtras {
        owner: (0, 0),
        attributes: attributes
            .iter()
            .map(|(name, value)| (name.as_bytes().to_vec(), value.to_vec()))
            .collect(),
    };
    let one = |name: &str, mode, extras: &TarExtras| {
        let kind = TarKind::File { size_bytes: 0 };
        tar::header_with(name.as_bytes(), kind, mode, 1, extras).unwrap()
    };
    let plain = [one("plain", 0o644, &extras(&[("user.origin", b"here")])), tar::end()].concat();
    let told = world.import(&plain, "d").unwrap();
    assert_eq!((told.entries, told.dropped), (1, None));
    let origin = "import os, sys; print(os.getxattr(sys.argv[1], 'user.origin'))";
    assert_eq!(crate::trees::python(origin, &world.real("d/plain")), "b'here'\n");

    let theirs = TarExtras { owner: (1_000, 0), ..extras(&[]) };
    let capable = extras(&[("security.capability", crate::trees::CAPABILITY)]);
    let entries = [
        one("su", 0o4755, &theirs),
        one("sticky", 0o1644, &extras(&[])),
        one("ping", 0o755, &capable),
        tar::end(),
    ];
    let told = world.import(&entries.concat(), "d").unwrap();
    let dropped = DroppedByImport { owners: 1, special_bits: 2, attributes: 1 };
    assert_eq!(told.dropped, Some(dropped));
    let su = fs::metadata(world.real("d/su")).unwrap();
    assert_eq!((su.uid(), su.mode() & 0o7777), (0, 0o755));
    let names = "import os, sys; print(os.listxattr(sys.argv[1]))";
    assert_eq!(crate::trees::python(names, &world.real("d/ping")), "[]\n");

    // A copy from a workspace is an export and an import.
    let copied = world.import(&world.export("d").unwrap(), "copy").unwrap();
    assert_eq!(copied.dropped, None);
    assert_eq!(crate::trees::python(origin, &world.real("copy/plain")), "b'here'\n");
}

#[test]
fn an_import_that_stops_midway_says_so() {
    let fails_below =
        "case \"$*\" in */data*) echo 'mv: read-only' >&2; exit 1 ;; esac\nexec \"$REAL\" \"$@\"";
    let world = with_program("mv", fails_below, None);
    world.put("a", "old");
    world.put("data/kept", "kept");
    let archive = archive(&[file("a", "new"), file("data/x", "new")]);
    let error = world.import(&archive, ".").unwrap_err();
    assert_eq!(
        (error.code, error.outcome),
        (ErrorCode::Unavailable, Outcome::Unknown),
        "{error:?}"
    );
    assert_eq!(std::fs::read(world.real("a")).unwrap(), b"new");
}
