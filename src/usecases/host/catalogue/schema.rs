//! Schema versions of the catalogue. A version that has shipped is never
//! edited; the next one migrates from it.

/// Statements that lead from each version to the next, from an empty database on.
pub(super) const MIGRATIONS: [&[&str]; 25] = [
    V1, V2, V3, V4, V5, V6, V7, V8, V9, V10, V11, V12, V13, V14, V15, V16, V17, V18, V19, V20, V21,
    V22, V23, V24, V25,
];

const V1: &[&str] = &[
    "CREATE TABLE session (
        singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
        session_id TEXT NOT NULL,
        config TEXT NOT NULL,
        active_sandbox_id TEXT NOT NULL,
        opened_at_ms INTEGER NOT NULL,
        closed_at_ms INTEGER
    ) STRICT",
    "CREATE TABLE workspaces (
        sandbox_id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        instance_id TEXT,
        from_backup_id TEXT,
        created_at_ms INTEGER NOT NULL,
        last_used_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID",
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
        sha256 TEXT
    ) STRICT",
    "CREATE INDEX snapshots_by_name ON snapshots (name) WHERE name IS NOT NULL",
    "CREATE INDEX snapshots_by_state ON snapshots (state, seq)",
    "CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at_ms INTEGER NOT NULL,
        kind TEXT NOT NULL,
        payload TEXT NOT NULL
    ) STRICT",
];

/// Heads, so that a workspace can wake; and what had a snapshot taken.
///
/// A workspace of version 1 gets as its head the newest archive that is known to
/// have been its disk's content: its own last one since it was last started
/// fresh, else the one it was made from.
const V2: &[&str] = &[
    "ALTER TABLE snapshots ADD COLUMN trigger TEXT NOT NULL DEFAULT 'manual'",
    "ALTER TABLE workspaces ADD COLUMN head_backup_id TEXT",
    "ALTER TABLE workspaces ADD COLUMN head_seq INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE workspaces ADD COLUMN saved_at_ms INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE workspaces ADD COLUMN paused_at_ms INTEGER",
    "ALTER TABLE workspaces ADD COLUMN untold_wake TEXT",
    "UPDATE workspaces SET head_backup_id = COALESCE(
        (SELECT id FROM snapshots
         WHERE origin_sandbox_id = workspaces.sandbox_id AND state = 'ready'
            AND dir = COALESCE((SELECT json_extract(config, '$.workspaceDir') FROM session), '/workspace')
            AND created_at_ms > COALESCE(
                (SELECT MAX(at_ms) FROM events WHERE kind = 'workspace.started_fresh'
                    AND json_extract(payload, '$.sandboxId') = workspaces.sandbox_id), 0)
         ORDER BY seq DESC LIMIT 1),
        (SELECT id FROM snapshots
         WHERE id = workspaces.from_backup_id AND state = 'ready'
            AND dir = COALESCE((SELECT json_extract(config, '$.workspaceDir') FROM session), '/workspace')))
     WHERE state <> 'destroyed'",
    "UPDATE workspaces SET head_seq = COALESCE((SELECT MAX(seq) FROM snapshots), 0)",
];

/// What a session says of its snapshots after they are taken, and which of it
/// `meta.json` does not have yet.
const V3: &[&str] = &[
    "ALTER TABLE snapshots ADD COLUMN labels TEXT NOT NULL DEFAULT '{}'",
    "ALTER TABLE snapshots ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE snapshots ADD COLUMN unsynced_edits INTEGER NOT NULL DEFAULT 0",
];

/// Session tokens.
const V4: &[&str] = &["CREATE TABLE tokens (
        id TEXT PRIMARY KEY,
        scopes TEXT NOT NULL,
        description TEXT,
        created_at_ms INTEGER NOT NULL,
        expires_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID"];

/// When R2 was last seen to have a snapshot whole.
const V5: &[&str] = &["ALTER TABLE snapshots ADD COLUMN checked_at_ms INTEGER NOT NULL DEFAULT 0"];

/// Calls that are recorded: what became of them, and the answers of repetitions.
const V6: &[&str] = &[
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
        answer TEXT
    ) STRICT",
    "CREATE INDEX operations_by_state ON operations (state, seq)",
];

