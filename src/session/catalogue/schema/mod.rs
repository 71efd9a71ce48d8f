//! The catalogue's schema. A shipped version is never edited; the next version
//! migrates from it. The file is long because every shipped version stays.

pub(crate) mod imports;
pub(crate) mod lost;
pub(crate) mod operations;
pub(crate) mod previews;
pub(crate) mod sums;

use crate::session::catalogue::schema::imports::IMPORTS;
use crate::session::catalogue::schema::lost::{CLEAN_SANDBOXES, LOST};
use crate::session::catalogue::schema::operations::{OPERATIONS, SCOPES};
use crate::session::catalogue::schema::previews::PREVIEWS;
use crate::session::catalogue::schema::sums::{ARCHIVES_IN_SUMS, STORED_IN_SUMS, SUMS};

/// What leads from each version to the next, from an empty database on.
pub(crate) const MIGRATIONS: [&[&[&str]]; 10] = [
    &[
        SESSION, WORKSPACES, LAYERS, REWINDS, SNAPSHOTS, SUMS, LEASES, OPERATIONS, EVENTS, TOKENS,
        UPKEEP,
    ],
    &[GIT],
    &[CHAINS],
    &[TURNS, TURNS_OF_SNAPSHOTS],
    &[FLATTENING],
    &[MACHINES],
    &[PREVIEWS],
    &[IMPORTS],
    &[SCOPES],
    &[CLEAN_SANDBOXES, LOST],
];

/// The repository at the root of a snapshot's directory.
const GIT: &[&str] = &["ALTER TABLE snapshots ADD COLUMN git TEXT"];

/// What a snapshot is a layer on (`chain`, null for a full one), and the last of it
/// (`base_id`). A deleted snapshot is `held` while layers need its archive, and then
/// `released`. What a workspace wakes from is no longer called a layer.
const CHAINS: &[&str] = &[
    "ALTER TABLE layers RENAME TO heads",
    "DROP INDEX layers_by_backup",
    "CREATE INDEX heads_by_backup ON heads (backup_id)",
    "ALTER TABLE snapshots DROP COLUMN kind",
    "ALTER TABLE snapshots ADD COLUMN chain TEXT",
    "ALTER TABLE snapshots ADD COLUMN base_id TEXT
        GENERATED ALWAYS AS (chain ->> '$[#-1].id') VIRTUAL",
    "CREATE INDEX snapshots_by_base ON snapshots (base_id) WHERE base_id IS NOT NULL
        AND state IN ('pending', 'ready', 'deleting', 'held', 'released')",
    "CREATE TRIGGER layer_ends AFTER UPDATE OF state, chain ON snapshots
     WHEN OLD.base_id IS NOT NULL AND (NEW.state IN ('deleted', 'failed') OR NEW.base_id IS NOT OLD.base_id) BEGIN
        UPDATE snapshots SET state = 'released' WHERE id = OLD.base_id AND state = 'held'
            AND NOT EXISTS (SELECT 1 FROM snapshots AS layer WHERE layer.base_id = OLD.base_id
                AND layer.state IN ('pending', 'ready', 'deleting', 'held', 'released'));
     END",
    "CREATE TRIGGER layer_is_dropped AFTER DELETE ON snapshots WHEN OLD.base_id IS NOT NULL BEGIN
        UPDATE snapshots SET state = 'released' WHERE id = OLD.base_id AND state = 'held'
            AND NOT EXISTS (SELECT 1 FROM snapshots AS layer WHERE layer.base_id = OLD.base_id
                AND layer.state IN ('pending', 'ready', 'deleting', 'held', 'released'));
     END",
    "CREATE TABLE held_sums (count INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT",
    "INSERT INTO held_sums VALUES (0, 0)",
    "CREATE TRIGGER held_comes AFTER INSERT ON snapshots WHEN NEW.state IN ('held', 'released') BEGIN
        UPDATE held_sums SET count = count + 1, bytes = bytes + COALESCE(NEW.size_bytes, 0);
     END",
    "CREATE TRIGGER held_is_changed AFTER UPDATE OF state ON snapshots
     WHEN (OLD.state IN ('held', 'released')) <> (NEW.state IN ('held', 'released')) BEGIN
        UPDATE held_sums SET
            count = count + (NEW.state IN ('held', 'released')) - (OLD.state IN ('held', 'released')),
            bytes = bytes + COALESCE(NEW.size_bytes, 0)
                * ((NEW.state IN ('held', 'released')) - (OLD.state IN ('held', 'released')));
     END",
];

/// Layers that are becoming full, and the sandboxes that archive them.
const FLATTENING: &[&str] = &["CREATE TABLE flattening (
        snapshot_id TEXT PRIMARY KEY,
        sandbox_id TEXT NOT NULL
    ) STRICT, WITHOUT ROWID"];

