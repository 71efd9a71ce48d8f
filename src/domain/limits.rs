//! Every number the product enforces, in one place.
//!
//! `build.rs` includes this file and checks the tool schemas against it, so a
//! limit that is published is the limit that is enforced. It therefore depends
//! on nothing.

/// Longest session id, in characters.
pub const SESSION_ID_MAX_CHARS: usize = 128;
/// Longest sandbox id, in characters (a DNS label, as `@cloudflare/sandbox` has it).
pub const SANDBOX_ID_MAX_CHARS: usize = 63;
/// Longest origin that may be the session id itself: 45 + `-restored-` + 8 = 63.
pub const ORIGIN_MAX_CHARS: usize = 45;
/// Length of the random part of a new workspace's id: 8 × 5 bits of Crockford base32.
pub const SHORT_ID_CHARS: usize = 8;
/// Longest idempotency key, in characters.
pub const IDEMPOTENCY_KEY_MAX_CHARS: usize = 255;
/// How long a recorded call, and with it its idempotency key, is kept.
pub const OPERATION_KEPT_MS: i64 = 24 * 3_600_000;
/// Recorded calls without a key kept per session; the oldest that have ended are dropped.
pub const OPERATIONS_KEPT: u32 = 1_000;
/// Recorded calls of a session in that time, with which another key is still taken.
pub const OPERATIONS_MAX: i64 = 100_000;
/// Largest answer of a recorded call that is kept, in bytes of JSON.
pub const OPERATION_ANSWER_MAX_BYTES: usize = 512 * 1024;
/// Larger answers than this are kept only as long as there is room for them.
pub const OPERATION_ANSWER_SMALL_BYTES: usize = 4 * 1024;
/// That room, in bytes per session.
pub const OPERATION_ANSWERS_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Between two alarms while a call runs that no request waits for. An object
/// that is idle for about 10 seconds leaves memory, and the call with it.
pub const HEARTBEAT_MS: i64 = 5_000;
/// Longest name of a call, in characters.
pub const OPERATION_ID_MAX_CHARS: usize = 64;
/// Longest snapshot name, in characters.
pub const SNAPSHOT_NAME_MAX_CHARS: usize = 128;
/// Longest snapshot description, in characters.
pub const SNAPSHOT_DESCRIPTION_MAX_CHARS: usize = 1_024;

/// Labels of one snapshot.
pub const LABELS_MAX: usize = 32;
/// Longest key of a label, in characters.
pub const LABEL_KEY_MAX_CHARS: usize = 63;
/// Longest value of a label, in characters.
pub const LABEL_VALUE_MAX_CHARS: usize = 256;
/// Labels that one `list` may ask for.
pub const LABEL_FILTERS_MAX: usize = 8;

/// Default lifetime of a snapshot: 3 days, as `@cloudflare/sandbox` 0.12.
pub const TTL_DEFAULT_SECS: u64 = 259_200;
/// Shortest lifetime. Anything at or under the expiry margin could never be restored.
pub const TTL_MIN_SECS: u64 = 61;
/// Longest lifetime: ten years, which is how "keep until deleted" is stored.
pub const TTL_MAX_SECS: u64 = 315_360_000;
/// A snapshot counts as expired this long before its time, so that a restore
/// that starts can also finish.
pub const EXPIRY_MARGIN_MS: i64 = 60_000;

/// Autosaves kept beside those that a wake needs, unless configured.
pub const KEEP_AUTOSAVES_DEFAULT: u32 = 4;
/// How long what a rebuild put back stays at least: a week, as an unused
/// workspace would have kept it.
pub const REBUILT_KEPT_MS: i64 = 7 * 24 * 3_600_000;
/// How long a session knows a snapshot or a workspace that is gone: thirty days.
pub const ENDED_KEPT_MS: i64 = 30 * 24 * 3_600_000;
/// Snapshots that are gone, and workspaces, that one alarm forgets.
pub const ENDED_FORGOTTEN_AT_ONCE: u64 = 200;
/// Leases that are over, and recorded calls, that one alarm forgets.
pub const FORGOTTEN_AT_ONCE: u64 = 500;
/// Edits that one alarm writes to `meta.json`.
pub const EDITS_AT_ONCE: u32 = 200;
/// Of how many snapshots one alarm forgets that a rebuild put them back.
pub const PROTECTIONS_ENDED_AT_ONCE: i64 = 500;
/// Largest count that a retention policy may name: a plan counts as many rows of an index.
pub const RETENTION_COUNT_CEILING: u32 = 10_000;
/// Largest `maxBytes` of a retention policy: 2^53 - 1, which JSON carries exactly.
pub const RETENTION_MAX_BYTES_CEILING: u64 = (1 << 53) - 1;
/// Longest `minIntervalSeconds` of a retention policy: a day.
pub const RETENTION_INTERVAL_MAX_SECS: u64 = 86_400;

