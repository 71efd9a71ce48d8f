//! Layers: archives of what changed. Restoring them must give what full archives give.

mod growing;

use crate::machine::TempDir;
use crate::support::layered;
use crate::texts::{BACKUP, FLATTEN, PREPARE, RESTORE};
use futures::executor::block_on;
use snapshotter::squashfs::first_difference;
use std::fs;
use std::process::{Command, Output};

const PYTHON: &str = include_str!("layers.py");

/// More bytes than a layer of these tests has.
const ROOM: &str = "100000000";

/// An archive, kept outside the sandbox's own directory.
#[derive(Clone)]
struct Archive {
    kind: String,
    size_bytes: u64,
    sum: String,
    path: String,
}

struct World {
    top: TempDir,
    archives: std::cell::Cell<u32>,
}

impl World {
    fn new() -> Self {
        let world = Self { top: TempDir::new(), archives: Default::default() };
        for name in ["own", "outside", "workspace", "archives"] {
            fs::create_dir(world.at(name)).unwrap();
        }
        world
    }

    /// A world with a few files in its workspace.
    fn with_files() -> Self {
        let world = Self::new();
        world.sh("mkdir more .hidden; : >.hidden/file; for f in $(seq 60); do echo $f >more/$f; done
            for d in a b c; do mkdir -p $d/deep; for f in 1 2 3 4 5 6; do echo $d$f >$d/$f; echo $f >$d/deep/$f; done; done
            ln -s ../outside link; head -c 100000 /dev/urandom >noise");
        world
    }

    fn at(&self, path: &str) -> String {
        self.top.path().join(path).to_str().unwrap().to_owned()
    }

    fn sh_in(&self, dir: &str, script: &str) {
        let mut command = Command::new("sh");
        let ran = command.current_dir(self.at(dir)).args(["-euc", script]).status().unwrap();
        assert!(ran.success(), "{script}");
    }

    fn sh(&self, script: &str) {
        self.sh_in("workspace", script);
    }

    fn change(&self, seed: u64, count: u32) {
        let arguments = ["-c", PYTHON, "change", &seed.to_string(), &count.to_string()];
        let mut command = Command::new("python3");
        let ran = command.current_dir(self.at("workspace")).args(arguments).output().unwrap();
        assert!(ran.status.success(), "{seed}: {}", String::from_utf8_lossy(&ran.stderr));
    }

    fn describe(&self, dir: &str) -> Vec<String> {
        let mut command = Command::new("python3");
        let command = command.current_dir(self.at(dir)).args(["-c", PYTHON, "describe"]);
        let ran = command.output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8_lossy(&ran.stdout).lines().map(str::to_owned).collect()
    }

    fn backup(
        &self,
        before: &str,
        manifest: &str,
        known: &str,
        base: &[Archive],
        room: &str,
    ) -> Output {
        let (archive, dir) = (self.at("own/backup-1.sqsh"), self.at("workspace"));
        let (manifest, base) = (self.at(manifest), name(base));
        let script = format!("{before}\n{BACKUP}");
        let arguments = ["-c", &script, "sh", &archive, &dir, &manifest, known, &base, room];
        Command::new("sh").args(arguments).output().unwrap()
    }

    fn made(&self, ran: &Output) -> Archive {
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        let said = String::from_utf8_lossy(&ran.stdout);
        let words: Vec<&str> = said.split_whitespace().collect();
        let [kind, size, sum] = words[..] else { panic!("it said {said}") };
        self.archives.set(self.archives.get() + 1);
        let path = self.at(&format!("archives/{}", self.archives.get()));
        fs::rename(self.at("own/backup-1.sqsh"), &path).unwrap();
        Archive { kind: kind.into(), size_bytes: size.parse().unwrap(), sum: sum.into(), path }
    }

    /// The archive that a flatten made.
    fn flat(&self, ran: &Output) -> Archive {
        let said = String::from_utf8_lossy(&ran.stdout);
        let last = said.trim_end().lines().last().unwrap_or_default().to_owned();
        self.made(&Output { stdout: last.into_bytes(), ..ran.clone() })
    }

    /// A full archive, as the first of a chain.
    fn full(&self) -> Vec<Archive> {
        vec![self.made(&self.backup("", "own/manifest", "", &[], ""))]
    }

    /// The chain with a layer more, or with a new full archive alone.
    fn next(&self, chain: &[Archive]) -> Vec<Archive> {
        let made = self.made(&self.backup("", "own/manifest", "", chain, ROOM));
        if made.kind == "full" { vec![made] } else { [chain, &[made]].concat() }
    }

    /// The chain with a layer more.
    fn layer(&self, chain: &[Archive]) -> Vec<Archive> {
        let longer = self.next(chain);
        assert_eq!(longer.last().unwrap().kind, "layer");
        longer
    }

    /// Puts the archives of a chain where a restore expects them. Returns the arguments
    /// that name them.
    fn fetch(&self, chain: &[Archive]) -> Vec<String> {
        let own = self.at("own/restore-1.sqsh");
        let fetch = |(position, archive): (usize, &Archive)| {
            let path = if position == 0 { own.clone() } else { format!("{own}.{position}") };
            let _ = fs::copy(&archive.path, &path);
            [path, archive.sum.clone()]
        };
        chain.iter().enumerate().flat_map(fetch).collect()
    }

    fn restore_fetched(&self, fetched: &[String], dir: &str, manifest: &str) -> Output {
        let (dir, manifest) = (self.at(dir), self.at(manifest));
        let arguments = [
            "-c",
            RESTORE,
            "sh",
            "0",
            &fetched[0],
            &dir,
            &fetched[1],
            "yes",
            "tag",
            "",
            "",
            &manifest,
        ];
        Command::new("sh").args(arguments).args(&fetched[2..]).output().unwrap()
    }

    fn restore(&self, chain: &[Archive], dir: &str) -> Output {
        self.restore_fetched(&self.fetch(chain), dir, "own/manifest-other")
    }

    fn flatten(&self, before: &str, chain: &[Archive]) -> Output {
        let (script, into) = (format!("{before}\n{FLATTEN}"), self.at("own/backup-1.sqsh"));
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh", &into]).args(self.fetch(chain)).output().unwrap()
    }

    /// Checks that the chain, and the full archive that it becomes, give what a full archive
    /// of now gives.
    fn check(&self, chain: &[Archive], at: &str) {
        let full = self.made(&self.backup("", "own/manifest-full", "", &[], ""));
        let flat = self.flat(&self.flatten("", chain));
        for (chain, dir) in [
            (chain, "from-layers"),
            (std::slice::from_ref(&full), "from-full"),
            (std::slice::from_ref(&flat), "from-flat"),
        ] {
            let ran = self.restore(chain, dir);
            assert!(ran.status.success(), "{at}: {}", String::from_utf8_lossy(&ran.stderr));
        }
        let expected = self.describe("from-full");
        let differ = |one: &[String], other: &[String]| -> Vec<String> {
            one.iter().filter(|line| !other.contains(line)).cloned().collect()
        };
        for dir in ["from-layers", "from-flat"] {
            let found = self.describe(dir);
            let (missing, more) = (differ(&expected, &found), differ(&found, &expected));
            assert!(expected == found, "{at}: {dir}: not {missing:#?} but {more:#?}");
        }
        // Read in place, they give the same, too.
        let open = |chain: &[Archive]| {
            let archives = chain.iter().map(|archive| fs::read(&archive.path).unwrap());
            layered::open(&archives.collect::<Vec<_>>()).unwrap()
        };
        let read = |chain: &[Archive]| block_on(layered::seen(&open(chain)));
        let (layers, flat) = (open(chain), open(&[flat]));
        let differs = block_on(first_difference(&layers, &flat, u64::MAX, u64::MAX)).unwrap();
        assert_eq!(differs.map(|path| String::from_utf8_lossy(&path).into_owned()), None, "{at}");
        let (expected, found) = (read(&[full]), read(chain));
        for (expected, found) in expected.iter().zip(&found) {
            assert_eq!(expected, found, "{at}");
        }
        assert_eq!(expected.len(), found.len(), "{at}");
    }

    /// Names in the sandbox's own directory, once nothing works there any more.
    fn left(&self) -> Vec<String> {
        let ran = Command::new("flock").args([&self.at("own/lock"), "true"]).status().unwrap();
        assert!(ran.success());
        let names = fs::read_dir(self.at("own")).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| !name.starts_with("manifest") && !name.starts_with("old-")).collect()
    }

