//! Find files and lines.

#![expect(
    clippy::disallowed_methods,
    reason = "real programs take real time, and are found by PATH"
)]

use crate::{World, code, now};
use snapshotter::domain::error::{Error, ErrorCode};
use snapshotter::ports::sandbox::{FoundLines, GrepOptions, SandboxApi, SearchOptions};

fn world() -> World {
    let world = World::new();
    world.put("src/a.py", "def one():\n    return 'x' # FOO\n\ndef two():\n    pass\n");
    world.put("src/deep/b.rs", "fn two() {}\n");
    world.put("node_modules/m/i.py", "two\n");
    world.put(".git/config", "two\n");
    world.put(".gitignore", "node_modules\n");
    world.put(".env", "TWO=2\n");
    world.put(b"odd\nname.py", "two\n");
    world.put(b"bad\xff.py", b"two \xff\n");
    world.link("../outside", "out");
    world.link("src", "alias");
    world
}

impl World {
    fn glob(&self, path: &str, glob: &str, more: SearchOptions) -> Result<(String, bool), Error> {
        let options =
            SearchOptions { glob: Some(glob.to_owned()), within: Some(self.root.clone()), ..more };
        let found = now(self.sandbox.glob(self.path(path), options))?;
        let paths: Vec<String> = found.files.into_iter().map(|file| file.path).collect();
        Ok((paths.join("|"), found.truncated))
    }

    fn grep(&self, path: &str, pattern: &str, more: GrepOptions) -> Result<FoundLines, Error> {
        let options = GrepOptions {
            pattern: pattern.to_owned(),
            search: SearchOptions { within: Some(self.root.clone()), ..more.search.clone() },
            ..more
        };
        now(self.sandbox.grep(self.path(path), options))
    }

    fn lines(&self, path: &str, pattern: &str, more: GrepOptions) -> String {
        let found = self.grep(path, pattern, more).unwrap();
        let shown = found
            .lines
            .into_iter()
            .map(|line| format!("{}:{}:{}", line.file.path, line.line.unwrap(), line.text));
        shown.collect::<Vec<_>>().join("|")
    }
}

fn ignored() -> SearchOptions {
    SearchOptions { include_ignored: true, ..SearchOptions::default() }
}

#[test]
fn files_are_found_by_name_but_not_what_is_ignored_or_linked() {
    let world = world();
    let glob = |glob: &str| world.glob(".", glob, SearchOptions::default()).unwrap().0;
    assert_eq!(glob("*.py"), "bad\u{fffd}.py|odd\nname.py|src/a.py");
    assert_eq!(glob("src/**"), "src/a.py|src/deep/b.rs");
    assert_eq!(glob("*.{rs,env}"), ".env|src/deep/b.rs");
    assert_eq!(glob("**/*"), ".env|.gitignore|bad\u{fffd}.py|odd\nname.py|src/a.py|src/deep/b.rs");
    assert_eq!(glob("*.none"), "");
    let all = world.glob(".", "*.py", ignored()).unwrap().0;
    assert_eq!(all, "bad\u{fffd}.py|node_modules/m/i.py|odd\nname.py|src/a.py");
    assert_eq!(world.glob(".", "config", ignored()).unwrap().0, ".git/config");
    assert_eq!(world.glob("alias", "*.rs", ignored()).unwrap().0, "deep/b.rs");
    let page = |offset, limit| {
        world.glob(".", "*.py", SearchOptions { offset, limit: Some(limit), ..Default::default() })
    };
    assert_eq!(page(0, 2).unwrap(), ("bad\u{fffd}.py|odd\nname.py".into(), true));
    assert_eq!(page(2, 2).unwrap(), ("src/a.py".into(), false));
}

