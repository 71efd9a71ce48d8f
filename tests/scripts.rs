//! The container's scripts, run for real in the workspace image
//! (`tools/test-runner`).
//!
//! tests/e2e has the cases that need a sandbox's container: mount points, image
//! layers, files that change while they are archived.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::fs;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[path = "../src/sandbox/scripts/texts.rs"]
#[expect(dead_code, reason = "the sandbox runs more of them")]
mod texts;

use texts::{
    BACKUP, DELETE, EXEC, EXISTS, IMPORT, IMPORT_CHECK, INSTANCE, LIST, LISTENING, MKDIR, PREPARE,
    READ, RESTORE, ROOM, RUNNING, STOP, STORE_PART, WRITE,
};

/// Parts of scripts that are tried alone.
const USERS: &str = include_str!("../src/sandbox/scripts/backup/users.sh");
const RECEIVE: &str = include_str!("../src/sandbox/scripts/backup/receive.sh");

/// A directory that is removed after the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("snapshotter-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(dir.join("workspace")).unwrap();
        // If the temporary directory lies behind a link, the scripts print the real path.
        Self(dir.canonicalize().unwrap())
    }

    fn at(&self, path: &str) -> String {
        self.0.join(path).to_str().unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

struct Ran {
    status: i32,
    stdout: Vec<u8>,
    stderr: String,
}

impl Ran {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }
}

fn run(script: &str, arguments: &[&str], stdin: &[u8]) -> Ran {
    let mut child = Command::new("sh")
        .args(["-c", script, "sh"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A script that refuses does not read it.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    let output = child.wait_with_output().unwrap();
    Ran {
        status: output.status.code().unwrap(),
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn of_many_callers_one_names_the_disk() {
    let scratch = Scratch::new("instance");
    let dir = scratch.at("own");
    let ids: Vec<String> = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..8)
            .map(|n| {
                let dir = &dir;
                scope.spawn(move || run(INSTANCE, &[dir, &format!("id-{n}"), "", ""], b""))
            })
            .collect();
        callers.into_iter().map(|caller| caller.join().unwrap().text().to_owned()).collect()
    });
    assert!(ids[0].starts_with("id-"));
    let start = ids[0].split_once('\n').unwrap().1.trim();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    for (id, recorded, of) in [("late", "", ""), ("", "", ""), ("late", "other", "other start")] {
        assert_eq!(run(INSTANCE, &[&dir, id, recorded, of], b"").text(), ids[0], "its name counts");
    }
    let names: Vec<_> = fs::read_dir(&dir).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["instance"]);
    assert_eq!(fs::metadata(&dir).unwrap().mode() & 0o777, 0o700);

    // The instance file is lost, or holds another name.
    for lose in [&(|| fs::remove_dir_all(&dir).unwrap()) as &dyn Fn(), &|| {
        fs::write(Path::new(&dir).join("instance"), "forged\n").unwrap()
    }] {
        lose();
        let again = run(INSTANCE, &[&dir, "new", "recorded", start], b"");
        assert_eq!(again.text(), format!("recorded\n{start}\n"), "it is the start that counts");
        assert_eq!(run(INSTANCE, &[&dir, "new", "", ""], b"").text(), again.text());
    }
    fs::remove_dir_all(&dir).unwrap();
    assert_eq!(run(INSTANCE, &[&dir, "", "", ""], b"").status, 25);
    assert_eq!(run(INSTANCE, &[&dir, "", "recorded", "other start"], b"").status, 25);
    assert!(!Path::new(&dir).exists(), "nothing was named");
    let other = run(INSTANCE, &[&dir, "new", "recorded", "other start"], b"");
    assert_eq!(other.text(), format!("new\n{start}\n"), "another start is another disk");
}

struct Exec {
    scratch: Scratch,
}

impl Exec {
    fn run(
        &self,
        limit: &str,
        cwd: &str,
        kind: &str,
        words: &[&str],
        stdin: &[u8],
    ) -> (Ran, Option<String>) {
        let note = self.scratch.at("note");
        let group = self.scratch.at("group");
        let _ = fs::remove_file(&note);
        let mut arguments = vec![note.as_str(), &group, limit, cwd, "16 8388608", kind];
        arguments.extend_from_slice(words);
        let ran = run(EXEC, &arguments, stdin);
        assert!(!Path::new(&group).exists(), "the file of the group goes with the command");
        (ran, fs::read_to_string(note).ok())
    }
}