    /// Checks that a restore of the chain fails with this and changes nothing.
    fn refuses(&self, chain: &[Archive], status: i32, said: &str) {
        let before = self.describe("workspace");
        let ran = self.restore(chain, "workspace");
        let stderr = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(status), "{stderr}");
        assert!(String::from_utf8_lossy(&ran.stdout).ends_with(said), "{stderr}");
        assert_eq!(self.describe("workspace"), before);
        assert_eq!(self.left(), ["lock"]);
        let beside = fs::read_dir(self.top.path()).unwrap().count();
        assert_eq!(beside, 4 + usize::from(fs::exists(self.at("staged")).unwrap()));
    }

    /// Makes a layer by hand: of a directory that a script fills, and of whiteouts.
    fn by_hand(&self, fill: &str, gone: &[&str]) -> Archive {
        fs::create_dir(self.at("staged")).unwrap();
        self.sh_in("staged", fill);
        let path = self.at("archives/by-hand");
        let mut command = Command::new("mksquashfs");
        command.args([&self.at("staged"), &path, "-quiet", "-no-progress", "-noappend"]);
        for path in gone {
            command.args(["-p", &format!("{path} C 0 0 0 0 0 0")]);
        }
        assert!(command.status().unwrap().success());
        let sum = Command::new("sha256sum").arg(&path).output().unwrap();
        let sum = String::from_utf8(sum.stdout).unwrap()[..64].to_owned();
        let size_bytes = fs::metadata(&path).unwrap().len();
        Archive { kind: "layer".into(), size_bytes, sum, path }
    }
}

