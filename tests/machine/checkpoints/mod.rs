//! Checkpoints in git: take, list, restore, compare, delete.

mod hostile;
mod odd;
mod repositories;

use crate::{World, code, now};
use snapshotter::domain::error::{ErrorCode, Result};
use snapshotter::domain::ids::GitCheckpointName;
use snapshotter::ports::sandbox::checkpoints::PathChange;
use snapshotter::ports::sandbox::{
    FileOptions, FoundPath, GitCheckpointDiff, NewGitCheckpoint, RestoredGitCheckpoint, SandboxApi,
    TakenGitCheckpoint,
};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;

fn name(text: &str) -> GitCheckpointName {
    GitCheckpointName::parse(text).unwrap()
}

fn texts(found: &[FoundPath]) -> Vec<&str> {
    found.iter().map(|found| found.path.as_str()).collect()
}

impl World {
    /// Runs a user's command in the workspace, and returns its output.
    fn sh(&self, script: &str) -> String {
        let output = Command::new("sh")
            .args(["-euc", script])
            .current_dir(self.root.as_str())
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "a")))
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "a@b.c")))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}: {said}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// A repository with one commit of one file, and one ignored file.
    fn repository() -> Self {
        let world = Self::new();
        world.put("a", "1\n");
        world.put(".gitignore", "*.log\n");
        world.put("x.log", "log\n");
        world.sh("git init -qb main && git add . && git commit -qm one");
        world
    }

    fn take_in(&self, path: &str, name: &str) -> Result<TakenGitCheckpoint> {
        let name = GitCheckpointName::parse(name)?;
        let checkpoint =
            NewGitCheckpoint { name, description: "why\nso".to_owned(), replace: false };
        now(self.sandbox.take_git_checkpoint(checkpoint, self.path(path), self.options()))
    }

    fn take(&self, name: &str) -> TakenGitCheckpoint {
        self.take_in(".", name).unwrap()
    }

    fn try_restore(&self, text: &str) -> Result<RestoredGitCheckpoint> {
        now(self.sandbox.restore_git_checkpoint(name(text), self.path("."), self.options()))
    }

    /// Restores, and returns the changes as text.
    fn restore(&self, text: &str) -> String {
        let restored = self.try_restore(text).unwrap();
        assert_eq!(restored.changed_count, restored.changes.len() as u64);
        let letter = |change| match change {
            PathChange::Added => "+",
            PathChange::Modified => "~",
            PathChange::Deleted => "-",
        };
        let changes = restored.changes.iter();
        changes
            .map(|changed| letter(changed.change).to_owned() + &changed.path.path)
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn diff(&self, text: &str) -> GitCheckpointDiff {
        now(self.sandbox.diff_git_checkpoint(name(text), self.path("."), self.options())).unwrap()
    }

    fn listed(&self) -> Vec<String> {
        let list = now(self.sandbox.list_git_checkpoints(self.path("."), self.options())).unwrap();
        list.git_checkpoints.into_iter().map(|listed| listed.name.to_string()).collect()
    }

    fn read_text(&self, path: impl AsRef<[u8]>) -> String {
        fs::read_to_string(self.real(path)).unwrap()
    }

    fn has(&self, path: &str) -> bool {
        fs::symlink_metadata(self.real(path)).is_ok()
    }
}

#[test]
fn files_come_back_and_files_added_since_go() {
    let world = World::new();
    world.put("a", "1\n");
    world.put("dir/deep/b", "b\n");
    world.put(b"odd\n\xff\" name", "odd\n");
    world.put("-rf", "dash\n");
    world.put("run", "#!/bin/sh\n");
    fs::set_permissions(world.real("run"), fs::Permissions::from_mode(0o755)).unwrap();
    world.link("nowhere", "link");
    world.put(".gitignore", "*.log\n/build/\n");
    world.put("x.log", "log 1\n");
    let taken = world.take("one");
    assert!(taken.made_repository);
    assert_eq!(taken.files, 7);

    world.put("a", "2\n");
    world.sh("rm -r dir run link; ln -s elsewhere link; mkdir -p new/deep; echo n >new/deep/n; echo r >run");
    fs::remove_file(world.real(b"odd\n\xff\" name")).unwrap();
    world.put("x.log", "log 2\n");
    world.put("build/out", "o\n");
    assert_eq!(world.restore("one"), "~a +dir/deep/b ~link -new/deep/n +odd\n\u{fffd}\" name ~run");
    assert_eq!((world.read_text("a"), world.read_text("dir/deep/b")), ("1\n".into(), "b\n".into()));
    assert_eq!(world.read_text(b"odd\n\xff\" name"), "odd\n");
    assert_eq!(fs::metadata(world.real("run")).unwrap().mode() & 0o777, 0o755);
    assert_eq!(fs::read_link(world.real("link")).unwrap().to_str(), Some("nowhere"));
    assert!(!world.has("new"), "directories that became empty are removed");
    assert_eq!(world.read_text("x.log"), "log 2\n", "ignored files are left alone");
    assert!(world.has("build/out"));
    assert_eq!(world.restore("one"), "", "a second time changes nothing");
}