/// Snapshots that one alarm, or one call, deletes for the policy.
pub const PRUNES_AT_ONCE: usize = 100;
/// Snapshots that a retention plan shows one by one, and counts as due.
pub const RETENTION_SHOWN: usize = 1_000;

/// Snapshots that a lineage shows, the latest ones, and as many ancestors of
/// theirs that are gone.
pub const LINEAGE_MAX_PLACES: u32 = 500;

/// Processes that the answer of a rewind names, of those that it ended.
pub const ENDED_SHOWN: u32 = 100;
/// How long a rewind waits for calls that are in the workspace to end.
pub const QUIET_WAIT_MS: u64 = 10_000;

/// Default and largest page of `list`, unless `maxListResults` says otherwise.
pub const MAX_LIST_RESULTS_DEFAULT: u32 = 100;
/// Largest `maxListResults` a session may configure: one R2 page.
pub const MAX_LIST_RESULTS_CEILING: u32 = 1_000;

/// Longest cursor that is read, in bytes.
pub const CURSOR_MAX_BYTES: usize = 4_096;

/// Containers of one session that may run at once, unless configured.
pub const MAX_RUNNING_DEFAULT: u32 = 4;
/// Workspaces of one session, unless configured.
pub const MAX_WORKSPACES_DEFAULT: u32 = 20;
/// Workspaces that one live fork makes.
pub const LIVE_FORKS_MAX: u32 = 20;
/// How long a workspace that is not active stays unused before it is retired,
/// unless a retention policy says otherwise: a week.
pub const RETIRE_AFTER_DEFAULT_MS: i64 = 7 * 24 * 3_600_000;
/// Shortest `retireAfterSeconds` of a retention policy: a minute. With less, a new
/// workspace could be retired before its first use.
pub const RETIRE_AFTER_MIN_SECS: u64 = 60;
/// Longest: ten years, as "keep until deleted" is stored.
pub const RETIRE_AFTER_MAX_SECS: u64 = 315_360_000;
/// Largest `maxRunning` and `maxWorkspaces` a session may configure.
pub const MAX_WORKSPACES_CEILING: u32 = 100;

/// Attempts at an archive when files change or vanish underneath `mksquashfs`.
pub const BACKUP_ATTEMPTS: u32 = 3;
/// Largest archive sent as one R2 put. R2 checks its SHA-256. Beyond: multipart.
pub const SINGLE_PUT_MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// Size of a multipart part: R2 allows 10,000 parts, so archives up to 5 TB.
pub const MULTIPART_PART_BYTES: u64 = 512 * 1024 * 1024;
/// Largest `meta.json` that is read; real ones are under 2 KiB.
pub const META_MAX_BYTES: u64 = 64 * 1024;
/// `meta.json` objects read at once by a crossing list (R2 allows 6 connections).
pub const META_READS_AT_ONCE: usize = 5;