/// The machine that was saved with a snapshot, and the other snapshot that has its archive,
/// if it is shared. That snapshot is `held`, too, while one needs its machine.
const MACHINES: &[&str] = &[
    "ALTER TABLE snapshots ADD COLUMN machine TEXT",
    "ALTER TABLE snapshots ADD COLUMN machine_id TEXT
        GENERATED ALWAYS AS (CASE WHEN machine ->> '$.id' <> id THEN machine ->> '$.id' END) VIRTUAL",
    "ALTER TABLE snapshots ADD COLUMN stored_bytes INTEGER GENERATED ALWAYS AS (COALESCE(size_bytes, 0)
        + CASE WHEN machine ->> '$.id' = id THEN machine ->> '$.sizeBytes' ELSE 0 END) VIRTUAL",
    "CREATE INDEX snapshots_by_machine ON snapshots (machine_id) WHERE machine_id IS NOT NULL
        AND state IN ('pending', 'ready', 'deleting', 'held', 'released')",
    "DROP TRIGGER layer_ends",
    "DROP TRIGGER layer_is_dropped",
    "DROP TRIGGER held_comes",
    "DROP TRIGGER held_is_changed",
    "DROP TRIGGER snapshot_comes",
    "DROP TRIGGER snapshot_goes",
    "DROP TRIGGER snapshot_is_changed",
    "CREATE TRIGGER need_ends AFTER UPDATE OF state, chain, machine ON snapshots
     WHEN (OLD.base_id IS NOT NULL OR OLD.machine_id IS NOT NULL) AND (NEW.state IN ('deleted', 'failed')
        OR NEW.base_id IS NOT OLD.base_id OR NEW.machine_id IS NOT OLD.machine_id) BEGIN
        UPDATE snapshots SET state = 'released' WHERE id IN (OLD.base_id, OLD.machine_id) AND state = 'held'
            AND NOT EXISTS (SELECT 1 FROM snapshots AS layer WHERE layer.base_id = snapshots.id
                AND layer.state IN ('pending', 'ready', 'deleting', 'held', 'released'))
            AND NOT EXISTS (SELECT 1 FROM snapshots AS sharing WHERE sharing.machine_id = snapshots.id
                AND sharing.state IN ('pending', 'ready', 'deleting', 'held', 'released'));
     END",
    "CREATE TRIGGER need_is_dropped AFTER DELETE ON snapshots
     WHEN OLD.base_id IS NOT NULL OR OLD.machine_id IS NOT NULL BEGIN
        UPDATE snapshots SET state = 'released' WHERE id IN (OLD.base_id, OLD.machine_id) AND state = 'held'
            AND NOT EXISTS (SELECT 1 FROM snapshots AS layer WHERE layer.base_id = snapshots.id
                AND layer.state IN ('pending', 'ready', 'deleting', 'held', 'released'))
            AND NOT EXISTS (SELECT 1 FROM snapshots AS sharing WHERE sharing.machine_id = snapshots.id
                AND sharing.state IN ('pending', 'ready', 'deleting', 'held', 'released'));
     END",
    "CREATE TRIGGER held_comes AFTER INSERT ON snapshots WHEN NEW.state IN ('held', 'released') BEGIN
        UPDATE held_sums SET count = count + 1, bytes = bytes + NEW.stored_bytes;
     END",
    "CREATE TRIGGER held_is_changed AFTER UPDATE OF state ON snapshots
     WHEN (OLD.state IN ('held', 'released')) <> (NEW.state IN ('held', 'released')) BEGIN
        UPDATE held_sums SET
            count = count + (NEW.state IN ('held', 'released')) - (OLD.state IN ('held', 'released')),
            bytes = bytes + NEW.stored_bytes
                * ((NEW.state IN ('held', 'released')) - (OLD.state IN ('held', 'released')));
     END",
    STORED_IN_SUMS[0],
    STORED_IN_SUMS[1],
    STORED_IN_SUMS[2],
];