#[test]
fn the_users_repository_stays_as_it_is() {
    let world = World::repository();
    world.put("a", "stashed\n");
    world.sh("git stash -q");
    world.put("a", "staged\n");
    world.put("b", "untracked\n");
    world.sh("git add a");
    let state = "git rev-parse HEAD; git symbolic-ref HEAD; git branch -a; git tag; git stash list; git ls-files -s; cat .git/config; find .git -type f ! -path '*/objects/*' ! -path '*/sandbox/*' | sort; git log --oneline --branches --tags";
    let before = (world.sh(state), fs::read(world.real(".git/index")).unwrap());
    world.take("one");
    world.put("a", "later\n");
    world.sh("rm b");
    world.diff("one");
    assert_eq!(world.restore("one"), "~a +b");
    let after = (world.sh(state), fs::read(world.real(".git/index")).unwrap());
    assert!(before == after, "{}\n{}", before.0, after.0);
    assert_eq!(
        world.sh("git for-each-ref --format='%(refname)' refs/sandbox"),
        "refs/sandbox/snapshots/one"
    );
    assert_eq!(world.sh("git status --porcelain"), "M  a\n?? b");
}

#[test]
fn a_taken_name_is_a_conflict_unless_replaced() {
    let world = World::repository();
    let first = world.take("one");
    world.put("a", "2\n");
    let error = world.take_in(".", "one").unwrap_err();
    assert_eq!(
        (error.code, error.message.as_str()),
        (ErrorCode::Conflict, "there is a git checkpoint one")
    );
    let again = NewGitCheckpoint { name: name("one"), description: String::new(), replace: true };
    let second =
        now(world.sandbox.take_git_checkpoint(again, world.path("."), world.options())).unwrap();
    assert_ne!(first.commit, second.commit);
    assert_eq!(world.listed(), ["one"]);
    world.put("a", "3\n");
    world.restore("one");
    assert_eq!(world.read_text("a"), "2\n");
}

#[test]
fn checkpoints_are_listed_newest_first_and_deleted() {
    let world = World::new();
    assert!(world.listed().is_empty());
    assert!(!world.has(".git"), "listing makes no repository");
    world.put("a", "1\n");
    let names = ["one", "two", "three", "a_b.c-9"];
    let commits: Vec<String> = names.iter().map(|name| world.take(name).commit).collect();
    world.sh("git update-ref refs/sandbox/snapshots/.hidden refs/sandbox/snapshots/one 2>/dev/null || true; git update-ref refs/sandbox/snapshots/blob $(echo x | git hash-object -w --stdin)");
    assert_eq!(world.listed(), ["a_b.c-9", "three", "two", "one"]);
    let list = now(world.sandbox.list_git_checkpoints(world.path("."), world.options())).unwrap();
    assert_eq!(list.git_checkpoints[3].commit, commits[0]);
    assert_eq!(list.git_checkpoints[3].description.as_deref(), Some("why\nso"));
    assert!(list.git_checkpoints[3].created_at.starts_with("20") && !list.truncated);
    let delete = |text: &str| {
        now(world.sandbox.delete_git_checkpoint(name(text), world.path("."), world.options()))
    };
    world.sh("git pack-refs --all");
    delete("two").unwrap();
    delete("two").unwrap();
    delete("never").unwrap();
    assert_eq!(world.listed(), ["a_b.c-9", "three", "one"]);
    assert_eq!(code(world.try_restore("two")), ErrorCode::NotFound);
    assert_eq!(world.read_text("a"), "1\n");
}

#[test]
fn names_are_those_of_refs_and_nothing_else() {
    for bad in [
        "",
        ".secret",
        "foo/bar",
        "a b",
        "-x",
        "a..b",
        "x.lock",
        "x.",
        "a\nb",
        "a~1",
        "a^",
        "a:b",
        "@{1}",
        "é",
        &"x".repeat(129),
    ] {
        assert_eq!(
            GitCheckpointName::parse(bad).unwrap_err().code,
            ErrorCode::InvalidArgument,
            "{bad}"
        );
    }
    let world = World::repository();
    for good in ["a", "_", "0", "HEAD", "A.b-c_d", "x.lock.y", &"x".repeat(128)] {
        world.take(good);
    }
    assert_eq!(world.listed().len(), 7);
}

#[test]
fn a_diff_shows_both_sides_and_writes_nothing() {
    let world = World::repository();
    world.take("one");
    assert_eq!(world.diff("one").diff, "");
    world.put("a", "2\n");
    world.put("new", "n\nm\n");
    world.put("binary", b"\0\xff");
    let objects = world.sh("find .git/objects | sort");
    let diff = world.diff("one");
    assert_eq!((diff.files_changed, diff.insertions, diff.deletions), (3, 3, 1));
    assert!(diff.diff.contains("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n"), "{}", diff.diff);
    assert!(diff.diff.contains("Binary files /dev/null and b/binary differ"));
    assert_eq!(world.sh("find .git/objects | sort"), objects);
    assert_eq!(
        world.sh("git diff --stat $(git rev-parse refs/sandbox/snapshots/one) -- a | tail -n 1"),
        "1 file changed, 1 insertion(+), 1 deletion(-)"
    );
    world.put("huge", "line\n".repeat(100_000));
    let diff = world.diff("one");
    assert_eq!((diff.truncated, diff.diff.len(), diff.insertions), (true, 128 * 1024, 100_003));
}