/// Captured stdout, and captured stderr, of one `exec`, in bytes. The rest is
/// discarded and `stdoutTruncated` / `stderrTruncated` say so.
pub const EXEC_OUTPUT_MAX_BYTES: usize = 1024 * 1024;
/// Least that a caller may ask for of each output of a command, in bytes.
pub const EXEC_OUTPUT_MIN_BYTES: usize = 1024;
/// Longest event of a command that is read: both outputs, every byte of which
/// JSON may write as six.
pub const EXEC_EVENT_MAX_BYTES: usize = 16 * EXEC_OUTPUT_MAX_BYTES;
/// Default time a command may take, in milliseconds.
pub const EXEC_TIMEOUT_DEFAULT_MS: u64 = 120_000;
/// Longest time a command may take, in milliseconds.
pub const EXEC_TIMEOUT_MAX_MS: u64 = 3_600_000;
/// Exit code reported for a command that was killed at its timeout (as `timeout(1)`).
pub const EXEC_TIMEOUT_EXIT_CODE: i32 = 124;
/// Longest shell string or argv, in bytes (Linux takes 128 KiB per argument).
pub const EXEC_COMMAND_MAX_BYTES: usize = 100 * 1024;
/// Programs that an allowlist may have.
pub const SHELL_ALLOWLIST_MAX: usize = 256;
/// Longest name of a program on an allowlist, in characters (Linux `NAME_MAX`).
pub const SHELL_PROGRAM_MAX_CHARS: usize = 255;
/// Largest file read or written in one call, in bytes of its content.
pub const FILE_MAX_BYTES: u64 = 2 * 1024 * 1024;
/// Entries one `listFiles` returns at most.
pub const LIST_FILES_MAX_ENTRIES: usize = 10_000;
/// Entries that `workspace_ls` and `workspace_glob` return unless asked for
/// more, up to [`LIST_FILES_MAX_ENTRIES`].
pub const LIST_FILES_DEFAULT_ENTRIES: usize = 1_000;
/// Bytes of a part of a file that is read, unless asked for more, up to
/// [`FILE_MAX_BYTES`]: what a model can take in.
pub const READ_PART_DEFAULT_BYTES: u64 = 256 * 1024;
/// Lines, matching or around a match, that one `workspace_grep` returns unless
/// asked for more.
pub const GREP_DEFAULT_LINES: usize = 200;
/// Most lines that one `workspace_grep` returns.
pub const GREP_MAX_LINES: usize = 2_000;
/// Most lines around a match, before and after each.
pub const GREP_CONTEXT_MAX_LINES: u32 = 20;
/// Characters shown of a line that `workspace_grep` found.
pub const GREP_LINE_MAX_CHARS: usize = 500;
/// Longest pattern of `workspace_grep` and `workspace_glob`, in bytes.
pub const PATTERN_MAX_BYTES: usize = 4_096;
/// Matches of an ambiguous edit whose lines are told.
pub const EDIT_SHOWN_MATCHES: usize = 10;
/// How much of a file is searched for lines like an edit's `oldText`, and the
/// longest `oldText` that is, in bytes.
pub const EDIT_COMPARED_MAX_BYTES: usize = 1024 * 1024;
/// Largest code run in one call, in bytes. Larger programs are files.
pub const CODE_MAX_BYTES: usize = 1024 * 1024;
/// Largest value of a run of code that is answered, in bytes of JSON.
pub const CODE_VALUE_MAX_BYTES: usize = 1024 * 1024;
/// Largest image of a run of code that is answered, in bytes.
pub const CODE_FILE_MAX_BYTES: usize = 1024 * 1024;
/// Most images of a run of code.
pub const CODE_FILES_MAX: usize = 3;
/// Longest path, in bytes (Linux `PATH_MAX`).
pub const PATH_MAX_BYTES: usize = 4_096;
/// Environment variables a session may set, and their total size in bytes.
pub const ENV_VARS_MAX: usize = 256;
/// Total size of the environment variables of a session, in bytes.
pub const ENV_VARS_MAX_BYTES: usize = 64 * 1024;

/// Default idle time before a container is stopped: 10 minutes, as `@cloudflare/sandbox`.
pub const SLEEP_AFTER_DEFAULT_MS: u64 = 600_000;
/// Longest idle time: the platform's `setInactivityTimeout` takes at most 6 hours.
pub const SLEEP_AFTER_MAX_MS: u64 = 6 * 3_600_000;
/// Latest time, since its last use, at which the host saves and stops an idle
/// container by itself: before the platform's own longest idle time is over.
pub const IDLE_STOP_MAX_MS: u64 = SLEEP_AFTER_MAX_MS - 10 * 60_000;
/// Default time between two automatic snapshots of a workspace in use: 15 minutes.
pub const AUTOSAVE_EVERY_DEFAULT_MS: u64 = 15 * 60_000;
/// Shortest one.
pub const AUTOSAVE_EVERY_MIN_MS: u64 = 1_000;
/// Pause before a failed automatic snapshot is tried again. It doubles with
/// each failure.
pub const AUTOSAVE_RETRY_MS: i64 = 30_000;
/// Longest one.
pub const AUTOSAVE_RETRY_MAX_MS: i64 = 10 * 60_000;
/// Time a container may take from start to its first successful command.
pub const CONTAINER_READY_TIMEOUT_MS: u64 = 60_000;
/// How long a container is waited for, in milliseconds, that answers no request:
/// begins no command and refuses none.
pub const CONTAINER_RESPONSE_TIMEOUT_MS: u64 = 45_000;
/// The same while an earlier request, that was given up, still has no answer.
pub const CONTAINER_RESPONSE_TIMEOUT_AGAIN_MS: u64 = 10_000;

/// Largest HTTP request body, in bytes: one file of [`FILE_MAX_BYTES`] as
/// base64, and its JSON.
pub const HTTP_BODY_MAX_BYTES: usize = 3 * 1024 * 1024;

