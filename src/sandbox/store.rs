//! The sandbox's rows in its object's SQLite: its configuration, and what it
//! has begun to write to R2.
//!
//! Every method is synchronous, so the statements of one method, and of several
//! called without an `await` between them, commit together or not at all. And
//! no message leaves the object before the rows written so far are durable
//! (the runtime's output gate), so a row always precedes the effect it is for.

use crate::domain::error::{Error, Result};
use crate::domain::ids::{BackupId, InstanceId};
use crate::domain::json::parse_stored;
use crate::ports::database::{Database, query};
use crate::ports::sandbox::ConfigureOptions;
use crate::support::schema_version::migrate;
use serde::Deserialize;
use std::rc::Rc;

/// What leads from each version to the next, from an empty database on.
const MIGRATIONS: [&[&[&str]]; 1] = [&[TABLES]];

/// The configuration; backups and how far each one is; and the container that
/// was started last, its disk once that is known, and until when commands may
/// run in it.
const TABLES: &[&str] = &[
    "CREATE TABLE configuration (
        singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
        options TEXT NOT NULL
    ) STRICT",
    "CREATE TABLE backups (
        id TEXT PRIMARY KEY,
        state TEXT NOT NULL,
        binding TEXT,
        upload_id TEXT,
        updated_at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID",
    "CREATE TABLE container (
        singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
        instance_id TEXT,
        start TEXT,
        commands_until_ms INTEGER NOT NULL DEFAULT 0
    ) STRICT",
];

/// The time until which commands may run is kept in whole minutes: few commands
/// cost a write.
const COMMANDS_STEP_MS: i64 = 60_000;

/// How long a closed id is remembered. No call that names it is under way by then.
const CLOSED_KEPT_MS: i64 = 30 * 24 * 3_600_000;

/// What this sandbox began to write to R2 and has neither committed nor removed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Unfinished {
    /// Backup it is for.
    pub(crate) id: BackupId,
    /// R2 binding.
    pub(crate) binding: String,
    /// Multipart upload to abort, if one was begun.
    pub(crate) upload_id: Option<String>,
}

/// The container that this sandbox started last.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Started {
    /// Its disk; none: nothing has asked it yet.
    pub(crate) instance_id: Option<InstanceId>,
    /// What tells this start of it from any other; set with the disk.
    pub(crate) start: Option<String>,
}

#[derive(Deserialize)]
struct CommandsRow {
    commands_until_ms: i64,
}

#[derive(Deserialize)]
struct ConfigurationRow {
    options: String,
}

/// The sandbox's persistent state.
pub(crate) struct Store {
    database: Rc<dyn Database>,
}

impl Store {
    /// Opens the store, migrating its schema where an older version wrote it.
    pub(crate) fn open(database: Rc<dyn Database>) -> Result<Self> {
        migrate(database.as_ref(), &MIGRATIONS)?;
        Ok(Self { database })
    }

    /// What was configured; nothing, before the first time.
    pub(crate) fn configuration(&self) -> Result<ConfigureOptions> {
        let rows: Vec<ConfigurationRow> =
            query(self.database.as_ref(), "SELECT options FROM configuration", &[])?;
        rows.first().map_or_else(
            || Ok(ConfigureOptions::default()),
            |row| parse_stored("configuration", &row.options),
        )
    }

    pub(crate) fn set_configuration(&self, options: &ConfigureOptions) -> Result<()> {
        let text =
            serde_json::to_string(options).map_err(|error| Error::internal(error.to_string()))?;
        self.database.exec(
            "INSERT OR REPLACE INTO configuration (singleton, options) VALUES (1, ?)",
            &[text.into()],
        )?;
        Ok(())
    }

    pub(crate) fn forget_configuration(&self) -> Result<()> {
        self.database.exec("DELETE FROM configuration", &[])?;
        Ok(())
    }

    /// The container that was started last, unless it was destroyed.
    pub(crate) fn started(&self) -> Result<Option<Started>> {
        let rows: Vec<Started> =
            query(self.database.as_ref(), "SELECT instance_id, start FROM container", &[])?;
        Ok(rows.into_iter().next())
    }

