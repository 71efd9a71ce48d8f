CREATE TABLE counters (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        counters TEXT NOT NULL,
        sessions INTEGER NOT NULL
    ) STRICT;
CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        at_ms INTEGER NOT NULL,
        kind TEXT NOT NULL,
        payload TEXT NOT NULL
    ) STRICT;
CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT;
CREATE TABLE sessions (
        session_id TEXT PRIMARY KEY,
        registered_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
CREATE TABLE sqlite_sequence(name,seq);
