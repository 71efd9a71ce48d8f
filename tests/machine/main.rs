//! The sandbox's file and code methods. Their scripts run for real in the workspace
//! image (`tools/test-runner`).

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

#[path = "../support/mod.rs"]
mod support;
#[path = "../../src/sandbox/scripts/texts.rs"]
#[expect(dead_code, reason = "the sandbox runs the others itself")]
mod texts;

mod checkpoints;
mod exec;
mod files;
mod layers;
mod machine;
mod manifest;
mod squashfs;
mod times;
mod trees;
mod watch;

use crate::machine::{TempDir, hasty_sandbox_with_path, sandbox, sandbox_with_path};
use futures::FutureExt;
use snapshotter::domain::error::{ErrorCode, Result};
use snapshotter::domain::files::path::AbsolutePath;
use snapshotter::ports::sandbox::{FileOptions, SearchOptions};
use snapshotter::sandbox::SandboxService;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// A sandbox with a workspace, and a directory beside it that is outside.
struct World {
    sandbox: SandboxService,
    root: AbsolutePath,
    top: TempDir,
    own: TempDir,
}

impl World {
    fn new() -> Self {
        Self::of(sandbox)
    }

    fn of(sandbox: impl FnOnce(&TempDir) -> SandboxService) -> Self {
        let (top, own) = (TempDir::new(), TempDir::new());
        fs::create_dir(top.path().join("workspace")).unwrap();
        fs::create_dir(top.path().join("outside")).unwrap();
        fs::write(top.path().join("outside/secret"), "secret\n").unwrap();
        let root = top.path().join("workspace");
        let root = AbsolutePath::parse("path", root.to_str().unwrap()).unwrap();
        Self { sandbox: sandbox(&own), root, top, own }
    }

    /// The machine's path of a path in the workspace.
    fn real(&self, path: impl AsRef<[u8]>) -> PathBuf {
        PathBuf::from(self.root.as_str()).join(OsStr::from_bytes(path.as_ref()))
    }

    fn put(&self, path: impl AsRef<[u8]>, content: impl AsRef<[u8]>) {
        let path = self.real(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn link(&self, target: &str, path: &str) {
        std::os::unix::fs::symlink(target, self.real(path)).unwrap();
    }

    fn path(&self, path: &str) -> AbsolutePath {
        self.root.resolve("path", path).unwrap()
    }

    fn options(&self) -> FileOptions {
        FileOptions { within: Some(self.root.clone()), ..FileOptions::default() }
    }

    fn search(&self) -> SearchOptions {
        SearchOptions { within: Some(self.root.clone()), ..SearchOptions::default() }
    }
}

/// Commands run to their end at once, so nothing waits.
fn now<T>(work: impl Future<Output = T>) -> T {
    work.now_or_never().expect("it waits for something")
}

fn code<T: std::fmt::Debug>(result: Result<T>) -> ErrorCode {
    result.unwrap_err().code
}

/// A world where a program of this name is a script, which can run the real one as `$REAL`.
fn with_program(name: &str, script: &str, seconds: Option<u32>) -> World {
    let top = TempDir::new();
    let program = top.path().join(name);
    let path = std::env::var_os("PATH").unwrap().into_string().unwrap();
    let real = std::process::Command::new("which").arg(name).output().unwrap().stdout;
    let real = String::from_utf8(real).unwrap();
    fs::write(&program, format!("#!/bin/sh\nREAL={}\n{script}\n", real.trim())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{path}", top.path().display());
    // It stays until the container of the tests is removed.
    std::mem::forget(top);
    match seconds {
        Some(seconds) => World::of(|own| hasty_sandbox_with_path(own, path.as_ref(), seconds)),
        None => World::of(|own| sandbox_with_path(own, path.as_ref())),
    }
}
