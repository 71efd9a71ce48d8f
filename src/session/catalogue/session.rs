//! The session's own row.

use crate::domain::json::render;
use crate::domain::session::usage::Stored;
use crate::domain::{
    BackupId, Event, EventView, Result, SandboxId, SessionId, Snapshot, WorkspaceConfig,
};
use crate::ports::Row;
use crate::ports::database::{column, json_column, query, values};
use crate::session::catalogue::Catalogue;
use crate::support::event_log;
use serde::Deserialize;

/// The stored session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    /// Its id.
    pub session_id: SessionId,
    /// The configuration it was opened with.
    pub config: WorkspaceConfig,
    /// The sandbox that tools act on.
    pub active_sandbox_id: SandboxId,
    /// When it was first opened, in milliseconds since the epoch.
    pub opened_at_ms: i64,
    /// When it was closed, in milliseconds since the epoch, while it is closed.
    pub closed_at_ms: Option<i64>,
}

fn read(row: &mut Row) -> Result<SessionRow> {
    Ok(SessionRow {
        session_id: column(row, "session_id")?,
        config: json_column(row, "config")?,
        active_sandbox_id: column(row, "active_sandbox_id")?,
        opened_at_ms: column(row, "opened_at_ms")?,
        closed_at_ms: column(row, "closed_at_ms")?,
    })
}

impl Catalogue {
    /// The session, if it was ever opened.
    pub fn session(&self) -> Result<Option<SessionRow>> {
        let mut rows = self.database.exec(
            "SELECT session_id, config, active_sandbox_id, opened_at_ms, closed_at_ms FROM session",
            &[],
        )?;
        rows.first_mut().map(read).transpose()
    }

    /// Creates or replaces the session's row.
    pub fn put_session(&self, row: &SessionRow) -> Result<()> {
        let config = render(&row.config)?.to_string();
        self.database.exec(
            "INSERT INTO session
             (singleton, session_id, config, active_sandbox_id, opened_at_ms, closed_at_ms)
             VALUES (1, ?, ?, ?, ?, ?)
             ON CONFLICT (singleton) DO UPDATE SET
                session_id = excluded.session_id, config = excluded.config,
                active_sandbox_id = excluded.active_sandbox_id,
                opened_at_ms = excluded.opened_at_ms, closed_at_ms = excluded.closed_at_ms",
            &[
                row.session_id.as_str().into(),
                config.into(),
                row.active_sandbox_id.as_str().into(),
                row.opened_at_ms.into(),
                row.closed_at_ms.into(),
            ],
        )?;
        Ok(())
    }

    /// At most 100 snapshots that R2 may hold, newest first, because layers are on older ones.
    pub fn undeleted_snapshots(&self) -> Result<Vec<Snapshot>> {
        self.select_snapshots(
            "WHERE state IN ('ready', 'lost', 'deleting') ORDER BY seq DESC LIMIT 100",
            &[],
        )
    }

    /// Forgets the session, unless R2 or a container holds a part of it. Returns whether it did.
    pub fn forget_session(&self) -> Result<bool> {
        let held: Vec<i64> = values(
            self.database.as_ref(),
            "SELECT 1 FROM session WHERE closed_at_ms IS NULL
             UNION ALL SELECT 1 FROM snapshots
                WHERE state IN ('pending', 'ready', 'deleting', 'held', 'released', 'lost')
             UNION ALL SELECT 1 FROM workspaces WHERE state <> 'destroyed' AND kind <> 'shared'
             UNION ALL SELECT 1 FROM flattening LIMIT 1",
            &[],
        )?;
        if !held.is_empty() {
            return Ok(false);
        }
        for table in [
            "turns",
            "rewinds",
            "heads",
            "restarts",
            "previews",
            "tokens",
            "operations",
            "commands",
            "leases",
            "borrowed",
            "claimers",
            "events",
            "retries",
            "halted_sweeps",
            "workspaces",
            "session",
        ] {
            self.database.exec(&format!("DELETE FROM {table}"), &[])?;
        }
        self.database.exec(
            "DELETE FROM snapshots INDEXED BY snapshots_ended
             WHERE state IN ('deleted', 'failed') AND ended_at_ms >= 0",
            &[],
        )?;
        Ok(true)
    }

    /// Makes tools act on another sandbox.
    pub fn set_active(&self, sandbox_id: &SandboxId) -> Result<()> {
        self.database
            .exec("UPDATE session SET active_sandbox_id = ?", &[sandbox_id.as_str().into()])?;
        Ok(())
    }

