//! Snapshots that are made of archives.

/// Imported snapshots are listed and limited as requested ones are.
pub(super) const IMPORTS: &[&str] = &[
    "DROP INDEX snapshots_asked_last",
    "DROP INDEX snapshots_listed",
    "CREATE INDEX snapshots_asked_last ON snapshots (created_at_ms)
     WHERE trigger IN ('manual', 'import') AND state <> 'failed'",
    "CREATE INDEX snapshots_listed ON snapshots (seq) WHERE state = 'ready'
        AND (trigger IN ('manual', 'import') OR name IS NOT NULL OR retired_at_ms IS NOT NULL)",
];
