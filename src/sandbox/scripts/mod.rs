//! The commands that the sandbox itself runs in its container.
//!
//! Each command runs a script as `sh -c SCRIPT sh ARGUMENT…`. A path is always
//! an argument, never part of the script's text.

use crate::domain::ids::BackupId;
use crate::domain::snapshot::backup::BackupDir;
use crate::ports::container::{Command, Output};

/// The sandbox's own directory in the container, accessible to root only. It
/// holds the disk's id and temporary archives, and lies outside every directory
/// that may be archived.
pub(crate) const OWN_DIR: &str = "/var/lib/snapshotter";

/// All certificates that programs in the container trust, if the platform decrypts what they
/// send. `instance.sh` makes it.
pub(crate) const CA_BUNDLE: &str = "/etc/cloudflare/certs/bundle.crt";

const INSTANCE: &str = include_str!("exec/instance.sh");
/// As [`INSTANCE`], in a container whose machine is persisted.
const INSTANCE_WITH_IMAGE: &str = concat!(
    include_str!("backup/manifest.sh"),
    include_str!("machine/list.sh"),
    include_str!("exec/instance.sh")
);
pub(crate) const BACKUP: &str = concat!(
    include_str!("backup/space.sh"),
    include_str!("backup/manifest.sh"),
    include_str!("backup/layer.sh"),
    include_str!("backup/squash.sh"),
    // Each script below is one that others run alone: here it must not end this one.
    "git_state() (\n",
    include_str!("files/paths.sh"),
    include_str!("git/repository.sh"),
    include_str!("git/state.sh"),
    ")\n",
    include_str!("git/beside_backup.sh"),
    include_str!("backup/backup.sh")
);
pub(crate) const FLATTEN: &str = concat!(
    include_str!("backup/space.sh"),
    include_str!("backup/squash.sh"),
    include_str!("backup/extract.sh"),
    include_str!("backup/flatten.sh")
);
pub(crate) const STAGE: &str = concat!(
    include_str!("files/paths.sh"),
    include_str!("backup/space.sh"),
    include_str!("backup/stage.sh")
);
pub(crate) const PACK: &str = concat!(
    include_str!("backup/space.sh"),
    include_str!("backup/squash.sh"),
    include_str!("backup/extract.sh"),
    include_str!("backup/pack.sh")
);
pub(crate) const DISCARD: &str = include_str!("backup/discard.sh");
pub(crate) const READ_PACKED: &str = include_str!("backup/read_packed.sh");
pub(crate) const RESTORE: &str = concat!(
    include_str!("machine/tools.sh"),
    // The second argument is a path in that directory, whatever the first says.
    "use_tools \"${2%/*}\"\n",
    include_str!("backup/receive.sh"),
    include_str!("backup/users.sh"),
    include_str!("backup/extract.sh"),
    include_str!("backup/manifest.sh"),
    include_str!("backup/restore.sh")
);
pub(crate) const PREPARE: &str = concat!(
    include_str!("backup/receive.sh"),
    include_str!("backup/extract.sh"),
    include_str!("backup/prepare.sh")
);
pub(crate) const ROOM: &str =
    concat!(include_str!("backup/space.sh"), include_str!("backup/room.sh"));
pub(crate) const SAVE_MACHINE: &str = concat!(
    include_str!("backup/space.sh"),
    include_str!("backup/manifest.sh"),
    include_str!("backup/layer.sh"),
    include_str!("backup/squash.sh"),
    include_str!("machine/list.sh"),
    include_str!("machine/save_machine.sh")
);
pub(crate) const RESTORE_MACHINE: &str = concat!(
    include_str!("backup/extract.sh"),
    include_str!("backup/manifest.sh"),
    include_str!("machine/list.sh"),
    include_str!("machine/tools.sh"),
    include_str!("machine/restore_machine.sh")
);
pub(crate) const EXEC: &str = concat!(
    include_str!("exec/uptime.sh"),
    include_str!("processes/processes.sh"),
    "start_process() (\n",
    include_str!("processes/start_process.sh"),
    ")\n",
    include_str!("exec/left.sh"),
    include_str!("exec/exec.sh")
);
pub(crate) const RUNNING: &str = include_str!("exec/running.sh");
pub(crate) const LISTENING: &str = include_str!("exec/listening.sh");
pub(crate) const STOP: &str = include_str!("exec/stop.sh");
const BOUNDED: &str = include_str!("exec/bounded.sh");
pub(crate) const TERMINAL: &str = include_str!("exec/terminal.sh");
pub(crate) const RESIZE_TERMINAL: &str = include_str!("exec/resize_terminal.sh");
pub(crate) const START_PROCESS: &str =
    concat!(include_str!("processes/processes.sh"), include_str!("processes/start_process.sh"));