#[test]
fn lines_are_found_with_what_is_around_them() {
    let world = world();
    let default = GrepOptions::default;
    assert_eq!(world.lines("src", "two", default()), "a.py:4:def two():|deep/b.rs:1:fn two() {}");
    assert_eq!(world.lines("src", r"^def \w+\(", default()), "a.py:1:def one():|a.py:4:def two():");
    assert_eq!(world.lines("src/a.py", "foo", default()), "");
    let ignore_case = GrepOptions { ignore_case: true, ..default() };
    assert_eq!(world.lines("src/a.py", "foo", ignore_case), ":2:    return 'x' # FOO");
    let fixed = GrepOptions { fixed: true, ..default() };
    assert_eq!(world.lines("src", "two()", fixed), "a.py:4:def two():|deep/b.rs:1:fn two() {}");
    let search = SearchOptions { glob: Some("*.rs".into()), ..Default::default() };
    assert_eq!(
        world.lines(".", "two", GrepOptions { search, ..default() }),
        "src/deep/b.rs:1:fn two() {}"
    );
    world.put("named/<stdin>", "two\n");
    assert_eq!(world.lines("named", "two", default()), "<stdin>:1:two");
    std::fs::remove_dir_all(world.real("named")).unwrap();
    let around = world.grep("src/a.py", "^$", GrepOptions { context: 1, ..default() }).unwrap();
    let shown: Vec<(u64, bool)> =
        around.lines.iter().map(|line| (line.line.unwrap(), line.matches)).collect();
    assert_eq!(shown, [(2, false), (3, true), (4, false)]);
    let odd = world.grep(".", "^two", default()).unwrap();
    assert_eq!(odd.lines[0].file.path_base64.as_deref(), Some("YmFk/y5weQ=="));
    assert_eq!(
        (odd.lines[0].text.as_str(), odd.lines[1].file.path.as_str()),
        ("two \u{fffd}", "odd\nname.py")
    );
    assert_eq!(
        world
            .lines(".", "two", GrepOptions { search: ignored(), ..default() })
            .matches("two")
            .count(),
        6
    );
}

#[test]
fn many_and_long_lines_come_in_pages_and_are_cut() {
    let world = world();
    world.put("many", "hit\n".repeat(5));
    world.put("long", format!("{}hit{}\n", "é".repeat(200_000), "x".repeat(9)));
    let page = |path: &str, offset, limit| {
        let search = SearchOptions { offset, limit: Some(limit), ..Default::default() };
        world.grep(path, "hit", GrepOptions { search, ..Default::default() }).unwrap()
    };
    let first = page("many", 0, 3);
    assert_eq!((first.lines.len(), first.truncated), (3, true));
    let last = page("many", 3, 3);
    assert_eq!((last.lines.len(), last.truncated), (2, false));
    assert_eq!(last.lines[0].line, Some(4));
    let long = page("long", 0, 3);
    assert!(long.lines[0].cut && long.lines[0].text.chars().count() == 500 && !long.truncated);
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let world = world();
    let grep = |path: &str, pattern: &str| code(world.grep(path, pattern, GrepOptions::default()));
    let error = world.grep(".", "(x", GrepOptions::default()).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    assert!(error.message.contains("unclosed group"), "{error}");
    assert_eq!(grep(".", ""), ErrorCode::InvalidArgument);
    assert_eq!(grep(".", "a\nb"), ErrorCode::InvalidArgument);
    assert_eq!(grep("none", "x"), ErrorCode::NotFound);
    assert_eq!(grep("out", "x"), ErrorCode::InvalidArgument);
    assert_eq!(grep("out/secret", "x"), ErrorCode::InvalidArgument);
    let glob = |path: &str, glob: &str| code(world.glob(path, glob, SearchOptions::default()));
    for (path, pattern, expected) in [
        (".", "[", ErrorCode::InvalidArgument),
        (".", "!*.py", ErrorCode::InvalidArgument),
        (".", "a\nb", ErrorCode::InvalidArgument),
        ("src/a.py", "*", ErrorCode::InvalidArgument),
        ("none", "*", ErrorCode::NotFound),
        ("out", "*", ErrorCode::InvalidArgument),
    ] {
        assert_eq!(glob(path, pattern), expected, "{path} {pattern}");
    }
}

