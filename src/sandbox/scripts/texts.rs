//! The text of each script, whole: the files that a container runs, joined. The tests include this
//! file, too, so that they run the same.

pub(crate) const INSTANCE: &str = include_str!("exec/instance.sh");
/// As [`INSTANCE`], in a container whose machine is persisted.
pub(crate) const INSTANCE_WITH_IMAGE: &str = concat!(
    include_str!("backup/manifest.sh"),
    include_str!("machine/list.sh"),
    include_str!("exec/instance.sh")
);
pub(crate) const BACKUP: &str = concat!(
    include_str!("backup/space.sh"),
    include_str!("backup/manifest.sh"),
    include_str!("backup/layer.sh"),
    include_str!("backup/squash.sh"),
    // These scripts also run alone, and may exit. In a subshell, they can't end this one.
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
    // The second argument is a path in the sandbox's own directory, whatever COUNT, the first one,
    // is.
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
pub(crate) const GO_ON: &str = include_str!("exec/go_on.sh");
pub(crate) const RUNNING: &str = include_str!("exec/running.sh");
pub(crate) const LISTENING: &str = include_str!("exec/listening.sh");
pub(crate) const STOP: &str = include_str!("exec/stop.sh");
pub(crate) const BOUNDED: &str = include_str!("exec/bounded.sh");
pub(crate) const TERMINAL: &str = include_str!("exec/terminal.sh");
pub(crate) const RESIZE_TERMINAL: &str = include_str!("exec/resize_terminal.sh");
pub(crate) const START_PROCESS: &str =
    concat!(include_str!("processes/processes.sh"), include_str!("processes/start_process.sh"));
pub(crate) const LIST_PROCESSES: &str =
    concat!(include_str!("processes/processes.sh"), include_str!("processes/list_processes.sh"));
pub(crate) const LIST_USERS: &str = concat!(
    include_str!("processes/processes.sh"),
    include_str!("backup/users.sh"),
    include_str!("processes/list_users.sh")
);
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
