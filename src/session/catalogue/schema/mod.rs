//! The catalogue's schema. A shipped version is never edited: the next one migrates from it.

pub(crate) mod snapshots;
pub(crate) mod sums;

use crate::session::catalogue::schema::snapshots::{HEADS, NEEDS, SNAPSHOTS, TURNS};
use crate::session::catalogue::schema::sums::SUMS;

pub(crate) const MIGRATIONS: [&[&[&str]]; 1] = [&[
    SESSION, WORKSPACES, HEADS, REWINDS, SNAPSHOTS, NEEDS, SUMS, TURNS, UNFINISHED, LEASES,
    OPERATIONS, COMMANDS, EVENTS, TOKENS, PREVIEWS, UPKEEP,
]];

const SESSION: &[&str] = &["CREATE TABLE session (
        singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
        session_id TEXT NOT NULL,
        config TEXT NOT NULL,
        active_sandbox_id TEXT NOT NULL,
        opened_at_ms INTEGER NOT NULL,
        closed_at_ms INTEGER,
        snapshots_full_at_us INTEGER NOT NULL DEFAULT 0,
        registered_at_ms INTEGER,
        omitted_claims INTEGER NOT NULL DEFAULT 0,
        turns INTEGER NOT NULL DEFAULT 0
    ) STRICT"];

/// A rewind changes `from_backup_id`, but not `made_from_backup_id`. `turn_backup_id` has the files
/// of the last turn, unless the workspace was rewound since.
const WORKSPACES: &[&str] = &[
    "CREATE TABLE workspaces (
        sandbox_id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        instance_id TEXT,
        from_backup_id TEXT,
        created_at_ms INTEGER NOT NULL,
        last_used_at_ms INTEGER NOT NULL,
        head_backup_id TEXT,
        head_seq INTEGER NOT NULL DEFAULT 0,
        saved_at_ms INTEGER NOT NULL DEFAULT 0,
        paused_at_ms INTEGER,
        unreported_wake TEXT,
        unreleased INTEGER NOT NULL DEFAULT 0,
        made_from_backup_id TEXT,
        ended_at_ms INTEGER,
        turn_backup_id TEXT
    ) STRICT, WITHOUT ROWID",
    "CREATE INDEX workspaces_by_head ON workspaces (head_backup_id) WHERE head_backup_id IS NOT NULL",
    "CREATE INDEX workspaces_by_origin ON workspaces (made_from_backup_id) WHERE made_from_backup_id IS NOT NULL",
    "CREATE INDEX workspaces_by_source ON workspaces (from_backup_id) WHERE from_backup_id IS NOT NULL",
    "CREATE INDEX workspaces_ended ON workspaces (ended_at_ms) WHERE state = 'destroyed'",
    "CREATE INDEX workspaces_live ON workspaces (created_at_ms, sandbox_id) WHERE state <> 'destroyed'",
    "CREATE TABLE restarts (
        sandbox_id TEXT NOT NULL,
        name TEXT NOT NULL,
        command TEXT NOT NULL,
        cwd TEXT NOT NULL,
        env TEXT NOT NULL,
        PRIMARY KEY (sandbox_id, name)
    ) STRICT, WITHOUT ROWID",
    "CREATE TRIGGER workspace_forgets_restarts AFTER UPDATE OF state ON workspaces
     WHEN NEW.state = 'destroyed' BEGIN
        DELETE FROM restarts WHERE sandbox_id = NEW.sandbox_id;
     END",
];

const REWINDS: &[&str] = &[
    "CREATE TABLE rewinds (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        sandbox_id TEXT NOT NULL,
        backup_id TEXT NOT NULL,
        safety_id TEXT NOT NULL,
        state TEXT NOT NULL,
        began_at_ms INTEGER NOT NULL
    ) STRICT",
    "CREATE INDEX rewinds_by_time ON rewinds (began_at_ms)",
    "CREATE INDEX rewinds_running ON rewinds (sandbox_id, seq) WHERE state = 'running'",
];

/// Layers becoming full, with the sandboxes that archive them; clean sandboxes, with their backups.
const UNFINISHED: &[&str] = &[
    "CREATE TABLE flattening (
        snapshot_id TEXT PRIMARY KEY,
        sandbox_id TEXT NOT NULL
    ) STRICT, WITHOUT ROWID",
    "CREATE TABLE clean_sandboxes (
        sandbox_id TEXT PRIMARY KEY,
        backup_id TEXT
    ) STRICT, WITHOUT ROWID",
];

