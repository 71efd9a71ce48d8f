//! Repositories that try to run programs, or to lead a restore elsewhere.

use crate::{World, code};
use snapshotter::domain::error::ErrorCode;
use std::fs;

/// Runs all checkpoint calls once.
fn all_calls(world: &World) {
    world.take("one");
    world.put("a", "2\n");
    world.put("x.f", "2\n");
    world.diff("one");
    world.restore("one");
    world.listed();
    let name = crate::checkpoints::name("one");
    let delete = snapshotter::ports::sandbox::SandboxApi::delete_git_checkpoint(
        &world.sandbox,
        name,
        world.path("."),
        world.options(),
    );
    crate::now(delete).unwrap();
}

#[test]
fn no_program_that_a_repository_names_runs() {
    let world = World::repository();
    let ran = world.top.path().join("ran");
    let program = world.top.path().join("program");
    fs::write(&program, format!("#!/bin/sh\necho \"$0 $*\" >>{}\ncat\n", ran.display())).unwrap();
    let program = program.to_str().unwrap().to_owned();
    world.sh(&format!("chmod 755 {program}; mkdir -p .git/hooks; for hook in reference-transaction post-checkout pre-commit post-index-change commit-msg pre-auto-gc fsmonitor-watchman; do ln -sf {program} .git/hooks/$hook; done"));
    for (key, value) in [
        ("core.fsmonitor", program.as_str()),
        ("core.hooksPath", &format!("{}/.git/hooks", world.root)),
        ("filter.f.clean", &program),
        ("filter.f.smudge", &program),
        ("filter.f.process", &program),
        ("filter.f.required", "true"),
        ("diff.external", &program),
        ("diff.d.textconv", &program),
        ("diff.d.command", &program),
        ("core.pager", &program),
        ("core.editor", &program),
        ("core.sshCommand", &program),
        ("core.alternateRefsCommand", &program),
        ("gpg.program", &program),
        ("commit.gpgSign", "true"),
        ("core.excludesFile", "/etc/passwd"),
        ("core.worktree", "/"),
        ("include.path", "more"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", "ext::sh -c 'cat'"),
        ("remote.origin.uploadpack", &program),
        ("remote.origin.promisor", "true"),
        ("protocol.ext.allow", "always"),
    ] {
        world.sh(&format!("git config --file .git/config {key} \"{value}\""));
    }
    world.put(
        ".git/more",
        format!("[alias]\nupdate-ref = !{program}\n[core]\nrepositoryformatversion = 1\n"),
    );
    world.put(".gitattributes", "*.f filter=f diff=d\n");
    world.put(".git/info/attributes", "* filter=f diff=d\n");
    world.put("x.f", "1\n");
    all_calls(&world);
    assert!(!ran.exists(), "{}", fs::read_to_string(ran).unwrap());
    assert_eq!(world.read_text("x.f"), "1\n");
    // The user's own git would run them.
    world.sh("echo 2 >x.f; git add x.f >/dev/null 2>&1 || true");
    assert!(ran.exists());
}

#[test]
fn a_restore_follows_no_symbolic_link() {
    let world = World::repository();
    world.put("dir/deep/f", "1\n");
    world.put("file", "1\n");
    world.take("one");
    world.sh("mkdir ../outside/deep; echo theirs >../outside/deep/f; echo theirs >../outside/file; rm -r dir file; ln -s ../outside dir; ln -s ../outside/file file");
    assert_eq!(world.diff("one").files_changed, 3);
    assert_eq!(world.restore("one"), "-dir +dir/deep/f ~file");
    assert_eq!(world.sh("cat ../outside/deep/f ../outside/file"), "theirs\ntheirs");
    assert_eq!(world.sh("cat dir/deep/f file"), "1\n1");

    // A file that is added behind a link to a directory outside is not the workspace's.
    world.sh("rm -r dir; ln -s ../outside dir");
    world.take("two");
    world.sh("echo more >../outside/more; rm dir; mkdir dir; echo 1 >dir/more");
    assert_eq!(world.restore("two"), "+dir -dir/more");
    assert_eq!(world.sh("cat ../outside/more ../outside/deep/f"), "more\ntheirs");
}

#[test]
fn ignored_files_in_the_way_keep_everything_as_it_is() {
    let plants: [(&str, &str); 3] = [
        (
            "mkdir a.d && echo 1 >a.d/f",
            "rm -r a.d; ln -s ../outside a.d; echo a.d >>.git/info/exclude",
        ),
        ("echo 1 >t", "rm t; mkdir t; echo kept >t/x.log"),
        ("mkdir d && echo 1 >d/f", "rm -r d; echo kept >d; echo /d >>.git/info/exclude"),
    ];
    for (before, after) in plants {
        let world = World::repository();
        world.sh(before);
        world.take("one");
        world.sh(after);
        world.put("a", "2\n");
        let state = "find . ../outside ! -path './.git*' -ls | awk '{ print $3, $11, $12, $13 }' | sort; cat a";
        let was = world.sh(state);
        let error = world.try_restore("one").unwrap_err();
        assert_eq!(error.code, ErrorCode::Conflict, "{after}: {error}");
        assert!(error.message.contains("nothing was restored"), "{error}");
        assert_eq!(world.sh(state), was, "{after}");
    }
}

/// A commit whose tree holds one file under this name, which may be no valid one.
fn plant(world: &World, path: &str) {
    let tree = format!(
        "python3 -c 'import sys; sys.stdout.buffer.write(b\"100644 \" + sys.argv[1].encode() + b\"\\0\" + bytes.fromhex(sys.argv[2]))' '{path}' $(echo bad | git hash-object -w --stdin) | git hash-object -w -t tree --literally --stdin"
    );
    world.sh(&format!(
        "git update-ref refs/sandbox/snapshots/bad $(git commit-tree $({tree}) -m bad)"
    ));
    assert_eq!(world.sh("git ls-tree --name-only refs/sandbox/snapshots/bad"), path);
}

#[test]
fn a_planted_commit_reaches_nothing_else() {
    let world = World::repository();
    world.put("keep", "kept\n");
    for path in ["../outside/planted", ".git/planted", "/tmp/planted", "sub/.git/config", ".git"] {
        plant(&world, path);
        assert!(world.try_restore("bad").is_err(), "{path}");
        assert_eq!(world.read_text("keep"), "kept\n", "{path}");
    }
    assert!(!world.has("../outside/planted") && !world.has(".git/planted"));
    world.sh("git update-ref refs/sandbox/snapshots/blob $(git rev-parse HEAD:a)");
    assert_eq!(code(world.try_restore("blob")), ErrorCode::NotFound);
    // What the others have in common would be restored.
    plant(&world, "fine");
    assert_eq!(world.restore("bad"), "-.gitignore -a +fine -keep");
}

#[test]
fn variables_and_files_of_the_user_change_nothing() {
    let world = World::repository();
    world.put("odd", "1\n");
    world.sh("mkfifo pipe; ln -s /etc/passwd .git/info/exclude 2>/dev/null || ln -sf /etc/passwd .git/info/exclude; touch .git/index.lock");
    world.take("one");
    world.sh("rm odd");
    assert_eq!(world.restore("one"), "+odd");
    assert!(world.has("pipe") && world.has(".git/index.lock"));
}