/// When the bucket of snapshots is full again.
const V7: &[&str] =
    &["ALTER TABLE session ADD COLUMN snapshots_full_at_us INTEGER NOT NULL DEFAULT 0"];

/// What could not be settled, and when it is tried again.
const V8: &[&str] = &["CREATE TABLE retries (
        subject TEXT PRIMARY KEY,
        failures INTEGER NOT NULL,
        due_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID"];

/// When the directory was seen to list the session.
const V9: &[&str] = &["ALTER TABLE session ADD COLUMN registered_at_ms INTEGER"];

/// Rewinds: what is being done to which workspace, and what became of it.
const V10: &[&str] = &["CREATE TABLE rewinds (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        sandbox_id TEXT NOT NULL,
        backup_id TEXT NOT NULL,
        safety_id TEXT NOT NULL,
        state TEXT NOT NULL,
        began_at_ms INTEGER NOT NULL
    ) STRICT"];

/// Which snapshots other sessions may claim; what they were lent; and what this
/// session has borrowed of others.
const V11: &[&str] = &[
    "ALTER TABLE snapshots ADD COLUMN published INTEGER NOT NULL DEFAULT 0",
    "CREATE TABLE loans (
        backup_id TEXT NOT NULL,
        borrower TEXT NOT NULL,
        sandbox_id TEXT NOT NULL,
        reads INTEGER NOT NULL,
        until_ms INTEGER NOT NULL,
        PRIMARY KEY (backup_id, borrower, sandbox_id)
    ) STRICT, WITHOUT ROWID",
    "CREATE TABLE borrowed (
        sandbox_id TEXT PRIMARY KEY,
        backup_id TEXT NOT NULL,
        binding TEXT NOT NULL,
        owner TEXT NOT NULL,
        renew_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID",
];

/// When a snapshot was put back into a catalogue that had lost it.
const V12: &[&str] = &["ALTER TABLE snapshots ADD COLUMN rebuilt_at_ms INTEGER"];

/// Calls without a key, of which few are kept, and large answers, for which
/// there is little room.
const V13: &[&str] = &[
    "ALTER TABLE operations ADD COLUMN large_bytes INTEGER",
    "CREATE INDEX operations_without_key ON operations (seq) WHERE key IS NULL",
    "CREATE INDEX operations_large ON operations (seq, large_bytes) WHERE large_bytes IS NOT NULL",
];

/// Which paused workspaces may still have a container.
const V14: &[&str] = &["ALTER TABLE workspaces ADD COLUMN unreleased INTEGER NOT NULL DEFAULT 0"];

/// A workspace has borrowed what it would wake from, and what it is being
/// rewound to.
const V15: &[&str] = &[
    "ALTER TABLE borrowed RENAME TO borrowed_v11",
    "CREATE TABLE borrowed (
        sandbox_id TEXT NOT NULL,
        backup_id TEXT NOT NULL,
        binding TEXT NOT NULL,
        owner TEXT NOT NULL,
        renew_at_ms INTEGER NOT NULL,
        PRIMARY KEY (sandbox_id, backup_id)
    ) STRICT, WITHOUT ROWID",
    "INSERT INTO borrowed SELECT sandbox_id, backup_id, binding, owner, renew_at_ms FROM borrowed_v11",
    "DROP TABLE borrowed_v11",
];

