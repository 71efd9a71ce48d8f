//! The sandbox's rows in its object's SQLite: its configuration, its last started container, and
//! its unfinished backups.
//!
//! Every method is synchronous, so statements without an `await` between them commit together or
//! not at all. No message leaves the object before the rows written so far are durable (the
//! runtime's output gate), so a row is always durable before the effect that it announces.

use crate::domain::egress::RefusedHost;
use crate::domain::error::Result;
use crate::domain::ids::{BackupId, InstanceId};
use crate::domain::json::render;
use crate::domain::limits::{REFUSED_HOSTS_KEPT, REFUSED_WRITE_MS};
use crate::domain::snapshot::backup::SnapshotKind;
use crate::ports::database::{Database, json_column, query, values};
use crate::ports::sandbox::ConfigureOptions;
use crate::support::schema_version::migrate;
use serde::Deserialize;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

const MIGRATIONS: [&[&[&str]]; 1] = [&[TABLES]];

/// In `backups`, `kind` determines the archive's key. In `container`, commands may run until
/// `commands_until_ms`. `refused` has the hosts that no answer has reported yet.
const TABLES: &[&str] = &[
    "CREATE TABLE configuration (
        singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
        options TEXT NOT NULL
    ) STRICT",
    "CREATE TABLE backups (
        id TEXT PRIMARY KEY,
        state TEXT NOT NULL,
        kind TEXT NOT NULL DEFAULT 'full',
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
    "CREATE TABLE refused (
        host TEXT PRIMARY KEY,
        count INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID",
];

/// The stored time is up to this much later than necessary, so few commands cost a write.
const COMMANDS_STEP_MS: i64 = 60_000;

/// How long a closed id is remembered. No call that names it takes this long.
const CLOSED_KEPT_MS: i64 = 30 * 24 * 3_600_000;