/// Turns of the conversation. `turn` of a snapshot is the last one that ended with its
/// files. `turn_backup_id` of a workspace has the files of its last turn, unless it was
/// rewound since. A snapshot that no turn names any more becomes an autosave.
const TURNS: &[&str] = &[
    "ALTER TABLE session ADD COLUMN turns INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE workspaces ADD COLUMN turn_backup_id TEXT",
    "ALTER TABLE snapshots ADD COLUMN turn TEXT",
    "CREATE TABLE turns (
        number INTEGER PRIMARY KEY,
        cursor TEXT,
        label TEXT,
        snapshot_id TEXT NOT NULL,
        sandbox_id TEXT NOT NULL,
        before_id TEXT,
        at_ms INTEGER NOT NULL,
        changes TEXT
    ) STRICT",
    "CREATE INDEX turns_by_cursor ON turns (cursor, number) WHERE cursor IS NOT NULL",
    "CREATE INDEX turns_by_snapshot ON turns (snapshot_id)",
    "CREATE TRIGGER turn_loses_snapshot AFTER UPDATE OF state ON snapshots
     WHEN NEW.turn IS NOT NULL AND NEW.state NOT IN ('pending', 'ready') BEGIN
        DELETE FROM turns WHERE snapshot_id = NEW.id;
     END",
    "CREATE TRIGGER turn_goes AFTER DELETE ON turns BEGIN
        UPDATE snapshots SET trigger = 'auto' WHERE id = OLD.snapshot_id AND state = 'ready' AND trigger = 'turn'
            AND NOT EXISTS (SELECT 1 FROM turns WHERE snapshot_id = OLD.snapshot_id);
     END",
];

/// Snapshots of turns have a `class` of their own, 3. Limits delete them before
/// requested ones; trees don't show them.
const TURNS_OF_SNAPSHOTS: &[&str] = &[
    "DROP TRIGGER snapshot_comes",
    "DROP TRIGGER snapshot_goes",
    "DROP TRIGGER snapshot_is_changed",
    "DROP INDEX snapshots_autosaves",
    "DROP INDEX snapshots_by_class",
    "DROP INDEX snapshots_loose",
    "DROP INDEX snapshots_shown",
    "ALTER TABLE snapshots DROP COLUMN class",
    "ALTER TABLE snapshots ADD COLUMN class INTEGER GENERATED ALWAYS AS (
        CASE WHEN trigger = 'safety' THEN 1 WHEN trigger = 'auto' AND name IS NULL THEN 0
        WHEN trigger = 'turn' AND name IS NULL THEN 3 ELSE 2 END) VIRTUAL",
    SNAPSHOTS_AUTOSAVES,
    SNAPSHOTS_BY_CLASS,
    SNAPSHOTS_LOOSE,
    "CREATE INDEX snapshots_shown ON snapshots (seq)
     WHERE state IN ('pending', 'ready') AND trigger NOT IN ('auto', 'turn')",
    ARCHIVES_IN_SUMS[0],
    ARCHIVES_IN_SUMS[1],
    ARCHIVES_IN_SUMS[2],
];

/// The session's one row: its configuration, its active workspace, and its counters.
const SESSION: &[&str] = &["CREATE TABLE session (
        singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
        session_id TEXT NOT NULL,
        config TEXT NOT NULL,
        active_sandbox_id TEXT NOT NULL,
        opened_at_ms INTEGER NOT NULL,
        closed_at_ms INTEGER,
        snapshots_full_at_us INTEGER NOT NULL DEFAULT 0,
        registered_at_ms INTEGER,
        omitted_claims INTEGER NOT NULL DEFAULT 0
    ) STRICT"];

/// Workspaces and their heads. A rewind changes `from_backup_id`, but not
/// `made_from_backup_id`.
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
        ended_at_ms INTEGER
    ) STRICT, WITHOUT ROWID",
    "CREATE INDEX workspaces_by_head ON workspaces (head_backup_id) WHERE head_backup_id IS NOT NULL",
    "CREATE INDEX workspaces_by_origin ON workspaces (made_from_backup_id) WHERE made_from_backup_id IS NOT NULL",
    "CREATE INDEX workspaces_by_source ON workspaces (from_backup_id) WHERE from_backup_id IS NOT NULL",
    "CREATE INDEX workspaces_ended ON workspaces (ended_at_ms) WHERE state = 'destroyed'",
    "CREATE INDEX workspaces_live ON workspaces (created_at_ms, sandbox_id) WHERE state <> 'destroyed'",
];

/// The archives that a workspace wakes from, in the order in which they are applied.
const LAYERS: &[&str] = &[
    "CREATE TABLE layers (
        sandbox_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        backup_id TEXT NOT NULL,
        dir TEXT NOT NULL,
        PRIMARY KEY (sandbox_id, position)
    ) STRICT, WITHOUT ROWID",
    "CREATE INDEX layers_by_backup ON layers (backup_id)",
];

/// Rewinds and their outcomes.
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

const SNAPSHOTS_AUTOSAVES: &str =
    "CREATE INDEX snapshots_autosaves ON snapshots (origin_sandbox_id, created_at_ms, seq)
     WHERE state = 'ready' AND class = 0 AND retired_at_ms IS NULL";

const SNAPSHOTS_BY_CLASS: &str = "CREATE INDEX snapshots_by_class ON snapshots (class, created_at_ms, seq) WHERE state = 'ready'";

const SNAPSHOTS_LOOSE: &str =
    "CREATE INDEX snapshots_loose ON snapshots (class, created_at_ms, seq)
     WHERE state = 'ready' AND guard = 0";