    /// Records the container. Where none was recorded, commands of before may
    /// run in it until `commands_until_ms`.
    pub(crate) fn set_started(&self, started: &Started, commands_until_ms: i64) -> Result<()> {
        self.database.exec(
            "INSERT INTO container (singleton, instance_id, start, commands_until_ms)
             VALUES (1, ?, ?, ?)
             ON CONFLICT (singleton) DO UPDATE SET instance_id = excluded.instance_id,
                 start = excluded.start",
            &[
                started.instance_id.as_ref().map(InstanceId::as_str).into(),
                started.start.clone().into(),
                commands_until_ms.into(),
            ],
        )?;
        Ok(())
    }

    /// Until when commands may run in the container, in milliseconds since the epoch.
    pub(crate) fn commands_until_ms(&self) -> Result<i64> {
        let rows: Vec<CommandsRow> =
            query(self.database.as_ref(), "SELECT commands_until_ms FROM container", &[])?;
        Ok(rows.first().map_or(0, |row| row.commands_until_ms))
    }

    /// Says that a command is begun that may run until then.
    pub(crate) fn begin_command(&self, until_ms: i64) -> Result<()> {
        if until_ms <= self.commands_until_ms()? {
            return Ok(());
        }
        let until_ms = until_ms.saturating_add(COMMANDS_STEP_MS);
        self.database.exec("UPDATE container SET commands_until_ms = ?", &[until_ms.into()])?;
        Ok(())
    }

    pub(crate) fn forget_started(&self) -> Result<()> {
        self.database.exec("DELETE FROM container", &[])?;
        Ok(())
    }

    /// Whether a backup of this id was begun here and not undone: no second one may be.
    pub(crate) fn knows(&self, id: &BackupId) -> Result<bool> {
        let rows =
            self.database.exec("SELECT 1 FROM backups WHERE id = ?", &[id.as_str().into()])?;
        Ok(!rows.is_empty())
    }

    /// Says that objects of this backup may exist from now on.
    pub(crate) fn begin(&self, id: &BackupId, binding: &str, now_ms: i64) -> Result<()> {
        self.database.exec(
            "INSERT INTO backups (id, state, binding, updated_at_ms) VALUES (?, 'writing', ?, ?)",
            &[id.as_str().into(), binding.into(), now_ms.into()],
        )?;
        Ok(())
    }

    pub(crate) fn set_upload_id(&self, id: &BackupId, upload_id: &str) -> Result<()> {
        self.database.exec(
            "UPDATE backups SET upload_id = ? WHERE id = ?",
            &[upload_id.into(), id.as_str().into()],
        )?;
        Ok(())
    }

    /// Everything begun and neither closed nor undone.
    pub(crate) fn unfinished(&self) -> Result<Vec<Unfinished>> {
        query(
            self.database.as_ref(),
            "SELECT id, binding, upload_id FROM backups WHERE state = 'writing' ORDER BY id",
            &[],
        )
    }

    /// No backup of this id will ever be made here, again or at all.
    pub(crate) fn close(&self, id: &BackupId, now_ms: i64) -> Result<()> {
        self.database.exec(
            "INSERT INTO backups (id, state, updated_at_ms) VALUES (?, 'closed', ?)
             ON CONFLICT (id) DO UPDATE SET state = 'closed', binding = NULL, upload_id = NULL,
                 updated_at_ms = excluded.updated_at_ms",
            &[id.as_str().into(), now_ms.into()],
        )?;
        self.database.exec(
            "DELETE FROM backups WHERE state = 'closed' AND updated_at_ms < ?",
            &[now_ms.saturating_sub(CLOSED_KEPT_MS).into()],
        )?;
        Ok(())
    }

    /// Nothing of this backup exists any more; its id may be used again.
    pub(crate) fn undone(&self, id: &BackupId) -> Result<()> {
        self.database.exec("DELETE FROM backups WHERE id = ?", &[id.as_str().into()])?;
        Ok(())
    }
}