/// Which archives a workspace wakes from. One that has no head yet wakes from
/// what it was made from.
const V16: &[&str] = &[
    "CREATE TABLE layers (
        sandbox_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        backup_id TEXT NOT NULL,
        dir TEXT NOT NULL,
        PRIMARY KEY (sandbox_id, position)
    ) STRICT, WITHOUT ROWID",
    "CREATE INDEX layers_by_backup ON layers (backup_id)",
    "INSERT INTO layers SELECT sandbox_id, 0, head_backup_id,
        COALESCE((SELECT dir FROM snapshots WHERE id = head_backup_id),
            (SELECT json_extract(config, '$.workspaceDir') FROM session), '/workspace')
     FROM workspaces WHERE head_backup_id IS NOT NULL AND state <> 'destroyed'",
    "INSERT INTO layers SELECT sandbox_id, 0, snapshots.id, snapshots.dir
     FROM workspaces JOIN snapshots ON snapshots.id = from_backup_id AND snapshots.state = 'ready'
     WHERE head_backup_id IS NULL AND workspaces.state <> 'destroyed'",
];

/// Buckets that lack too much to be believed.
const V17: &[&str] = &["CREATE TABLE halted_sweeps (
        binding TEXT PRIMARY KEY,
        missing INTEGER NOT NULL,
        since_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID"];

/// Which snapshots are the last saves of workspaces that were retired.
const V18: &[&str] = &["ALTER TABLE snapshots ADD COLUMN retired_at_ms INTEGER"];

/// What the alarm looks for is found by index, however many snapshots there are.
const V19: &[&str] = &[
    "CREATE INDEX snapshots_by_expiry ON snapshots (created_at_ms + ttl_secs * 1000)
     WHERE state = 'ready' AND pinned = 0",
    "CREATE INDEX snapshots_unnamed_autosaves ON snapshots (created_at_ms)
     WHERE state = 'ready' AND trigger = 'auto' AND name IS NULL",
    "CREATE INDEX snapshots_by_age ON snapshots (created_at_ms, seq) WHERE state = 'ready'",
    "CREATE INDEX snapshots_asked_by_age ON snapshots (created_at_ms, seq)
     WHERE state = 'ready' AND trigger <> 'safety' AND (trigger <> 'auto' OR name IS NOT NULL)",
    "CREATE INDEX snapshots_by_check ON snapshots (checked_at_ms) WHERE state = 'ready'",
    "CREATE INDEX snapshots_unsynced ON snapshots (seq) WHERE state = 'ready' AND unsynced_edits > 0",
    "CREATE INDEX snapshots_asked_last ON snapshots (created_at_ms)
     WHERE trigger = 'manual' AND state <> 'failed'",
];

/// Loans are found by what they protect and by their end; and who has claimed
/// lately, for whom another claim is no event.
const V20: &[&str] = &[
    "CREATE INDEX loans_by_reading ON loans (backup_id, reads, until_ms)",
    "CREATE INDEX loans_by_end ON loans (until_ms)",
    "CREATE TABLE claimers (
        borrower TEXT PRIMARY KEY,
        told_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID",
    "CREATE INDEX claimers_by_time ON claimers (told_at_ms)",
];

/// Retention finds what is due by index, and has the sums of all snapshots that
/// are ready, whatever its rules are.
///
/// `class`: automatic, safety, asked for, in the order in which limits take
/// them. `guard`: what of its own keeps a snapshot, pinned, rebuilt lately,
/// the last save of a retired workspace. `snapshot_changes` counts what may
/// change what retention decides.
const V21: &[&str] = &[
    "ALTER TABLE snapshots ADD COLUMN class INTEGER GENERATED ALWAYS AS (
        CASE trigger WHEN 'safety' THEN 1 WHEN 'auto' THEN CASE WHEN name IS NULL THEN 0 ELSE 2 END ELSE 2 END) VIRTUAL",
    "ALTER TABLE snapshots ADD COLUMN guard INTEGER GENERATED ALWAYS AS (
        CASE WHEN pinned <> 0 THEN 1 WHEN rebuilt_at_ms IS NOT NULL THEN 2
        WHEN retired_at_ms IS NOT NULL THEN 3 ELSE 0 END) VIRTUAL",
    "DROP INDEX snapshots_by_expiry",
    "DROP INDEX snapshots_unnamed_autosaves",
    "DROP INDEX snapshots_asked_by_age",
    "CREATE INDEX snapshots_by_expiry ON snapshots (created_at_ms + ttl_secs * 1000)
     WHERE state = 'ready' AND guard IN (0, 3) AND ttl_secs < 315360000",
    "CREATE INDEX snapshots_retired ON snapshots (created_at_ms + ttl_secs * 1000)
     WHERE state = 'ready' AND guard = 3",
    "CREATE INDEX snapshots_rebuilt ON snapshots (rebuilt_at_ms) WHERE state = 'ready' AND guard = 2",
    "CREATE INDEX snapshots_by_class ON snapshots (class, created_at_ms, seq) WHERE state = 'ready'",
    "CREATE INDEX snapshots_loose ON snapshots (class, created_at_ms, seq)
     WHERE state = 'ready' AND guard = 0",
    "CREATE INDEX snapshots_autosaves ON snapshots (origin_sandbox_id, created_at_ms, seq)
     WHERE state = 'ready' AND class = 0 AND retired_at_ms IS NULL",
    "CREATE TABLE snapshot_sums (
        automatic INTEGER NOT NULL,
        guard INTEGER NOT NULL,
        count INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        PRIMARY KEY (automatic, guard)
    ) STRICT, WITHOUT ROWID",
    "INSERT INTO snapshot_sums
     SELECT trigger = 'auto', guard, COUNT(*), COALESCE(SUM(size_bytes), 0)
     FROM snapshots WHERE state = 'ready' GROUP BY 1, 2",
    "CREATE TABLE autosave_counts (
        origin_sandbox_id TEXT PRIMARY KEY,
        count INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID",
    "CREATE INDEX autosave_counts_by_count ON autosave_counts (count)",
    "INSERT INTO autosave_counts SELECT origin_sandbox_id, COUNT(*) FROM snapshots
     WHERE state = 'ready' AND class = 0 AND retired_at_ms IS NULL GROUP BY 1",
    "CREATE TABLE snapshot_changes (count INTEGER NOT NULL) STRICT",
    "INSERT INTO snapshot_changes VALUES (0)",
    "CREATE TRIGGER snapshot_comes AFTER INSERT ON snapshots WHEN NEW.state = 'ready' BEGIN
        INSERT INTO snapshot_sums VALUES (NEW.trigger = 'auto', NEW.guard, 1, COALESCE(NEW.size_bytes, 0))
            ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
        INSERT INTO autosave_counts SELECT NEW.origin_sandbox_id, 1
            WHERE NEW.class = 0 AND NEW.retired_at_ms IS NULL
            ON CONFLICT DO UPDATE SET count = count + 1;
        UPDATE snapshot_changes SET count = count + 1;
     END",
    "CREATE TRIGGER snapshot_goes AFTER DELETE ON snapshots WHEN OLD.state = 'ready' BEGIN
        UPDATE snapshot_sums SET count = count - 1, bytes = bytes - COALESCE(OLD.size_bytes, 0)
            WHERE automatic = (OLD.trigger = 'auto') AND guard = OLD.guard;
        UPDATE autosave_counts SET count = count - 1
            WHERE origin_sandbox_id = OLD.origin_sandbox_id AND OLD.class = 0 AND OLD.retired_at_ms IS NULL;
        DELETE FROM autosave_counts WHERE origin_sandbox_id = OLD.origin_sandbox_id AND count = 0;
        UPDATE snapshot_changes SET count = count + 1;
     END",
    "CREATE TRIGGER snapshot_is_changed AFTER UPDATE OF state, trigger, name, pinned, created_at_ms,
        ttl_secs, size_bytes, origin_sandbox_id, rebuilt_at_ms, retired_at_ms ON snapshots
     WHEN OLD.state = 'ready' OR NEW.state = 'ready' BEGIN
        UPDATE snapshot_sums SET count = count - 1, bytes = bytes - COALESCE(OLD.size_bytes, 0)
            WHERE OLD.state = 'ready' AND automatic = (OLD.trigger = 'auto') AND guard = OLD.guard;
        INSERT INTO snapshot_sums
            SELECT NEW.trigger = 'auto', NEW.guard, 1, COALESCE(NEW.size_bytes, 0) WHERE NEW.state = 'ready'
            ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
        UPDATE autosave_counts SET count = count - 1
            WHERE origin_sandbox_id = OLD.origin_sandbox_id
                AND OLD.state = 'ready' AND OLD.class = 0 AND OLD.retired_at_ms IS NULL;
        INSERT INTO autosave_counts SELECT NEW.origin_sandbox_id, 1
            WHERE NEW.state = 'ready' AND NEW.class = 0 AND NEW.retired_at_ms IS NULL
            ON CONFLICT DO UPDATE SET count = count + 1;
        DELETE FROM autosave_counts WHERE origin_sandbox_id = OLD.origin_sandbox_id AND count = 0;
        UPDATE snapshot_changes SET count = count + 1;
     END",
];

