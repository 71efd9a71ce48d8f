//! Every limit that the product enforces. `build.rs` includes this file to check the tool schemas,
//! so it imports nothing. The file is long because it is compared with `docs/limits.md` as one list.

/// Longest session id, in characters.
pub const SESSION_ID_MAX_CHARS: usize = 128;
/// Longest sandbox id, in characters (a DNS label, as in `@cloudflare/sandbox`).
pub const SANDBOX_ID_MAX_CHARS: usize = 63;
/// Longest session id that serves as its own origin: 45 + `-restored-` + 8 = 63.
pub const ORIGIN_MAX_CHARS: usize = 45;
/// How many characters of its session id a hashed origin shows: `s-` + 16 + `-` + 26 = 45.
pub const READABLE_MAX_CHARS: usize = 16;
/// Length of the random part of a new workspace's id: 8 × 5 bits of Crockford base32.
pub const SHORT_ID_CHARS: usize = 8;
/// Longest list of tool names in a query, in bytes.
pub const TOOL_NAMES_MAX_BYTES: usize = 4_096;
/// Longest idempotency key, in characters.
pub const IDEMPOTENCY_KEY_MAX_CHARS: usize = 255;
/// How long a recorded call and its idempotency key are kept.
pub const OPERATION_KEPT_MS: i64 = 24 * 3_600_000;
/// How many recorded calls without a key a session keeps. The oldest ended ones go first.
pub const OPERATIONS_KEPT: u32 = 1_000;
/// A session that recorded this many calls within [`OPERATION_KEPT_MS`] refuses new keys.
pub const OPERATIONS_MAX: i64 = 100_000;
/// Largest stored answer of a recorded call, in bytes of JSON.
pub const OPERATION_ANSWER_MAX_BYTES: usize = 512 * 1024;
/// Answers up to this size are always stored. Larger ones share [`OPERATION_ANSWERS_MAX_BYTES`].
pub const OPERATION_ANSWER_SMALL_BYTES: usize = 4 * 1024;
/// Total size of the larger answers of a session, in bytes.
pub const OPERATION_ANSWERS_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Time between alarms while a detached call runs. The platform unloads objects after 10 idle s.
pub const HEARTBEAT_MS: i64 = 5_000;
/// Longest id of a call, in characters.
pub const OPERATION_ID_MAX_CHARS: usize = 64;
/// Longest snapshot name, in characters.
pub const SNAPSHOT_NAME_MAX_CHARS: usize = 128;
/// Longest snapshot description, in characters.
pub const SNAPSHOT_DESCRIPTION_MAX_CHARS: usize = 1_024;

/// Maximum number of labels of one snapshot.
pub const LABELS_MAX: usize = 32;
/// Longest label key, in characters.
pub const LABEL_KEY_MAX_CHARS: usize = 63;
/// Longest label value, in characters.
pub const LABEL_VALUE_MAX_CHARS: usize = 256;
/// Maximum number of labels that one `list` may filter by.
pub const LABEL_FILTERS_MAX: usize = 8;

/// Default lifetime of a snapshot: 3 days, as in `@cloudflare/sandbox` 0.12.
pub const TTL_DEFAULT_SECS: u64 = 259_200;
/// Default lifetime of turns and requested snapshots after their session's last use: 30 days.
pub const TTL_USED_SECS: u64 = 2_592_000;
/// Shortest lifetime. Anything within the expiry margin could never be restored.
pub const TTL_MIN_SECS: u64 = 61;
/// Longest lifetime: ten years. Stored for "keep until deleted".
pub const TTL_MAX_SECS: u64 = 315_360_000;
/// A snapshot counts as expired this long before its time, so that a begun restore can finish.
pub const EXPIRY_MARGIN_MS: i64 = 60_000;

/// How many autosaves are kept beside those that a wake needs, unless configured.
pub const KEEP_AUTOSAVES_DEFAULT: u32 = 4;
/// How many turns are kept, unless configured.
pub const KEEP_TURNS_DEFAULT: u32 = 50;
/// Largest cursor of a turn, in bytes of JSON.
pub const TURN_CURSOR_MAX_BYTES: usize = 4 * 1024;
/// Longest label of a turn, in characters.
pub const TURN_LABEL_MAX_CHARS: usize = 128;
/// Maximum number of turns on one page of the timeline.
pub const TIMELINE_MAX_TURNS: u32 = 100;
/// Turns on one page of the timeline, by default.
pub const TIMELINE_DEFAULT_TURNS: u32 = 20;
/// Maximum number of paths of each turn in the timeline.
pub const TURN_PATHS_MAX: usize = 10;
/// How many turns one call compares with the files before them. The next call compares more.
pub const TURNS_COMPARED_AT_ONCE: usize = 10;
/// Shortest time for which a rebuilt snapshot is kept: a week, as an unused workspace's autosave.
pub const REBUILT_KEPT_MS: i64 = 7 * 24 * 3_600_000;
/// How long a session remembers a deleted snapshot or workspace: 30 days.
pub const ENDED_KEPT_MS: i64 = 30 * 24 * 3_600_000;
/// How many deleted snapshots and workspaces one alarm forgets.
pub const ENDED_FORGOTTEN_AT_ONCE: u64 = 200;
/// How many ended leases and recorded calls one alarm forgets.
pub const FORGOTTEN_AT_ONCE: u64 = 500;
/// How many edits one alarm writes to `meta.json`.
pub const EDITS_AT_ONCE: u32 = 200;
/// How many rebuilt snapshots lose their protection in one alarm.
pub const PROTECTIONS_ENDED_AT_ONCE: i64 = 500;
/// Largest count in a retention policy. A plan counts as many rows of an index.
pub const RETENTION_COUNT_CEILING: u32 = 10_000;
/// Largest `maxBytes` of a retention policy: 2^53 - 1, which JSON carries exactly.
pub const RETENTION_MAX_BYTES_CEILING: u64 = (1 << 53) - 1;
/// Longest `minIntervalSeconds` of a retention policy: a day.
pub const RETENTION_INTERVAL_MAX_SECS: u64 = 86_400;