pub(crate) const LIST_PROCESSES: &str =
    concat!(include_str!("processes/processes.sh"), include_str!("processes/list_processes.sh"));
pub(crate) const KEEP_OUTPUT: &str =
    concat!(include_str!("processes/processes.sh"), include_str!("processes/keep_output.sh"));
pub(crate) const READ_LOG: &str =
    concat!(include_str!("processes/processes.sh"), include_str!("processes/read_log.sh"));
pub(crate) const STOP_PROCESS: &str = concat!(
    include_str!("processes/processes.sh"),
    include_str!("exec/left.sh"),
    include_str!("processes/stop_process.sh")
);
pub(crate) const MOUNT_BUCKETS: &str = include_str!("mounts/mount_buckets.sh");
pub(crate) const CODE_PREPARE: &str = include_str!("exec/code_prepare.sh");
pub(crate) const CODE_COLLECT: &str = include_str!("exec/code_collect.sh");
pub(crate) const RUN_PYTHON: &str =
    concat!(include_str!("exec/value.py"), include_str!("exec/code.py"));
pub(crate) const RUN_JAVASCRIPT: &str =
    concat!(include_str!("exec/value.js"), include_str!("exec/code.js"));
/// Becomes the interpreter of a code context.
pub(crate) const CONTEXT: &str = include_str!("contexts/context.sh");
pub(crate) const CONTEXT_PYTHON: &str =
    concat!(include_str!("exec/value.py"), include_str!("contexts/context.py"));
/// In a function of its own, so that the code does not see its variables.
pub(crate) const CONTEXT_JAVASCRIPT: &str = concat!(
    "(() => {\n",
    include_str!("exec/value.js"),
    include_str!("contexts/context.js"),
    "})();\n"
);
pub(crate) const START_CONTEXT: &str = concat!(
    include_str!("processes/processes.sh"),
    include_str!("contexts/interpreter.sh"),
    include_str!("processes/start_process.sh"),
    include_str!("contexts/start_context.sh")
);
pub(crate) const RUN_IN_CONTEXT: &str = concat!(
    include_str!("processes/processes.sh"),
    include_str!("exec/uptime.sh"),
    "start_process() (\n",
    include_str!("processes/start_process.sh"),
    ")\n",
    include_str!("exec/left.sh"),
    include_str!("contexts/run_in_context.sh")
);
pub(crate) const DELETE_CONTEXT: &str = concat!(
    include_str!("processes/processes.sh"),
    include_str!("exec/left.sh"),
    include_str!("processes/stop_process.sh"),
    include_str!("contexts/delete_context.sh")
);
pub(crate) const READ: &str =
    concat!(include_str!("files/paths.sh"), include_str!("files/read.sh"));
pub(crate) const READ_PART: &str =
    concat!(include_str!("files/paths.sh"), include_str!("files/read_part.sh"));
pub(crate) const STAT: &str =
    concat!(include_str!("files/paths.sh"), include_str!("files/stat.sh"));
pub(crate) const GLOB: &str =
    concat!(include_str!("files/paths.sh"), include_str!("files/glob.sh"));
pub(crate) const GREP: &str =
    concat!(include_str!("files/paths.sh"), include_str!("files/grep.sh"));
pub(crate) const WRITE: &str = concat!(
    include_str!("files/paths.sh"),
    include_str!("files/databases.sh"),
    include_str!("files/write.sh")
);
pub(crate) const MKDIR: &str =
    concat!(include_str!("files/paths.sh"), include_str!("files/mkdir.sh"));
pub(crate) const LIST: &str =
    concat!(include_str!("files/paths.sh"), include_str!("files/list.sh"));
/// Enters a directory, or prints why it cannot.
pub(crate) const CHECK_DIRECTORY: &str =
    concat!(include_str!("files/paths.sh"), "enter_directory\n");