/// A backup that this sandbox began to write to R2 and has neither committed nor removed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Unfinished {
    pub(crate) id: BackupId,
    pub(crate) binding: String,
    pub(crate) kind: SnapshotKind,
    /// Multipart upload to abort, if one was begun.
    pub(crate) upload_id: Option<String>,
    pub(crate) state: Intent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Intent {
    /// The whole backup, which nobody had before.
    Writing,
    /// Another archive of a backup that was made long ago.
    Rewriting,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Started {
    /// The container's disk. None: not known yet.
    pub(crate) instance_id: Option<InstanceId>,
    /// Distinguishes this start from every other. Set with the disk.
    pub(crate) start: Option<String>,
}

pub(crate) struct Store {
    database: Rc<dyn Database>,
    refusals: RefCell<Refusals>,
}

/// Refused hosts that have no row yet: a container can cause many refusals in a second, and each
/// write costs. If this object ends, the counts of its last second are lost.
#[derive(Default)]
struct Refusals {
    counts: BTreeMap<String, u64>,
    written_ms: Option<i64>,
}

impl Store {
    pub(crate) fn open(database: Rc<dyn Database>) -> Result<Self> {
        migrate(database.as_ref(), &MIGRATIONS)?;
        Ok(Self { database, refusals: RefCell::default() })
    }

    /// Empty before the first `configure`.
    pub(crate) fn configuration(&self) -> Result<ConfigureOptions> {
        let mut rows = self.database.exec("SELECT options FROM configuration", &[])?;
        let options = rows.first_mut().map(|row| json_column(row, "options")).transpose()?;
        Ok(options.unwrap_or_default())
    }

    pub(crate) fn is_configured(&self) -> Result<bool> {
        Ok(!self.database.exec("SELECT 1 FROM configuration", &[])?.is_empty())
    }

    pub(crate) fn set_configuration(&self, options: &ConfigureOptions) -> Result<()> {
        let text = render(options)?.to_string();
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

    /// The last started container, unless it was destroyed.
    pub(crate) fn started(&self) -> Result<Option<Started>> {
        let rows: Vec<Started> =
            query(self.database.as_ref(), "SELECT instance_id, start FROM container", &[])?;
        Ok(rows.into_iter().next())
    }

    /// Records the container. If none was recorded, earlier commands may still run in it until
    /// `commands_until_ms`.
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

    /// Time until which commands may run in the container, in milliseconds since the epoch.
    pub(crate) fn commands_until_ms(&self) -> Result<i64> {
        let sql = "SELECT commands_until_ms FROM container";
        Ok(values(self.database.as_ref(), sql, &[])?.pop().unwrap_or(0))
    }

    /// Records that a command begins that may run until `until_ms`.
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

    /// Counts that a host was refused, and writes the counts once a second. Hosts beyond
    /// `REFUSED_HOSTS_KEPT` are not counted.
    pub(crate) fn note_refused(&self, host: &str, now_ms: i64) -> Result<()> {
        let mut refusals = self.refusals.borrow_mut();
        let is_full = refusals.counts.len() >= REFUSED_HOSTS_KEPT as usize;
        match refusals.counts.get_mut(host) {
            Some(count) => *count = count.saturating_add(1),
            None if is_full => {}
            None => drop(refusals.counts.insert(host.to_owned(), 1)),
        }
        let since_ms = refusals.written_ms.map(|written_ms| now_ms.saturating_sub(written_ms));
        if since_ms.is_some_and(|since_ms| (0..REFUSED_WRITE_MS).contains(&since_ms)) {
            return Ok(());
        }
        refusals.written_ms = Some(now_ms);
        drop(refusals);
        self.write_refused()
    }

    fn write_refused(&self) -> Result<()> {
        for (host, count) in std::mem::take(&mut self.refusals.borrow_mut().counts) {
            self.database.exec(
                "INSERT INTO refused (host, count)
                 SELECT ?1, ?3 WHERE (SELECT COUNT(*) FROM refused WHERE host <> ?1) < ?2
                 ON CONFLICT (host) DO UPDATE SET count = count + ?3",
                &[
                    host.into(),
                    i64::from(REFUSED_HOSTS_KEPT).into(),
                    i64::try_from(count).unwrap_or(i64::MAX).into(),
                ],
            )?;
        }
        Ok(())
    }

    pub(crate) fn refused(&self) -> Result<Vec<RefusedHost>> {
        self.write_refused()?;
        query(self.database.as_ref(), "SELECT host, count FROM refused ORDER BY host", &[])
    }

    pub(crate) fn take_refused(&self) -> Result<Vec<RefusedHost>> {
        let refused = self.refused()?;
        if !refused.is_empty() {
            self.database.exec("DELETE FROM refused", &[])?;
        }
        Ok(refused)
    }

    /// Whether this id has a row. If so, no backup may begin with it.
    pub(crate) fn knows(&self, id: &BackupId) -> Result<bool> {
        let rows =
            self.database.exec("SELECT 1 FROM backups WHERE id = ?", &[id.as_str().into()])?;
        Ok(!rows.is_empty())
    }

    /// Records that R2 may hold objects of this backup from now on.
    pub(crate) fn begin(
        &self,
        id: &BackupId,
        binding: &str,
        kind: SnapshotKind,
        now_ms: i64,
    ) -> Result<()> {
        self.insert("writing", id, binding, kind, now_ms)
    }

    fn insert(
        &self,
        state: &str,
        id: &BackupId,
        binding: &str,
        kind: SnapshotKind,
        now_ms: i64,
    ) -> Result<()> {
        self.database.exec(
            "INSERT INTO backups (id, state, binding, kind, updated_at_ms) VALUES (?, ?, ?, ?, ?)",
            &[
                id.as_str().into(),
                state.into(),
                binding.into(),
                kind.as_str().into(),
                now_ms.into(),
            ],
        )?;
        Ok(())
    }

    /// Records that R2 may hold another archive of `kind` from now on. The backup was made long
    /// ago, here or by another sandbox.
    pub(crate) fn begin_again(
        &self,
        id: &BackupId,
        binding: &str,
        kind: SnapshotKind,
        now_ms: i64,
    ) -> Result<()> {
        self.database.exec("DELETE FROM backups WHERE id = ?", &[id.as_str().into()])?;
        self.insert("rewriting", id, binding, kind, now_ms)
    }

    pub(crate) fn set_upload_id(&self, id: &BackupId, upload_id: &str) -> Result<()> {
        self.database.exec(
            "UPDATE backups SET upload_id = ? WHERE id = ?",
            &[upload_id.into(), id.as_str().into()],
        )?;
        Ok(())
    }

    pub(crate) fn unfinished(&self) -> Result<Vec<Unfinished>> {
        query(
            self.database.as_ref(),
            "SELECT id, binding, kind, upload_id, state
             FROM backups WHERE state = 'writing' OR state = 'rewriting' ORDER BY id",
            &[],
        )
    }

    /// Closes an id: no backup with this id will ever begin here.
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

    /// Deletes the row of a backup that left nothing in R2. Its id may be used again.
    pub(crate) fn undone(&self, id: &BackupId) -> Result<()> {
        self.database.exec("DELETE FROM backups WHERE id = ?", &[id.as_str().into()])?;
        Ok(())
    }
}