/// Snapshots.
///
/// `class`: 0 automatic, 1 safety, 2 requested; limits delete in this order.
/// `guard`: the property that keeps a snapshot: 1 pinned, 2 rebuilt lately, 3 the
/// last save of a retired workspace. `checked_at_ms`: when R2 was last seen to
/// have it whole. `unsynced_edits`: edits that `meta.json` lacks.
const SNAPSHOTS: &[&str] = &[
    "CREATE TABLE snapshots (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        binding TEXT NOT NULL,
        origin_sandbox_id TEXT NOT NULL,
        dir TEXT NOT NULL,
        name TEXT,
        description TEXT,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        handle TEXT,
        parent_id TEXT,
        created_at_ms INTEGER NOT NULL,
        ttl_secs INTEGER NOT NULL,
        size_bytes INTEGER,
        sha256 TEXT,
        trigger TEXT NOT NULL DEFAULT 'manual',
        labels TEXT NOT NULL DEFAULT '{}',
        pinned INTEGER NOT NULL DEFAULT 0,
        unsynced_edits INTEGER NOT NULL DEFAULT 0,
        checked_at_ms INTEGER NOT NULL DEFAULT 0,
        published INTEGER NOT NULL DEFAULT 0,
        rebuilt_at_ms INTEGER,
        retired_at_ms INTEGER,
        class INTEGER GENERATED ALWAYS AS (
            CASE WHEN trigger = 'safety' THEN 1 WHEN trigger = 'auto' AND name IS NULL THEN 0 ELSE 2 END) VIRTUAL,
        guard INTEGER GENERATED ALWAYS AS (
            CASE WHEN pinned <> 0 THEN 1 WHEN rebuilt_at_ms IS NOT NULL THEN 2
            WHEN retired_at_ms IS NOT NULL THEN 3 ELSE 0 END) VIRTUAL,
        ended_at_ms INTEGER
    ) STRICT",
    "CREATE INDEX snapshots_asked_last ON snapshots (created_at_ms)
     WHERE trigger = 'manual' AND state <> 'failed'",
    SNAPSHOTS_AUTOSAVES,
    "CREATE INDEX snapshots_by_age ON snapshots (created_at_ms, seq) WHERE state = 'ready'",
    "CREATE INDEX snapshots_by_check ON snapshots (checked_at_ms) WHERE state = 'ready'",
    SNAPSHOTS_BY_CLASS,
    "CREATE INDEX snapshots_by_expiry ON snapshots (created_at_ms + ttl_secs * 1000)
     WHERE state = 'ready' AND guard IN (0, 3) AND ttl_secs < 315360000",
    "CREATE INDEX snapshots_by_name ON snapshots (name, state) WHERE name IS NOT NULL",
    "CREATE INDEX snapshots_by_origin ON snapshots (origin_sandbox_id)
     WHERE state IN ('pending', 'ready', 'deleting')",
    "CREATE INDEX snapshots_by_state ON snapshots (state, seq)",
    "CREATE INDEX snapshots_ended ON snapshots (ended_at_ms) WHERE state IN ('deleted', 'failed')",
    "CREATE INDEX snapshots_listed ON snapshots (seq) WHERE state = 'ready'
        AND (trigger = 'manual' OR name IS NOT NULL OR retired_at_ms IS NOT NULL)",
    SNAPSHOTS_LOOSE,
    "CREATE INDEX snapshots_rebuilt ON snapshots (rebuilt_at_ms) WHERE state = 'ready' AND guard = 2",
    "CREATE INDEX snapshots_retired ON snapshots (created_at_ms + ttl_secs * 1000)
     WHERE state = 'ready' AND guard = 3",
    "CREATE INDEX snapshots_shown ON snapshots (seq)
     WHERE state IN ('pending', 'ready') AND trigger <> 'auto'",
    "CREATE INDEX snapshots_unsynced ON snapshots (seq) WHERE state = 'ready' AND unsynced_edits > 0",
];

/// Leases that this session has granted, leases that it has taken, and sessions
/// whose recent claim was logged: their next claims are no events.
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

/// The event log.
const EVENTS: &[&str] = &[
    "CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at_ms INTEGER NOT NULL,
        kind TEXT NOT NULL,
        payload TEXT NOT NULL
    ) STRICT",
    "CREATE INDEX events_of_backup ON events (payload ->> '$.backupId', seq)",
];

/// Session tokens.
const TOKENS: &[&str] = &["CREATE TABLE tokens (
        id TEXT PRIMARY KEY,
        scopes TEXT NOT NULL,
        description TEXT,
        created_at_ms INTEGER NOT NULL,
        expires_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID"];

/// Failures of recovery with the time of the next retry; buckets that lack too
/// much to be believed.
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
