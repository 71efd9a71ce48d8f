//! The snapshots that a session took. A row stays for thirty days after its snapshot has ended, as
//! a tombstone: until then, deleting again succeeds.

use crate::domain::json::render;
use crate::domain::limits::EXPIRY_MARGIN_MS;
use crate::domain::snapshot::backup::Ttl;
use crate::domain::snapshot::chain::Chain;
use crate::domain::{
    Annotations, BackupDir, BackupHandle, BackupId, Cause, GitState, MachinePart, Result,
    SandboxId, Snapshot, SnapshotKind, SnapshotQuery, SnapshotState,
};
use crate::ports::database::{SEQ_MAX, column, insert, json_column, json_value};
use crate::ports::{Row, SqlValue};
use crate::session::catalogue::Catalogue;

const COLUMNS: &str = "seq, id, binding, origin_sandbox_id, dir, name, description, chain, trigger,
    state, handle, parent_id, created_at_ms, ttl_secs, size_bytes, sha256, labels, pinned,
    published, renews, unsynced_edits, rebuilt_at_ms, retired_at_ms, git, machine, turn, saved_by";

fn read(mut row: Row) -> Result<Snapshot> {
    let row = &mut row;
    Ok(Snapshot {
        seq: column(row, "seq")?,
        id: column(row, "id")?,
        binding: column(row, "binding")?,
        origin_sandbox_id: column(row, "origin_sandbox_id")?,
        dir: column(row, "dir")?,
        annotations: Annotations {
            name: column(row, "name")?,
            description: column(row, "description")?,
            labels: json_column(row, "labels")?,
        },
        chain: json_column::<Option<Chain>>(row, "chain")?.unwrap_or_default(),
        cause: Cause {
            trigger: column(row, "trigger")?,
            turn: json_column(row, "turn")?,
            saved_by: column(row, "saved_by")?,
        },
        state: column(row, "state")?,
        handle: json_column(row, "handle")?,
        parent_id: column(row, "parent_id")?,
        created_at_ms: column(row, "created_at_ms")?,
        ttl_secs: column(row, "ttl_secs")?,
        size_bytes: column(row, "size_bytes")?,
        sha256: column(row, "sha256")?,
        renews: column::<i64>(row, "renews")? != 0,
        pinned: column::<i64>(row, "pinned")? != 0,
        published: column::<i64>(row, "published")? != 0,
        unsynced_edits: column(row, "unsynced_edits")?,
        rebuilt_at_ms: column(row, "rebuilt_at_ms")?,
        retired_at_ms: column(row, "retired_at_ms")?,
        git: json_column(row, "git")?,
        machine: json_column(row, "machine")?,
    })
}

pub(crate) fn annotation_columns(
    annotations: &Annotations,
) -> Result<Vec<(&'static str, SqlValue)>> {
    Ok(vec![
        ("name", annotations.name.clone().into()),
        ("description", annotations.description.clone().into()),
        ("labels", render(&annotations.labels)?.to_string().into()),
    ])
}

pub(crate) fn cause_columns(cause: &Cause) -> Result<Vec<(&'static str, SqlValue)>> {
    Ok(vec![
        ("trigger", cause.trigger.as_str().into()),
        ("turn", json_value(cause.turn.as_ref())?),
        ("saved_by", cause.saved_by.clone().into()),
    ])
}

pub(crate) fn chain_column(chain: &Chain) -> Result<SqlValue> {
    json_value((!chain.is_empty()).then_some(chain))
}

/// A snapshot about to be taken.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSnapshot {
    /// Id, chosen by the host.
    pub id: BackupId,
    /// The R2 binding that holds it.
    pub binding: String,
    /// Sandbox it is taken from.
    pub origin_sandbox_id: SandboxId,
    /// The directory it captures.
    pub dir: BackupDir,
    /// The session's annotations of the snapshot.
    pub annotations: Annotations,
    /// Why it is taken.
    pub cause: Cause,
    /// The archives below the layer that it may become.
    pub chain: Chain,
    /// The machine that it may share with other snapshots.
    pub machine: Option<MachinePart>,
    /// Snapshot that the workspace equalled last.
    pub parent_id: Option<BackupId>,
    /// When it was begun, in milliseconds since the epoch.
    pub created_at_ms: i64,
    /// Time to live.
    pub ttl: Ttl,
    /// Whether the use of its session renews the time to live.
    pub renews: bool,
}