/// How many snapshots one alarm or one call deletes for the retention policy.
pub const PRUNES_AT_ONCE: usize = 100;
/// Maximum number of snapshots that a retention plan lists, and that it counts as due.
pub const RETENTION_SHOWN: usize = 1_000;

/// How many snapshots a lineage shows, the latest ones. It adds up to as many deleted ancestors.
pub const LINEAGE_MAX_PLACES: u32 = 500;

/// How many ended processes the answer of a rewind lists.
pub const ENDED_SHOWN: u32 = 100;

/// Maximum number of turns that one undo goes back.
pub const UNDO_MAX_TURNS: u32 = 1_000;
/// How long a rewind or a pause waits for other calls in the workspace.
pub const QUIET_WAIT_MS: u64 = 10_000;
/// How long a call waits for a workspace that another call uses exclusively.
pub const LOCK_WAIT_MS: u64 = 180_000;

/// Default page size of `list`, and the largest one unless `maxListResults` is set.
pub const MAX_LIST_RESULTS_DEFAULT: u32 = 100;
/// Largest `maxListResults` that a session may configure: one R2 page.
pub const MAX_LIST_RESULTS_CEILING: u32 = 1_000;

/// Longest accepted cursor, in bytes. It may hold a path.
pub const CURSOR_MAX_BYTES: usize = 8_192;

/// Maximum number of running containers of a session, unless configured.
pub const MAX_RUNNING_DEFAULT: u32 = 4;
/// Maximum number of workspaces of a session, unless configured.
pub const MAX_WORKSPACES_DEFAULT: u32 = 20;
/// Maximum number of workspaces that one live fork makes.
pub const LIVE_FORKS_MAX: u32 = 20;
/// How long an inactive workspace stays unused before it is retired, unless configured: a week.
pub const RETIRE_AFTER_DEFAULT_MS: i64 = 7 * 24 * 3_600_000;
/// Shortest `retireAfterSeconds`, so that a new workspace is not retired before its first use.
pub const RETIRE_AFTER_MIN_SECS: u64 = 60;
/// Longest `retireAfterSeconds`: ten years, the stored form of "keep until deleted".
pub const RETIRE_AFTER_MAX_SECS: u64 = 315_360_000;
/// Largest `maxRunning` and `maxWorkspaces` that a session may configure.
pub const MAX_WORKSPACES_CEILING: u32 = 100;

/// How often an archive is attempted if files change while `mksquashfs` reads them.
pub const BACKUP_ATTEMPTS: u32 = 3;
/// Maximum number of layers above a full archive. A restore reads all of them.
pub const LAYERS_MAX: usize = 8;
/// The layers above a full archive together have at most its size divided by this.
pub const LAYERS_MAX_DIVISOR: u64 = 2;
/// Largest archive sent as one put, whose SHA-256 R2 checks. Larger ones are multipart uploads.
pub const SINGLE_PUT_MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// Size of a multipart part. R2 allows 10,000 parts, so archives reach 5 TB.
pub const MULTIPART_PART_BYTES: u64 = 512 * 1024 * 1024;
/// Largest accepted `meta.json`. Real ones are under 2 KiB.
pub const META_MAX_BYTES: u64 = 64 * 1024;
/// How many `meta.json` objects are read at once (R2 allows 6 connections).
pub const META_READS_AT_ONCE: usize = 5;

