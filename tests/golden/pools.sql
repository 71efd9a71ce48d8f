CREATE TABLE containers (
        sandbox_id TEXT PRIMARY KEY,
        pool_id TEXT NOT NULL,
        state TEXT NOT NULL,
        instance_id TEXT,
        session_id TEXT,
        since_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE pools (
        pool_id TEXT PRIMARY KEY,
        spec TEXT NOT NULL,
        size INTEGER NOT NULL,
        used_at_ms INTEGER NOT NULL,
        checked_at_ms INTEGER NOT NULL,
        failures INTEGER NOT NULL,
        retry_at_ms INTEGER NOT NULL,
        problem TEXT
    ) STRICT, WITHOUT ROWID;
CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT;
