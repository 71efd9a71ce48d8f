//! Repositories of other shapes: within others, in the middle of something, elsewhere.

use crate::checkpoints::{name, texts};
use crate::{World, code, now};
use snapshotter::domain::error::ErrorCode;
use snapshotter::ports::sandbox::{NewGitCheckpoint, SandboxApi};
use std::fs;

#[test]
fn repositories_within_are_left_alone_and_named() {
    let world = World::repository();
    world.sh("mkdir sub empty ignored.log && git -C sub init -q && echo s >sub/s && git -C sub add s && git -C sub commit -qm s; git -C empty init -q && echo e >empty/e; git -C ignored.log init -q && echo i >ignored.log/i");
    world.sh("git -c protocol.file.allow=always submodule --quiet add ./sub module; git worktree add -q tree");
    let taken = world.take("one");
    assert_eq!(texts(&taken.nested), ["empty", "module", "sub", "tree"]);
    assert_eq!(taken.files, 3);
    world.sh("echo 2 >sub/s; echo 2 >empty/e; echo 2 >module/s; echo 2 >tree/a; echo 2 >a; echo 2 >ignored.log/i");
    assert_eq!(world.restore("one"), "~a");
    assert_eq!(world.sh("cat sub/s empty/e module/s tree/a ignored.log/i | tr -d '\n'"), "22222");
    assert_eq!(texts(&world.diff("one").nested), ["empty", "module", "sub", "tree"]);
}

#[test]
fn a_directory_that_became_a_repository_is_left_alone() {
    let world = World::repository();
    world.sh("mkdir dir file.log && echo 1 >dir/f && echo 1 >plain && git add -f dir/f && echo 1 >file.log/f && git add -f file.log/f");
    world.take("one");
    world.sh("git -C dir init -q; echo 2 >dir/f; git -C file.log init -q; echo 2 >file.log/f; rm plain; mkdir plain; git -C plain init -q");
    let restored = world.try_restore("one").unwrap();
    assert_eq!(restored.changed_count, 0);
    assert_eq!(texts(&restored.nested), ["dir", "file.log", "plain"]);
    assert_eq!(world.sh("cat dir/f file.log/f; ls -A plain"), "2\n2\n.git");
}

#[test]
fn a_merge_and_a_rebase_go_on_as_they_were() {
    for (command, marker) in [("merge", "MERGE_HEAD"), ("rebase", "rebase-merge")] {
        let world = World::repository();
        world.sh("git switch -qc other; echo other >a; mkdir d; echo x >d/f; git add .; git commit -qm other; git switch -q main; echo main >a; echo x >d; git add .; git commit -qm main");
        world.sh(&format!("git {command} other >/dev/null 2>&1 || true"));
        assert!(world.has(&format!(".git/{marker}")), "{command}");
        let state = || (world.sh("git ls-files -s; git status"), world.read_text("a"));
        let before = state();
        assert!(before.1.contains("<<<<<<<"));
        world.take("one");
        world.put("a", "resolved\n");
        assert_eq!(world.diff("one").files_changed, 1);
        assert_eq!(world.restore("one"), "~a");
        assert_eq!(state(), before, "{command}");
    }
}

#[test]
fn a_worktree_and_a_submodule_whose_storage_is_inside_have_checkpoints() {
    let world = World::new();
    world.put("main/a", "1\n");
    world.sh("cd main && git init -qb main && git add a && git commit -qm one && git worktree add -q ../tree && cd .. && git init -q top && cd top && git -c protocol.file.allow=always submodule --quiet add ../main module");
    for path in ["tree", "top/module"] {
        let taken = world.take_in(path, "one").unwrap();
        assert!(!taken.made_repository);
        world.put(format!("{path}/a"), "2\n");
        world.put(format!("{path}/new"), "2\n");
        let restored = now(world.sandbox.restore_git_checkpoint(
            name("one"),
            world.path(path),
            world.options(),
        ))
        .unwrap();
        assert_eq!(restored.changed_count, 2);
        assert_eq!(world.sh(&format!("cd {path} && cat a && git status --porcelain")), "1");
        assert_eq!(
            world.sh(&format!("cd {path} && git rev-parse refs/sandbox/snapshots/one")),
            taken.commit
        );
    }
    assert_eq!(world.sh("ls -A tree"), ".git\na");
}

#[test]
fn a_repository_of_sha256_and_one_of_reftables_have_checkpoints() {
    for format in ["--object-format=sha256", "--ref-format=reftable"] {
        let world = World::new();
        world.put("a", "1\n");
        world.sh(&format!("git init -q {format} . && git add a && git commit -qm one"));
        let taken = world.take("one");
        assert_eq!(taken.commit.len(), if format.ends_with("256") { 64 } else { 40 });
        world.put("a", "2\n");
        assert_eq!(world.restore("one"), "~a", "{format}");
        assert_eq!(world.listed(), ["one"]);
        world.sh("git fsck --strict");
    }
}

