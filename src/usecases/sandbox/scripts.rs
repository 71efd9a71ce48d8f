//! The commands that the sandbox itself runs in its container.
//!
//! Each is a script run as `sh -c SCRIPT sh ARGUMENT…`: a path is always an
//! argument, never part of the script's text.

use crate::ports::container::{Command, Output};

/// Root's own directory in the container: the disk's identity, and archives on
/// their way. It lies outside every directory that may be archived.
pub(super) const OWN_DIR: &str = "/var/lib/snapshotter";

pub(super) const INSTANCE: &str = include_str!("scripts/instance.sh");
pub(super) const BACKUP: &str =
    concat!(include_str!("scripts/space.sh"), include_str!("scripts/backup.sh"));
pub(super) const RESTORE: &str = concat!(
    include_str!("scripts/users.sh"),
    include_str!("scripts/extract.sh"),
    include_str!("scripts/restore.sh")
);
pub(super) const PREPARE: &str =
    concat!(include_str!("scripts/extract.sh"), include_str!("scripts/prepare.sh"));
pub(super) const ROOM: &str =
    concat!(include_str!("scripts/space.sh"), include_str!("scripts/room.sh"));
pub(super) const EXEC: &str = include_str!("scripts/exec.sh");
pub(super) const RUNNING: &str = include_str!("scripts/running.sh");
pub(super) const STOP: &str = include_str!("scripts/stop.sh");
pub(super) const CODE_PREPARE: &str = include_str!("scripts/code_prepare.sh");
pub(super) const CODE_COLLECT: &str = include_str!("scripts/code_collect.sh");
pub(super) const RUN_PYTHON: &str = include_str!("scripts/code.py");
pub(super) const RUN_JAVASCRIPT: &str = include_str!("scripts/code.js");
pub(super) const READ: &str =
    concat!(include_str!("scripts/paths.sh"), include_str!("scripts/read.sh"));
pub(super) const READ_PART: &str =
    concat!(include_str!("scripts/paths.sh"), include_str!("scripts/read_part.sh"));
pub(super) const STAT: &str =
    concat!(include_str!("scripts/paths.sh"), include_str!("scripts/stat.sh"));
pub(super) const GLOB: &str =
    concat!(include_str!("scripts/paths.sh"), include_str!("scripts/glob.sh"));
pub(super) const GREP: &str =
    concat!(include_str!("scripts/paths.sh"), include_str!("scripts/grep.sh"));
pub(super) const WRITE: &str =
    concat!(include_str!("scripts/paths.sh"), include_str!("scripts/write.sh"));
pub(super) const MKDIR: &str =
    concat!(include_str!("scripts/paths.sh"), include_str!("scripts/mkdir.sh"));
pub(super) const LIST: &str =
    concat!(include_str!("scripts/paths.sh"), include_str!("scripts/list.sh"));
/// Goes to a directory, and says what is wrong where it can't.
pub(super) const CHECK_DIRECTORY: &str =
    concat!(include_str!("scripts/paths.sh"), "enter_directory\n");
pub(super) const EXPORT: &str =
    concat!(include_str!("scripts/paths.sh"), include_str!("scripts/export.sh"));
pub(super) const IMPORT: &str = concat!(
    include_str!("scripts/paths.sh"),
    include_str!("scripts/space.sh"),
    include_str!("scripts/import.sh")
);
pub(super) const STORE_PART: &str = concat!(
    include_str!("scripts/paths.sh"),
    include_str!("scripts/space.sh"),
    include_str!("scripts/store_part.sh")
);
pub(super) const DROP_UPLOAD: &str =
    concat!(include_str!("scripts/paths.sh"), include_str!("scripts/drop_upload.sh"));
pub(super) const IMPORT_CHECK: &str = include_str!("scripts/import.awk");
pub(super) const WATCH: &str =
    concat!(include_str!("scripts/paths.sh"), include_str!("scripts/watch.sh"));
pub(super) const WATCH_SOURCE: &str = include_str!("scripts/watch.py");
pub(super) const DELETE: &str =
    concat!(include_str!("scripts/paths.sh"), include_str!("scripts/delete.sh"));
pub(super) const EXISTS: &str =
    concat!(include_str!("scripts/paths.sh"), include_str!("scripts/exists.sh"));

/// Exit statuses that the scripts give a meaning.
pub(super) mod status {
    pub(in super::super) const NOT_FOUND: i32 = 10;
    pub(in super::super) const OUTSIDE: i32 = 11;
    pub(in super::super) const WRONG_TYPE: i32 = 12;
    pub(in super::super) const TOO_LARGE: i32 = 13;
    pub(in super::super) const EXISTS: i32 = 14;
    pub(in super::super) const INCOMPLETE: i32 = 15;
    pub(in super::super) const CHANGED: i32 = 16;
    pub(in super::super) const BAD_PATTERN: i32 = 17;
    pub(in super::super) const REFUSED: i32 = 18;
    pub(in super::super) const CHECKSUM: i32 = 20;
    pub(in super::super) const TOOL_MISSING: i32 = 21;
    pub(in super::super) const NOT_RENAMABLE: i32 = 22;
    pub(in super::super) const BUSY: i32 = 23;
    pub(in super::super) const IN_USE: i32 = 24;
    pub(in super::super) const UNKNOWN_DISK: i32 = 25;
    pub(in super::super) const NO_ROOM: i32 = 26;
    pub(in super::super) const PARTS_MISSING: i32 = 27;
}

/// Stdout and stderr kept of a script that prints little.
const LITTLE_OUTPUT_BYTES: usize = 64 * 1024;
/// A script that works on single files and takes this long has hung.
const QUICK_LIMIT_MS: u64 = 60_000;

/// A script that is done at once and prints little.
pub(super) fn script(source: &str, arguments: &[&str]) -> Command {
    let mut argv: Vec<String> =
        ["sh", "-c", source, "sh"].iter().map(|text| (*text).to_owned()).collect();
    argv.extend(arguments.iter().map(|text| (*text).to_owned()));
    Command {
        argv,
        output_max_bytes: LITTLE_OUTPUT_BYTES,
        kill_after_ms: Some(QUICK_LIMIT_MS),
        ..Command::default()
    }
}

/// Removes a file of [`OWN_DIR`].
pub(super) fn remove(path: &str) -> Command {
    removal("-f", path)
}

/// Removes a directory of [`OWN_DIR`] and all that is in it.
pub(super) fn remove_tree(path: &str) -> Command {
    removal("-rf", path)
}

fn removal(flags: &str, path: &str) -> Command {
    Command {
        argv: ["rm", flags, "--", path].iter().map(|text| (*text).to_owned()).collect(),
        output_max_bytes: LITTLE_OUTPUT_BYTES,
        kill_after_ms: Some(QUICK_LIMIT_MS),
        ..Command::default()
    }
}

/// What a script said went wrong: the last line it wrote to stderr.
pub(super) fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    match text.trim().lines().last() {
        Some(line) => line.to_owned(),
        None => format!("exit status {}", output.exit_code),
    }
}