/// How a manifest names a chain.
fn name(chain: &[Archive]) -> String {
    chain.iter().map(|archive| archive.sum.as_str()).collect::<Vec<_>>().join("+")
}

#[test]
fn layers_give_what_full_archives_give() {
    let mut layers = 0;
    for seed in 0..4 {
        let world = World::new();
        world.change(seed, 150);
        let mut chain = world.full();
        for step in 1..=8 {
            let seed = seed * 1000 + step;
            let at = format!("seed {seed}");
            world.change(seed, 1 + u32::try_from(seed % 5).unwrap());
            chain = world.next(&chain);
            layers += u32::from(chain.len() > 1);
            world.check(&chain, &at);
            // Now and then goes on after a restore, which notes the chain in the manifest.
            if seed % 3 == 0 {
                let ran = world.restore_fetched(&world.fetch(&chain), "workspace", "own/manifest");
                assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
                let ran = world.backup("", "own/manifest", &name(&chain), &[], "");
                assert_eq!(String::from_utf8_lossy(&ran.stdout), "unchanged\n", "{at}");
            }
        }
    }
    assert!(layers > 20, "of 32 steps, {layers} made layers");
}

/// mksquashfs lists the tree itself, after the script.
#[test]
fn what_appears_while_a_full_archive_is_made_and_is_removed_later_stays_removed() {
    let world = World::with_files();
    let hook = "mksquashfs() { (cd \"$dir\" && mkdir -p late && echo 1 >late/file && echo 2 >a/late); command mksquashfs \"$@\"; }";
    let base = vec![world.made(&world.backup(hook, "own/manifest", "", &[], ""))];
    world.sh("rm -r late a/late; echo more >>b/1");
    let chain = world.next(&base);
    world.check(&chain, "the late files are gone");
    // A quiet tree keeps its layers.
    world.sh("echo more >>b/1");
    world.check(&world.layer(&chain), "and layers go on");
}

#[test]
fn a_layer_whose_definitions_were_not_written_fails() {
    let world = World::with_files();
    let base = world.full();
    world.sh("rm a/3");
    let hook = "cat() { case ${2-} in *.gone) return 1 ;; esac; command cat \"$@\"; }";
    let ran = world.backup(hook, "own/manifest", "", &base, ROOM);
    assert!(!ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
}

#[test]
fn a_path_that_no_restore_could_make_is_named() {
    let world = World::with_files();
    world.sh("n=$(printf '%0200d' 0); while mkdir $n 2>/dev/null && cd -P $n; do :; done");
    let ran = world.backup("", "own/manifest", "", &[], "");
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(42), "{said}");
    assert!(said.contains("too long to be restored: 000"), "{said}");
}

