//! Recorded calls.

/// Recorded calls. Few calls without a key are kept, and little room is left for
/// large results.
pub(super) const OPERATIONS: &[&str] = &[
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
        large_bytes INTEGER
    ) STRICT",
    "CREATE INDEX operations_by_state ON operations (state, seq)",
    "CREATE INDEX operations_large ON operations (seq, large_bytes) WHERE large_bytes IS NOT NULL",
    "CREATE INDEX operations_running ON operations (seq) WHERE state = 'running'",
    "CREATE INDEX operations_without_key ON operations (seq) WHERE key IS NULL",
];

/// The scopes of its caller with which a call acts, as JSON. Null for most calls, and for those
/// that earlier versions recorded.
pub(super) const SCOPES: &[&str] = &["ALTER TABLE operations ADD COLUMN scopes TEXT"];
