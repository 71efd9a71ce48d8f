//! A directory's files, as an archive carries them, and the scripts and
//! commands that work on them.

use crate::support::container::{Disk, done, hex};
use snapshotter::ports::container::{Command, Output};
use std::collections::BTreeMap;

pub const DIR: &str = "/workspace";

/// The path that stands for what differs from the image outside the workspace. No file of the
/// workspace has it, and it comes first in a tree's bytes: these are the machine's archive
/// and then the directory's.
pub const MACHINE: &str = "/machine";

/// Content by path. Equal trees give equal bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tree(pub BTreeMap<String, String>);

impl Tree {
    /// The tree as a container and an archive hold it: one line per file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|(path, text)| format!("{path}={text}\n").into_bytes()).collect()
    }

    pub fn from_bytes(bytes: &[u8]) -> Self {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let file = |line: &str| line.split_once('=').map(|(path, text)| (path.into(), text.into()));
        Self(text.lines().filter_map(file).collect())
    }

    /// The tree as a session sees it that does not persist the machine.
    pub fn without_machine(mut self) -> Self {
        self.0.remove(MACHINE);
        self
    }
}

/// Does to the workspace's files what the real scripts do.
pub fn work(script: &str, disk: &mut Disk, command: &Command) -> Option<Output> {
    let argument = |position: usize| command.argv.get(position + 3).map_or("", String::as_str);
    if script == "mkdir.sh" {
        let is_below = |dir: &String| format!("{}/", argument(1)).starts_with(&format!("{dir}/"));
        if !disk.dirs.keys().any(is_below) {
            disk.dirs.insert(argument(1).to_owned(), Vec::new());
        }
        return Some(done(0));
    }
    if script == "stat.sh" {
        // Of a directory: nothing else is looked at so.
        let is_it = |dir: &String| format!("{}/", argument(1)).starts_with(&format!("{dir}/"));
        return Some(if disk.dirs.keys().any(is_it) {
            Output { stdout: b"d 0 0.0 755 0 0 \0".to_vec(), ..done(0) }
        } else {
            Output { stderr: b"no such file\n".to_vec(), ..done(10) }
        });
    }
    let work: fn(&mut Tree, &dyn Fn(usize) -> String, &Command) -> Output = match script {
        "write.sh" => write,
        "read.sh" => read,
        "delete.sh" => delete,
        "exec.sh" => exec,
        _ => return None,
    };
    if let ("exec.sh", Some(content)) = (script, argument(7).strip_prefix("install ")) {
        disk.machine = Tree([(MACHINE.to_owned(), content.to_owned())].into()).to_bytes();
        return Some(done(0));
    }
    let Some(bytes) = disk.dirs.get_mut(DIR) else { return Some(failed(10, "no workspace")) };
    let mut tree = Tree::from_bytes(bytes);
    let output = work(&mut tree, &|position| argument(position).to_owned(), command);
    *bytes = tree.to_bytes();
    Some(output)
}

fn failed(exit_code: i32, why: &str) -> Output {
    Output { stderr: why.into(), ..done(exit_code) }
}

fn printed(text: &str) -> Output {
    Output { stdout: text.into(), ..done(0) }
}

fn inner(path: &str) -> String {
    path.strip_prefix(DIR).unwrap().trim_start_matches('/').to_owned()
}

fn write(tree: &mut Tree, argument: &dyn Fn(usize) -> String, command: &Command) -> Output {
    let (path, expected) = (inner(&argument(1)), argument(5));
    let held = tree.0.get(&path);
    if !expected.is_empty() && held.is_none_or(|held| hex(held.as_bytes()) != expected) {
        return failed(16, "was changed meanwhile");
    }
    let content = command.stdin.clone().unwrap_or_default();
    assert_eq!(content.len().to_string(), argument(3));
    tree.0.insert(path, String::from_utf8(content).unwrap());
    done(0)
}

fn read(tree: &mut Tree, argument: &dyn Fn(usize) -> String, _: &Command) -> Output {
    tree.0
        .get(&inner(&argument(1)))
        .map_or_else(|| failed(10, "no such file"), |text| printed(text))
}

fn delete(tree: &mut Tree, argument: &dyn Fn(usize) -> String, _: &Command) -> Output {
    match tree.0.remove(&inner(&argument(1))) {
        Some(_) => done(0),
        None => failed(10, "no such file"),
    }
}

/// The shell of this container knows `put PATH CONTENT` and `install CONTENT`, and fails
/// otherwise.
fn exec(tree: &mut Tree, argument: &dyn Fn(usize) -> String, _: &Command) -> Output {
    let (kind, line) = (argument(6), argument(7));
    assert_eq!(kind, "shell");
    match line.split(' ').collect::<Vec<_>>().as_slice() {
        ["put", path, content] => {
            tree.0.insert((*path).to_owned(), (*content).to_owned());
            done(0)
        }
        _ => failed(3, "no such command"),
    }
}