/// Captured bytes of stdout, and of stderr, of one `exec`. The rest is dropped and flagged.
pub const EXEC_OUTPUT_MAX_BYTES: usize = 1024 * 1024;
/// Smallest output limit that a caller may set for a command, in bytes.
pub const EXEC_OUTPUT_MIN_BYTES: usize = 1024;
/// Longest event of a command, in bytes: both outputs in JSON, which may sextuple them.
pub const EXEC_EVENT_MAX_BYTES: usize = 16 * EXEC_OUTPUT_MAX_BYTES;
/// Default time limit of a command, in milliseconds.
pub const EXEC_TIMEOUT_DEFAULT_MS: u64 = 120_000;
/// Longest time limit of a command, in milliseconds.
pub const EXEC_TIMEOUT_MAX_MS: u64 = 3_600_000;
/// Exit code of a command that was killed at its time limit (as in `timeout(1)`).
pub const EXEC_TIMEOUT_EXIT_CODE: i32 = 124;
/// Longest shell string or argv, in bytes (Linux accepts 128 KiB per argument).
pub const EXEC_COMMAND_MAX_BYTES: usize = 100 * 1024;
/// Maximum number of programs on an allowlist.
pub const SHELL_ALLOWLIST_MAX: usize = 256;
/// Longest program name on an allowlist, in characters (Linux `NAME_MAX`).
pub const SHELL_PROGRAM_MAX_CHARS: usize = 255;
/// Largest file content that one call reads or writes, in bytes.
pub const FILE_MAX_BYTES: u64 = 2 * 1024 * 1024;
/// Maximum number of entries that one `listFiles` returns.
pub const LIST_FILES_MAX_ENTRIES: usize = 10_000;
/// Default entries of `workspace_ls` and `workspace_glob`; [`LIST_FILES_MAX_ENTRIES`] at most.
pub const LIST_FILES_DEFAULT_ENTRIES: usize = 1_000;
/// Default bytes of a partial read, as much as a model takes in; [`FILE_MAX_BYTES`] at most.
pub const READ_PART_DEFAULT_BYTES: u64 = 256 * 1024;
/// Lines that one `workspace_grep` returns by default, matches and context.
pub const GREP_DEFAULT_LINES: usize = 200;
/// Maximum number of lines that one `workspace_grep` returns.
pub const GREP_MAX_LINES: usize = 2_000;
/// Maximum number of context lines before and after each match.
pub const GREP_CONTEXT_MAX_LINES: u32 = 20;
/// How many characters of a line `workspace_grep` shows.
pub const GREP_LINE_MAX_CHARS: usize = 500;
/// Longest pattern of `workspace_grep` and `workspace_glob`, in bytes.
pub const PATTERN_MAX_BYTES: usize = 4_096;
/// Maximum work of one search in snapshots: bytes of text times bytes of the compiled expression.
pub const GREP_WORK_MAX: u64 = 2 << 30;
/// Maximum number of patterns that a glob's braces may expand to.
pub const GLOB_ALTERNATIVES_MAX: usize = 100;
/// Maximum steps of one call for matching globs. A step takes a few nanoseconds.
pub const GLOB_WORK_MAX: u64 = 500_000_000;
/// How many line numbers the error of an ambiguous edit lists.
pub const EDIT_SHOWN_MATCHES: usize = 10;
/// How many bytes of a file are searched for text like `oldText`, which may be as long.
pub const EDIT_COMPARED_MAX_BYTES: usize = 1024 * 1024;
/// Largest code of one call, in bytes. Larger programs go into files.
pub const CODE_MAX_BYTES: usize = 1024 * 1024;
/// Largest value that a run of code returns, in bytes of JSON.
pub const CODE_VALUE_MAX_BYTES: usize = 1024 * 1024;
/// Largest image that a run of code returns, in bytes.
pub const CODE_FILE_MAX_BYTES: usize = 1024 * 1024;
/// Maximum number of images that a run of code returns.
pub const CODE_FILES_MAX: usize = 3;
/// Maximum running code contexts of a container. As many ended ones are remembered.
pub const CODE_CONTEXTS_MAX: u32 = 8;
/// A code context ends after this time without a call, in seconds.
pub const CODE_CONTEXT_IDLE_SECS: u32 = 30 * 60;
/// Default memory of a code context, in MiB: of Python's data, or of JavaScript's objects.
pub const CODE_CONTEXT_MEMORY_MIB: u32 = 1024;
/// Least memory that a caller may give a context. Node starts with less.
pub const CODE_CONTEXT_MEMORY_MIN_MIB: u32 = 64;
/// Largest memory that a caller may give a context.
pub const CODE_CONTEXT_MEMORY_MAX_MIB: u32 = 64 * 1024;
/// How much of the output that a code context prints between calls is kept, in bytes.
pub const CODE_CONTEXT_LOG_BYTES: u64 = 256 * 1024;
/// Largest code of a script, in bytes.
pub const SCRIPT_CODE_MAX_BYTES: usize = 256 * 1024;
/// How long a script may run, unless configured.
pub const SCRIPT_DURATION_DEFAULT_MS: u64 = 5_000;
/// Longest `maxDurationMs` of scripts.
pub const SCRIPT_DURATION_MAX_MS: u64 = 60_000;
/// CPU time of a script, whose time limit may be longer. Enforced by the platform.
pub const SCRIPT_CPU_MAX_MS: u64 = 10_000;
/// Maximum requests of a script to the Internet. Enforced by the platform.
pub const SCRIPT_SUBREQUESTS_MAX: u32 = 50;
/// Maximum number of scripts of a session that run at once.
pub const SCRIPTS_AT_ONCE: u32 = 4;
/// Maximum number of tool calls of one script.
pub const SCRIPT_CALLS_MAX: u32 = 500;
/// Maximum calls of a script with untaken answers. Further calls wait in its isolate.
pub const SCRIPT_CALLS_AT_ONCE: usize = 4;
/// Largest message of a script, in bytes of JSON: the input of a call, or its result.
pub const SCRIPT_MESSAGE_MAX_BYTES: usize = 1024 * 1024;
/// Largest value that a script returns, in bytes of JSON.
pub const SCRIPT_VALUE_MAX_BYTES: usize = 256 * 1024;
/// Maximum console output of a script, in bytes.
pub const SCRIPT_LOGS_MAX_BYTES: usize = 64 * 1024;
/// Longest error of a script, in bytes.
pub const SCRIPT_ERROR_MAX_BYTES: usize = 8 * 1024;
/// Longest path, in bytes (Linux `PATH_MAX`).
pub const PATH_MAX_BYTES: usize = 4_096;