/// What a tool that is called over MCP returns of stdout, and of stderr, unless
/// asked for more, in bytes: a model has to take it in.
pub const MCP_OUTPUT_DEFAULT_BYTES: u64 = 16 * 1024;
/// Most that it returns of each. An MCP answer has its content twice, and JSON
/// may write a byte as six.
pub const MCP_OUTPUT_MAX_BYTES: u64 = 128 * 1024;
/// What `workspace_read_file` over MCP returns of a file, unless asked for more.
pub const MCP_READ_DEFAULT_BYTES: u64 = 32 * 1024;
/// Most that it returns at once. `nextOffset` leads to the rest.
pub const MCP_READ_MAX_BYTES: u64 = 512 * 1024;

/// Content that a call may carry without waiting for room, in bytes.
pub const BUDGET_FREE_BYTES: u64 = 64 * 1024;
/// Content that all calls of an isolate may hold at once in each place that it
/// passes: two of the largest files in base64.
pub const BUDGET_BYTES: u64 = 6 * 1024 * 1024;
/// The same of what commands print: 1 MiB to each stream of eight.
pub const BUDGET_PRINTED_BYTES: u64 = 16 * 1024 * 1024;
/// How long a call waits for room in its isolate before it is refused, in milliseconds.
pub const BUDGET_WAIT_MS: u64 = 15_000;
/// How long a command that prints much waits for room, in milliseconds. Its
/// output is not read meanwhile, and an engine may then tell the end of no other
/// command, whose room it waits for.
pub const BUDGET_PRINTED_WAIT_MS: u64 = 2_000;

/// Between two signs of life in a streamed MCP answer, in milliseconds. A stream
/// that the client closed is noticed by them: the second write to it fails.
pub const MCP_PULSE_MS: u64 = 500;
/// Every so many signs of life one is a progress notification, where the client
/// asked for them.
pub const MCP_PULSES_PER_PROGRESS: u64 = 20;

/// How often who follows a command is told what it prints, in milliseconds.
pub const FOLLOW_EVERY_MS: u64 = 500;
/// What is told at once of stdout, and of stderr, at most, in bytes: the end of
/// what was printed meanwhile.
pub const FOLLOW_MAX_BYTES: usize = 4 * 1024;
/// After so many bytes of its command's output the progress of a call tells no more.
pub const MCP_OUTPUT_TOTAL_BYTES: usize = 256 * 1024;

/// Calls of a session in a minute, unless configured.
pub const CALLS_PER_MINUTE: u32 = 6_000;
/// Calls of a session at once, after a rest, unless configured.
pub const CALLS_BURST: u32 = 1_000;
/// Snapshots of a session in a minute, unless configured.
pub const SNAPSHOTS_PER_MINUTE: u32 = 30;
/// Snapshots of a session at once, after a rest, unless configured.
pub const SNAPSHOTS_BURST: u32 = 30;
/// Claims by other sessions, all together, that an owner takes in a minute.
pub const CLAIMS_PER_MINUTE: u32 = 600;
/// The same at once, after a rest.
pub const CLAIMS_BURST: u32 = 200;
/// Claims by one other session that an owner takes in a minute.
pub const CLAIMS_EACH_PER_MINUTE: u32 = 30;
/// The same at once, after a rest.
pub const CLAIMS_EACH_BURST: u32 = 30;
/// How long an owner records no further claim by the same session as an event.
pub const CLAIM_LOGGED_MS: i64 = 24 * 3_600_000;
/// Claims that an owner records as events in an hour. Further ones are counted.
pub const CLAIMS_LOGGED_PER_HOUR: i64 = 60;
/// Largest rate, and burst, that a session may configure.
pub const RATE_MAX: u32 = 60_000;

/// How long a session token is good, unless asked otherwise: a day.
pub const TOKEN_TTL_DEFAULT_SECS: u64 = 86_400;
/// Longest that a session token is good: 90 days.
pub const TOKEN_TTL_MAX_SECS: u64 = 90 * 86_400;
/// Tokens of one session that are good at once.
pub const TOKENS_MAX: usize = 100;
/// Longest description of a token, in characters.
pub const TOKEN_DESCRIPTION_MAX_CHARS: usize = 256;
/// Longest text that is looked at as a token; a real one has under 500 bytes.
pub const TOKEN_MAX_BYTES: usize = 1_024;
/// Shortest key of `TOKEN_KEYS`: as long as the MAC.
pub const TOKEN_KEY_MIN_BYTES: usize = 32;
/// Keys that `TOKEN_KEYS` may have.
pub const TOKEN_KEYS_MAX: usize = 16;