#[test]
fn commands_keep_their_words_streams_and_status() {
    let exec = Exec { scratch: Scratch::new("exec") };
    let words = ["printf", "%s|", "a b", "$HOME", "", "'\"\\"];
    let (ran, note) = exec.run("5.000", "", "argv", &words, b"");
    assert_eq!((ran.status, ran.text(), note), (0, "a b|$HOME||'\"\\|", None));
    let (ran, _) = exec.run("5.000", "", "shell", &["cat; echo bad >&2; exit 3"], b"in");
    assert_eq!((ran.status, ran.text(), ran.stderr.as_str()), (3, "in", "bad\n"));
    let cwd = exec.scratch.at("workspace");
    let (ran, _) = exec.run("5.000", &cwd, "argv", &["pwd"], b"");
    assert_eq!(ran.text().trim_end(), cwd);
    let (ran, note) = exec.run("5.000", "/no/such", "argv", &["pwd"], b"");
    assert_eq!((ran.status, note.as_deref()), (124, Some("cwd\n")));
    let (ran, note) = exec.run("5.000", "", "argv", &["no-such-program"], b"");
    assert_eq!((ran.status, note), (127, None));
    let said = &ran.stderr;
    assert!(said.starts_with("sh: ") && said.contains("no-such-program: not found"), "{said}");
    // The command does not inherit the script's own descriptors: a server that it leaves
    // running would hold them.
    let inherited = "ls /proc/self/fd";
    let (ran, _) = exec.run("5.000", "", "argv", &["sh", "-c", inherited], b"");
    assert!(ran.text().lines().all(|number| number != "8" && number != "9"), "{}", ran.text());
}

#[test]
fn a_time_limit_ends_the_group_and_is_told_apart() {
    let exec = Exec { scratch: Scratch::new("limit") };
    let (ran, note) = exec.run("2.000", "", "shell", &["echo before; sleep 60; echo after"], b"");
    assert_eq!((ran.status, ran.text(), note), (124, "before\n", None));
    // A command that exits with success on the signal was still ended by it.
    let graceful = "trap 'exit 0' TERM; while :; do sleep 0.05; done";
    let (ran, note) = exec.run("0.300", "", "shell", &[graceful], b"");
    assert_eq!((ran.status, note), (124, None));
    let (ran, note) = exec.run("5.000", "", "shell", &["exit 124"], b"");
    assert_eq!((ran.status, note.as_deref()), (124, Some("own\n")));
    let (ran, note) = exec.run("5.000", "", "shell", &["timeout 0.1 sleep 5"], b"");
    assert_eq!((ran.status, note.as_deref()), (124, Some("own\n")));
    let (ran, note) = exec.run("5.000", "", "shell", &["kill -9 $$"], b"");
    assert_eq!((ran.status, note), (137, None));
    for limit in ["5.000", "0.900", "1.900"] {
        let (ran, note) = exec.run(limit, "", "shell", &["kill -9 0"], b"");
        assert_eq!((ran.status, note), (137, None), "long before the limit of {limit} s");
    }
}