/// Maximum bytes read at once at the end of an archive: the metadata of most archives.
pub const ARCHIVE_TAIL_BYTES: u64 = 2 * 1024 * 1024;
/// How many bytes at the end of a layer are read first.
pub const ARCHIVE_LAYER_TAIL_BYTES: u64 = 256 * 1024;
/// How many archives of one snapshot are opened at once. A Worker has six connections.
pub const ARCHIVES_OPENED_AT_ONCE: usize = 3;
/// Maximum directories that a walk keeps open, counted once for each archive with a part of one.
pub const ARCHIVE_WALK_OPEN_MAX: usize = 4_096;
/// Maximum number of paths that layers remove and one walk skips.
pub const ARCHIVE_WALK_REMOVED_MAX: usize = 1_000_000;
/// The rest of an archive is read and cached in aligned pieces of this size.
pub const ARCHIVE_PIECE_BYTES: u64 = 128 * 1024;
/// Maximum bytes of pieces read at once. Files are read in order in parts of this size.
pub const ARCHIVE_CHUNK_BYTES: u64 = 1024 * 1024;
/// Memory for cached blocks of archives in an isolate, in bytes.
pub const ARCHIVE_CACHE_BYTES: usize = 8 * 1024 * 1024;
/// Maximum blocks scanned to find a position in a file: 512 GiB at 128 KiB each.
pub const ARCHIVE_BLOCKS_SCANNED_MAX: u64 = 4 * 1024 * 1024;
/// Memory that a call needs to read an archive, besides the cache, in bytes.
pub const ARCHIVE_CALL_BYTES: u64 = 6 * 1024 * 1024;
/// Memory that all calls of an isolate together may use to read archives, in bytes.
pub const ARCHIVE_CALLS_BYTES: u64 = 3 * ARCHIVE_CALL_BYTES;
/// Maximum number of entries of an archive that one list or search examines.
pub const ARCHIVE_ENTRIES_MAX: usize = 50_000;
/// Maximum content of an archive that one call searches, in bytes.
pub const ARCHIVE_SEARCH_MAX_BYTES: u64 = 16 * 1024 * 1024;
/// How far lines of a file in an archive are counted, in bytes.
pub const ARCHIVE_LINES_MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Maximum number of files and directories that one call copies from an archive.
pub const ARCHIVE_COPY_PATHS_MAX: usize = 100;
/// Maximum size of the extended attributes of one file in an archive, in bytes of names and values.
pub const ARCHIVE_XATTRS_MAX_BYTES: usize = 1024 * 1024;
/// Maximum number of paths that may differ between two compared trees, without ignored files.
pub const TREE_DIFFERENCES_MAX: usize = 20_000;
/// Maximum number of entries of an archive that a comparison examines.
pub const TREE_ENTRIES_MAX: usize = 500_000;
/// How much a container prints at once for a comparison, in bytes.
pub const TREE_READ_MAX_BYTES: usize = 2 * 1024 * 1024;
/// The uncompressed size of what a container prints at once for a comparison, in bytes.
pub const TREE_RECORDS_MAX_BYTES: usize = 6 * 1024 * 1024;
/// Time limit of a command that reads a tree for a comparison.
pub const TREE_TIMEOUT_MS: u64 = 5 * 60 * 1000;
/// Maximum content that one comparison reads from an archive, in bytes.
pub const TREE_CONTENT_MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Maximum number of files of equal size and time that a comparison lists as not compared.
pub const TREE_UNCERTAIN_MAX: usize = 1_000;
/// Maximum bytes of texts that one call compares or merges.
pub const TREE_TEXTS_MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Maximum number of `.gitignore` files of a tree that a comparison reads.
pub const TREE_IGNORE_FILES_MAX: usize = 200;
/// How many bytes of one `.gitignore` file are read.
pub const TREE_IGNORE_FILE_MAX_BYTES: u64 = 64 * 1024;
/// How many bytes of all `.gitignore` files are read.
pub const TREE_IGNORE_MAX_BYTES: u64 = 1024 * 1024;
/// How many patterns of all `.gitignore` files are used.
pub const TREE_IGNORE_RULES_MAX: usize = 10_000;
/// Maximum bytes of the paths that differ between two compared trees.
pub const TREE_PATHS_MAX_BYTES: usize = 8 * 1024 * 1024;
/// How many changes a comparison lists by default.
pub const DIFF_DEFAULT_CHANGES: usize = 200;
/// Maximum number of changes that a comparison lists.
pub const DIFF_MAX_CHANGES: usize = 2_000;
/// How much text of changes a comparison shows by default, in bytes.
pub const DIFF_DEFAULT_TEXT_BYTES: usize = 32 * 1024;
/// Maximum text of changes that a comparison shows, in bytes.
pub const DIFF_MAX_TEXT_BYTES: usize = 512 * 1024;
/// Largest file whose changes are shown as text, in bytes.
pub const DIFF_FILE_MAX_BYTES: u64 = 1024 * 1024;
/// Maximum number of lines of context around a change that a comparison shows.
pub const DIFF_CONTEXT_MAX_LINES: u32 = 100;
/// Maximum bytes of changed paths that are listed and compared for each compared workspace.
pub const COMPARE_PATHS_MAX_BYTES: usize = 1024 * 1024;
/// Fewest workspaces of one comparison.
pub const COMPARE_MIN_WORKSPACES: usize = 2;
/// Maximum number of workspaces of one comparison.
pub const COMPARE_MAX_WORKSPACES: usize = 20;
/// How many workspaces are compared at once.
pub const COMPARE_AT_ONCE: usize = 4;
/// How many changes of each compared workspace are listed by default.
pub const COMPARE_DEFAULT_CHANGES: usize = 50;
/// Bytes of a command's output read in each compared workspace. Half of it is shown.
pub const COMPARE_OUTPUT_BYTES: u64 = 4 * 1024;
/// Maximum bytes of merged texts of one merge.
pub const MERGE_MAX_BYTES: usize = 8 * 1024 * 1024;
/// How many conflicts a refused merge lists.
pub const MERGE_CONFLICTS_SHOWN: usize = 100;
/// Maximum number of environment variables of a session.
pub const ENV_VARS_MAX: usize = 256;
/// Total size of the environment variables of a session, in bytes.
pub const ENV_VARS_MAX_BYTES: usize = 64 * 1024;

/// Maximum number of hosts of a session's network policy.
pub const NETWORK_HOSTS_MAX: usize = 200;
/// Maximum number of secrets of a session.
pub const SECRETS_MAX: usize = 32;
/// Maximum number of hosts of one secret.
pub const SECRET_HOSTS_MAX: usize = 16;
/// Longest name of a secret, and of its header.
pub const SECRET_NAME_MAX_CHARS: usize = 64;
/// Longest value of a secret.
pub const SECRET_VALUE_MAX_BYTES: usize = 8 * 1024;
/// How many refused hosts a sandbox remembers until an answer reports them.
pub const REFUSED_HOSTS_KEPT: u32 = 20;
/// Shortest time between two writes of the counts of refused requests, in milliseconds.
pub const REFUSED_WRITE_MS: i64 = 1_000;
/// Refused requests of a container in a minute that get 403. Further ones get 429.
pub const REFUSED_PER_MINUTE: u32 = 600;
/// Refused requests at once, after a pause, that get 403.
pub const REFUSED_AT_ONCE: u32 = 100;
/// How many refused hosts a session logs as events in a minute.
pub const REFUSED_EVENTS_PER_MINUTE: u32 = 30;