#[test]
fn a_layer_holds_only_what_changed() {
    let world = World::with_files();
    let base = world.full();
    world.sh("echo more >>a/1; rm b/2; rm -r c/deep; mkdir d; ln a/2 d/2");
    let chain = world.layer(&base);
    let listed = |chain: &[Archive]| {
        let path = &chain.last().unwrap().path;
        let listed = Command::new("unsquashfs").args(["-ls", "-d", "", path]).output().unwrap();
        String::from_utf8(listed.stdout).unwrap().trim().replace('\n', " ")
    };
    assert_eq!(listed(&chain), "/a /a/1 /a/2 /b /b/2 /c /c/deep /d /d/2");
    world.check(&chain, "what changed");
    // Nothing, and only the directory itself.
    let chain = world.layer(&chain);
    assert_eq!(listed(&chain), "");
    world.check(&chain, "nothing");
    world.sh("rm noise; chmod 700 .");
    let chain = world.layer(&chain);
    assert_eq!(listed(&chain), "/noise");
    world.check(&chain, "the directory itself");
}

#[test]
fn equal_changes_give_equal_layers_of_different_trees() {
    let world = World::with_files();
    let other = World::new();
    other.sh(&format!(
        "cp -a '{}'/. .; echo other >b/1; touch -d @1700000000 b/1 c",
        world.at("workspace")
    ));
    let bases = [&world, &other].map(World::full);
    let chains = [(&world, &bases[0]), (&other, &bases[1])].map(|(world, base)| {
        world.sh("echo changed >a/1; touch -d @1700000000 a/1 a .");
        world.layer(base)
    });
    assert_eq!(chains[0][1].sum, chains[1][1].sum, "the layers are equal");
    for (known, said) in [(&chains[1], "unchanged\n"), (&chains[0], "full")] {
        let ran = other.backup("", "own/manifest", &name(known), &[], "");
        assert!(String::from_utf8_lossy(&ran.stdout).starts_with(said));
    }
}

#[test]
fn what_a_layer_cannot_hold_is_archived_in_full() {
    for change in [
        "touch \"$(printf 'line\\nend')\"",
        "ln -s \"$(printf 'line\\nend')\" c/link",
        "mknod device c 1 3",
        "find . -exec touch {} +",
        "head -c 1000000 /dev/urandom >noise",
        "head -c 60000 /dev/urandom >noise",
    ] {
        let world = World::with_files();
        let base = world.full();
        world.sh(change);
        let ran =
            world.backup("", "own/manifest", "", &base, &(base[0].size_bytes / 2).to_string());
        let made = world.made(&ran);
        assert_eq!(made.kind, "full", "{change}");
        world.check(std::slice::from_ref(&made), change);
        // The next one is a layer on that.
        world.sh("echo more >>a/deep/1");
        world.check(&world.layer(&[made]), change);
    }
}

#[test]
fn without_proof_of_what_changed_all_is_archived() {
    let world = World::with_files();
    let mut base = world.full();
    for damage in
        ["rm -f ../own/manifest", ": >../own/manifest.tree", "sed -i s/^./x/ ../own/manifest"]
    {
        world.sh(damage);
        base = world.next(&base);
        assert_eq!((base.len(), base[0].kind.as_str()), (1, "full"), "{damage}");
    }
    for hook in [
        "date() { command date -d 'now + 3600 seconds' \"$@\"; }",
        "sort() { return 1; }",
        "comm() { return 1; }",
    ] {
        let made = world.made(&world.backup(hook, "own/manifest", "", &base, ROOM));
        assert_eq!(made.kind, "full", "{hook}");
        base = world.full();
    }
}

#[test]
fn a_change_while_a_layer_is_made_is_in_the_next() {
    for change in ["printf 2 >a/1", "echo more >>b/deep/1", "ln a/1 a/x", "rm c/1", "mkdir c/new"] {
        let world = World::with_files();
        let base = world.full();
        world.sh("echo more >>a/2");
        let hook = format!(
            "mksquashfs() {{ command mksquashfs \"$@\" && (cd '{}' && {change}); }}",
            world.at("workspace")
        );
        let made = world.made(&world.backup(&hook, "own/manifest", "", &base, ROOM));
        assert_eq!(made.kind, "layer");
        let chain = world.layer(&[&base[..], &[made]].concat());
        world.check(&chain, change);
    }
}