#[test]
fn files_are_written_at_once_and_keep_their_mode() {
    let scratch = Scratch::new("write");
    let root = scratch.at("workspace");
    let file = scratch.at("workspace/a b");
    let write = |path: &str, content: &[u8], recursive: &str| {
        run(WRITE, &[path, &root, &content.len().to_string(), recursive], content)
    };
    assert_eq!(write(&file, b"one", "no").status, 0);
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o644);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o751)).unwrap();
    symlink("a b", scratch.at("workspace/link")).unwrap();
    assert_eq!(write(&scratch.at("workspace/link"), b"two", "no").status, 0);
    assert_eq!(fs::read(&file).unwrap(), b"two");
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o751);
    assert!(fs::symlink_metadata(scratch.at("workspace/link")).unwrap().is_symlink());

    // Content that breaks off leaves the old file.
    assert_eq!(run(WRITE, &[&file, &root, "9", "no"], b"short").status, 15);
    assert_eq!(fs::read(&file).unwrap(), b"two");
    assert_eq!(write(&scratch.at("workspace/x/y/z"), b"3", "no").status, 10);
    assert_eq!(write(&scratch.at("workspace/x/y/z"), b"3", "yes").status, 0);
    assert_eq!(write(&scratch.at("workspace/x"), b"3", "no").status, 12);
    assert_eq!(write(&scratch.at("workspace/a b/z"), b"3", "yes").status, 12);

    symlink("/etc", scratch.at("workspace/etc")).unwrap();
    symlink(scratch.at("outside"), scratch.at("workspace/dangling")).unwrap();
    for outside in ["workspace/etc/evil", "workspace/dangling", "outside"] {
        assert_eq!(write(&scratch.at(outside), b"3", "yes").status, 11, "{outside}");
    }
    assert!(!Path::new(&scratch.at("outside")).exists());
    let left: Vec<_> = fs::read_dir(&root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| name.as_bytes().starts_with(b".snapshotter"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn files_are_read_where_they_lead_inside() {
    let scratch = Scratch::new("read");
    let root = scratch.at("workspace");
    let read = |path: &str, max: &str| run(READ, &[&scratch.at(path), &root, max], b"");
    let odd = "workspace/new\nline \u{1F980}";
    fs::write(scratch.at(odd), b"bytes\xff\0").unwrap();
    assert_eq!(read(odd, "7").stdout, b"bytes\xff\0");
    assert_eq!(read(odd, "6").status, 13);
    fs::write(scratch.at("workspace/ends with\n"), b"x").unwrap();
    assert_eq!(read("workspace/ends with\n", "7").text(), "x");
    symlink("/etc", scratch.at("workspace/etc")).unwrap();
    symlink("nowhere", scratch.at("workspace/dangling")).unwrap();
    fs::write(scratch.at("secret"), b"x").unwrap();
    symlink("../secret", scratch.at("workspace/up")).unwrap();
    for (path, status) in [
        ("workspace", 12),
        ("workspace/none", 10),
        ("workspace/dangling", 10),
        ("workspace/etc/passwd", 11),
        ("workspace/up", 11),
        ("secret", 11),
    ] {
        assert_eq!(read(path, "100000").status, status, "{path}");
    }
    assert_eq!(run(READ, &[&scratch.at("secret"), "", "9"], b"").text(), "x");
    assert_eq!(run(READ, &["/etc/passwd", "/", "100000"], b"").status, 0);
    let fifo = scratch.at("workspace/fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    assert_eq!(read("workspace/fifo", "9").status, 12, "and does not wait for a writer");
}

#[test]
fn directories_are_made_and_files_deleted_inside_only() {
    let scratch = Scratch::new("mkdir");
    let root = scratch.at("workspace");
    let mkdir = |path: &str, recursive| run(MKDIR, &[&scratch.at(path), &root, recursive], b"");
    let delete = |path: &str| run(DELETE, &[&scratch.at(path), &root], b"").status;
    let exists = |path: &str| run(EXISTS, &[&scratch.at(path), &root], b"");
    assert_eq!(mkdir("workspace/a/b", "no").status, 10);
    assert_eq!(mkdir("workspace/a/b", "yes").status, 0);
    assert_eq!(mkdir("workspace/a/b", "yes").status, 0);
    assert_eq!(mkdir("workspace/a/b", "no").status, 14);
    assert_eq!(mkdir("workspace/a/c", "no").status, 0);
    fs::write(scratch.at("workspace/file"), b"").unwrap();
    assert_eq!(mkdir("workspace/file", "yes").status, 14);
    assert_eq!(mkdir("workspace/file/x", "yes").status, 12);
    symlink(scratch.at(""), scratch.at("workspace/out")).unwrap();
    assert_eq!(mkdir("workspace/out/x", "yes").status, 11);
    assert_eq!(mkdir("workspace/out/x/y", "yes").status, 11);
    assert_eq!(mkdir("workspace/out/x", "no").status, 11);
    assert!(!Path::new(&scratch.at("x")).exists());

    fs::write(scratch.at("outside"), b"").unwrap();
    assert_eq!(delete("workspace/out/outside"), 11);
    assert_eq!(exists("workspace/out/outside").status, 11);
    assert!(Path::new(&scratch.at("outside")).exists());
    assert_eq!(exists("workspace/out").status, 11);
    assert_eq!(delete("workspace/out"), 0, "the link, not what it leads to");
    assert_eq!(delete("workspace/a"), 12);
    assert_eq!(exists("workspace/file").text(), "yes\n");
    assert_eq!(delete("workspace/file"), 0);
    assert_eq!(delete("workspace/file"), 10);
    assert_eq!(exists("workspace/file").text(), "no\n");
}

#[test]
fn listings_hold_every_name() {
    let scratch = Scratch::new("list");
    let root = scratch.at("workspace");
    let list = |flags: [&str; 3]| {
        let ran = run(LIST, &[&root, &root, flags[0], flags[1], flags[2]], b"");
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let records = ran.stdout.split(|byte| *byte == 0).filter(|record| !record.is_empty());
        let mut names: Vec<Vec<u8>> = records
            .map(|record| record.splitn(5, |b| *b == b' ').last().unwrap().to_vec())
            .collect();
        names.sort();
        names
    };
    for name in [&b"bad\xff"[..], b"new\nline", b"-dash", b".hidden", b" space "] {
        fs::write(Path::new(&root).join(std::ffi::OsStr::from_bytes(name)), b"").unwrap();
    }
    fs::create_dir(scratch.at("workspace/.git")).unwrap();
    fs::write(scratch.at("workspace/.git/HEAD"), b"").unwrap();
    fs::create_dir(scratch.at("workspace/dir")).unwrap();
    fs::write(scratch.at("workspace/dir/file"), b"").unwrap();
    symlink("/etc", scratch.at("workspace/etc")).unwrap();
    let plain: [&[u8]; 6] = [b" space ", b"-dash", b"bad\xff", b"dir", b"etc", b"new\nline"];
    assert_eq!(list(["no", "no", "99"]), plain);
    assert_eq!(list(["yes", "no", "99"]).len(), 7, "not through the link");
    assert_eq!(list(["yes", "yes", "99"]).len(), 10);
    assert_eq!(list(["yes", "yes", "3"]).len(), 3);
    let status = |path: &str| run(LIST, &[&scratch.at(path), &root, "no", "no", "9"], b"").status;
    assert_eq!(status("workspace/none"), 10);
    assert_eq!(status("workspace/-dash"), 12);
    assert_eq!(status("workspace/etc"), 11);
}

/// Waits until a process runs the program that it was started as.
fn begun(child: &std::process::Child, word: &str) {
    let shown = || fs::read(format!("/proc/{}/cmdline", child.id())).unwrap();
    let is_it = |_| {
        Command::new("sleep").arg("0.02").status().unwrap();
        String::from_utf8_lossy(&shown()).starts_with(word)
    };
    assert!((0..500).any(is_it), "{word} did not begin");
}

/// Whether a process has ended, or ends in a moment.
fn is_ended(child: &mut std::process::Child) -> bool {
    (0..100).any(|_| {
        Command::new("sleep").arg("0.02").status().unwrap();
        child.try_wait().unwrap().is_some_and(|status| !status.success())
    })
}

#[test]
fn who_uses_a_directory_is_ended_and_nobody_else() {
    let scratch = Scratch::new("users");
    // What a pattern would take for one of its own, and a neighbour of the same beginning.
    let (dir, beside) = (scratch.at("work [a]*"), scratch.at("work [a]*beside"));
    for dir in [&dir, &beside] {
        fs::create_dir_all(format!("{dir}/sub")).unwrap();
        fs::write(format!("{dir}/file"), "x").unwrap();
    }
    let start = |script: &str, at: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh", &dir]).current_dir(at).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let below = format!("{dir}/sub");
    let mut using = [
        (start("exec sleep 100", &below), "sleep"),
        (start("exec tail -f \"$1/file\"", "/"), "tail"),
        (start("exec 5>>\"$1/file\"; exec sleep 101", "/"), "sleep"),
        (start("cp \"$(command -v sleep)\" \"$1/own\"; cd /; exec \"$1/own\" 102", "/"), &dir),
        // This one has to be killed.
        (start("trap '' TERM; while :; do sleep 0.1; done", &below), "sh"),
        // Neither is what keeps a container running, whatever their command lines end in.
        (start("exec sleep infinity", &dir), "sleep"),
        (start("exec sh -c 'while :; do sleep 0.1; done & sleep infinity'", &dir), "sh"),
        // With a root of its own, on another file system.
        (
            start(
                "exec python3 -c 'import os, sys, time; os.open(sys.argv[1] + \"/file\", 0); os.chroot(\"/dev/shm\"); os.chdir(\"/\"); time.sleep(104)' \"$1\"",
                "/",
            ),
            "python3",
        ),
    ];
    let mut others = [(start("exec sleep 103", &format!("{beside}/sub")), "sleep")];
    for (child, word) in using.iter().chain(&others) {
        begun(child, word);
    }
    let script = format!("{USERS}\nset -eu\nexport LC_ALL=C\ncd /\nend_users \"$1\" 3");
    // The process that started the script is in the directory too.
    let ended = Command::new("sh")
        .args([
            "-c",
            &format!("sh -c '{}' sh \"$1\"; exit $?", script.replace('\'', "'\\''")),
            "sh",
            &dir,
        ])
        .current_dir(&dir)
        .output()
        .unwrap();
    assert!(ended.status.success(), "{ended:?}");
    let told = String::from_utf8(ended.stdout).unwrap();
    assert_eq!(told.lines().count(), 3, "{told}");
    assert!(told.lines().all(|line| line.starts_with("ended ")), "{told}");
    for (child, word) in &mut using {
        assert!(is_ended(child), "{word} was ended");
    }
    for (child, word) in &mut others {
        assert_eq!(child.try_wait().unwrap(), None, "{word} runs on");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn what_keeps_a_container_running_is_told_by_its_place_and_not_by_its_command_line() {
    let scratch = Scratch::new("keepers");
    let dir = scratch.at("work");
    fs::create_dir(&dir).unwrap();
    let start = |script: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh", "sleep", "infinity"]).current_dir(&dir);
        command.env("MEMBER", "yes").stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(Stdio::null()).spawn().unwrap()
    };
    // As an init does: it runs what its command line ends in. What it gets later may look the same.
    let mut init = start("\"$@\" & echo $! >first; sleep 0.1; \"$@\" & echo $! >later; wait");
    begun(&init, "sh");
    let pid_in = |file: &str| loop {
        let written = fs::read_to_string(scratch.at(&format!("work/{file}"))).unwrap_or_default();
        if let Some(pid) = written.strip_suffix('\n') {
            return pid.to_owned();
        }
        Command::new("sleep").arg("0.02").status().unwrap();
    };
    let [first, later] = ["first", "later"].map(pid_in);
    // And one beside it, with the same words, and children of its own.
    let mut beside = start("(while :; do sleep 0.1; done) & \"$@\"");
    begun(&beside, "sh");
    let members = r#"in_container() { grep -q -z -x MEMBER=yes "/proc/$1/environ" 2>/dev/null; }"#;
    let script = format!("{USERS}\n{members}\nset -eu\nexport LC_ALL=C\ncd /\nend_users \"$1\" 9");
    let ended = Command::new("sh").args(["-c", &script, "sh", &dir]).output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    let told = String::from_utf8(ended.stdout).unwrap();
    let is_told = |pid: &str| told.lines().any(|line| line.starts_with(&format!("ended {pid} ")));
    assert!(is_told(&later) && is_told(&beside.id().to_string()), "{told}");
    assert!(!is_told(&first) && !is_told(&init.id().to_string()), "{told}");
    assert!(is_ended(&mut beside));
    assert_eq!(init.try_wait().unwrap(), None, "it runs on");
    assert!(Path::new(&format!("/proc/{first}/cwd")).exists(), "and so does what it runs");
    assert!(
        Command::new("sh")
            .args(["-c", "kill -KILL \"$1\"", "sh", &first])
            .status()
            .unwrap()
            .success()
    );
    init.kill().unwrap();
    init.wait().unwrap();
}

#[test]
fn who_reaches_a_server_is_told_by_its_address() {
    let at = |address: &str, tenths: &str| {
        let port = address.rsplit(':').next().unwrap();
        let ran = run(LISTENING, &[port, tenths], b"");
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
        ran.text().to_owned()
    };
    for (address, who) in [
        ("0.0.0.0:0", "all\n"),
        ("[::]:0", "all\n"),
        ("127.0.0.1:0", "loopback\n"),
        ("127.0.0.9:0", "loopback\n"),
        ("[::1]:0", "loopback\n"),
    ] {
        // A machine may lack IPv6, altogether or on its loopback.
        let Ok(server) = TcpListener::bind(address) else {
            assert!(address.starts_with('['), "{address}");
            continue;
        };
        let bound = server.local_addr().unwrap();
        let address = bound.to_string();
        assert_eq!(at(&address, "0"), who, "{address}");
        // A connection to a port is no server on it.
        let reached =
            if bound.ip().is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { bound.ip() };
        let client = TcpStream::connect((reached, bound.port())).unwrap();
        assert_eq!(at(&client.local_addr().unwrap().to_string(), "0"), "none\n");
        drop(server);
        assert_eq!(at(&address, "0"), "none\n", "{address}");
    }
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let late = std::thread::spawn(move || {
        Command::new("sleep").arg("0.3").status().unwrap();
        TcpListener::bind(("0.0.0.0", port)).unwrap()
    });
    assert_eq!(at(&format!(":{port}"), "100"), "all\n", "it waits");
    drop(late.join().unwrap());
}

#[test]
fn a_command_runs_until_it_ends_and_not_as_long_as_what_it_left() {
    let scratch = Scratch::new("running");
    let (dir, note) = (scratch.at(""), scratch.at("exec-1"));
    let running = || run(RUNNING, &[&dir], b"").text().to_owned();
    let group = format!("{note}.group");
    assert_eq!(running(), "", "none was begun");
    std::thread::scope(|scope| {
        let command = "exec sleep 20 >/dev/null 2>&1 & read -r go; echo $!";
        let (begin, wait) = std::sync::mpsc::channel::<()>();
        let (note, group) = (&note, &group);
        let ran = scope.spawn(move || {
            let mut child = Command::new("sh")
                .args(["-c", EXEC, "sh", note, group, "60.000", "", "16 8388608", "shell", command])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            wait.recv().unwrap();
            child.stdin.take().unwrap().write_all(b"go\n").unwrap();
            let output = child.wait_with_output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        });
        while !Path::new(group).exists() || fs::read(group).unwrap().is_empty() {
            std::thread::yield_now();
        }
        assert_eq!(running(), "running\n");
        begin.send(()).unwrap();
        let left = ran.join().unwrap();
        let alive = |pid: &str| Path::new("/proc").join(pid.trim()).exists();
        assert!(alive(&left), "it goes on by itself");
        assert_eq!(running(), "", "and is no command");
        // What an exec.sh that was killed leaves: the id of a process that is gone, of another one, or nothing.
        for id in [left.as_str(), "4194304\n", "x\n", ""] {
            fs::write(group, id).unwrap();
            assert_eq!(running(), "", "{id:?}");
        }
        run("kill \"$1\"", &[left.trim()], b"");
    });
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the time that real programs take")]
fn what_a_command_put_in_place_of_our_files_stops_nothing() {
    let scratch = Scratch::new("replaced");
    let dir = scratch.at("");
    let pipe = scratch.at("exec-1.group");
    run("mkfifo \"$1\"", &[&pipe], b"");
    let began = std::time::Instant::now();
    assert_eq!(run(RUNNING, &[&dir], b"").text(), "", "a pipe is no command");
    assert_eq!(run(STOP, &[&pipe], b"").status, 0);
    // A process of its own, which a signal to all would end.
    let mut other = Command::new("sleep").arg("60").spawn().unwrap();
    for group in ["1", "0", "-1", "x", ""] {
        let file = scratch.at("exec-2.group");
        fs::write(&file, format!("{group}\n")).unwrap();
        assert_eq!(run(STOP, &[&file], b"").status, 0, "{group}");
        assert!(other.try_wait().unwrap().is_none(), "{group} ended others");
    }
    other.kill().unwrap();
    other.wait().unwrap();
    // The disk is still known by its start.
    let own = scratch.at("own");
    let first = run(INSTANCE, &[&own, "id-1", "", ""], b"").text().to_owned();
    let start = first.split_once('\n').unwrap().1.trim().to_owned();
    run("rm \"$1/instance\"; mkfifo \"$1/instance\"", &[&own], b"");
    assert_eq!(run(INSTANCE, &[&own, "new", "id-1", &start], b"").text(), first);
    assert!(began.elapsed().as_secs() < 30);
}

/// A disk of 1 GB with this much free. The scripts keep 2 % free for other programs.
fn disk(free_kib: u32) -> String {
    format!("df() {{ echo '1000000 {free_kib}'; }}\n")
}

fn names(dir: &str) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_archive_leaves_a_part_of_the_disk_to_others() {
    let scratch = Scratch::new("room");
    let (own, dir) = (scratch.at("own"), scratch.at("workspace"));
    fs::create_dir(&own).unwrap();
    let noise = Command::new("head").args(["-c", "8000000", "/dev/urandom"]).output().unwrap();
    fs::write(scratch.at("workspace/noise"), noise.stdout).unwrap();
    let (archive, manifest) = (format!("{own}/backup-1.sqsh"), format!("{own}/manifest"));
    let backup = |free_kib| {
        let script = [&disk(free_kib), BACKUP].concat();
        run(&script, &[&archive, &dir, &manifest, "", "", ""], b"")
    };
    // Known before, and while it is written.
    for free_kib in [15_000_u32, 25_000] {
        let ran = backup(free_kib);
        assert_eq!(ran.status, 26, "{}", ran.stderr);
        let says = format!("{} MiB of the disk are free, and 20 MiB", free_kib.div_ceil(1_024));
        assert!(ran.stderr.contains(&says), "{}", ran.stderr);
        assert!(ran.stderr.contains("the directory holds 8 MiB"), "{}", ran.stderr);
        assert_eq!(names(&own), ["lock"]);
    }
    let ran = backup(40_000);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
}

#[test]
fn an_archive_is_sent_kept_or_dropped() {
    let scratch = Scratch::new("order");
    let (own, dir) = (scratch.at("own"), scratch.at("workspace"));
    fs::create_dir(&own).unwrap();
    fs::write(scratch.at("workspace/file"), "content").unwrap();
    let (archive, manifest) = (format!("{own}/backup-1.sqsh"), format!("{own}/manifest"));
    let back_up = |order: &[u8]| {
        let ran = run(BACKUP, &[&archive, &dir, &manifest, "", "", ""], order);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        ran.stdout
    };
    let kept = back_up(b"");
    let bytes = fs::read(&archive).unwrap();
    let sum = run("sha256sum <\"$1\"", &[&archive], b"").text()[..64].to_owned();
    let said = format!("full {} {sum}\n\n", bytes.len()).into_bytes();
    assert_eq!(kept, said);
    assert_eq!(back_up(b"send\n"), [said.clone(), bytes].concat());
    assert!(!Path::new(&archive).exists());
    assert_eq!(back_up(b"drop\n"), said);
    assert!(!Path::new(&archive).exists());

    assert_eq!(run("cd \"$1\" && git init -qb main", &[&dir], b"").status, 0);
    let with_git = String::from_utf8(back_up(b"drop\n")).unwrap();
    assert!(with_git.ends_with("\n\0main\0no\0\n\n"), "{with_git:?}");
    let left: Vec<_> = names(&own).into_iter().filter(|name| name.starts_with("backup-")).collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn archives_arrive_one_after_the_other() {
    let scratch = Scratch::new("receive");
    let (one, two) = (scratch.at("one"), scratch.at("two"));
    let script = format!("{RECEIVE}echo \"$@\"");
    let arguments = ["2", one.as_str(), "3", &two, "4", "the", "rest"];
    let ran = run(&script, &arguments, b"abcdefg");
    assert_eq!((ran.status, ran.text()), (0, "the rest\n"));
    assert_eq!((fs::read(&one).unwrap(), fs::read(&two).unwrap()), (b"abc".into(), b"defg".into()));
    assert_eq!(run(&script, &arguments, b"abcdef").status, 15);
    let none = run(&script, &["0", "the", "rest"], b"");
    assert_eq!((none.status, none.text()), (0, "the rest\n"));
}

#[test]
fn many_files_of_one_size_are_not_compared_with_each_other() {
    let scratch = Scratch::new("one-size");
    let (own, dir) = (scratch.at("own"), scratch.at("workspace"));
    fs::create_dir(&own).unwrap();
    let (archive, manifest) = (format!("{own}/backup-1.sqsh"), format!("{own}/manifest"));
    for (count, compared) in [(10_000, true), (10_001, false)] {
        let made =
            "cd \"$1\" && seq -w \"$2\" | awk '{ printf \"%s\", $1 >$1; close($1) }'; : >e1; : >e2";
        assert_eq!(run(made, &[&dir, &count.to_string()], b"").status, 0);
        // In place of mksquashfs: says how it was called.
        let script = format!("mksquashfs() {{ echo \"$@\" >\"$2\"; }}\n{BACKUP}");
        let ran = run(&script, &[&archive, &dir, &manifest, "", "", ""], b"");
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let called = fs::read_to_string(&archive).unwrap();
        assert_eq!(!called.contains("-no-duplicates"), compared, "{count}: {called}");
    }
}

#[test]
fn a_restore_does_not_wait_until_what_was_there_is_deleted() {
    let scratch = Scratch::new("discard");
    let (own, dir, gate) = (scratch.at("own"), scratch.at("workspace"), scratch.at("gate"));
    let archive = format!("{own}/restore-1.sqsh");
    fs::create_dir(&own).unwrap();
    fs::write(scratch.at("workspace/file"), "of the snapshot").unwrap();
    assert_eq!(run("mksquashfs \"$1\" \"$2\" -quiet", &[&dir, &archive], b"").status, 0);
    fs::write(scratch.at("workspace/file"), "of today").unwrap();
    assert_eq!(run("mkfifo -- \"$1\"", &[&gate], b"").status, 0);

    // Only deleting the old files waits for the gate.
    let slow = format!(
        "#!/bin/sh\ncase $* in */old-*) read -r _ <'{gate}' ;; esac\nexec /bin/rm \"$@\"\n"
    );
    fs::create_dir(scratch.at("bin")).unwrap();
    fs::write(scratch.at("bin/rm"), slow).unwrap();
    fs::set_permissions(scratch.at("bin/rm"), fs::Permissions::from_mode(0o755)).unwrap();
    let script = format!("PATH='{}':$PATH\n{RESTORE}", scratch.at("bin"));
    let ran = run(&script, &["0", &archive, &dir, "", "no", "tag", "", "", "none"], b"");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(fs::read_to_string(scratch.at("workspace/file")).unwrap(), "of the snapshot");
    assert_eq!(names(&own), ["lock", "old-tag"]);
    assert_eq!(names(scratch.0.to_str().unwrap()), ["bin", "gate", "own", "workspace"]);

    fs::write(&gate, "\n").unwrap();
    let gone = run("while [ -e \"$1/old-tag\" ]; do sleep 0.02; done", &[&own], b"");
    assert_eq!(gone.status, 0);
    assert_eq!(names(&own), ["lock"]);
}

#[test]
fn a_restore_takes_what_was_extracted_before() {
    let scratch = Scratch::new("prepare");
    let (own, dir) = (scratch.at("own"), scratch.at("workspace"));
    let archive = format!("{own}/restore-1.sqsh");
    fs::create_dir(&own).unwrap();
    fs::write(scratch.at("workspace/file"), "of the snapshot").unwrap();
    let pack =
        || run("mksquashfs \"$1\" \"$2\" -quiet -noappend -mkfs-time 0", &[&dir, &archive], b"");
    assert_eq!(pack().status, 0);
    let sum = run("sha256sum <\"$1\" | cut -d ' ' -f 1", &[&archive], b"");
    let sum = sum.text().trim();

    // An archive with a wrong checksum is not extracted, and leaves nothing.
    assert_eq!(run(PREPARE, &["0", &archive, &"0".repeat(64)], b"").status, 20);
    assert_eq!(names(&own), ["lock"]);

    assert_eq!(pack().status, 0);
    let ran = run(PREPARE, &["0", &archive, sum], b"");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(names(&own), ["lock", "restore-1.sqsh", "restore-1.sqsh.tree"]);
    fs::write(scratch.at("workspace/file"), "of today").unwrap();
    // Reading the archive once more would fail.
    fs::write(&archive, "no archive").unwrap();
    let manifest = scratch.at("manifest");
    let restore = |archive: &str| {
        run(RESTORE, &["0", archive, &dir, sum, "no", "tag", "", "", &manifest], b"")
    };
    let ran = restore(&archive);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(fs::read_to_string(scratch.at("workspace/file")).unwrap(), "of the snapshot");

    // The next prepare removes an archive that nobody restored.
    assert_eq!(pack().status, 0);
    assert_eq!(run(PREPARE, &["0", &archive, ""], b"").status, 0);
    assert_ne!(restore(&format!("{own}/restore-2.sqsh")).status, 0, "there is no such archive");
    let gone = run("while [ -e \"$1\"/old-tag ]; do sleep 0.02; done", &[&own], b"");
    assert_eq!((gone.status, names(&own)), (0, vec!["lock".to_owned()]));
}

#[test]
fn a_disk_has_room_or_has_not() {
    let scratch = Scratch::new("has-room");
    let room =
        |bytes: &str| run(&format!("{}{ROOM}", disk(30_000)), &[&scratch.at(""), bytes], b"");
    assert_eq!(room("1000").status, 0);
    let full = room("10240000");
    assert_eq!(full.status, 26);
    assert!(full.stderr.contains("of the disk are free"), "{}", full.stderr);
}

/// A tar archive of one file with `len` zeros.
fn tar_of_zeros(scratch: &Scratch, len: u64) -> Vec<u8> {
    let dir = scratch.at("packed");
    fs::create_dir_all(&dir).unwrap();
    fs::File::create(format!("{dir}/zeros")).unwrap().set_len(len).unwrap();
    Command::new("tar").args(["-cf", "-", "-C", &dir, "."]).output().unwrap().stdout
}

fn import(scratch: &Scratch, before: &str, name: &str) -> Command {
    let script = [before, IMPORT].concat();
    let mut command = Command::new("sh");
    let (workspace, work) = (scratch.at("workspace"), scratch.at(&format!("own/import-{name}")));
    command
        .args(["-c", &script, "sh", &workspace, "", &work, "1000000000", "1000", "2"])
        .arg(IMPORT_CHECK)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[test]
fn an_import_that_does_not_fit_leaves_nothing() {
    let scratch = Scratch::new("import-room");
    let own = scratch.at("own");
    fs::create_dir(&own).unwrap();
    let tar = tar_of_zeros(&scratch, 6_000_000);
    for (free_kib, status) in [(20_000, 26), (24_000, 26), (40_000, 0)] {
        let mut child = import(&scratch, &disk(free_kib), "1").spawn().unwrap();
        // An import that does not fit does not read the archive to its end.
        let _ = child.stdin.take().unwrap().write_all(&tar);
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{said}");
        assert_eq!(said.contains("do not fit") || said.contains("does not fit"), status != 0);
        assert_eq!(names(&own).iter().filter(|name| name.starts_with("import")).count(), 0);
    }
}

#[test]
fn a_part_of_an_archive_that_does_not_fit_leaves_nothing_and_costs_nothing() {
    let scratch = Scratch::new("part-room");
    let (own, work, upload) =
        (scratch.at("own"), scratch.at("own/import-1"), scratch.at("own/upload-u"));
    fs::create_dir(&own).unwrap();
    let part = vec![0; 6_000_000];
    let arguments = ["/", "", &work, "2", &upload, "7", "6000000", "1000000000", "4"];
    for (free_kib, status) in [(20_000, 26), (24_000, 26), (40_000, 0)] {
        let ran = run(&[&disk(free_kib), STORE_PART].concat(), &arguments, &part);
        assert_eq!(ran.status, status, "{}", ran.stderr);
        assert_eq!(ran.stderr.contains("does not fit"), status != 0, "{}", ran.stderr);
        let expected: &[&str] = if status == 0 { &["upload-u"] } else { &[] };
        assert_eq!(names(&own), expected);
    }
    assert_eq!(names(&upload), ["7"]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "it waits for other processes")]
fn an_import_that_nobody_feeds_any_more_ends_and_one_that_was_killed_is_cleaned_up_by_the_next() {
    let scratch = Scratch::new("import-stall");
    let own = scratch.at("own");
    fs::create_dir(&own).unwrap();
    let tar = tar_of_zeros(&scratch, 1_000);
    let until = |what: &str, done: &dyn Fn() -> bool| {
        let began = std::time::Instant::now();
        while !done() {
            assert!(began.elapsed().as_secs() < 60, "not within 60 s: {what}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    };
    let stored = |name: &str| fs::metadata(format!("{own}/import-{name}/archive")).is_ok();
    // A second of the script's sleep passes at once.
    let quick = "sleep() { command sleep 0.02; }\n";
    let mut stalled = import(&scratch, quick, "1").spawn().unwrap();
    let mut stdin = stalled.stdin.take().unwrap();
    stdin.write_all(&tar[..600]).unwrap();
    let output = stalled.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(15), "{said}");
    assert_eq!(names(&own), Vec::<String>::new());
    drop(stdin);

    let mut killed = import(&scratch, "", "2").spawn().unwrap();
    let killed_stdin = killed.stdin.take();
    let mut other = import(&scratch, "", "3").spawn().unwrap();
    let other_stdin = other.stdin.take();
    until("both are stored", &|| stored("2") && stored("3"));
    let refused = import(&scratch, "", "4").output().unwrap();
    assert_eq!(refused.status.code(), Some(23), "{}", String::from_utf8_lossy(&refused.stderr));
    killed.kill().unwrap();
    killed.wait().unwrap();
    drop(killed_stdin);
    // What it left ends as its input has.
    until("the next is done, and the one at work is let be", &|| {
        let mut next = import(&scratch, "", "5").spawn().unwrap();
        let _ = next.stdin.take().unwrap().write_all(&tar);
        next.wait_with_output().unwrap().status.success()
    });
    assert!(!stored("2") && stored("3"));
    drop(other_stdin);
    assert_eq!(other.wait_with_output().unwrap().status.code(), Some(18), "it is empty");
}

#[test]
fn the_state_of_a_repository_is_read_and_nothing_of_it_runs() {
    let scratch = Scratch::new("git-state");
    let (dir, store) = (scratch.at("workspace"), scratch.at("own"));
    let git = |script: &str| {
        let ran = run(&format!("cd -- \"$1\" && {script}"), &[&dir], b"");
        assert_eq!(ran.status, 0, "{script}: {}", ran.stderr);
    };
    let state = || {
        let (_, after) = BACKUP.split_once("git_state() (\n").unwrap();
        let (script, _) = after.split_once("\n)\n# shellcheck shell=sh\n").unwrap();
        let ran = run(script, &[&dir, &dir, &store], b"");
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        ran.text().split('\0').map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(state(), [""], "there is no repository");
    git("git init -qb main && echo '*.log' >.gitignore && echo 1 >a.f && echo 1 >x.log");
    assert_eq!(state(), ["", "main", "no", ""]);
    git("git add . && git -c user.name=a -c user.email=a@b.c commit -qm one");
    let clean = state();
    assert_eq!((clean[0].len(), clean[1].as_str(), clean[2].as_str()), (40, "main", "yes"));
    git(
        "echo '*.f filter=f' >.git/info/attributes; git config filter.f.clean 'touch ../ran; cat'; git config core.fsmonitor 'touch ../ran'; printf '#!/bin/sh\\ntouch ../ran' >.git/hooks/post-index-change; chmod 755 .git/hooks/*; touch a.f",
    );
    assert_eq!(state(), clean, "only its times have changed");
    git("echo 2 >a.f && git checkout -q --detach 2>/dev/null || true; rm -f ../ran");
    let changed = state();
    assert_eq!((&changed[0], changed[1].as_str(), changed[2].as_str()), (&clean[0], "", "no"));
    assert!(!Path::new(&scratch.at("ran")).exists());
    git("printf 1 >a.f; echo >>a.f; rm .git/info/attributes; echo new >new");
    assert_eq!(state()[2], "no", "a new file is not committed");
}