/// Default idle time before a container stops: 10 minutes, as in `@cloudflare/sandbox`.
pub const SLEEP_AFTER_DEFAULT_MS: u64 = 600_000;
/// Longest idle time: the platform's `setInactivityTimeout` accepts at most 6 hours.
pub const SLEEP_AFTER_MAX_MS: u64 = 6 * 3_600_000;
/// Longest idle time after which the host saves and stops a container: before the platform would.
pub const IDLE_STOP_MAX_MS: u64 = SLEEP_AFTER_MAX_MS - 10 * 60_000;
/// Default time between two autosaves of a workspace in use: 15 minutes.
pub const AUTOSAVE_EVERY_DEFAULT_MS: u64 = 15 * 60_000;
/// Shortest time between two autosaves.
pub const AUTOSAVE_EVERY_MIN_MS: u64 = 1_000;
/// Pause before a failed autosave is retried. It doubles with each failure.
pub const AUTOSAVE_RETRY_MS: i64 = 30_000;
/// Longest pause before a failed autosave is retried.
pub const AUTOSAVE_RETRY_MAX_MS: i64 = 10 * 60_000;
/// Longest time from a container's start to its first successful command.
pub const CONTAINER_READY_TIMEOUT_MS: u64 = 60_000;
/// Highest `MAX_CONCURRENT_STARTS`.
pub const MAX_CONCURRENT_STARTS_MAX: u32 = 10_000;
/// How long a container waits for a permit to start, if `MAX_CONCURRENT_STARTS` limits starts.
pub const START_WAIT_MS: i64 = 120_000;
/// Mean time after which the caller should retry. The actual time is random, 0.5 to 1.5 times this.
pub const START_RETRY_AFTER_MS: u64 = 30_000;
/// How long a place in the queue is kept after the wait: longer than [`START_RETRY_AFTER_MS`].
pub const START_KEPT_MS: i64 = 120_000;
/// How long an unreturned, unextended permit lasts: longer than a start takes.
pub const START_LEASE_MS: i64 = 90_000;
/// Maximum containers that wait or keep their place. Further ones are refused.
pub const STARTS_WAITING_MAX: usize = 10_000;
/// Shortest pause before a waiting start asks again.
pub const START_ASK_MIN_MS: u64 = 500;
/// Longest pause before a waiting start asks again, while at most 1,000 wait.
pub const START_ASK_MAX_MS: u64 = 5_000;
/// How many starts, the next in line, ask at the shortest pause.
pub const START_ASK_OFTEN_MAX: usize = 50;
/// A waiting start that does not ask again loses its place this long after twice its pause.
pub const START_ABSENT_MS: i64 = 5_000;
/// How long the object `Starts` may take to answer.
pub const STARTS_RESPONSE_TIMEOUT_MS: u64 = 5_000;
/// How long a start waits for an answer of `Starts` before it goes on without a permit.
pub const STARTS_SILENT_MS: i64 = 10_000;
/// Highest `MAX_POOL_CONTAINERS`.
pub const MAX_POOL_CONTAINERS_MAX: u32 = 1_000;
/// Maximum number of containers that one warm pool keeps.
pub const POOL_SIZE_MAX: u32 = 100;
/// How many containers of pools start at once.
pub const POOL_FILL_AT_ONCE: usize = 4;
/// Longest time until a pool's container is ready. The platform ends an alarm after 15 minutes.
pub const POOL_FILL_MAX_MS: u64 = 10 * 60_000;
/// Interval between two checks that a pool's containers run and its snapshot is published.
pub const POOL_CHECK_MS: i64 = 5 * 60_000;
/// A pool is emptied if no session has asked for it for this long.
pub const POOL_IDLE_MS: i64 = 6 * 3_600_000;
/// Idle time of a container that a session has taken, until the session sets its own.
pub const POOL_TAKEN_MS: u64 = 10 * 60_000;
/// First pause after a container of a pool failed to become ready.
pub const POOL_RETRY_MS: i64 = 5_000;
/// Longest pause after a container of a pool failed to become ready.
pub const POOL_RETRY_MAX_MS: i64 = 10 * 60_000;
/// How long an open waits for a warm container.
pub const POOLS_RESPONSE_TIMEOUT_MS: u64 = 10_000;
/// Longest random delay of overdue work of an alarm in a new object, if the work is not urgent.
pub const SPREAD_MS: u64 = 60_000;
/// Longest wait until a container begins or refuses a command.
pub const CONTAINER_RESPONSE_TIMEOUT_MS: u64 = 45_000;
/// Response timeout while an earlier, abandoned request still has no response.
pub const CONTAINER_RESPONSE_TIMEOUT_AGAIN_MS: u64 = 10_000;

/// Largest HTTP request body, in bytes: one file of [`FILE_MAX_BYTES`] in base64, with its JSON.
pub const HTTP_BODY_MAX_BYTES: usize = 3 * 1024 * 1024;

/// Default bytes of stdout, and of stderr, that a tool returns: as much as a model takes in.
pub const TOOL_OUTPUT_DEFAULT_BYTES: u64 = 16 * 1024;
/// How long a tool waits for a command. Then it goes on in the background: MCP clients wait 60 s.
pub const TOOL_WAIT_DEFAULT_MS: u64 = 45_000;
/// Maximum bytes of each output over MCP. An answer holds them twice, each as up to six bytes.
pub const MCP_OUTPUT_MAX_BYTES: u64 = 128 * 1024;
/// Bytes of a file that `workspace_read_file` returns over MCP by default.
pub const MCP_READ_DEFAULT_BYTES: u64 = 32 * 1024;
/// Maximum bytes that `workspace_read_file` returns at once over MCP.
pub const MCP_READ_MAX_BYTES: u64 = 512 * 1024;

/// Bytes of content that a call may carry without waiting for room.
pub const BUDGET_FREE_BYTES: u64 = 64 * 1024;
/// Content that all calls of an isolate may hold at once, in each place: two files in base64.
pub const BUDGET_BYTES: u64 = 6 * 1024 * 1024;
/// Bodies that requests to one session may hold at once: one of the largest size.
pub const BUDGET_SHARE_BYTES: u64 = HTTP_BODY_MAX_BYTES as u64;
/// How long a request's body may take: this, and a second for every [`BODY_BYTES_PER_SECOND`].
pub const BODY_IDLE_MS: u64 = 10_000;
/// See [`BODY_IDLE_MS`].
pub const BODY_BYTES_PER_SECOND: u64 = 64 * 1024;
/// Output that all commands of an isolate may hold at once: 1 MiB for each stream of eight.
pub const BUDGET_PRINTED_BYTES: u64 = 16 * 1024 * 1024;
/// How long a call waits for room in its isolate before it is refused, in milliseconds.
pub const BUDGET_WAIT_MS: u64 = 15_000;
/// How long a command with much output waits for room. Nobody reads its output meanwhile, and the
/// container engine may then not report the end of the commands that hold the room.
pub const BUDGET_PRINTED_WAIT_MS: u64 = 2_000;