    /// Whether the directory listed the session after `since_ms`. None: it was never opened.
    pub fn is_registered(&self, since_ms: i64) -> Result<Option<bool>> {
        let sql = "SELECT COALESCE(registered_at_ms > ?, 0) FROM session";
        let registered: Vec<i64> = values(self.database.as_ref(), sql, &[since_ms.into()])?;
        Ok(registered.first().map(|registered| *registered != 0))
    }

    /// Records that the directory lists the session.
    pub fn set_registered(&self, now_ms: i64) -> Result<()> {
        let sql = "UPDATE session SET registered_at_ms = ?";
        self.database.exec(sql, &[now_ms.into()]).map(drop)
    }

    /// When the token bucket of snapshots is full again, in microseconds since the epoch.
    pub fn snapshots_full_at_us(&self) -> Result<i64> {
        let sql = "SELECT snapshots_full_at_us FROM session";
        Ok(values(self.database.as_ref(), sql, &[])?.pop().unwrap_or(0))
    }

    /// Does nothing for a session that was never opened.
    pub fn set_snapshots_full_at_us(&self, at_us: i64) -> Result<()> {
        let sql = "UPDATE session SET snapshots_full_at_us = ?";
        self.database.exec(sql, &[at_us.into()]).map(drop)
    }
}

impl Catalogue {
    /// Appends an event and drops those past the number kept.
    pub fn add_event(&self, now_ms: i64, event: &Event) -> Result<()> {
        event_log::add(self.database.as_ref(), now_ms, &event.to_stored()?)
    }

    /// Lists events before `before_seq`, newest first: all, or those about one subject.
    pub fn list_events(
        &self,
        about: Option<EventSubject<'_>>,
        before_seq: Option<i64>,
        limit: u32,
    ) -> Result<Vec<EventView>> {
        let database = self.database.as_ref();
        let (column, id) = match about {
            Some(EventSubject::Snapshot(id)) => ("snapshot_id", id.as_str()),
            Some(EventSubject::Workspace(id)) => ("workspace_id", id.as_str()),
            None => return event_log::list(database, before_seq, limit),
        };
        event_log::list_with(database, column, id, before_seq, limit)
    }
}

/// What events are about.
#[derive(Debug, Clone, Copy)]
pub enum EventSubject<'a> {
    /// A snapshot of the session.
    Snapshot(&'a BackupId),
    /// A workspace of the session.
    Workspace(&'a SandboxId),
}

/// Sums over the session's ready snapshots, from its rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoredSums {
    /// All ready snapshots.
    pub all: Stored,
    /// Ready snapshots that were taken automatically.
    pub automatic: Stored,
    /// Ready snapshots that are pinned.
    pub pinned: Stored,
    /// Ready snapshots that are pinned, rebuilt lately, or last saves of retired workspaces.
    pub guarded: Stored,
}

#[derive(Deserialize)]
struct Group {
    automatic: i64,
    guard: i64,
    count: u64,
    bytes: u64,
}

impl Catalogue {
    /// The number of ready snapshots, and the bytes of their archives.
    pub fn stored(&self) -> Result<StoredSums> {
        let groups: Vec<Group> = query(
            self.database.as_ref(),
            "SELECT automatic, guard, count, bytes FROM snapshot_sums",
            &[],
        )?;
        let mut sums = StoredSums::default();
        for Group { automatic, guard, count, bytes } in groups {
            let stored = Stored { count, size_bytes: bytes };
            sums.all = sums.all.plus(stored);
            if automatic != 0 {
                sums.automatic = sums.automatic.plus(stored);
            }
            if guard != 0 {
                sums.guarded = sums.guarded.plus(stored);
            }
            if guard == 1 {
                sums.pinned = sums.pinned.plus(stored);
            }
        }
        Ok(sums)
    }

    /// The number of deleted snapshots whose archives others need, and their bytes.
    pub fn held(&self) -> Result<Stored> {
        let sql = "SELECT count, bytes FROM held_sums";
        let sums: Vec<Stored> = query(self.database.as_ref(), sql, &[])?;
        Ok(sums.first().copied().unwrap_or_default())
    }

    /// How many ready snapshots with the same trigger are later, counting at most `at_most`.
    pub fn later_count(&self, than: &Snapshot, at_most: u32) -> Result<u64> {
        let counts = values(
            self.database.as_ref(),
            "SELECT COUNT(*) FROM (SELECT 1 FROM snapshots INDEXED BY snapshots_by_age
                WHERE state = 'ready' AND trigger = ? AND (created_at_ms, seq) > (?, ?) LIMIT ?)",
            &[
                than.cause.trigger.as_str().into(),
                than.created_at_ms.into(),
                than.seq.into(),
                i64::from(at_most).into(),
            ],
        )?;
        Ok(counts.first().copied().unwrap_or(0))
    }
}
