CREATE TABLE borrowed (
        sandbox_id TEXT NOT NULL,
        backup_id TEXT NOT NULL,
        binding TEXT NOT NULL,
        owner TEXT NOT NULL,
        renew_at_ms INTEGER NOT NULL,
        PRIMARY KEY (sandbox_id, backup_id)
    ) STRICT, WITHOUT ROWID;
CREATE TABLE claimers (
        borrower TEXT PRIMARY KEY,
        told_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE INDEX claimers_by_time ON claimers (told_at_ms);
CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at_ms INTEGER NOT NULL,
        kind TEXT NOT NULL,
        payload TEXT NOT NULL
    ) STRICT;
CREATE TABLE halted_sweeps (
        binding TEXT PRIMARY KEY,
        missing INTEGER NOT NULL,
        since_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE layers (
        sandbox_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        backup_id TEXT NOT NULL,
        dir TEXT NOT NULL,
        PRIMARY KEY (sandbox_id, position)
    ) STRICT, WITHOUT ROWID;
CREATE INDEX layers_by_backup ON layers (backup_id);
CREATE TABLE loans (
        backup_id TEXT NOT NULL,
        borrower TEXT NOT NULL,
        sandbox_id TEXT NOT NULL,
        reads INTEGER NOT NULL,
        until_ms INTEGER NOT NULL,
        PRIMARY KEY (backup_id, borrower, sandbox_id)
    ) STRICT, WITHOUT ROWID;
CREATE INDEX loans_by_end ON loans (until_ms);
CREATE INDEX loans_by_reading ON loans (backup_id, reads, until_ms);
CREATE TABLE operations (
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
    , large_bytes INTEGER) STRICT;
CREATE INDEX operations_by_state ON operations (state, seq);
CREATE INDEX operations_large ON operations (seq, large_bytes) WHERE large_bytes IS NOT NULL;
CREATE INDEX operations_without_key ON operations (seq) WHERE key IS NULL;
CREATE TABLE retries (
        subject TEXT PRIMARY KEY,
        failures INTEGER NOT NULL,
        due_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE rewinds (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        sandbox_id TEXT NOT NULL,
        backup_id TEXT NOT NULL,
        safety_id TEXT NOT NULL,
        state TEXT NOT NULL,
        began_at_ms INTEGER NOT NULL
    ) STRICT;
CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT;
CREATE TABLE session (
        singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
        session_id TEXT NOT NULL,
        config TEXT NOT NULL,
        active_sandbox_id TEXT NOT NULL,
        opened_at_ms INTEGER NOT NULL,
        closed_at_ms INTEGER
    , snapshots_full_at_us INTEGER NOT NULL DEFAULT 0, registered_at_ms INTEGER) STRICT;
CREATE TABLE snapshots (
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
    , trigger TEXT NOT NULL DEFAULT 'manual', labels TEXT NOT NULL DEFAULT '{}', pinned INTEGER NOT NULL DEFAULT 0, unsynced_edits INTEGER NOT NULL DEFAULT 0, checked_at_ms INTEGER NOT NULL DEFAULT 0, published INTEGER NOT NULL DEFAULT 0, rebuilt_at_ms INTEGER, retired_at_ms INTEGER) STRICT;
CREATE INDEX snapshots_asked_by_age ON snapshots (created_at_ms, seq)
     WHERE state = 'ready' AND trigger <> 'safety' AND (trigger <> 'auto' OR name IS NOT NULL);
CREATE INDEX snapshots_asked_last ON snapshots (created_at_ms)
     WHERE trigger = 'manual' AND state <> 'failed';
CREATE INDEX snapshots_by_age ON snapshots (created_at_ms, seq) WHERE state = 'ready';
CREATE INDEX snapshots_by_check ON snapshots (checked_at_ms) WHERE state = 'ready';
CREATE INDEX snapshots_by_expiry ON snapshots (created_at_ms + ttl_secs * 1000)
     WHERE state = 'ready' AND pinned = 0;
CREATE INDEX snapshots_by_name ON snapshots (name) WHERE name IS NOT NULL;
CREATE INDEX snapshots_by_state ON snapshots (state, seq);
CREATE INDEX snapshots_unnamed_autosaves ON snapshots (created_at_ms)
     WHERE state = 'ready' AND trigger = 'auto' AND name IS NULL;
CREATE INDEX snapshots_unsynced ON snapshots (seq) WHERE state = 'ready' AND unsynced_edits > 0;
CREATE TABLE sqlite_sequence(name,seq);
CREATE TABLE tokens (
        id TEXT PRIMARY KEY,
        scopes TEXT NOT NULL,
        description TEXT,
        created_at_ms INTEGER NOT NULL,
        expires_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE workspaces (
        sandbox_id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        instance_id TEXT,
        from_backup_id TEXT,
        created_at_ms INTEGER NOT NULL,
        last_used_at_ms INTEGER NOT NULL
    , head_backup_id TEXT, head_seq INTEGER NOT NULL DEFAULT 0, saved_at_ms INTEGER NOT NULL DEFAULT 0, paused_at_ms INTEGER, untold_wake TEXT, unreleased INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
