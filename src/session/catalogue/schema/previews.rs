//! Version 7.

/// Previews that are shared, without their links.
pub(super) const PREVIEWS: &[&str] = &["CREATE TABLE previews (
        id TEXT PRIMARY KEY,
        port INTEGER NOT NULL,
        sandbox_id TEXT NOT NULL,
        token_id TEXT,
        created_at_ms INTEGER NOT NULL,
        expires_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID"];