/// Time between heartbeats of a streamed MCP answer. If the client has gone, the second one fails.
pub const MCP_PULSE_MS: u64 = 500;
/// One in this many heartbeats is a progress notification, if the client asked for progress.
pub const MCP_PULSES_PER_PROGRESS: u64 = 20;

/// Time between reports to a caller that follows a command's output.
pub const FOLLOW_EVERY_MS: u64 = 500;
/// Bytes of each output in one report: the tail since the last one.
pub const FOLLOW_MAX_BYTES: usize = 4 * 1024;
/// Maximum bytes of a command's output in MCP progress notifications.
pub const MCP_OUTPUT_TOTAL_BYTES: usize = 256 * 1024;

/// Maximum number of calls of a session per minute, unless configured.
pub const CALLS_PER_MINUTE: u32 = 6_000;
/// Maximum number of calls of a session at once after a pause, unless configured.
pub const CALLS_BURST: u32 = 1_000;
/// Maximum number of requests to servers of a session per minute.
pub const VISITS_PER_MINUTE: u32 = 6_000;
/// Maximum requests to servers at once. A development server's page loads modules separately.
pub const VISITS_BURST: u32 = 3_000;
/// Maximum number of snapshots of a session per minute, unless configured.
pub const SNAPSHOTS_PER_MINUTE: u32 = 30;
/// Maximum number of snapshots of a session at once after a pause, unless configured.
pub const SNAPSHOTS_BURST: u32 = 30;
/// Maximum number of claims that an owner accepts per minute from all other sessions together.
pub const CLAIMS_PER_MINUTE: u32 = 600;
/// Maximum claims that an owner accepts at once after a pause, from all other sessions.
pub const CLAIMS_BURST: u32 = 200;
/// Maximum number of claims that an owner accepts per minute from one other session.
pub const CLAIMS_EACH_PER_MINUTE: u32 = 30;
/// Maximum number of claims that an owner accepts at once after a pause, from one other session.
pub const CLAIMS_EACH_BURST: u32 = 30;
/// After a claim is logged, further claims by the same session are not logged for this long.
pub const CLAIM_LOGGED_MS: i64 = 24 * 3_600_000;
/// How many claims an owner logs as events per hour. Further claims are only counted.
pub const CLAIMS_LOGGED_PER_HOUR: i64 = 60;
/// Largest rate and burst that a session may configure.
pub const RATE_MAX: u32 = 60_000;

/// Default lifetime of a session token: a day.
pub const TOKEN_TTL_DEFAULT_SECS: u64 = 86_400;
/// Longest lifetime of a session token: 90 days.
pub const TOKEN_TTL_MAX_SECS: u64 = 90 * 86_400;
/// Maximum number of valid tokens of one session.
pub const TOKENS_MAX: usize = 100;
/// Longest description of a token, in characters.
pub const TOKEN_DESCRIPTION_MAX_CHARS: usize = 256;
/// Longest text that is parsed as a token. A real token has under 500 bytes.
pub const TOKEN_MAX_BYTES: usize = 1_024;
/// Maximum number of ports for which a session may allow previews.
pub const PREVIEW_PORTS_MAX: usize = 16;
/// Default lifetime of a preview's link: a day.
pub const PREVIEW_TTL_DEFAULT_SECS: u64 = 86_400;
/// Longest lifetime of a preview's link: 30 days.
pub const PREVIEW_TTL_MAX_SECS: u64 = 30 * 86_400;
/// Maximum number of valid previews of one session.
pub const PREVIEWS_MAX: usize = 100;
/// Maximum number of origins whose pages may embed a preview.
pub const FRAME_ANCESTORS_MAX: usize = 8;
/// Maximum bytes of these origins together: a link contains them, and a code contains the link.
pub const FRAME_ANCESTORS_MAX_BYTES: usize = 256;
/// How long a request waits until a server listens on its port, in milliseconds.
pub const PREVIEW_WAIT_MS: u64 = 20_000;
/// Time between checks that the caller of an open WebSocket may still reach the port.
pub const PREVIEW_CHECK_EVERY_MS: u64 = 30_000;
/// Lifetime of a ticket, and of the code for which a preview's link is exchanged: half a minute.
pub const TICKET_TTL_MS: i64 = 30_000;
/// Maximum unused tickets of a session. As many codes of preview visitors may exist, too.
pub const TICKETS_MAX: usize = 100;
/// Longest path of a ticket, in bytes. The whole ticket must fit into `TOKEN_MAX_BYTES`.
pub const TICKET_PATH_MAX_BYTES: usize = 256;
/// Shortest key of `TOKEN_KEYS`: as long as the MAC.
pub const TOKEN_KEY_MIN_BYTES: usize = 32;
/// Maximum number of keys in `TOKEN_KEYS`.
pub const TOKEN_KEYS_MAX: usize = 16;

/// Largest imported tar archive, and most bytes of its files.
pub const TAR_MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// Largest archive that becomes a snapshot: as received, uncompressed, and in bytes of files.
pub const SNAPSHOT_IMPORT_MAX_BYTES: u64 = 16 * 1024 * 1024 * 1024;
/// Longest key of an archive in the bucket, in bytes.
pub const ARCHIVE_KEY_MAX_BYTES: usize = 1_024;
/// Maximum number of concurrent imports of one workspace.
pub const IMPORTS_AT_ONCE: u64 = 4;
/// Largest part of a multipart upload.
pub const UPLOAD_PART_MAX_BYTES: u64 = 100 * 1024 * 1024;
/// Maximum number of parts of one upload.
pub const UPLOAD_PARTS_MAX: u16 = 1_000;
/// Maximum number of unfinished uploads of one workspace.
pub const UPLOADS_MAX: u64 = 4;
/// Longest upload id, in characters.
pub const UPLOAD_ID_MAX_CHARS: usize = 64;
/// Maximum number of entries of an imported tar archive.
pub const TAR_MAX_ENTRIES: u64 = 500_000;
/// Time limit of an import or export, in milliseconds.
pub const TAR_TIMEOUT_MS: u64 = 3_600_000;