/// Facts of a snapshot that are known once R2 holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadyFacts {
    /// Exactly what `createBackup` returned.
    pub handle: BackupHandle,
    /// From `meta.json`.
    pub created_at_ms: i64,
    /// From `meta.json`.
    pub ttl_secs: u64,
    /// From `meta.json`.
    pub size_bytes: u64,
    /// From `meta.json`, if it has one.
    pub sha256: Option<String>,
    /// From `meta.json`.
    pub chain: Chain,
    /// From `meta.json`, if it has one.
    pub git: Option<GitState>,
    /// From `meta.json`, if it has one.
    pub machine: Option<MachinePart>,
}

/// The filters of a list of snapshots.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SnapshotFilter {
    /// Which snapshots to list.
    pub query: SnapshotQuery,
    /// Also list expired snapshots.
    pub include_expired: bool,
    /// Also list snapshots that are not ready: being taken, being deleted, deleted, failed.
    pub include_unready: bool,
    /// Also list automatic snapshots.
    pub include_auto: bool,
}

impl Catalogue {
    pub(crate) fn select_snapshots(
        &self,
        tail: &str,
        params: &[SqlValue],
    ) -> Result<Vec<Snapshot>> {
        let sql = format!("SELECT {COLUMNS} FROM snapshots {tail}");
        self.database.exec(&sql, params)?.into_iter().map(read).collect()
    }

    /// A snapshot by id, in any state.
    pub fn snapshot(&self, id: &BackupId) -> Result<Option<Snapshot>> {
        Ok(self.select_snapshots("WHERE id = ?", &[id.as_str().into()])?.into_iter().next())
    }

    /// The snapshot that has this name now: ready and unexpired, or else being taken.
    pub fn snapshot_named(&self, name: &str, now_ms: i64) -> Result<Option<Snapshot>> {
        Ok(self.snapshots_named(name, now_ms)?.into_iter().next())
    }

    /// The last snapshot that had this name, even a gone one. A failed one may never have had it.
    pub fn snapshot_last_named(&self, name: &str) -> Result<Option<Snapshot>> {
        let last = |state: SnapshotState| -> Result<Option<Snapshot>> {
            let rows = self.select_snapshots(
                "INDEXED BY snapshots_by_name WHERE name = ? AND state = ? ORDER BY seq DESC LIMIT 1",
                &[name.into(), state.as_str().into()],
            )?;
            Ok(rows.into_iter().next())
        };
        let mut found: Option<Snapshot> = None;
        for state in [
            SnapshotState::Pending,
            SnapshotState::Ready,
            SnapshotState::Deleting,
            SnapshotState::Held,
            SnapshotState::Released,
            SnapshotState::Lost,
            SnapshotState::Deleted,
        ] {
            found = last(state)?.into_iter().chain(found).max_by_key(|row| row.seq);
        }
        found.map_or_else(|| last(SnapshotState::Failed), |row| Ok(Some(row)))
    }

    /// A pending snapshot comes first: it will take the name from its current holder.
    pub fn name_claimant(&self, name: &str, now_ms: i64) -> Result<Option<Snapshot>> {
        Ok(self.snapshots_named(name, now_ms)?.into_iter().next_back())
    }

    /// The ready one first, if there is one.
    fn snapshots_named(&self, name: &str, now_ms: i64) -> Result<Vec<Snapshot>> {
        self.select_snapshots(
            "INDEXED BY snapshots_by_name WHERE name = ? AND state IN ('pending', 'ready')
                AND (state = 'pending' OR pinned OR created_at_ms + ttl_secs * 1000 >= ?)
             ORDER BY state = 'ready' DESC, seq DESC",
            &[name.into(), (now_ms + EXPIRY_MARGIN_MS).into()],
        )
    }