pub(crate) const CHECK_PATHS: &str = concat!(
    include_str!("files/paths.sh"),
    include_str!("tar/locate.sh"),
    include_str!("tar/check_paths.sh")
);
pub(crate) const EXPORT: &str = concat!(
    include_str!("files/paths.sh"),
    include_str!("files/databases.sh"),
    include_str!("tar/locate.sh"),
    include_str!("tar/export.sh")
);
pub(crate) const IMPORT: &str = concat!(
    include_str!("files/paths.sh"),
    include_str!("backup/space.sh"),
    include_str!("files/databases.sh"),
    include_str!("tar/place.sh"),
    include_str!("tar/import.sh")
);
pub(crate) const STORE_PART: &str = concat!(
    include_str!("files/paths.sh"),
    include_str!("backup/space.sh"),
    include_str!("tar/store_part.sh")
);
pub(crate) const DROP_UPLOAD: &str =
    concat!(include_str!("files/paths.sh"), include_str!("tar/drop_upload.sh"));
pub(crate) const IMPORT_CHECK: &str = include_str!("tar/import.awk");
pub(crate) const WATCH: &str =
    concat!(include_str!("files/paths.sh"), include_str!("watch/watch.sh"));
pub(crate) const WATCH_SOURCE: &str = include_str!("watch/watch.py");
pub(crate) const TREE_DIFFERENCES: &str = concat!(
    include_str!("files/paths.sh"),
    include_str!("backup/manifest.sh"),
    include_str!("trees/list.sh"),
    include_str!("trees/differences.sh")
);
pub(crate) const TREE_APPLY: &str = concat!(
    include_str!("files/paths.sh"),
    include_str!("backup/space.sh"),
    include_str!("files/databases.sh"),
    include_str!("tar/place.sh"),
    include_str!("trees/list.sh"),
    include_str!("trees/apply.sh")
);
pub(crate) const TREE_HASHES: &str =
    concat!(include_str!("files/paths.sh"), include_str!("trees/hashes.sh"));
pub(crate) const TREE_CONTENTS: &str =
    concat!(include_str!("files/paths.sh"), include_str!("trees/contents.sh"));
pub(crate) const DELETE: &str =
    concat!(include_str!("files/paths.sh"), include_str!("files/delete.sh"));
pub(crate) const EXISTS: &str =
    concat!(include_str!("files/paths.sh"), include_str!("files/exists.sh"));
pub(crate) const TAKE_CHECKPOINT: &str = concat!(
    include_str!("files/paths.sh"),
    include_str!("git/repository.sh"),
    include_str!("git/stage.sh"),
    include_str!("git/take_checkpoint.sh")
);
pub(crate) const LIST_CHECKPOINTS: &str = concat!(
    include_str!("files/paths.sh"),
    include_str!("git/repository.sh"),
    include_str!("git/list_checkpoints.sh")
);
pub(crate) const RESTORE_CHECKPOINT: &str = concat!(
    include_str!("files/paths.sh"),
    include_str!("git/repository.sh"),
    include_str!("git/stage.sh"),
    include_str!("git/restore_checkpoint.sh")
);
pub(crate) const DIFF_CHECKPOINT: &str = concat!(
    include_str!("files/paths.sh"),
    include_str!("git/repository.sh"),
    include_str!("git/stage.sh"),
    include_str!("git/diff_checkpoint.sh")
);
pub(crate) const DELETE_CHECKPOINT: &str = concat!(
    include_str!("files/paths.sh"),
    include_str!("git/repository.sh"),
    include_str!("git/delete_checkpoint.sh")
);

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
    /// Of `bounded.sh`: the limit ended it.
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

/// Extra time after its own limit before a bounded script is killed from outside.
const BOUNDED_BACKSTOP_MS: u64 = 15_000;

/// A script that may take long, for the backup `id`. Whatever a program in the container does
/// to hold it up, it and all that it runs end after `limit_ms`, or when
/// [`SandboxService::stop_making`](crate::sandbox::SandboxService::stop_making) is called.
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

/// Directories as one argument. A session that persists the machine has none with a line
/// end in its path.
pub(crate) fn lines(dirs: &[BackupDir]) -> String {
    dirs.iter().map(BackupDir::as_str).collect::<Vec<_>>().join("\n")
}

/// Identifies the disk of a container, and notes its image if `dirs`, the directories of
/// the workspace, are given. Each argument may be empty: `instance.sh` says when. `trusts`
/// makes [`CA_BUNDLE`].
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
