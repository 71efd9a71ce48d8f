//! Manifests: what proves without an archive that a tree has not changed.

use crate::machine::TempDir;
use crate::texts::{BACKUP, RESTORE, RESTORE_MACHINE, SAVE_MACHINE};
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
        let arguments = [&archive, &dir, &manifest, "", base, "1000000"];
        self.said(BACKUP, &arguments).1
    }

    /// Backs up unless unchanged since the archive `known`. Returns what the script
    /// says: "unchanged", or kind, size and SHA-256.
    fn back_up_with(&self, before: &str, known: &str) -> String {
        let (archive, dir) = (self.at("own/backup-1.sqsh"), self.at("workspace"));
        let arguments = [&archive, &dir, &self.at("own/manifest"), known, "", ""];
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
            "0",
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

/// Only the first write to a page of a mapping changes the ctime. `mapping` maps a page of a
/// file, `file`, as Java and Rust do: without a descriptor that stays open.
fn mapping(before: &str, file: &str, access: &str, how: &str, then: &str) -> String {
    format!(
        "import ctypes, os, platform, threading
libc = ctypes.CDLL(None); libc.mmap.restype = ctypes.c_void_p; at = 0
READ, WRITE, SHARED, PRIVATE = 1, 2, 1, 2
def protect(how): assert libc.mprotect(ctypes.c_void_p(where), ctypes.c_size_t(4096), how) == 0
def write():
    global at
    page[at] = b'9'; at += 1
{before}
f = os.open('{file}', {access})
where = libc.mmap(None, ctypes.c_size_t(4096), {how}, f, ctypes.c_long(0)); assert where + 1
os.close(f); page = (ctypes.c_char * 4096).from_address(where)
def go_on():
    while True: {then}; print('done'); input()
go_on()"
    )
}

#[test]
fn a_file_that_is_mapped_for_writing_may_change_at_any_time() {
    let (open, how) = ("os.O_RDWR", "READ | WRITE, SHARED");
    let here = |then: &str| mapping("", "large", open, how, then);
    let in_a_thread = "threading.Thread(target=go_on).start()
libc.syscall({'x86_64': 60, 'aarch64': 93}[platform.machine()], 0)
go_on()";
    for (name, program) in [
        ("it is mapped", here("write()")),
        (
            "by its name outside",
            mapping("", "../outside/other-name-of-linked", open, how, "write()"),
        ),
        ("removed, and there by another name", {
            let before = "os.link('large', 'dir/other') if not os.path.exists('dir/other') else 0";
            mapping(
                before,
                "large",
                open,
                how,
                "write(); os.path.exists('large') and os.remove('large')",
            )
        }),
        ("renamed", here("write(); os.path.exists('large') and os.rename('large', 'dir/a  b ')")),
        ("not writable now", here("protect(READ | WRITE); write(); protect(READ)")),
        ("not readable now", here("protect(READ | WRITE); write(); protect(0)")),
        ("not writable now, with blanks in its name", {
            let then = "protect(READ | WRITE); write(); protect(READ)";
            mapping(
                "os.path.exists('large') and os.rename('large', 'a  b ')",
                "a  b ",
                open,
                how,
                then,
            )
        }),
        (
            "a line end in its name",
            mapping("os.rename('large', 'a\\nb')", "a\\nb", open, how, "write()"),
        ),
        (
            "the first thread has ended",
            here("write()").replacen("\ngo_on()", &format!("\n{in_a_thread}"), 1),
        ),
    ] {
        let tree = Tree::new();
        tree.sh("head -c 4096 /dev/zero >linked");
        let mut program = tree.python(&program);
        let sum = tree.saved();
        program.go_on();
        assert_ne!(tree.back_up(&sum), "unchanged", "{name}");
        drop(program);
        let sum = tree.saved();
        assert_eq!(tree.back_up(&sum), "unchanged", "{name}");
    }
}

#[test]
fn a_mapping_whose_writes_reach_no_file_of_the_tree_matters_not() {
    for (file, access, how, then) in [
        ("large", "os.O_RDONLY", "READ, SHARED", "page[0]"),
        ("large", "os.O_RDWR", "READ | WRITE, PRIVATE", "write()"),
        ("../outside/large", "os.O_RDWR", "READ | WRITE, SHARED", "write()"),
        ("/dev/shm/x", "os.O_RDWR", "READ | WRITE, SHARED", "write()"),
    ] {
        let tree = Tree::new();
        tree.sh("cp large ../outside/large; cp large /dev/shm/x");
        let mut program = tree.python(&mapping("", file, access, how, then));
        let sum = tree.saved();
        program.go_on();
        assert_eq!(tree.back_up(&sum), "unchanged", "{file} {how}");
    }
}

/// A line that the list of mappings of a process gets in addition.
fn listing(mapping: &str) -> String {
    format!(
        "grep() {{ case $* in *-H*) echo \"/proc/$$/maps:7f0000000000-7f0000001000 {mapping}\" ;; esac; command grep \"$@\"; }}"
    )
}

/// One file may have several names, and one inode's number be that of several files.
#[test]
fn a_mapping_is_of_the_tree_if_its_inode_is_and_its_file_system_can_be() {
    let tree = Tree::new();
    let ids = tree.script(
        "stat -c '%Hd %Ld %i' -- \"$1\"; stat -c '%Hd %Ld' /dev/shm",
        &[&tree.at("workspace/large")],
    );
    let ids: Vec<u32> = ids.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let [major, minor, inode, shm_major, shm_minor] = ids[..] else { panic!("{ids:?}") };
    let disk = format!("{major:02x}:{minor:02x}");
    let memory = format!("{shm_major:02x}:{shm_minor:02x}");
    let here = tree.at("workspace");
    for (device, inode, name, is_written) in [
        (disk.as_str(), inode, "/mnt/of a bind mount/large", true),
        (&disk, inode, "/a name outside that is gone (deleted)", true),
        ("fe:fe", inode, "/of an overlay's upper directory", true),
        ("fe:fe", inode, "/of one, and gone (deleted)", true),
        ("00:fe", inode, "/of one on Btrfs", true),
        // Some kernels print the inode of the upper directory.
        ("fe:fe", 1, &format!("{here}/large"), true),
        ("fe:fe", 1, &format!("{here}/gone (deleted)"), true),
        ("fe:fe", 1, &format!("{here}-2/large"), false),
        (&memory, inode, "/dev/shm/x", false),
        ("00:fe", inode, "/memfd:x (deleted)", false),
        ("00:fe", inode, "/dev/zero (deleted)", false),
        ("00:fe", inode, "anon_inode:[io_uring]", false),
    ] {
        let mapping = format!("rw-s 00000000 {device} {inode}   {name}");
        let said = tree.back_up_with(&listing(&mapping), "");
        let is_kept = tree.back_up(&sum_of(&said)) == "unchanged";
        assert_eq!(!is_kept, is_written, "{mapping}");
    }
}

/// Real ones are in tests/e2e/manifests.test.ts: they need a container that may have them.
#[test]
fn a_file_that_just_changed_may_change_on_while_a_ring_has_files() {
    let later = "date() { case $* in +%s) echo 99999999999 ;; *) command date \"$@\" ;; esac; }";
    for (files, more, is_kept) in [("1", "", false), ("0", "", true), ("12", later, true)] {
        let tree = Tree::new();
        let hook = format!(
            "find() {{ case $* in *io_uring*) echo /proc/1/fd/9 ;; *) command find \"$@\" ;; esac; }}
            cat() {{ case $* in */fdinfo/9) printf 'PollList:\\nUserFiles:\\t{files}\\n' ;; *) command cat \"$@\" ;; esac; }}
            {more}"
        );
        let said = tree.back_up_with(&hook, "");
        assert_eq!(tree.back_up(&sum_of(&said)) == "unchanged", is_kept, "{files}");
    }
}

/// Its last part, which some tests run after functions of their own.
const SAVING: &str = include_str!("../../src/sandbox/scripts/machine/save_machine.sh");

/// What a machine is saved with, and then [`SAVING`].
fn machine() -> &'static str {
    SAVE_MACHINE.strip_suffix(SAVING).unwrap()
}