#[test]
fn every_byte_comes_back() {
    let world = World::repository();
    world.put(".gitattributes", "* text=auto\n*.crlf eol=crlf\n*.id ident\n*.u16 working-tree-encoding=UTF-16\n*.f filter=lower\n");
    world.sh("git config filter.lower.clean 'tr A-Z a-z' && git config core.autocrlf input && git config core.eol crlf");
    world.put("x.crlf", "a\nb\r\n");
    world.put("x.id", "$Id$ $Id: abc $\n");
    world.put("x.u16", b"\xff\xfea\0\n\0");
    world.put("x.f", "UPPER\n");
    world.put(".gitmodules", "odd\n");
    world.put("git~1/back\\slash", "x\n");
    world.sh("git add . 2>/dev/null || true");
    let sum = "find . -type f ! -path './.git/*' ! -name x.log -exec sha256sum {} + | sort";
    let before = world.sh(sum);
    world.take("one");
    world.sh("rm -rf x.* git~1 .gitmodules .gitattributes");
    world.restore("one");
    assert_eq!(world.sh(sum), before);
}

#[test]
fn tracked_files_count_even_if_ignored() {
    let world = World::repository();
    world.put("forced.log", "1\n");
    world.put("later.log", "1\n");
    world.sh("git add -f forced.log && git commit -qm two");
    world.take("one");
    world.put("forced.log", "2\n");
    assert_eq!(world.restore("one"), "~forced.log");
    assert_eq!(world.read_text("forced.log"), "1\n");
    world.sh("git rm -q --cached forced.log; rm forced.log");
    assert_eq!(world.restore("one"), "+forced.log");
    assert!(world.has("x.log") && world.has("later.log"), "other ignored files stay");
    // A file that only became ignored is still the checkpoint's.
    world.put(".gitignore", "*\n");
    world.put("a", "2\n");
    world.restore("one");
    assert_eq!(
        (world.read_text("a"), world.read_text(".gitignore")),
        ("1\n".into(), "*.log\n".into())
    );
}

#[test]
fn an_index_that_hides_files_hides_none() {
    let world = World::repository();
    world.put("b", "1\n");
    world.sh("git add b; git update-index --assume-unchanged a; git update-index --skip-worktree b; echo 2 >a; echo 2 >b; echo info-ignored >secret; echo secret >.git/info/exclude");
    assert_eq!(world.take("one").files, 3);
    world.sh("echo 3 >a; rm b");
    assert_eq!(world.restore("one"), "~a +b");
    assert_eq!((world.read_text("a"), world.read_text("b")), ("2\n".into(), "2\n".into()));
    assert!(world.has("secret"));
}

#[test]
fn objects_that_git_has_pruned_are_stored_again() {
    let world = World::repository();
    world.put("b", "content\n");
    world.take("one");
    now(world.sandbox.delete_git_checkpoint(name("one"), world.path("."), world.options()))
        .unwrap();
    world.sh("git gc -q --prune=now");
    world.take("two");
    world.sh("git fsck --strict 2>&1 | grep -v dangling || true; rm b");
    assert_eq!(world.restore("two"), "+b");
    // Garbage collection keeps what checkpoints hold.
    world.sh("git gc -q --prune=now; rm b");
    assert_eq!(world.restore("two"), "+b");
}

#[test]
fn the_owner_of_a_work_tree_can_go_on() {
    let world = World::repository();
    world.put("dir/b", "1\n");
    world.sh("chown -R 1000:1000 .");
    world.take("one");
    world.sh("rm -r dir");
    world.restore("one");
    assert_eq!(world.sh("find . -user 0"), "");
}

#[test]
fn an_image_without_git_says_so() {
    let world = World::new();
    let path = world.top.path().join("bin");
    fs::create_dir(&path).unwrap();

    let hidden = world.sh("dirname $(command -v git)");
    for entry in fs::read_dir(hidden).unwrap().map(|entry| entry.unwrap()) {
        if !entry.file_name().to_string_lossy().starts_with("git") {
            std::os::unix::fs::symlink(entry.path(), path.join(entry.file_name())).unwrap();
        }
    }
    let bare =
        World { sandbox: crate::machine::sandbox_with_path(&world.own, path.as_os_str()), ..world };
    let error = now(bare.sandbox.list_git_checkpoints(
        bare.path("."),
        FileOptions { within: Some(bare.root.clone()), ..FileOptions::default() },
    ))
    .unwrap_err();
    assert_eq!(
        (error.code, error.message.as_str()),
        (ErrorCode::Unsupported, "git is not installed")
    );
}