    /// Newest first, before `before_seq`. An index finds ready snapshots; rows decide the rest.
    pub fn list_snapshots(
        &self,
        filter: &SnapshotFilter,
        now_ms: i64,
        before_seq: Option<i64>,
        limit: u32,
    ) -> Result<Vec<Snapshot>> {
        let query = &filter.query;
        let mut tail = "WHERE seq < ?".to_owned();
        let mut params: Vec<SqlValue> = vec![before_seq.unwrap_or(SEQ_MAX).into()];
        if !filter.include_unready {
            tail.push_str(" AND state = 'ready'");
        }
        if !filter.include_auto {
            tail.push_str(
                " AND (trigger IN ('manual', 'import') OR name IS NOT NULL OR retired_at_ms IS NOT NULL)",
            );
        }
        let index = match (&query.name, filter.include_unready, filter.include_auto) {
            (Some(_), ..) => "INDEXED BY snapshots_by_name ",
            (None, false, false) => "INDEXED BY snapshots_listed ",
            (None, false, true) => "INDEXED BY snapshots_by_state ",
            (None, true, _) => "",
        };
        tail.insert_str(0, index);
        if !filter.include_expired {
            tail.push_str(
                " AND (state <> 'ready' OR pinned OR created_at_ms + ttl_secs * 1000 >= ?)",
            );
            params.push((now_ms + EXPIRY_MARGIN_MS).into());
        }
        for (condition, value) in [
            (" AND name = ?", query.name.clone().map(SqlValue::from)),
            (" AND created_at_ms >= ?", query.created_after_ms.map(SqlValue::from)),
            (" AND created_at_ms < ?", query.created_before_ms.map(SqlValue::from)),
        ] {
            if let Some(value) = value {
                tail.push_str(condition);
                params.push(value);
            }
        }
        match query.kind {
            Some(SnapshotKind::Full) => tail.push_str(" AND chain IS NULL"),
            Some(SnapshotKind::Layer) => tail.push_str(" AND chain IS NOT NULL"),
            None => {}
        }
        for label in &query.labels {
            tail.push_str(
                " AND EXISTS (SELECT 1 FROM json_each(labels) AS label
                    WHERE label.key = ? AND (? IS NULL OR label.value = ?))",
            );
            params.extend([
                label.key.as_str().into(),
                label.value.clone().into(),
                label.value.clone().into(),
            ]);
        }
        tail.push_str(" ORDER BY seq DESC LIMIT ?");
        params.push(i64::from(limit).into());
        self.select_snapshots(&tail, &params)
    }

    /// The latest ready or pending snapshots, without automatic ones and those of turns.
    pub fn shown_snapshots(&self, limit: u32) -> Result<Vec<Snapshot>> {
        self.select_snapshots(
            "INDEXED BY snapshots_shown WHERE state IN ('pending', 'ready') AND trigger NOT IN ('auto', 'turn')
             ORDER BY seq DESC LIMIT ?",
            &[i64::from(limit).into()],
        )
    }

    /// Snapshots that are being taken or deleted, with no end recorded.
    pub fn unrecovered_snapshots(&self) -> Result<Vec<Snapshot>> {
        self.select_snapshots("WHERE state IN ('pending', 'deleting') ORDER BY seq", &[])
    }

    /// Whether a layer, or a snapshot that shares its machine, needs an archive of this one.
    pub fn is_needed(&self, id: &BackupId) -> Result<bool> {
        let by = self.database.exec(
            "SELECT 1 AS one FROM snapshots INDEXED BY snapshots_by_base
             WHERE base_id = ?1 AND state IN ('pending', 'ready', 'deleting', 'held', 'released', 'lost')
             UNION ALL SELECT 1 FROM snapshots INDEXED BY snapshots_by_machine
             WHERE machine_id = ?1 AND state IN ('pending', 'ready', 'deleting', 'held', 'released', 'lost')
             LIMIT 1",
            &[id.as_str().into()],
        )?;
        Ok(!by.is_empty())
    }

    /// The snapshots that share the machine of this one, deleted ones too.
    pub fn sharing_machine(&self, id: &BackupId) -> Result<Vec<Snapshot>> {
        self.select_snapshots(
            "INDEXED BY snapshots_by_machine WHERE machine_id = ?
                AND state IN ('pending', 'ready', 'deleting', 'held', 'released', 'lost')",
            &[id.as_str().into()],
        )
    }

    /// The layers right above a snapshot that need its archive, deleted ones too.
    pub fn layers_on(&self, id: &BackupId) -> Result<Vec<Snapshot>> {
        self.select_snapshots(
            "INDEXED BY snapshots_by_base WHERE base_id = ?
                AND state IN ('pending', 'ready', 'deleting', 'held', 'released', 'lost')",
            &[id.as_str().into()],
        )
    }

    /// Deleted snapshots whose archives no layer needs any more.
    pub fn released_snapshots(&self) -> Result<Vec<Snapshot>> {
        self.select_snapshots("WHERE state = 'released' ORDER BY seq", &[])
    }

    /// Records a snapshot about to be taken.
    pub fn add_pending_snapshot(&self, new: &NewSnapshot) -> Result<()> {
        let mut row = annotation_columns(&new.annotations)?;
        row.extend([
            ("id", new.id.as_str().into()),
            ("binding", new.binding.as_str().into()),
            ("origin_sandbox_id", new.origin_sandbox_id.as_str().into()),
            ("dir", new.dir.as_str().into()),
            ("chain", chain_column(&new.chain)?),
            ("machine", json_value(new.machine.as_ref())?),
            ("state", SnapshotState::Pending.as_str().into()),
            ("parent_id", new.parent_id.as_ref().map(BackupId::as_str).into()),
            ("created_at_ms", new.created_at_ms.into()),
            ("ttl_secs", new.ttl.as_secs().into()),
            ("renews", new.renews.into()),
        ]);
        row.extend(cause_columns(&new.cause)?);
        insert(self.database.as_ref(), "snapshots", row)
    }

    /// Records that R2 holds a snapshot whole, and moves its name to it.
    pub fn set_snapshot_ready(&self, id: &BackupId, facts: &ReadyFacts, now_ms: i64) -> Result<()> {
        let handle = render(&facts.handle)?.to_string();
        // The snapshot that loses the name loses it in its meta.json too.
        self.database.exec(
            "UPDATE snapshots INDEXED BY snapshots_by_name SET name = NULL, unsynced_edits = unsynced_edits + 1
             WHERE state = 'ready' AND name = (SELECT name FROM snapshots WHERE id = ?)",
            &[id.as_str().into()],
        )?;
        self.database.exec(
            "UPDATE snapshots SET state = 'ready', handle = ?, created_at_ms = ?,
                ttl_secs = ?, size_bytes = ?, sha256 = ?, chain = ?, git = ?, machine = ?, checked_at_ms = ?
             WHERE id = ?",
            &[
                handle.into(),
                facts.created_at_ms.into(),
                facts.ttl_secs.into(),
                facts.size_bytes.into(),
                facts.sha256.clone().into(),
                chain_column(&facts.chain)?,
                json_value(facts.git.as_ref())?,
                json_value(facts.machine.as_ref())?,
                now_ms.into(),
                id.as_str().into(),
            ],
        )?;
        Ok(())
    }

    /// Forgets a pending snapshot that was not taken after all.
    pub fn drop_pending_snapshot(&self, id: &BackupId) -> Result<()> {
        self.database.exec(
            "DELETE FROM snapshots WHERE id = ? AND state = 'pending'",
            &[id.as_str().into()],
        )?;
        Ok(())
    }

    /// Moves a snapshot to another state.
    pub fn set_snapshot_state(
        &self,
        id: &BackupId,
        state: SnapshotState,
        now_ms: i64,
    ) -> Result<()> {
        self.database.exec(
            "UPDATE snapshots SET state = ?, ended_at_ms = ? WHERE id = ?",
            &[state.as_str().into(), now_ms.into(), id.as_str().into()],
        )?;
        Ok(())
    }
}
