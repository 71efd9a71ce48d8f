//! Manifests: what proves without an archive that a tree has not changed.

use crate::machine::{BACKUP, RESTORE, TempDir};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// Changes of the tree of [`Tree::new`], in every way there is.
const CHANGES: [&str; 24] = [
    // The same size and time.
    "cp -p a was; printf 2 >a; touch -r was a; rm was",
    "python3 -c 'import os; s = os.stat(\"a\"); f = open(\"a\", \"r+b\"); f.write(b\"2\"); f.close(); os.utime(\"a\", ns=(s.st_atime_ns, s.st_mtime_ns))'",
    "python3 -c 'import mmap; f = open(\"large\", \"r+b\"); m = mmap.mmap(f.fileno(), 0); m[5000] = 7; m.close()'",
    "printf 3 >b.new; touch -r b b.new; mv b.new b",
    "mv a x; mv b a; mv x b",
    "dd if=/dev/zero of=large bs=1 count=1 seek=4096 conv=notrunc status=none",
    "truncate -s 9000 large; truncate -s 10000 large",
    "fallocate --punch-hole --offset 0 --length 4096 large",
    // Other names.
    "printf 2 >../outside/other-name-of-linked",
    "ln a a2",
    "rm linked",
    // What else a file has.
    "chmod 600 a",
    "chown 1000 a",
    "chgrp 1000 a",
    "touch -d 2001-01-01 a",
    "python3 -c 'import os; os.setxattr(\"a\", \"user.x\", b\"1\")'",
    "python3 -c 'import os; os.setxattr(\".\", \"user.x\", b\"1\")'",
    "chmod 700 .",
    // Other types.
    "ln -sfn elsewhere link",
    "rm a; mkdir a",
    "rmdir dir/empty; : >dir/empty",
    "mkfifo pipe",
    // More and fewer.
    ": >dir/new",
    "rm dir/deep/file",
];

struct Tree {
    top: TempDir,
}

impl Tree {
    fn new() -> Self {
        let top = TempDir::new();
        let tree = Self { top };
        fs::create_dir(tree.at("own")).unwrap();
        fs::create_dir(tree.at("outside")).unwrap();
        fs::create_dir(tree.at("workspace")).unwrap();
        tree.sh("printf 1 >a; printf 1 >b; head -c 10000 /dev/zero >large; ln -s a link
            mkdir -p dir/deep dir/empty; echo deep >dir/deep/file
            printf 1 >linked; ln linked ../outside/other-name-of-linked");
        tree
    }

    fn at(&self, path: &str) -> String {
        self.top.path().join(path).to_str().unwrap().to_owned()
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.at("workspace"));
        command
    }

    fn sh(&self, script: &str) {
        assert!(self.command("sh").args(["-euc", script]).status().unwrap().success(), "{script}");
    }