#[test]
fn a_file_of_the_machine_that_is_mapped_for_writing_may_change_at_any_time() {
    for (file, is_of_machine) in [
        ("../etc/large", true),
        ("../etc/conf", true),
        ("../tmp/large", false),
        ("large", false),
        ("/dev/shm/y", false),
    ] {
        let tree = Tree::new();
        tree.sh("cp large /dev/shm/y; mkdir ../etc ../tmp; cp large ../tmp; head -c 4096 /dev/zero >../etc/conf");
        let (root, own) = (tree.at(""), tree.at("own"));
        let root = root.trim_end_matches('/');
        // The sandbox's own directory belongs to no machine.
        let left_out = "left_out() { printf '%s\\n' /own /tmp /workspace /outside; }";
        tree.script(
            &format!("{}\n{left_out}\nnote_image \"$@\"", machine()),
            &[&own, root, "/workspace"],
        );
        tree.sh("cp large ../etc");
        let save = |hook: &str, known: &str| {
            let archive = tree.at("own/machine-1.sqsh");
            let script = format!("{}\n{left_out}\n{hook}\n{SAVING}", machine());
            let said = tree.script(&script, &[&archive, root, "/workspace", known]);
            said.split_whitespace().nth(2).unwrap_or("unchanged").to_owned()
        };
        let mut program =
            tree.python(&mapping("", file, "os.O_RDWR", "READ | WRITE, SHARED", "write()"));
        let sum = save("", "");
        program.go_on();
        assert_eq!(save("", &sum) != "unchanged", is_of_machine, "{file}");
        drop(program);
        let sum = save("", "");
        assert_eq!(save("", &sum), "unchanged", "{file}");
        // Some kernels print the inode of the upper directory.
        let mapping = format!(
            "rw-s 00000000 fe:fe 1   {}",
            tree.at(&format!("workspace/{file}")).replace("workspace/../", "")
        );
        let sum = save(&listing(&mapping), "");
        assert_eq!(save("", &sum) != "unchanged", is_of_machine, "{mapping}");
    }
}