/// Longest name of a background process, in characters.
pub const PROCESS_NAME_MAX_CHARS: usize = 64;
/// Maximum running background processes of a container. As many ended ones are remembered.
pub const PROCESSES_MAX: u32 = 16;
/// How many commands a session records. All rows have at most 2 MiB, by the limits below.
pub const COMMANDS_KEPT: u32 = 200;
/// Maximum number of commands on one page.
pub const COMMANDS_PAGE_MAX: u32 = 50;
/// How many bytes of a command are recorded.
pub const COMMAND_RECORDED_BYTES: usize = 2 * 1024;
/// How many bytes of a command the timeline shows.
pub const TIMELINE_COMMAND_BYTES: usize = 200;
/// How many bytes at the end of a command's stdout, and of its stderr, are recorded.
pub const COMMAND_TAIL_BYTES: usize = 4 * 1024;
/// How many commands the timeline names for each turn: the last ones.
pub const TURN_COMMANDS_MAX: usize = 10;
/// Shortest secret value that is redacted. Shorter ones look like ordinary words.
pub const REDACTED_MIN_CHARS: usize = 8;
/// How many characters of a process's command are shown.
pub const COMMAND_SHOWN_CHARS: usize = 200;
/// Maximum number of services of a session.
pub const SERVICES_MAX: usize = 8;
/// Total size of the commands of services, in bytes: each call loads the configuration.
pub const SERVICES_MAX_BYTES: usize = 64 * 1024;
/// How many bytes of a service's output the description of a workspace shows.
pub const SERVICE_LOG_SHOWN_BYTES: u64 = 1024;
/// How much output of a background process is kept. Beyond it, the older half is dropped.
pub const PROCESS_LOG_MAX_BYTES: u64 = 8 * 1024 * 1024;
/// Maximum output of a background process that one call returns, in bytes.
pub const PROCESS_LOG_READ_MAX_BYTES: u64 = 128 * 1024;
/// The smallest output limit that a caller may set for a background process, in bytes.
pub const PROCESS_LOG_READ_MIN_BYTES: u64 = 1024;
/// Output of a background process that one call returns by default, in bytes.
pub const PROCESS_LOG_READ_BYTES: u64 = 16 * 1024;
/// Longest time that one call waits for more output, in milliseconds.
pub const PROCESS_LOG_WAIT_MAX_MS: u64 = 30_000;

/// Length of a terminal's id, in characters.
pub const TERMINAL_ID_CHARS: usize = 26;
/// Maximum number of terminals of a container that are open at once.
pub const TERMINALS_MAX: usize = 8;
/// Maximum number of columns, and of rows, of a terminal.
pub const TERMINAL_SIDE_MAX: u16 = 1000;
/// Columns and rows of a terminal, unless the viewer sets them.
pub const TERMINAL_SIDE_DEFAULT: (u16, u16) = (80, 24);
/// Largest message of a terminal or its viewer, in bytes.
pub const TERMINAL_MESSAGE_MAX_BYTES: usize = 256 * 1024;
/// How many bytes a terminal sends before the viewer has confirmed any of them.
pub const TERMINAL_WINDOW_BYTES: u64 = 1024 * 1024;
/// How much typed input may wait for the terminal, in bytes.
pub const TERMINAL_INPUT_MAX_BYTES: usize = 1024 * 1024;
/// How many of a terminal's last printed bytes are kept for a slow viewer.
pub const TERMINAL_KEPT_BYTES: usize = 256 * 1024;
/// How much output a returning viewer gets again, in bytes.
pub const TERMINAL_REPLAY_BYTES: u64 = 64 * 1024;
/// How long a viewer has to reconnect to its shell, in milliseconds.
pub const TERMINAL_DETACHED_MS: u64 = 60_000;
/// A terminal is closed after this time without input and output, in milliseconds.
pub const TERMINAL_IDLE_MS: i64 = 30 * 60_000;

/// Longest name of a git checkpoint, in characters.
pub const CHECKPOINT_NAME_MAX_CHARS: usize = 128;
/// How many checkpoints a list shows: the latest ones.
pub const CHECKPOINTS_SHOWN: usize = 200;
/// How many changed paths the answer of a restored checkpoint lists.
pub const CHECKPOINT_CHANGES_SHOWN: usize = 200;
/// How many nested repositories an answer about a git checkpoint lists.
pub const CHECKPOINT_NESTED_SHOWN: usize = 20;
/// Longest diff of a git checkpoint, in bytes: as much as a tool returns over MCP.
pub const CHECKPOINT_DIFF_MAX_BYTES: usize = 128 * 1024;
/// Time limit of a git checkpoint's call, in milliseconds.
pub const CHECKPOINT_TIMEOUT_MS: u64 = 600_000;

/// Maximum number of directories that one watch covers.
pub const WATCH_DIRECTORIES_MAX: u64 = 20_000;
/// Maximum number of concurrent watches of one workspace.
pub const WATCHES_MAX: usize = 16;
/// Maximum number of globs that a watch excludes.
pub const WATCH_EXCLUDE_MAX: usize = 64;
/// Longest exclusion glob of a watch, in bytes (Linux `NAME_MAX`).
pub const WATCH_EXCLUDE_MAX_BYTES: usize = 255;
/// How long a watch may take to begin, in milliseconds.
pub const WATCH_READY_MS: u64 = 60_000;
/// Longest duration of one watch, in milliseconds.
pub const WATCH_MAX_MS: u64 = 3_600_000;

/// Time between heartbeats of a stream. Each object on the way needs two to notice a gone caller.
pub const STREAM_PULSE_MS: u64 = 2_000;