#[test]
fn a_repository_beside_its_files_has_checkpoints_and_one_among_them_has_not() {
    let world = World::new();
    world.put("top/a", "1\n");
    world.sh("cd top && git init -q --separate-git-dir=../stored .");
    world.take_in("top", "one").unwrap();
    world.put("top/a", "2\n");
    let restored =
        world.sandbox.restore_git_checkpoint(name("one"), world.path("top"), world.options());
    assert_eq!(now(restored).unwrap().changed_count, 1);
    world.sh("mv stored top/stored && echo 'gitdir: stored' >top/.git");
    let error = world.take_in("top", "two").unwrap_err();
    assert_eq!(error.code, ErrorCode::Unsupported);
    assert!(error.message.contains("among the working files"), "{error}");
}

#[test]
fn objects_of_an_alternate_are_found() {
    let world = World::repository();
    world.sh("mkdir other && cd other && git init -q . && echo b >b && git add b && git commit -qm b; cd .. && git clone -q --shared other shared");
    world.take_in("shared", "one").unwrap();
    world.put("shared/b", "2\n");
    let restored =
        world.sandbox.restore_git_checkpoint(name("one"), world.path("shared"), world.options());
    assert_eq!(now(restored).unwrap().changed_count, 1);
    assert_eq!(world.read_text("shared/b"), "b\n");
}

#[test]
fn a_directory_of_a_repository_is_refused() {
    let world = World::repository();
    world.put("dir/b", "1\n");
    for path in ["dir", ".git", ".git/refs"] {
        let error = world.take_in(path, "one").unwrap_err();
        assert_eq!(error.code, ErrorCode::Unsupported, "{error}");
    }
    let error = world.take_in("dir", "one").unwrap_err();
    assert!(error.message.contains(&format!("of the repository {}", world.root)), "{error}");
    assert!(!world.has("dir/.git"));
    // The same, of a repository that begins outside.
    let outer = World::new();
    outer.sh("git init -q ..");
    let error = outer.take_in(".", "one").unwrap_err();
    assert_eq!(error.code, ErrorCode::Unsupported);
    assert!(error.message.contains("begins outside the workspace"), "{error}");
    assert!(!outer.has(".git"));
}

#[test]
fn what_is_stored_outside_is_neither_read_nor_written() {
    let plants: [&str; 8] = [
        "mv .git ../outside/git && ln -s ../outside/git .git",
        "mv .git ../outside/git && echo 'gitdir: ../outside/git' >.git",
        "mv .git/objects ../outside/objects && ln -s ../../outside/objects .git/objects",
        "mkdir -p ../outside/refs .git/refs/sandbox && ln -s ../../../../outside/refs .git/refs/sandbox/snapshots",
        "mkdir ../outside/refs && ln -s ../../../outside/refs .git/refs/sandbox",
        "cp -r .git ../outside/git && echo ../../outside/git >.git/commondir",
        "touch ../outside/packed && ln -s ../../outside/packed .git/packed-refs",
        "mkdir ../outside/loose && rm -rf .git/objects/de && ln -s ../../../outside/loose .git/objects/de",
    ];
    for plant in plants {
        let world = World::repository();
        world.sh(plant);
        let outside = "find ../outside -type f | sort | xargs sha256sum";
        let before = world.sh(outside);
        assert_eq!(code(world.take_in(".", "one")), ErrorCode::Unsupported, "{plant}");
        for path in ["a", "x.log"] {
            assert!(world.has(path));
        }
        assert_eq!(world.sh(outside), before, "{plant}");
    }
}

#[test]
fn a_broken_repository_is_refused_and_stays() {
    for plant in [
        "mkdir .git",
        "echo rubbish >.git",
        "mkfifo .git",
        "ln -s nowhere .git",
        "git init -q . && echo '[broken' >.git/config",
    ] {
        let world = World::new();
        world.put("a", "1\n");
        world.sh(plant);
        let error = world.take_in(".", "one").unwrap_err();
        assert_eq!(error.code, ErrorCode::Unsupported, "{plant}: {error}");
        let delete =
            world.sandbox.delete_git_checkpoint(name("one"), world.path("."), world.options());
        assert_eq!(code(now(delete)), ErrorCode::Unsupported, "{plant}");
    }
}

#[test]
fn paths_that_lead_out_are_refused() {
    let world = World::new();
    world.link("../outside", "out");
    assert_eq!(code(world.take_in("out", "one")), ErrorCode::InvalidArgument);
    assert_eq!(code(world.take_in("none", "one")), ErrorCode::NotFound);
    world.put("file", "");
    assert_eq!(code(world.take_in("file", "one")), ErrorCode::InvalidArgument);
    assert!(fs::read_dir(world.top.path().join("outside")).unwrap().count() == 1);
    let checkpoint =
        NewGitCheckpoint { name: name("one"), description: String::new(), replace: false };
    let taken =
        now(world.sandbox.take_git_checkpoint(checkpoint, world.path("."), world.options()));
    assert_eq!(taken.unwrap().files, 2, "the link itself is one");
}
