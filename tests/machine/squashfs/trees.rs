//! `trees.py`, which runs as long as the test.

use super::compare::Xattrs;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub struct Trees {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Trees {
    pub fn new() -> Self {
        let mut child = Command::new("python3")
            .args(["-c", include_str!("trees.py")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, stdin, stdout: BufReader::new(stdout) }
    }

    fn ask(&mut self, line: &str) -> Vec<String> {
        writeln!(self.stdin, "{line}").unwrap();
        let mut answer = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "trees.py ended");
            match line.trim_end_matches('\n') {
                "" => return answer,
                line => answer.push(line.to_owned()),
            }
        }
    }

    pub fn make(&mut self, seed: u64, block_size: u32, dir: &Path) {
        self.ask(&format!("make {seed} {block_size} {}", dir.display()));
    }

    /// Extended attributes of every path below a directory.
    pub fn xattrs(&mut self, dir: &Path) -> BTreeMap<Vec<u8>, Xattrs> {
        let mut xattrs: BTreeMap<Vec<u8>, Xattrs> = BTreeMap::new();
        for line in self.ask(&format!("xattrs {}", dir.display())) {
            // A path and a value may be empty.
            let mut words = line.split(' ').map(bytes);
            let mut next = || words.next().unwrap();
            let (path, name, value) = (next(), next(), next());
            xattrs.entry(path).or_default().insert(name, value);
        }
        xattrs
    }
}

impl Drop for Trees {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits.map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap()).collect()
}