/// How old a `pending`, `deleting` or `creating` row may be before the alarm rechecks it.
pub const RECOVER_AFTER_MS: i64 = 30_000;
/// How long a wake waits for the save of an ended container, in milliseconds.
pub const SAVE_ENDS_MS: u64 = 10_000;
/// An alarm that has worked for this long begins no further work.
pub const ALARM_BUDGET_MS: i64 = 20_000;
/// How long an alarm waits for its work, which then continues beside later alarms.
pub const ALARM_WAITS_MS: u64 = 20_000;
/// Pause before a failed alarm is scheduled again. It doubles with each failure.
pub const ALARM_RETRY_MS: i64 = 60_000;
/// Longest pause before a failed alarm is scheduled again.
pub const ALARM_RETRY_MAX_MS: i64 = 10 * 60_000;
/// Longest pause before a failed recovery is retried. The first pause is [`RECOVER_AFTER_MS`].
pub const RETRY_MAX_MS: i64 = 3_600_000;
/// Idle time after which the platform stops a clean sandbox that a crash left.
pub const CLEAN_SLEEP_AFTER_MS: u64 = 600_000;
/// Content of files compared before a layer becomes full. A MiB takes up to 6 ms of CPU time.
pub const FLATTEN_COMPARED_MAX_BYTES: u64 = 1024 * 1024 * 1024;
/// Paths compared before a layer becomes full. A thousand take 4 ms.
pub const FLATTEN_COMPARED_MAX_PATHS: u64 = 1_000_000;
/// How many bytes of a file are compared at once.
pub const FLATTEN_COMPARED_AT_ONCE: u64 = 2 * 1024 * 1024;
/// Time between two sweeps of a ready snapshot, which check that R2 still has the whole snapshot.
pub const SWEEP_EVERY_MS: i64 = 24 * 3_600_000;
/// Pause before a sweep is repeated when R2 did not respond.
pub const SWEEP_RETRY_MS: i64 = 3_600_000;
/// How many snapshots one alarm sweeps.
pub const SWEEP_AT_ONCE: u32 = 100;
/// How many losses one sweep believes. More losses suggest another bucket, or an emptied one.
pub const LOSSES_BELIEVED: usize = 3;
/// How long the objects of a lost snapshot are kept, so that the rest can be put back: a week.
pub const LOST_KEPT_MS: i64 = 7 * 24 * 3_600_000;
/// How many lost snapshots have their objects deleted in a day.
pub const LOST_DELETED_A_DAY: u32 = 3;
/// Time between two deletions of lost snapshots' objects: a day.
pub const LOST_DELETES_EVERY_MS: i64 = 24 * 3_600_000;
/// Time between two checks whether lost snapshots are back.
pub const LOST_RECHECK_MS: i64 = 3_600_000;
/// How much the clocks of R2 and of an object may differ.
pub const CLOCKS_DIFFER_MS: i64 = 60_000;
/// How many other archives are looked up in the bucket before a loss is believed.
pub const KNOWN_OBJECTS_LOOKED_FOR: u32 = 4;
/// How many backups one call of a rebuild examines.
pub const REBUILD_PAGE: u32 = 100;
/// After this time, a session registers again, in case the directory lost its storage.
pub const REGISTERED_FOR_MS: i64 = 30 * 24 * 3_600_000;
/// How many sessions one operator call queries.
pub const SESSIONS_ASKED: u32 = 50;
/// How many sessions are queried at once.
pub const SESSIONS_ASKED_AT_ONCE: usize = 5;
/// How many backups one call of the operator's prune examines.
pub const PRUNE_PAGE: u32 = 100;
/// Age at which an archive without `meta.json` is ownerless: its session would have recovered it.
pub const INCOMPLETE_AFTER_MS: i64 = 24 * 3_600_000;
/// How long a read lease lasts if its borrower has gone and does not return it.
pub const LEASE_READ_MS: i64 = 3_600_000;
/// How long an unrenewed lease lasts for a workspace that would wake from the snapshot.
pub const LEASE_KEPT_MS: i64 = 24 * 3_600_000;
/// Time between two renewals of a lease for a workspace.
pub const LEASE_RENEW_MS: i64 = 8 * 3_600_000;
/// Pause before a request to an owner that did not respond is repeated.
pub const LEASE_RETRY_MS: i64 = 5 * 60_000;
/// How many events a session keeps. Older events are dropped.
pub const EVENTS_KEPT: u32 = 10_000;

/// Maximum number of bucket mounts of a session.
pub const BUCKET_MOUNTS_MAX: usize = 16;
/// Longest prefix of a bucket mount, in bytes.
pub const BUCKET_PREFIX_MAX_BYTES: usize = 512;
/// Longest key of an object in a bucket, in bytes, as in R2 and S3.
pub const BUCKET_KEY_MAX_BYTES: usize = 1_024;
/// Maximum entries in a list, and keys in a batch of deletions, as in R2 and S3.
pub const BUCKET_LIST_MAX: u32 = 1_000;
/// Maximum metadata of an object in a bucket, in bytes, as in R2.
pub const BUCKET_METADATA_MAX_BYTES: usize = 8_192;
/// Largest single put, part or copy through the bucket gateway, in bytes: R2's 5 GiB less 5 MiB.
pub const BUCKET_PUT_MAX_BYTES: u64 = 5 * 1024 * 1024 * 1024 - 5 * 1024 * 1024;
/// How much of a refused request's body is read, so that the connection can be reused.
pub const BUCKET_DRAINED_MAX_BYTES: usize = 16 * 1024 * 1024;
/// Maximum number of parts of an upload to a bucket, as in R2 and S3.
pub const BUCKET_PARTS_MAX: u16 = 10_000;
/// Largest document from a client of a bucket: the keys of a batch, or the parts of an upload.
pub const BUCKET_DOCUMENT_MAX_BYTES: u64 = 3 * 1024 * 1024;
/// How long such a document may take to arrive. Its room in the isolate is reserved for longer.
pub const BUCKET_DOCUMENT_WAIT_MS: u64 = 50_000;
/// Memory for each entry of a list or key of a batch: the longest key percent-encoded, and more.
pub const BUCKET_ENTRY_BYTES: u64 = 4 * 1024;
/// Documents and lists of buckets that an isolate may hold at once: three whole lists.
pub const BUDGET_BUCKETS_BYTES: u64 = 3 * BUCKET_LIST_MAX as u64 * BUCKET_ENTRY_BYTES;