    /// Starts a Python program, and waits until it prints a line.
    fn python(&self, program: &str) -> Program {
        let mut child = self.command("python3");
        let child = child.args(["-uc", program]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = Program(child.spawn().unwrap());
        program.wait();
        program
    }

    /// What a script prints, and what it prints on stderr.
    fn said(&self, script: &str, arguments: &[&str]) -> (String, String) {
        let output =
            Command::new("sh").args(["-c", script, "sh"]).args(arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{said}");
        (String::from_utf8(output.stdout).unwrap(), said)
    }

    fn script(&self, script: &str, arguments: &[&str]) -> String {
        self.said(script, arguments).0
    }

    /// Backs up on the chain `base`. Returns why that is no layer, or the next one won't be.
    fn notes_on(&self, base: &str) -> String {
        let (archive, dir) = (self.at("own/backup-1.sqsh"), self.at("workspace"));
        let manifest = self.at("own/manifest");
        let arguments = [&archive, &dir, "lz4", "", "no", &manifest, "", base, "1000000"];
        self.said(BACKUP, &arguments).1
    }

    /// Backs up unless unchanged since the archive `known`. Returns what the script
    /// says: "unchanged", or kind, size and SHA-256.
    fn back_up_with(&self, before: &str, known: &str) -> String {
        let (archive, dir) = (self.at("own/backup-1.sqsh"), self.at("workspace"));
        let arguments = [&archive, &dir, "lz4", "", "no", &self.at("own/manifest"), known, "", ""];
        self.script(&format!("{before}\n{BACKUP}"), &arguments).trim().to_owned()
    }

    fn back_up(&self, known: &str) -> String {
        self.back_up_with("", known)
    }

    /// Backs up, and returns the archive's SHA-256.
    fn saved(&self) -> String {
        sum_of(&self.back_up(""))
    }

    fn restore_with(&self, before: &str, sha256: &str) {
        let archive = self.at("own/restore-1.sqsh");
        fs::rename(self.at("own/backup-1.sqsh"), &archive).unwrap();
        let arguments = [
            &archive,
            &self.at("workspace"),
            sha256,
            "yes",
            "tag",
            "",
            "",
            &self.at("own/manifest"),
        ];
        self.script(&format!("{before}\n{RESTORE}"), &arguments);
    }
}

/// The SHA-256 of the archive that a backup tells.
fn sum_of(said: &str) -> String {
    said.rsplit(' ').next().unwrap().to_owned()
}

/// A program that goes on with each line that it gets.
struct Program(Child);

impl Program {
    fn wait(&mut self) {
        let mut line = String::new();
        BufReader::new(self.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "done\n");
    }

    fn go_on(&mut self) {
        use std::io::Write;
        self.0.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        self.wait();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_unchanged_tree_is_not_archived() {
    let tree = Tree::new();
    let sum = tree.saved();
    fs::remove_file(tree.at("own/backup-1.sqsh")).unwrap();
    for _ in 0..3 {
        tree.sh("cat a dir/deep/file >/dev/null; ls -R >/dev/null");
        assert_eq!(tree.back_up(&sum), "unchanged");
        assert!(!fs::exists(tree.at("own/backup-1.sqsh")).unwrap());
    }
    assert_ne!(tree.back_up(&"0".repeat(64)), "unchanged", "it is in another archive");
    assert_ne!(tree.back_up(""), "unchanged", "nobody asked");
}

#[test]
fn every_change_is_noticed() {
    for change in CHANGES {
        let tree = Tree::new();
        let sum = tree.saved();
        tree.sh(change);
        let said = tree.back_up(&sum);
        assert_ne!(said, "unchanged", "{change}");
        assert_eq!(tree.back_up(&sum_of(&said)), "unchanged", "after {change}");
    }
}

#[test]
fn every_change_after_a_restore_is_noticed() {
    for change in CHANGES {
        let tree = Tree::new();
        let sum = tree.saved();
        tree.sh("rm a; echo other >c");
        tree.restore_with("", &sum);
        assert_eq!(tree.back_up(&sum), "unchanged", "before {change}");
        // The other name is of the file before.
        let change = change.replace("../outside/other-name-of-linked", "linked");
        tree.sh(&change);
        assert_ne!(tree.back_up(&sum), "unchanged", "{change}");
    }
}

#[test]
fn a_change_right_after_the_swap_of_a_restore_is_noticed() {
    for change in ["printf 2 >a", "printf 2 >dir/deep/file", "chmod 600 b", "rm link", ": >dir/new"]
    {
        let tree = Tree::new();
        let sum = tree.saved();
        let hook = format!(
            "sleep() {{ (cd '{}' && {change}); command sleep \"$@\"; }}",
            tree.at("workspace")
        );
        tree.restore_with(&hook, &sum);
        assert_ne!(tree.back_up(&sum), "unchanged", "{change}");
    }
}

#[test]
fn a_change_while_the_archive_is_made_is_noticed_next() {
    for change in ["printf 2 >a", "printf 2 >>dir/deep/file", "ln a a2", "rm linked"] {
        let tree = Tree::new();
        let hook = format!(
            "mksquashfs() {{ command mksquashfs \"$@\" && (cd '{}' && {change}); }}",
            tree.at("workspace")
        );
        let said = tree.back_up_with(&hook, "");
        assert_ne!(tree.back_up(&sum_of(&said)), "unchanged", "{change}");
    }
}

/// Only the first write to a page of a mapping changes the ctime.
#[test]
fn a_file_that_is_mapped_for_writing_may_change_at_any_time() {
    let tree = Tree::new();
    let mut program = tree.python(
        "import mmap
f = open('large', 'r+b'); m = mmap.mmap(f.fileno(), 0); f.close(); at = 0
while True:
    m[at] = 9; at += 1; print('done'); input()",
    );
    let sum = tree.saved();
    program.go_on();
    assert_ne!(tree.back_up(&sum), "unchanged");
    drop(program);
    let sum = tree.saved();
    assert_eq!(tree.back_up(&sum), "unchanged");
}

/// A long write changes the ctime only when it begins.
#[test]
fn a_file_that_is_open_and_was_just_written_may_change_at_any_time() {
    let tree = Tree::new();
    let writing = "f = open('large', 'r+b', 0); f.write(b'1'); print('done'); input()";
    let program = tree.python(writing);
    let sum = tree.saved();
    assert_ne!(tree.back_up(&sum), "unchanged");
    drop(program);
    let reading = tree.python("f = open('large', 'rb'); print('done'); input()");
    let sum = tree.saved();
    assert_eq!(tree.back_up(&sum), "unchanged", "it is only open for reading");
    drop(reading);
}

#[test]
fn a_process_that_cannot_be_looked_into_may_change_anything() {
    let tree = Tree::new();
    let hook = "cat() { case $* in */maps) return 1 ;; esac; command cat \"$@\"; }";
    let said = tree.back_up_with(hook, "");
    assert_ne!(tree.back_up(&sum_of(&said)), "unchanged");
}

#[test]
fn a_process_that_is_just_being_started_is_waited_for() {
    for (began, expected) in [("after", true), ("just before", true), ("long before", false)] {
        let tree = Tree::new();
        let before = Program(tree.command("sleep").arg("60").spawn().unwrap());
        if began == "long before" {
            tree.script("sleep 2.2", &[]);
        }
        let started = match began {
            "after" => "command sleep 0.05; command sleep 5 >/dev/null 2>&1 & denied=$!".to_owned(),
            _ => format!("denied={}", before.0.id()),
        };
        let hook = format!(
            "{started}
            cat() {{
              case $* in */maps)
                if mkdir '{}' 2>/dev/null; then
                  echo \"cat: /proc/$denied/maps: Permission denied\" >&2
                  return 1
                fi ;;
              esac
              command cat \"$@\"
            }}",
            tree.at("own/denied"),
        );
        let said = tree.back_up_with(&hook, "");
        drop(before);
        assert_eq!(tree.back_up(&sum_of(&said)) == "unchanged", expected, "it began {began}");
    }
}

#[test]
fn what_keeps_the_next_archive_from_being_a_layer_is_told() {
    let tree = Tree::new();
    let sum = tree.saved();
    tree.sh("printf 2 >a");
    assert_eq!(tree.notes_on(&sum), "");
    let writer = tree
        .python("file = open('open', 'w'); file.write('x'); file.flush(); print('done'); input()");
    assert_eq!(tree.notes_on(&"0".repeat(64)), "note: manifest\nnote: writers\n");
    drop(writer);
    assert_eq!(tree.notes_on(&"0".repeat(64)), "note: manifest\n");
    assert_eq!(tree.notes_on(""), "");
}

#[test]
fn a_clock_that_was_set_proves_nothing() {
    let tree = Tree::new();
    let sum = tree.saved();
    for moved in ["+ 3600", "- 3600", "- 1"] {
        let clock = format!("date() {{ command date -d \"now {moved} seconds\" \"$@\"; }}");
        assert_ne!(tree.back_up_with(&clock, &sum), "unchanged", "{moved}");
        // That archive has noted the wrong clock.
        assert_ne!(tree.back_up(&sum), "unchanged", "set back after {moved}");
        assert_eq!(tree.back_up(&sum), "unchanged");
    }
}

#[test]
fn in_memory_nothing_is_proved() {
    let tree = Tree::new();
    let hook = "stat() { case $* in '-f '*) echo tmpfs ;; *) command stat \"$@\" ;; esac; }";
    let said = tree.back_up_with(hook, "");
    assert_ne!(tree.back_up(&sum_of(&said)), "unchanged");
}

#[test]
fn a_manifest_that_is_damaged_proves_nothing() {
    for damage in
        ["rm -f \"$1\".tree", ": >\"$1\".tree", ": >\"$1\"", "rm -f \"$1\"", "echo x >\"$1\""]
    {
        let tree = Tree::new();
        let sum = tree.saved();
        tree.script(damage, &[&tree.at("own/manifest")]);
        assert_ne!(tree.back_up(&sum), "unchanged", "{damage}");
        assert_eq!(tree.back_up(&sum), "unchanged", "after {damage}");
    }
}
