//! Runs git in a directory of its own, without anyone's configuration.

use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

/// A directory that is removed after the test.
pub struct Git(PathBuf);

impl Git {
    pub fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("snapshotter-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        Self(dir.canonicalize().unwrap())
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn write(&self, name: &str, content: &[u8]) {
        fs::write(self.0.join(name), content).unwrap();
    }

    /// Writes the texts of a merge.
    pub fn write_texts(&self, texts: &[Vec<u8>; 3]) {
        for (name, text) in ["base", "ours", "theirs"].iter().zip(texts) {
            self.write(name, text);
        }
    }

    /// Runs git in the directory.
    pub fn output(&self, args: &[&str], input: &[u8]) -> Output {
        self.output_in(&self.0, args, input)
    }

    pub fn output_in(&self, dir: &Path, args: &[&str], input: &[u8]) -> Output {
        let mut child = Command::new("git")
            .args(args)
            .current_dir(dir)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            // No repository that the directory happens to be in.
            .env("GIT_CEILING_DIRECTORIES", &self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        thread::scope(|scope| {
            // If git exits without reading it all, its output says why.
            scope.spawn(move || drop(stdin.write_all(input)));
            child.wait_with_output().unwrap()
        })
    }

    /// Runs git, which must succeed.
    pub fn run(&self, args: &[&str], input: &[u8]) -> Vec<u8> {
        let output = self.output(args, input);
        assert!(output.status.success(), "git {args:?}: {}", shown(&output.stderr));
        output.stdout
    }
}

impl Drop for Git {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn shown(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string().replace("\\n", "\\n\n")
}

/// The seeds to test, by default so many.
#[expect(clippy::disallowed_methods, reason = "a test's own setting")]
pub fn seeds(count: u64) -> Range<u64> {
    let number = |name: &str, default| {
        std::env::var(name).map_or(default, |text| text.parse::<u64>().unwrap())
    };
    let first = number("DIFF_SEED", 1);
    first..first + number("DIFF_CASES", count)
}
