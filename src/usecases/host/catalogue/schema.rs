//! Schema versions of the catalogue. A version that has shipped is never
//! edited; the next one migrates from it.

use crate::domain::error::{Error, Result};
use crate::ports::database::{Database, query};
use serde::Deserialize;

/// Statements that lead from each version to the next, from an empty database on.
const MIGRATIONS: [&[&str]; 1] = [&[
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
]];

#[derive(Deserialize)]
struct VersionRow {
    version: usize,
}

/// Brings the schema to the newest version.
///
/// The statements run without an `await`, so a crash leaves the old version or
/// the new one.
pub(super) fn migrate(database: &dyn Database) -> Result<()> {
    database
        .exec("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL) STRICT", &[])?;
    let found = query::<VersionRow>(database, "SELECT version FROM schema_version", &[])?
        .first()
        .map_or(0, |row| row.version);
    let pending = MIGRATIONS.get(found..).ok_or_else(|| {
        Error::internal(format!(
            "the catalogue has schema version {found}, newer than this version's {}",
            MIGRATIONS.len()
        ))
    })?;
    if pending.is_empty() {
        return Ok(());
    }
    for statement in pending.iter().copied().flatten() {
        database.exec(statement, &[])?;
    }
    database.exec("DELETE FROM schema_version", &[])?;
    database.exec(
        "INSERT INTO schema_version (version) VALUES (?)",
        &[(MIGRATIONS.len() as u64).into()],
    )?;
    Ok(())
}