/// Leases granted, leases taken, and sessions whose recent claim was logged as an event.
const LEASES: &[&str] = &[
    "CREATE TABLE leases (
        backup_id TEXT NOT NULL,
        borrower TEXT NOT NULL,
        sandbox_id TEXT NOT NULL,
        reads INTEGER NOT NULL,
        until_ms INTEGER NOT NULL,
        PRIMARY KEY (backup_id, borrower, sandbox_id)
    ) STRICT, WITHOUT ROWID",
    "CREATE INDEX leases_by_end ON leases (until_ms)",
    "CREATE INDEX leases_by_reading ON leases (backup_id, reads, until_ms)",
    "CREATE TABLE borrowed (
        sandbox_id TEXT NOT NULL,
        backup_id TEXT NOT NULL,
        binding TEXT NOT NULL,
        owner TEXT NOT NULL,
        renew_at_ms INTEGER NOT NULL,
        PRIMARY KEY (sandbox_id, backup_id)
    ) STRICT, WITHOUT ROWID",
    "CREATE TABLE claimers (
        borrower TEXT PRIMARY KEY,
        logged_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID",
    "CREATE INDEX claimers_by_time ON claimers (logged_at_ms)",
];

/// `rights`, as JSON: what other callers need to act on the call.
const OPERATIONS: &[&str] = &[
    "CREATE TABLE operations (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        op TEXT NOT NULL,
        key TEXT UNIQUE,
        fingerprint TEXT NOT NULL,
        state TEXT NOT NULL,
        step TEXT,
        subject TEXT,
        started_at_ms INTEGER NOT NULL,
        ended_at_ms INTEGER,
        answer TEXT,
        large_bytes INTEGER,
        rights TEXT NOT NULL
    ) STRICT",
    "CREATE INDEX operations_by_state ON operations (state, seq)",
    "CREATE INDEX operations_large ON operations (seq, large_bytes) WHERE large_bytes IS NOT NULL",
    "CREATE INDEX operations_running ON operations (seq) WHERE state = 'running'",
    "CREATE INDEX operations_without_key ON operations (seq) WHERE key IS NULL",
];

/// The commands that ended last. Long columns come last: a list that omits them does not read them.
const COMMANDS: &[&str] = &["CREATE TABLE commands (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        sandbox_id TEXT NOT NULL,
        began_at_ms INTEGER NOT NULL,
        duration_ms INTEGER,
        exit_code INTEGER,
        process TEXT,
        language TEXT,
        code_context TEXT,
        command TEXT NOT NULL,
        stdout TEXT NOT NULL,
        stderr TEXT NOT NULL
    ) STRICT"];

/// The event log. `workspace_id`: what happened to a workspace, the snapshots taken from it, and the
/// switches to it.
const EVENTS: &[&str] = &[
    "CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at_ms INTEGER NOT NULL,
        kind TEXT NOT NULL,
        payload TEXT NOT NULL,
        snapshot_id TEXT AS (payload ->> '$.backupId') VIRTUAL,
        workspace_id TEXT AS (COALESCE(payload ->> '$.sandboxId', payload ->> '$.originSandboxId',
            payload ->> '$.to')) VIRTUAL
    ) STRICT",
    "CREATE INDEX events_by_snapshot ON events (snapshot_id, seq)",
    "CREATE INDEX events_by_workspace ON events (workspace_id, seq)",
];

const TOKENS: &[&str] = &["CREATE TABLE tokens (
        id TEXT PRIMARY KEY,
        scopes TEXT NOT NULL,
        description TEXT,
        created_at_ms INTEGER NOT NULL,
        expires_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID"];

const PREVIEWS: &[&str] = &["CREATE TABLE previews (
        id TEXT PRIMARY KEY,
        port INTEGER NOT NULL,
        sandbox_id TEXT NOT NULL,
        token_id TEXT,
        created_at_ms INTEGER NOT NULL,
        expires_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID"];

/// Retries of failed recovery; buckets that are probably the wrong ones.
const UPKEEP: &[&str] = &[
    "CREATE TABLE retries (
        subject TEXT PRIMARY KEY,
        failures INTEGER NOT NULL,
        due_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID",
    "CREATE TABLE halted_sweeps (
        binding TEXT PRIMARY KEY,
        missing INTEGER NOT NULL,
        since_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID",
];