/// Which snapshot a workspace was made from, beside the one it was last rewound
/// to. Its first snapshot names it as parent; without a snapshot it was never rewound.
const V22: &[&str] = &[
    "ALTER TABLE workspaces ADD COLUMN made_from_backup_id TEXT",
    "UPDATE workspaces SET made_from_backup_id = from_backup_id",
    "UPDATE workspaces SET made_from_backup_id = (SELECT parent_id FROM snapshots WHERE seq = first.seq)
     FROM (SELECT origin_sandbox_id, MIN(seq) AS seq FROM snapshots GROUP BY origin_sandbox_id) AS first
     WHERE first.origin_sandbox_id = sandbox_id",
];

/// Nothing that is looked for is found by reading a whole table that grows.
const V23: &[&str] = &[
    "CREATE INDEX workspaces_live ON workspaces (created_at_ms, sandbox_id) WHERE state <> 'destroyed'",
    "CREATE INDEX workspaces_by_head ON workspaces (head_backup_id) WHERE head_backup_id IS NOT NULL",
    "CREATE INDEX rewinds_running ON rewinds (sandbox_id, seq) WHERE state = 'running'",
    "CREATE INDEX rewinds_by_time ON rewinds (began_at_ms)",
    "CREATE INDEX operations_running ON operations (seq) WHERE state = 'running'",
    "DROP INDEX snapshots_by_name",
    "CREATE INDEX snapshots_by_name ON snapshots (name, state) WHERE name IS NOT NULL",
    "CREATE INDEX snapshots_listed ON snapshots (seq) WHERE state = 'ready'
        AND (trigger = 'manual' OR name IS NOT NULL OR retired_at_ms IS NOT NULL)",
    "CREATE INDEX snapshots_shown ON snapshots (seq)
     WHERE state IN ('pending', 'ready') AND trigger <> 'auto'",
];

