//! Schema migrations of an object's SQLite.

use crate::domain::{Error, Result};
use crate::ports::Database;
use crate::ports::database::values;

/// Migrates a schema to the newest version. Each item of `migrations` has groups of statements for
/// the next version, from an empty database on. Never edit a migration that has shipped.
///
/// The statements run without an `await`, so a crash leaves the old or the new version.
pub(crate) fn migrate(database: &dyn Database, migrations: &[&[&[&str]]]) -> Result<()> {
    database
        .exec("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL) STRICT", &[])?;
    let sql = "SELECT version FROM schema_version";
    let found: usize = values(database, sql, &[])?.pop().unwrap_or(0);
    let newest = migrations.len();
    let pending = migrations.get(found..).ok_or_else(|| {
        Error::internal(format!(
            "the object has schema version {found}, newer than this version's {newest}"
        ))
    })?;
    if pending.is_empty() {
        return Ok(());
    }
    for statement in pending.iter().copied().flatten().copied().flatten() {
        database.exec(statement, &[])?;
    }
    database.exec("DELETE FROM schema_version", &[])?;
    let stored = (newest as u64).into();
    database.exec("INSERT INTO schema_version (version) VALUES (?)", &[stored]).map(drop)
}