#[test]
fn files_that_vanish_or_shrink_fail_a_layer() {
    let noticed =
        "echo 'File a/1 changed size while reading filesystem, attempting to re-read' >&2";
    for (before, after, said) in [
        ("rm a/1", ":", "a/1"),
        ("rm -r a", ":", "a"),
        ("rm -r a; ln -s b a", ":", "a is not a directory"),
        (": >a/1", noticed, "workspace/a/1 shrank from 3 to 0 bytes"),
    ] {
        let world = World::with_files();
        world.sh("echo 123456 >a/1");
        let base = world.full();
        world.sh("echo 12 >a/1");
        let hook = format!(
            "mksquashfs() {{ (cd '{}' && {before}); command mksquashfs \"$@\" && {{ {after}\n}}; }}",
            world.at("workspace")
        );
        let ran = world.backup(&hook, "own/manifest", "", &base, ROOM);
        let stderr = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(20), "{before}: {stderr}");
        assert!(stderr.contains(said), "{before}: {stderr}");
    }
}

#[test]
fn a_layer_replaces_what_is_there_whatever_it_is() {
    let world = World::with_files();
    let mut chain = world.full();
    for change in [
        "rm -r a; echo file >a",
        "rm a; ln -s b a",
        "rm a; mkdir -p a/b; echo 1 >a/b/1",
        "rm -r a/b; ln -s ../b a/b",
        "rm a/b; mkfifo a/b",
        "rm -r a b; mkdir b; mv c b/a",
    ] {
        world.sh(change);
        chain = world.layer(&chain);
        world.check(&chain, change);
    }
}

/// A renamed directory gives no file in it another ctime.
#[test]
fn names_of_one_file_stay_so_when_the_directory_of_one_is_renamed() {
    let world = World::with_files();
    world.sh("ln a/1 b/linked; mkfifo a/pipe; ln a/pipe c/pipe; ln a/2 more/2.linked");
    let base = world.full();
    world.sh("mv a d");
    let chain = world.layer(&base);
    world.check(&chain, "renamed");
    world.sh("mv b ../outside/b; mv ../outside/b e");
    world.check(&world.layer(&chain), "moved out and in");
    // A name of one of them that no line can hold.
    world.sh("ln d/1 \"$(printf 'line\\nend')\"");
    let base = world.full();
    world.sh("mv d a");
    let chain = world.next(&base);
    assert_eq!(chain.len(), 1);
    world.check(&chain, "a name of two lines");
}

#[test]
fn a_device_of_the_full_archive_stays() {
    let world = World::with_files();
    world.sh("mknod device c 1 3; chmod 640 device");
    let base = world.full();
    world.sh("echo more >>a/1");
    world.check(&world.layer(&base), "a device");
}

/// The archives of another session may come from a container that wants to write where it
/// is restored.
#[test]
fn nothing_is_reached_through_the_symbolic_links_of_another_archive() {
    let world = World::with_files();
    fs::create_dir(world.at("outside/deep")).unwrap();
    world.sh_in("outside", "echo secret >secret; echo secret >deep/secret");
    world.sh("ln -s ../../outside a/escape; ln -s '$0' b/escape");
    world.sh(&format!("ln -s '{}' absolute", world.at("outside")));
    let base = world.full();
    let layer = world.by_hand(
        "mkdir -p link/deep absolute/deep a/escape/deep; echo evil >link/secret; echo evil >absolute/deep/new
            echo evil >a/escape/secret; mkfifo a/escape/deep/pipe",
        &["link/deep/secret", "absolute/secret", "a/escape/deep/secret"],
    );
    let before = world.describe("outside");
    let ran = world.restore(&[base, vec![layer]].concat(), "restored");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(world.describe("outside"), before);
    world.sh_in(
        "restored",
        "test ! -L link; test ! -L absolute; test ! -L a/escape; test ! -e link/deep/secret
            test \"$(cat link/secret)\" = evil; test ! -e absolute/deep/secret; test -e b/1",
    );
}

#[test]
fn a_layer_with_what_no_layer_has_is_refused() {
    let fills = ["mkdir x; touch \"x/$(printf 'a\\nb')\"", "mknod x c 1 3"];
    for fill in fills {
        let world = World::with_files();
        let base = world.full();
        let layer = world.by_hand(fill, &[]);
        world.refuses(&[base, vec![layer]].concat(), 1, "archive 1\n");
    }
}