#[test]
fn a_pattern_is_never_an_option_or_a_command() {
    let world = world();
    world.put("dash", "--version $(id) `id`\n");
    for pattern in ["--version", "-v", "$(id)", "`id`"] {
        let fixed = GrepOptions { fixed: true, ..Default::default() };
        let found = world.grep("dash", pattern, fixed).unwrap();
        assert_eq!(found.lines.len(), 1, "{pattern}");
        assert_eq!(world.glob(".", pattern, SearchOptions::default()).unwrap().0, "");
    }
    world.put("-name.txt", "x");
    assert_eq!(world.glob(".", "-*", SearchOptions::default()).unwrap().0, "-name.txt");
    world.put("#name", "x");
    assert_eq!(world.glob(".", "#*", SearchOptions::default()).unwrap().0, "#name");
}

#[test]
fn an_ignore_file_that_is_a_pipe_or_a_device_is_refused_and_named_at_once() {
    let world = world();
    let sh = |script: &str| {
        let status = std::process::Command::new("sh")
            .args(["-euc", script])
            .current_dir(world.root.as_str())
            .status();
        assert!(status.unwrap().success(), "{script}");
    };
    sh("rm -r .git");
    for file in [
        "src/.gitignore",
        "src/.ignore",
        "src/deep/.rgignore",
        ".ignore",
        ".git/info/exclude",
        "src/.git/info/exclude",
        "src/.git",
    ] {
        for make in ["mkfifo", "ln -s /dev/zero", "ln -s /proc/kmsg", "truncate -s 3G"] {
            sh(&format!("mkdir -p $(dirname {file}); {make} {file}"));
            for path in [".", "src"] {
                if path == "src" && file == "src/.git" && make == "truncate -s 3G" {
                    continue;
                }
                let began = std::time::Instant::now();
                let errors = [
                    world.glob(path, "*", SearchOptions::default()).map(drop).unwrap_err(),
                    world.grep(path, "x", GrepOptions::default()).map(drop).unwrap_err(),
                ];
                assert!(began.elapsed().as_secs() < 20, "{make} {file}");
                for error in errors {
                    let last = file.rsplit('/').next().unwrap();
                    assert!(error.message.contains(last), "{make} {file}: {error}");
                    assert_eq!(error.code, ErrorCode::Conflict, "{make} {file}: {error}");
                    assert!(error.hint.unwrap().contains("includeIgnored"));
                }
            }
            world.glob(".", "*", ignored()).unwrap();
            sh(&format!("rm {file}; rm -rf src/.git .git"));
        }
    }
    // What is read at once is no obstacle.
    sh("ln -s /dev/null src/.gitignore; ln -s nowhere src/.ignore; mkdir src/.rgignore");
    assert_eq!(world.glob("src", "*.rs", SearchOptions::default()).unwrap().0, "deep/b.rs");
    // Beside a worktree's .git, ripgrep reads what that names.
    sh("rm src/.gitignore; mkdir wt; mkfifo wt/commondir; echo gitdir: ../wt >src/.git");
    let error = world.glob("src", "*.rs", SearchOptions::default()).map(drop).unwrap_err();
    assert!(error.message.contains("wt/commondir"), "{error}");
}

#[test]
fn a_search_that_takes_too_long_leaves_nothing_running() {
    // Programs that wait for ever stand for whatever else makes ripgrep wait.
    let top = crate::machine::TempDir::new();
    let program = top.path().join("rg");
    std::fs::write(
        &program,
        "#!/bin/sh\ncase $* in *--messages*|*--no-messages*) exec sleep 3600 ;; esac\n",
    )
    .unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    let path = format!("{}:{}", top.path().display(), std::env::var("PATH").unwrap());
    let world = World::of(|own| crate::machine::hasty_sandbox_with_path(own, path.as_ref(), 2));
    world.put("a", "x");
    let error = world.glob(".", "*", SearchOptions::default()).map(drop).unwrap_err();
    assert!(error.message.contains("took too long"), "{error}");
    let left = std::process::Command::new("pgrep").args(["-f", "^sleep 3600"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&left.stdout), "");
}