/// When a snapshot or a workspace ended, so that its row can be forgotten. What
/// ended before counts from its creation, or its last use.
const V24: &[&str] = &[
    "ALTER TABLE snapshots ADD COLUMN ended_at_ms INTEGER",
    "UPDATE snapshots SET ended_at_ms = created_at_ms WHERE state IN ('deleted', 'failed')",
    "CREATE INDEX snapshots_ended ON snapshots (ended_at_ms) WHERE state IN ('deleted', 'failed')",
    "CREATE INDEX workspaces_by_source ON workspaces (from_backup_id) WHERE from_backup_id IS NOT NULL",
    "ALTER TABLE workspaces ADD COLUMN ended_at_ms INTEGER",
    "UPDATE workspaces SET ended_at_ms = last_used_at_ms WHERE state = 'destroyed'",
    "CREATE INDEX workspaces_ended ON workspaces (ended_at_ms) WHERE state = 'destroyed'",
    "CREATE INDEX snapshots_by_origin ON snapshots (origin_sandbox_id)
     WHERE state IN ('pending', 'ready', 'deleting')",
    "CREATE INDEX workspaces_by_origin ON workspaces (made_from_backup_id) WHERE made_from_backup_id IS NOT NULL",
];

/// How many claims have been no event since the last that was one.
const V25: &[&str] = &["ALTER TABLE session ADD COLUMN untold_claims INTEGER NOT NULL DEFAULT 0"];
