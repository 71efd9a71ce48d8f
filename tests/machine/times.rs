//! What an archive can't hold: some times, and ACLs.

use crate::machine::TempDir;
use crate::texts::{BACKUP, RESTORE};
use std::fs;
use std::process::Command;

/// Type, mode, owner, links, time in seconds and name of each path. mksquashfs takes the
/// odd names as they are.
const LIST: &str = "find . ! -name 'late
*' -printf '%y %m %U %G %n %T@ %P %l\\n' | sed -E 's/\\.[0-9]+ / /' | LC_ALL=C sort -k 7";

struct Tree(TempDir);

impl Tree {
    fn new() -> Self {
        let tree = Self(TempDir::new());
        for name in ["own", "workspace"] {
            fs::create_dir(tree.at(name)).unwrap();
        }
        tree
    }

    fn at(&self, path: &str) -> String {
        self.0.path().join(path).to_str().unwrap().to_owned()
    }

    fn sh(&self, script: &str) -> String {
        let mut command = Command::new("sh");
        let ran =
            command.current_dir(self.at("workspace")).args(["-euc", script]).output().unwrap();
        assert!(ran.status.success(), "{script}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8_lossy(&ran.stdout).into_owned()
    }

    /// Archives the workspace as a layer on `base`, if that is not empty. Returns what the
    /// script says.
    fn back_up(&self, base: &str) -> Vec<String> {
        let (archive, dir) = (self.at("own/backup-1.sqsh"), self.at("workspace"));
        let manifest = self.at("own/manifest");
        let arguments = [&archive, &dir, &manifest, "", base, "1000000"];
        let ran = Command::new("sh").args(["-c", BACKUP, "sh"]).args(arguments).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        let said = String::from_utf8_lossy(&ran.stdout);
        said.split_whitespace().map(str::to_owned).collect()
    }

    /// Replaces the workspace by what the archives hold: a full one and its layers.
    fn restore(&self, sums: &[String]) {
        let (archive, dir) = (self.at("own/restore-1.sqsh"), self.at("workspace"));
        let manifest = self.at("own/manifest");
        let mut arguments =
            vec![archive.clone(), dir, sums[0].clone(), "yes".to_owned(), "tag".to_owned()];
        arguments.extend([String::new(), String::new(), manifest]);
        fs::copy(self.at("full"), &archive).unwrap();
        for (at, sum) in sums.iter().enumerate().skip(1) {
            let layer = format!("{archive}.{at}");
            fs::copy(self.at(&format!("layer-{at}")), &layer).unwrap();
            arguments.extend([layer, sum.clone()]);
        }
        let ran =
            Command::new("sh").args(["-c", RESTORE, "sh", "0"]).args(arguments).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    }

    fn keep(&self, name: &str) {
        fs::rename(self.at("own/backup-1.sqsh"), self.at(name)).unwrap();
    }
}

const FILL: &str = "mkdir -p dir/deep other; for f in $(seq 40); do echo $f >other/$f; done
    for name in old 'odd \\ [name]*' '-#' '\"quoted\"' dir/in dir/deep/in; do
      echo 1 >\"./$name\"; touch -d 1960-01-02 \"./$name\"
    done
    chown 5:6 old; chmod 4750 old; ln old linked
    echo 1 >new; touch -d 2200-01-01 new; echo 1 >edge; touch -d @4294967295 edge
    echo 1 >first; touch -d @0 first; echo 1 >minus; touch -d @-1 minus
    ln -s to link; touch -h -d 1950-01-01 link; mkfifo pipe; touch -d 1960-01-01 pipe
    touch -d 1960-01-01 dir/deep dir .";

/// What a list becomes when an archive holds the times. Those of a directory above another
/// such path are taken modulo 2^32: mksquashfs has no definition for it.
fn clamped(list: &str) -> String {
    let line = |line: &str| {
        let mut words: Vec<&str> = line.splitn(7, ' ').collect();
        let time: i64 = words[5].parse().unwrap();
        let is_above = ["dir ", "dir/deep "].contains(&words[6]);
        let time = if is_above { time.rem_euclid(1 << 32) } else { time.clamp(0, 4_294_967_295) };
        let time = time.to_string();
        words[5] = &time;
        format!("{}\n", words.join(" "))
    };
    list.lines().map(line).collect()
}

#[test]
fn a_time_that_an_archive_cannot_hold_becomes_the_nearest_and_is_counted() {
    let tree = Tree::new();
    tree.sh(FILL);
    // No definition can hold this name.
    tree.sh(": >\"$(printf 'late\\nname')\"; touch -d 1960-01-01 late* .");
    let expected = clamped(&tree.sh(LIST));
    let said = tree.back_up("");
    assert_eq!((said[0].as_str(), said.get(3).map(String::as_str)), ("full", Some("15")));
    tree.keep("full");
    tree.restore(&[said[2].clone()]);
    assert_eq!(tree.sh(LIST), expected);
    let again = tree.back_up("");
    assert_eq!((again.len(), &again[2]), (3, &said[2]), "all of its times can be held");
}

#[test]
fn a_layer_clamps_what_is_in_it_and_the_directories_above() {
    let tree = Tree::new();
    tree.sh(FILL);
    let full = tree.back_up("");
    tree.keep("full");
    tree.sh(
        "echo 2 >dir/deep/in; touch -d 1955-05-05 dir/deep/in; rm linked; touch -d 1960-01-01 .",
    );
    let expected = clamped(&tree.sh(LIST));
    let layer = tree.back_up(&full[2]);
    // The file, the three directories above it, and `old`, whose other name is gone.
    assert_eq!((layer[0].as_str(), layer.get(3).map(String::as_str)), ("layer", Some("5")));
    tree.keep("layer-1");
    tree.restore(&[full[2].clone(), layer[2].clone()]);
    assert_eq!(tree.sh(LIST), expected);
}

/// Gives the workspace an access and a default ACL: for its owner, for the user 1000, for its
/// group (read), and for others (read), with a mask that allows all.
const ACL: &str = "import os, struct
acl = struct.pack('<I', 2)
for tag, bits, id in (1, 7, -1), (2, 7, 1000), (4, 5, -1), (16, 7, -1), (32, 5, -1):
    acl += struct.pack('<HHi', tag, bits, id)
for name in 'access', 'default': os.setxattr('.', 'system.posix_acl_' + name, acl)";

#[test]
fn an_acl_is_lost_and_leaves_the_bits_of_its_mask() {
    let tree = Tree::new();
    tree.sh(&format!("python3 -c \"{ACL}\"; echo 1 >file; mkdir dir"));
    let attributes = "python3 -c 'import os; print(os.listxattr(\"file\"), os.listxattr(\".\"))'";
    assert_ne!(tree.sh(attributes), "[] []\n");
    let listed = tree.sh("stat -c '%n %a' . dir file");
    assert_eq!(listed, ". 775\ndir 775\nfile 664\n");
    let said = tree.back_up("");
    tree.keep("full");
    tree.restore(&[said[2].clone()]);
    assert_eq!(tree.sh("stat -c '%n %a' . dir file"), listed);
    assert_eq!(tree.sh(attributes), "[] []\n");
}