#[test]
fn a_machine_that_changes_while_it_is_restored_is_archived_again() {
    let large = "python3 -c 'import os; s = os.stat(\"etc/kept\"); f = open(\"etc/kept\", \"r+b\"); f.write(b\"3\"); f.close(); os.utime(\"etc/kept\", ns=(s.st_atime_ns, s.st_mtime_ns))'";
    for (writes, is_kept) in [
        ("", true),
        // Files that the archive brought, that the image has, and that neither has.
        ("printf 3 >etc/placed", false),
        ("printf 3 >etc/new/placed", false),
        ("printf 3 >etc/kept", false),
        (large, false),
        ("rm etc/kept", false),
        ("mkdir -p var/log", false),
        (": >var/service", false),
        ("chmod 700 var", false),
        ("rm etc/placed", false),
        // What is not part of the machine.
        (": >workspace/x; : >tmp/x", true),
    ] {
        let tree = Tree::new();
        let root = tree.at("");
        let root = root.trim_end_matches('/');
        tree.sh("cd ..; mkdir etc var tmp; printf 1 >etc/placed; printf 1 >etc/kept
            printf 1 >etc/gone; ln -s kept etc/link; printf 1 >'var/line\nend'
            mkdir etc/old; printf 1 >etc/old/file; cp -a . ../image; mv ../image outside/image");
        let left_out = "left_out() { printf '%s\\n' /own /tmp /workspace /outside; }
            keep_tools() { :; }";
        let note = format!("{}\n{left_out}\nnote_image \"$@\"", machine());
        tree.script(&note, &[&tree.at("own"), root, "/workspace"]);
        tree.sh("cd ..; printf 2 >etc/placed; mkdir etc/new; printf 2 >etc/new/placed
            rm -r etc/gone etc/old; : >etc/old; mkdir etc/dir; ln -s x etc/new-link");
        let archive = tree.at("own/machine-1.sqsh");
        let save = format!("{}\n{left_out}\n{SAVING}", machine());
        let save = |known| tree.script(&save, &[&archive, root, "/workspace", known]);
        let said = save("");
        let words: Vec<&str> = said.split_whitespace().collect();

        // Another container of the image.
        tree.sh("mv ../own/machine-1.sqsh ../outside/saved; rm -r ../own/* ../etc ../var
            cp -a ../outside/image/etc ../outside/image/var ..");
        tree.script(&note, &[&tree.at("own"), root, "/workspace"]);
        tree.sh("mv ../outside/saved ../own/restore-1.sqsh");
        let main = include_str!("../../src/sandbox/scripts/machine/restore_machine.sh");
        let library = RESTORE_MACHINE.strip_suffix(main).unwrap();
        // Right before what is there by now is listed.
        let hook = format!(
            "writes=$(cat <<\'WRITES\'\n{writes}\nWRITES\n)\nclock() {{ (cd '{root}' && eval \"$writes\"); {CLOCK}; }}"
        );
        let script = format!("{library}\n{left_out}\n{hook}\n{main}");
        let restored = tree.at("own/restore-1.sqsh");
        tree.script(&script, &[&restored, words[2], root, "/workspace", words[3], "no"]);
        assert_eq!(save(words[2]) == "unchanged\n", is_kept, "{writes}");
    }
}

/// What the function `clock` prints.
const CLOCK: &str = r#"read -r boot </proc/sys/kernel/random/boot_id; read -r up _ </proc/uptime; echo "$boot $up $(date +%s.%N)""#;

#[test]
fn a_machine_is_not_restored_in_part_if_what_places_it_is_ended() {
    let main = include_str!("../../src/sandbox/scripts/machine/restore_machine.sh");
    let library = RESTORE_MACHINE.strip_suffix(main).unwrap();
    let tree = Tree::new();
    let root = tree.at("");
    let root = root.trim_end_matches('/');
    let left_out = "left_out() { printf '%s\\n' /own /tmp /workspace /outside; }
        keep_tools() { :; }
        find() { case $* in *%h*) return 137 ;; *) command find \"$@\" ;; esac; }";
    tree.sh("mkdir -p ../etc ../outside/new/etc ../own/machine; : >../outside/new/etc/file; echo x >../own/machine/image; : >../own/machine/image.tree
        mksquashfs ../outside/new ../own/restore-1.sqsh -quiet -no-progress >/dev/null");
    let sum = tree.script("sha256sum <\"$1\" | cut -c 1-64", &[&tree.at("own/restore-1.sqsh")]);
    let script = format!("{library}\n{left_out}\n{main}");
    let ran = Command::new("sh")
        .args(["-c", &script, "sh", &tree.at("own/restore-1.sqsh"), sum.trim()])
        .args([root, "/workspace", "x", "no"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(!ran.status.success() && said.contains("/etc/file was not put in place"), "{said}");
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
    let hook = "grep() { case $* in *-H*) return 2 ;; esac; command grep \"$@\"; }";
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
            grep() {{
              case $* in *-H*)
                if mkdir '{}' 2>/dev/null; then
                  echo \"grep: /proc/$denied/maps: Permission denied\" >&2
                  return 2
                fi ;;
              esac
              command grep \"$@\"
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

/// The clock may have been set before the boot.
#[test]
fn a_manifest_of_another_boot_proves_nothing() {
    let tree = Tree::new();
    let sum = tree.saved();
    let manifest = fs::read_to_string(tree.at("own/manifest")).unwrap();
    let [_, boot, _, _] = manifest.split_whitespace().collect::<Vec<_>>()[..] else {
        panic!("{manifest}")
    };
    fs::write(tree.at("own/manifest"), manifest.replace(boot, &boot.replace('-', "0"))).unwrap();
    assert_ne!(tree.back_up(&sum), "unchanged");
}

/// A file that changes twice within one tick of the clock has one ctime.
#[test]
fn nothing_is_read_in_the_tick_in_which_it_was_listed() {
    let at = |name: &str| format!("date +%s%N >>\"$own/{name}\"");
    let took = |tree: &Tree, name: &str| -> Vec<u64> {
        let times = fs::read_to_string(tree.at(&format!("own/{name}"))).unwrap();
        times.lines().map(|line| line.parse().unwrap()).collect()
    };
    // The pause is longer here, to tell it from the time that the programs need.
    let pause = "sleep() { case $1 in 0.02) command sleep 1 ;; *) command sleep \"$@\" ;; esac; }";
    let own = |tree: &Tree| format!("own='{}'", tree.at("own"));
    let tree = Tree::new();
    let list = format!(
        "find() {{ command find \"$@\" || return; case $* in *-fprintf*) {} ;; esac; }}",
        at("listed")
    );
    let archive = format!("mksquashfs() {{ {}; command mksquashfs \"$@\"; }}", at("read"));
    let sum =
        sum_of(&tree.back_up_with(&[own(&tree).as_str(), pause, &list, &archive].join("\n"), ""));
    assert!(took(&tree, "read")[0] - took(&tree, "listed")[0] >= 1_000_000_000);

    // A restore lists the tree before the swap, so that a change after it has another ctime.
    let list = format!(
        "find() {{ command find \"$@\" || return; case $* in *' -printf %d'*) {} ;; esac; }}",
        at("before")
    );
    let swap = format!(
        "mv() {{ case $* in *--exchange*) {} ;; esac; command mv \"$@\"; }}",
        at("swapped")
    );
    tree.restore_with(&[own(&tree).as_str(), pause, &list, &swap].join("\n"), &sum);
    assert!(took(&tree, "swapped")[0] - took(&tree, "before")[0] >= 1_000_000_000);
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
