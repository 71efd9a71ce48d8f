CREATE TABLE backups (
        id TEXT PRIMARY KEY,
        state TEXT NOT NULL,
        kind TEXT NOT NULL DEFAULT 'full',
        binding TEXT,
        upload_id TEXT,
        updated_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE configuration (
        singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
        options TEXT NOT NULL
    ) STRICT;
CREATE TABLE container (
        singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
        instance_id TEXT,
        start TEXT,
        commands_until_ms INTEGER NOT NULL DEFAULT 0
    ) STRICT;
CREATE TABLE refused (
        host TEXT PRIMARY KEY,
        count INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT;
