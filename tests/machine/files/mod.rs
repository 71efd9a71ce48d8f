//! Read, write under a condition, list, stat, remove.

mod databases;
mod search;
mod tar;

use crate::{World, code, now, with_program};
use snapshotter::domain::error::{ErrorCode, Outcome};
use snapshotter::ports::sandbox::{
    Encoding, FileOptions, FileType, ReadFileResult, ReadRange, SandboxApi,
};
use std::fs;

impl World {
    fn read(&self, path: &str, range: ReadRange) -> ReadFileResult {
        let options = FileOptions { range: Some(range), ..self.options() };
        now(self.sandbox.read_file(self.path(path), options)).unwrap()
    }
}

fn lines(first: u64, count: u64, length: u64) -> ReadRange {
    ReadRange::Lines { first, count, length }
}

fn bytes(offset: u64, length: u64) -> ReadRange {
    ReadRange::Bytes { offset, length }
}

#[test]
fn parts_follow_each_other_without_gap() {
    let world = World::new();
    let text = "one\ntwo\nthrée\nfour";
    world.put("a", text);
    let part = world.read("a", lines(2, 2, 1_000));
    assert_eq!((part.content.as_str(), part.offset, part.size_bytes), ("two\nthrée\n", 4, 19));
    assert_eq!((part.truncated, part.next_line, part.next_offset), (true, Some(4), Some(15)));
    let last = world.read("a", lines(4, 9, 1_000));
    assert_eq!((last.content.as_str(), last.truncated), ("four", false));
    assert_eq!((last.next_line, last.next_offset), (None, None));
    let none = world.read("a", lines(9, 9, 1_000));
    assert_eq!((none.content.as_str(), none.offset, none.truncated), ("", 19, false));

    for length in 1..20 {
        let (mut joined, mut offset) = (String::new(), 0);
        loop {
            let part = world.read("a", bytes(offset, length));
            if part.encoding == Encoding::Base64 {
                // A limit of one byte cannot hold the é.
                assert_eq!(length, 1);
                break;
            }
            joined.push_str(&part.content);
            match part.next_offset {
                Some(next) => offset = next,
                None => break,
            }
        }
        assert!(joined == text || length == 1, "{length}: {joined}");
    }
}

#[test]
fn a_part_is_cut_between_lines_and_characters_where_it_can_be() {
    let world = World::new();
    world.put("a", "one\ntwo\nthree\n");
    let part = world.read("a", lines(1, 9, 10));
    assert_eq!((part.content.as_str(), part.next_line), ("one\ntwo\n", Some(3)));
    let part = world.read("a", lines(3, 9, 2));
    assert_eq!((part.content.as_str(), part.next_line), ("th", None), "one line longer than all");
    assert_eq!(part.next_offset, Some(10));
    world.put("e", "éé");
    let part = world.read("e", bytes(0, 3));
    assert_eq!((part.content.as_str(), part.next_offset), ("é", Some(2)));
}

#[test]
fn what_a_file_holds_is_told() {
    let world = World::new();
    world.put("picture", b"\x89PNG\r\n\x1a\n\0\0");
    world.put("a.csv", "a,b\n");
    let mime = |path: &str| {
        let read = now(world.sandbox.read_file(world.path(path), world.options())).unwrap();
        (read.encoding, read.mime_type.unwrap(), read.truncated)
    };
    assert_eq!(mime("picture"), (Encoding::Base64, "image/png".into(), false));
    assert_eq!(mime("a.csv"), (Encoding::Utf8, "text/csv".into(), false));
    // As text in JSON, each byte would take six bytes.
    world.put("zeros", [0; 1_000]);
    world.put("controls", [1; 1_000]);
    for path in ["zeros", "controls"] {
        assert_eq!(mime(path), (Encoding::Base64, "application/octet-stream".into(), false));
        let options = FileOptions { encoding: Some(Encoding::Utf8), ..world.options() };
        let error = now(world.sandbox.read_file(world.path(path), options)).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        assert!(error.message.contains("is not text"), "{error}");
    }
}

