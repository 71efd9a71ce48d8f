CREATE TABLE rounds (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        round INTEGER NOT NULL
    ) STRICT;
CREATE TABLE schema_version (version INTEGER NOT NULL) STRICT;
CREATE TABLE starts (
        sandbox_id TEXT PRIMARY KEY,
        start_id TEXT NOT NULL,
        served_as TEXT NOT NULL,
        since_ms INTEGER NOT NULL,
        round INTEGER NOT NULL,
        leased_until_ms INTEGER,
        kept_until_ms INTEGER
    ) STRICT, WITHOUT ROWID;
