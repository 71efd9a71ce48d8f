//! The commands that the sandbox itself runs in its container, as `sh -c SCRIPT sh ARGUMENT…`. A
//! path is always an argument, never part of the script's text.

pub(crate) mod records;
mod texts;

pub(crate) use self::texts::*;

use crate::domain::ids::BackupId;
use crate::domain::snapshot::backup::BackupDir;
use crate::ports::container::{Command, Output};
use crate::ports::sandbox::EndedProcess;

/// The sandbox's own directory in the container, accessible to root only. It lies outside every
/// directory that may be archived.
pub(crate) const OWN_DIR: &str = "/var/lib/snapshotter";

/// All certificates that programs in the container trust, if the platform decrypts their requests.
/// `instance.sh` makes it.
pub(crate) const CA_BUNDLE: &str = "/etc/cloudflare/certs/bundle.crt";

/// Exit statuses with which the scripts report errors.
pub(crate) mod status {
    pub(crate) const NOT_FOUND: i32 = 10;
    pub(crate) const OUTSIDE: i32 = 11;
    pub(crate) const WRONG_TYPE: i32 = 12;
    pub(crate) const TOO_LARGE: i32 = 13;
    pub(crate) const EXISTS: i32 = 14;
    pub(crate) const INCOMPLETE: i32 = 15;
    pub(crate) const CHANGED: i32 = 16;
    pub(crate) const BAD_PATTERN: i32 = 17;
    pub(crate) const REFUSED: i32 = 18;
    pub(crate) const CHECKSUM: i32 = 20;
    pub(crate) const TOOL_MISSING: i32 = 21;
    pub(crate) const NOT_RENAMABLE: i32 = 22;
    pub(crate) const BUSY: i32 = 23;
    pub(crate) const IN_USE: i32 = 24;
    pub(crate) const UNKNOWN_DISK: i32 = 25;
    pub(crate) const NO_ROOM: i32 = 26;
    pub(crate) const PARTS_MISSING: i32 = 27;
    pub(crate) const NO_CHECKPOINT: i32 = 28;
    pub(crate) const NO_REPOSITORY: i32 = 29;
    pub(crate) const IN_PART: i32 = 30;
    pub(crate) const UNKNOWN_IMAGE: i32 = 31;
    pub(crate) const OTHER_IMAGE: i32 = 32;
    pub(crate) const NOT_FRESH: i32 = 33;
    pub(crate) const UNREADABLE: i32 = 34;
    pub(crate) const LOCKED: i32 = 35;
    pub(crate) const DATABASE_OPEN: i32 = 36;
    pub(crate) const TOOK_LONG: i32 = 40;
    pub(crate) const MADE_AGAIN: i32 = 41;
    pub(crate) const LONG_PATH: i32 = 42;
    /// `bounded.sh` ended the command at its limit.
    pub(crate) const LIMIT: i32 = 124;
}

/// Bytes of stdout, and of stderr, to keep from a script that prints little.
const LITTLE_OUTPUT_BYTES: usize = 64 * 1024;
/// A script that works on single files and takes this long hangs.
const QUICK_LIMIT_MS: u64 = 60_000;

/// The command of a script that ends quickly and prints little.
pub(crate) fn script(source: &str, arguments: &[&str]) -> Command {
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

/// Extra time after its limit before a command is killed from outside: `timeout` sends its second
/// signal after 5 s.
pub(crate) const BACKSTOP_MS: u64 = 15_000;

/// Has `timeout` end a command after `limit_ms`. `timeout` leads a process group, which is ended as
/// a whole.
pub(crate) fn limited(mut command: Command, limit_ms: u64) -> Command {
    let seconds = (limit_ms / 1_000).to_string();
    command.argv.splice(0..0, ["timeout", "--kill-after=5", &seconds].map(str::to_owned));
    command
}

/// Extra time after its own limit before a bounded script is killed from outside.
const BOUNDED_BACKSTOP_MS: u64 = 15_000;

/// A script that may take long, for the backup `id`. Even if a program in the container holds it
/// up, it ends after `limit_ms`, or when `stop_backup` is called, with all that it runs.
pub(crate) fn bounded(source: &str, arguments: &[&str], id: &BackupId, limit_ms: u64) -> Command {
    let inner = script(source, arguments);
    let (group, seconds) = (group_of(id), (limit_ms / 1_000).to_string());
    let mut command = script(BOUNDED, &[&group, &seconds]);
    command.argv.extend(inner.argv);
    command.kill_after_ms = Some(limit_ms + BOUNDED_BACKSTOP_MS);
    command
}

/// The file that holds the process group of a script of [`bounded`].
pub(crate) fn group_of(id: &BackupId) -> String {
    format!("{OWN_DIR}/group-{id}")
}

pub(crate) fn processes_dir() -> String {
    format!("{OWN_DIR}/processes")
}

/// Directories as one argument. A session that persists the machine has none with a line end in its
/// path.
pub(crate) fn lines(dirs: &[BackupDir]) -> String {
    dirs.iter().map(BackupDir::as_str).collect::<Vec<_>>().join("\n")
}

/// Identifies the disk of a container, and notes its image if `dirs`, the directories of the
/// workspace, are given. `instance.sh` says when an argument may be empty. `trusts` makes
/// [`CA_BUNDLE`].
pub(crate) fn identify(
    named: &str,
    recorded: &str,
    start: &str,
    dirs: Option<&[BackupDir]>,
    trusts: bool,
) -> Command {
    let source = if dirs.is_some() { INSTANCE_WITH_IMAGE } else { INSTANCE };
    let dirs = dirs.map(lines).unwrap_or_default();
    let bundle = if trusts { CA_BUNDLE } else { "" };
    script(source, &[OWN_DIR, named, recorded, start, &dirs, bundle])
}

/// Removes files of [`OWN_DIR`].
pub(crate) fn remove(paths: &[String]) -> Command {
    removal("-f", paths)
}

/// Removes a directory of [`OWN_DIR`] and its content.
pub(crate) fn remove_tree(path: &str) -> Command {
    removal("-rf", &[path.to_owned()])
}

fn removal(flags: &str, paths: &[String]) -> Command {
    let command = ["rm", flags, "--"].map(str::to_owned);
    Command {
        argv: command.into_iter().chain(paths.iter().cloned()).collect(),
        output_max_bytes: LITTLE_OUTPUT_BYTES,
        kill_after_ms: Some(QUICK_LIMIT_MS),
        ..Command::default()
    }
}

/// A script's error message: the last line of its stderr.
pub(crate) fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    match text.trim().lines().last() {
        Some(line) => line.to_owned(),
        None => format!("exit status {}", output.exit_code),
    }
}

/// Parses `ended PID COMMAND`, which `users.sh` prints.
pub(crate) fn ended(line: &str) -> Option<EndedProcess> {
    let (pid, command) = line.strip_prefix("ended ")?.split_once(' ')?;
    Some(EndedProcess { pid: pid.parse().ok()?, command: command.trim().to_owned() })
}