#[test]
fn symlinks_that_leave_are_refused_by_every_method() {
    let world = World::new();
    world.link("../outside", "out");
    world.link("../outside/secret", "file");
    world.link("nowhere", "dangling");
    world.put("in/side", "x");
    world.link("in", "alias");
    let read = |path: &str, range| {
        let options = FileOptions { range, ..world.options() };
        now(world.sandbox.read_file(world.path(path), options))
    };
    for path in ["out/secret", "file"] {
        assert_eq!(code(read(path, None)), ErrorCode::InvalidArgument);
        let error = read(path, Some(lines(1, 1, 9))).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        assert!(error.message.contains(path) && error.message.contains(world.root.as_str()));
    }
    assert_eq!(read("alias/side", Some(bytes(0, 9))).unwrap().content, "x");
    let stat = |path: &str| now(world.sandbox.stat(world.path(path), world.options()));
    assert_eq!(code(stat("out/secret")), ErrorCode::InvalidArgument);
    let link = stat("out").unwrap();
    assert_eq!((link.r#type, link.target.as_deref()), (FileType::Symlink, Some("../outside")));
    assert_eq!(stat("dangling").unwrap().target.as_deref(), Some("nowhere"));
    let remove = |path: &str| {
        let options = FileOptions { recursive: true, ..world.options() };
        now(world.sandbox.delete_file(world.path(path), options))
    };
    assert_eq!(code(remove("out/secret")), ErrorCode::InvalidArgument);
    remove("out").unwrap();
    assert!(world.top.path().join("outside/secret").exists(), "the link went, not where it led");
}

#[test]
fn what_is_outside_is_not_told_apart() {
    let world = World::new();
    world.link("../outside", "out");
    world.put("file", "");
    for path in ["out/secret", "out/none", "out/none/deeper", "out"] {
        let at = || (world.path(path), world.options());
        let read = || now(world.sandbox.read_file(at().0, at().1));
        let make = FileOptions { recursive: true, ..world.options() };
        let mut answers = vec![
            code(now(world.sandbox.mkdir(world.path(path), make))),
            code(now(world.sandbox.list_files(at().0, at().1))),
            code(now(world.sandbox.glob(world.path(path), world.search()))),
        ];
        answers.push(code(read()));
        if path != "out" {
            answers.push(code(now(world.sandbox.stat(at().0, at().1))));
            answers.push(code(now(world.sandbox.delete_file(at().0, at().1))));
        }
        assert!(
            answers.iter().all(|code| *code == ErrorCode::InvalidArgument),
            "{path}: {answers:?}"
        );
    }
    let error = now(world.sandbox.list_files(world.path("file"), world.options())).unwrap_err();
    assert!(error.message.contains("is not a directory"), "{error}");
    let absent = now(world.sandbox.list_files(world.path("none"), world.options()));
    assert_eq!(code(absent), ErrorCode::NotFound);
}

#[test]
fn removal_takes_a_tree_only_when_told_and_never_the_root() {
    let world = World::new();
    world.put("d/e/f", "x");
    world.put(b"odd\nname", "x");
    let remove = |path: &str, recursive| {
        let options = FileOptions { recursive, ..world.options() };
        now(world.sandbox.delete_file(world.path(path), options))
    };
    assert_eq!(code(remove("d", false)), ErrorCode::InvalidArgument);
    assert!(world.real("d/e/f").exists());
    remove("d", true).unwrap();
    assert!(!world.real("d").exists());
    assert_eq!(code(remove("d", true)), ErrorCode::NotFound);
    remove("odd\nname", true).unwrap();
    assert!(!world.real("odd\nname").exists());
    assert_eq!(code(remove(".", true)), ErrorCode::InvalidArgument);
    assert!(world.real("").exists());
}

#[test]
fn a_removal_that_stops_midway_says_so() {
    let world = with_program("rm", "echo 'rm: not permitted' >&2\nexit 1", None);
    world.put("d/e", "x");
    let options = FileOptions { recursive: true, ..world.options() };
    let error = now(world.sandbox.delete_file(world.path("d"), options)).unwrap_err();
    assert_eq!(
        (error.code, error.outcome),
        (ErrorCode::Unavailable, Outcome::Unknown),
        "{error:?}"
    );
}

#[test]
fn a_file_is_replaced_only_while_it_is_what_was_read() {
    let world = World::new();
    world.put("a", "old");
    let write = |path: &str, content: &str, sum: &str| {
        let options = FileOptions { if_sha256: Some(sum.to_owned()), ..world.options() };
        now(world.sandbox.write_file(world.path(path), content.to_owned(), options))
    };
    let sum = crate::support::container::hex(b"old");
    write("a", "new", &sum).unwrap();
    assert_eq!(fs::read(world.real("a")).unwrap(), b"new");
    assert_eq!(code(write("a", "newer", &sum)), ErrorCode::Conflict);
    assert_eq!(code(write("absent", "newer", &sum)), ErrorCode::Conflict);
    assert_eq!(fs::read(world.real("a")).unwrap(), b"new");
    assert_eq!(fs::read_dir(world.real("")).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn of_two_edits_of_one_text_at_once_one_is_refused() {
    let world = World::new();
    world.put("a", "old");
    let (path, root) = (world.path("a"), world.root.clone());
    let write = &|content: &str| {
        // Both have compared the content before either could place its own.
        let own = with_program("sha256sum", "\"$REAL\" \"$@\"\nsleep 0.5", None);
        let options = FileOptions {
            within: Some(root.clone()),
            if_sha256: Some(crate::support::container::hex(b"old")),
            ..FileOptions::default()
        };
        now(own.sandbox.write_file(path.clone(), content.to_owned(), options))
    };
    let answers = std::thread::scope(|scope| {
        ["one", "two"]
            .map(|content| (content, scope.spawn(move || write(content))))
            .map(|(content, thread)| thread.join().unwrap().map(|()| content))
    });
    let [made, refused] = match answers {
        [Ok(made), refused @ Err(_)] | [refused @ Err(_), Ok(made)] => [Ok(made), refused],
        other => panic!("{other:?}"),
    };
    assert_eq!(code(refused), ErrorCode::Conflict);
    assert_eq!(fs::read(world.real("a")).unwrap(), made.unwrap().as_bytes());
}

#[test]
fn looking_tells_type_size_mode_and_time() {
    let world = World::new();
    world.put("a b\n", "12345");
    let stat = |path: &str| now(world.sandbox.stat(world.path(path), world.options()));
    let file = stat("a b\n").unwrap();
    assert_eq!((file.r#type, file.size_bytes, file.target), (FileType::File, 5, None));
    assert!(file.modified_at.starts_with("20"), "{}", file.modified_at);
    assert_eq!(stat(".").unwrap().r#type, FileType::Directory);
    assert_eq!(code(stat("none")), ErrorCode::NotFound);
}

#[test]
fn listings_come_in_pages_in_the_order_of_their_bytes() {
    let world = World::new();
    for name in [&b"b"[..], b"a b", b".hidden", b"d/x\ny", b"d/z", b"\xff"] {
        world.put(name, "");
    }
    let list = |recursive, include_hidden, offset, limit| {
        let options = FileOptions { recursive, include_hidden, offset, limit, ..world.options() };
        let listed = now(world.sandbox.list_files(world.root.clone(), options)).unwrap();
        let paths: Vec<String> = listed.files.into_iter().map(|file| file.relative_path).collect();
        (paths.join("|"), listed.truncated)
    };
    let all = ".hidden|a b|b|d|d/x\ny|d/z|\u{fffd}".to_owned();
    assert_eq!(list(true, true, 0, None), (all, false));
    assert_eq!(list(true, true, 0, Some(3)), (".hidden|a b|b".into(), true));
    assert_eq!(list(true, true, 3, Some(3)), ("d|d/x\ny|d/z".into(), true));
    assert_eq!(list(true, true, 6, Some(3)), ("\u{fffd}".into(), false));
    assert_eq!(list(true, true, 9, Some(3)), (String::new(), false));
    assert_eq!(list(false, false, 0, None), ("a b|b|d|\u{fffd}".into(), false));
}

#[test]
fn a_workspace_whose_directory_is_gone_gets_an_empty_one_and_its_caller_learns_of_it() {
    let world = World::new();
    let root = world.real("");
    let root = root.to_str().unwrap().trim_end_matches('/').to_owned();
    world.put("kept", "1");
    for (script, kept) in [
        ("rm -r \"$0\"", None),
        ("mv \"$0\" \"$0.moved\"", None),
        ("rm -r \"$0\"; ln -s /nowhere \"$0\"", Some("/nowhere")),
        ("rm -r \"$0\"; echo file >\"$0\"", Some("file")),
    ] {
        let ran = std::process::Command::new("sh").args(["-euc", script, &root]).status().unwrap();
        assert!(ran.success(), "{script}");
        let error = now(world.sandbox.list_files(world.path("."), world.options())).unwrap_err();
        assert_eq!((error.code, error.retryable), (ErrorCode::Conflict, true), "{script}");
        assert!(error.message.contains("made again, and is empty"), "{script}: {error:?}");
        assert!(error.hint.as_deref().unwrap_or_default().contains("with rewind;"));
        let listed = now(world.sandbox.list_files(world.path("."), world.options())).unwrap();
        assert!(listed.files.is_empty(), "{script}");
        if let Some(kept) = kept {
            let moved = error.message.split("is in ").nth(1).unwrap().split(')').next().unwrap();
            let found = fs::read_link(moved).map(|link| link.to_str().unwrap().to_owned());
            let found = found.unwrap_or_else(|_| fs::read_to_string(moved).unwrap());
            assert_eq!(found.trim_end(), kept, "{script}");
        }
    }
}

#[test]
fn what_has_the_name_of_a_cleared_directory_is_moved_away() {
    let world = World::new();
    world.put("target/file", "1");
    for (script, target_stays) in
        [("ln -s target dir", true), ("ln -s nowhere dir", false), (": >dir", false)]
    {
        let ran = std::process::Command::new("sh")
            .current_dir(world.real(""))
            .args(["-euc", &format!("rm -rf dir; {script}")])
            .status()
            .unwrap();
        assert!(ran.success(), "{script}");
        let options = FileOptions { recursive: true, ..world.options() };
        let kept = now(world.sandbox.mkdir(world.path("dir"), options.clone()));
        assert_eq!(kept.is_ok(), target_stays, "{script}");
        let options = FileOptions { clear: true, ..options };
        now(world.sandbox.mkdir(world.path("dir"), options)).unwrap();
        let made = fs::symlink_metadata(world.real("dir")).unwrap();
        assert!(made.is_dir(), "{script}");
        assert_eq!(fs::read_to_string(world.real("target/file")).unwrap(), "1");
    }
}