#[test]
fn a_damaged_or_missing_archive_of_a_chain_leaves_the_directory_as_it_was() {
    let world = World::with_files();
    let mut chain = world.full();
    for change in ["echo 1 >a/1", "rm b/1; echo 2 >a/2"] {
        world.sh(change);
        chain = world.layer(&chain);
    }
    world.sh("echo later >later");
    for position in 0..3 {
        let path = world.at("archives/damaged");
        let said = format!("archive {position}\n");
        let archive = fs::read(&chain[position].path).unwrap();
        let with = |sum: &str| {
            let mut chain = chain.clone();
            chain[position] =
                Archive { path: path.clone(), sum: sum.into(), ..chain[position].clone() };
            chain
        };
        let mut damaged = archive.clone();
        damaged[200] ^= 1;
        fs::write(&path, &damaged).unwrap();
        world.refuses(&with(&chain[position].sum), 20, &said);
        // Its checksum is right, but it is no archive.
        fs::write(&path, &archive[..100]).unwrap();
        let sum = Command::new("sha256sum").arg(&path).output().unwrap();
        world.refuses(&with(&String::from_utf8(sum.stdout).unwrap()[..64]), 1, &said);
        fs::remove_file(&path).unwrap();
        world.refuses(&with(&chain[position].sum), 2, &said);
    }
    let ran = world.restore(&chain, "workspace");
    assert!(ran.status.success());
    world.sh("test ! -e later; test \"$(cat a/1 a/2)\" = \"$(printf '1\\n2')\"; test ! -e b/1");
}

#[test]
fn a_chain_is_restored_from_what_was_prepared() {
    let world = World::with_files();
    let base = world.full();
    world.sh("rm -r b; echo 1 >a/1");
    let chain = world.layer(&base);
    let fetched = world.fetch(&chain);
    let ran = Command::new("sh").args(["-c", PREPARE, "sh", "0"]).args(&fetched).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    // Reading the archives once more would fail.
    for path in fetched.iter().step_by(2) {
        fs::write(path, "no archive").unwrap();
    }
    let before = world.describe("workspace");
    world.sh("rm -r a; echo other >c/1");
    let ran = world.restore_fetched(&fetched, "workspace", "own/manifest");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(world.describe("workspace"), before);
    assert_eq!(world.left(), ["lock"]);
    let ran = world.backup("", "own/manifest", &name(&chain), &[], "");
    assert_eq!(ran.stdout, b"unchanged\n");
    // If one is damaged, nothing is prepared.
    let fetched = world.fetch(&chain);
    fs::write(&fetched[2], "no archive").unwrap();
    let ran = Command::new("sh").args(["-c", PREPARE, "sh", "0"]).args(&fetched).output().unwrap();
    assert_eq!(ran.status.code(), Some(20));
    assert_eq!(world.left(), ["lock"]);
}

#[test]
fn a_flatten_leaves_nothing_but_its_archive_and_is_refused_for_a_damaged_chain() {
    let world = World::with_files();
    let base = world.full();
    world.sh("echo more >>a/1; rm -r c/deep");
    let chain = world.layer(&base);
    world.sh_in("own", "mkdir backup-left.tree; : >restore-left.sqsh");
    let before = world.describe("workspace");
    let ran = world.flatten("", &chain);
    assert!(String::from_utf8_lossy(&ran.stdout).starts_with("archive 0\narchive 1\nfull "));
    let mut left = world.left();
    left.sort();
    assert_eq!(left, ["backup-1.sqsh", "lock"]);
    world.flat(&ran);
    assert_eq!(world.describe("workspace"), before);
    let mut damaged = chain.clone();
    damaged[1].sum = "0".repeat(64);
    for (hook, chain, status, said) in [
        ("", &damaged, 20, "SHA-256"),
        (
            "mksquashfs() { echo 'FATAL: No space left on device' >&2; return 1; }",
            &chain,
            26,
            "fit",
        ),
        ("mksquashfs() { echo broken >&2; return 1; }", &chain, 1, "broken"),
    ] {
        let ran = world.flatten(hook, chain);
        let stderr = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(status), "{stderr}");
        assert!(stderr.lines().last().unwrap().contains(said), "{stderr}");
        assert_eq!(world.left(), ["lock"]);
    }
}