/// Largest tar archive that is imported, and most bytes that its files may have.
pub const TAR_MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// Imports of one workspace at once.
pub const IMPORTS_AT_ONCE: u64 = 4;
/// Largest part of an archive that is sent in parts.
pub const UPLOAD_PART_MAX_BYTES: u64 = 100 * 1024 * 1024;
/// Parts of one archive.
pub const UPLOAD_PARTS_MAX: u16 = 1_000;
/// Unfinished uploads of one workspace.
pub const UPLOADS_MAX: u64 = 4;
/// Longest id of an upload, in characters.
pub const UPLOAD_ID_MAX_CHARS: usize = 64;
/// Entries of a tar archive that is imported.
pub const TAR_MAX_ENTRIES: u64 = 500_000;
/// Longest that an import or export may take, in milliseconds.
pub const TAR_TIMEOUT_MS: u64 = 3_600_000;

/// Directories that one watch follows.
pub const WATCH_DIRECTORIES_MAX: u64 = 20_000;
/// Watches of one workspace at once.
pub const WATCHES_MAX: usize = 16;
/// Globs that a watch passes over.
pub const WATCH_EXCLUDE_MAX: usize = 64;
/// Longest of them, in bytes (Linux `NAME_MAX`).
pub const WATCH_EXCLUDE_MAX_BYTES: usize = 255;
/// How long a watch may take to begin, in milliseconds.
pub const WATCH_READY_MS: u64 = 60_000;
/// How long one watch lasts at most, in milliseconds.
pub const WATCH_MAX_MS: u64 = 3_600_000;

/// Between two signs of life in a stream to a caller, in milliseconds. That a
/// caller has gone is noticed by them, two for each object on the way.
pub const STREAM_PULSE_MS: u64 = 2_000;

/// How long a `pending`, `deleting` or `creating` row may stand before the
/// alarm looks at it.
pub const RECOVER_AFTER_MS: i64 = 30_000;
/// An alarm that has worked for so long begins no further piece of work.
pub const ALARM_BUDGET_MS: i64 = 20_000;
/// How long an alarm waits for its work, which then goes on beside the next
/// alarms. The platform ends one after 15 minutes.
pub const ALARM_WAITS_MS: u64 = 20_000;
/// Pause before an alarm that failed is set again. It doubles with each failure.
pub const ALARM_RETRY_MS: i64 = 60_000;
/// Longest one.
pub const ALARM_RETRY_MAX_MS: i64 = 10 * 60_000;
/// Longest pause before what could not be recovered is tried again. It begins with
/// [`RECOVER_AFTER_MS`] and doubles with each failure.
pub const RETRY_MAX_MS: i64 = 3_600_000;
/// How often it is checked that R2 has a ready snapshot whole.
pub const SWEEP_EVERY_MS: i64 = 24 * 3_600_000;
/// When the check is repeated where R2 did not answer.
pub const SWEEP_RETRY_MS: i64 = 3_600_000;
/// Snapshots checked by one alarm.
pub const SWEEP_AT_ONCE: u32 = 100;
/// Losses that one sweep believes. More look like another bucket, or one that somebody emptied.
pub const LOSSES_BELIEVED: usize = 3;
/// Other archives looked for in a bucket before the loss of one is believed.
pub const KNOWN_OBJECTS_LOOKED_FOR: u32 = 4;
/// Backups that one call of a rebuild looks at.
pub const REBUILD_PAGE: u32 = 100;
/// How long a session counts as listed by the directory: then it is listed
/// again, in case that has lost its storage.
pub const REGISTERED_FOR_MS: i64 = 30 * 24 * 3_600_000;
/// Sessions whose objects one call of the operator asks.
pub const SESSIONS_ASKED: u32 = 50;
/// Sessions that are asked at once.
pub const SESSIONS_ASKED_AT_ONCE: usize = 5;
/// Backups that one call of the operator's prune looks at.
pub const PRUNE_PAGE: u32 = 100;
/// An archive without `meta.json` is nobody's this long after its upload:
/// whoever made it would have recovered it.
pub const INCOMPLETE_AFTER_MS: i64 = 24 * 3_600_000;
/// How long a snapshot is lent to another session to be read. The borrower ends
/// it earlier; this is for one that is gone.
pub const LEASE_READ_MS: i64 = 3_600_000;
/// How long it is lent to a workspace that would wake from it, without being renewed.
pub const LEASE_KEPT_MS: i64 = 24 * 3_600_000;
/// How often a borrower renews that.
pub const LEASE_RENEW_MS: i64 = 8 * 3_600_000;
/// When an owner that did not answer is told again.
pub const LEASE_RETRY_MS: i64 = 5 * 60_000;
/// Events kept per session; older ones are dropped.
pub const EVENTS_KEPT: u32 = 10_000;
