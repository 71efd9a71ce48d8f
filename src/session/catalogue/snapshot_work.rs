//! Edits of a snapshot's row, and the edits that `meta.json` lacks.

use crate::domain::snapshot::chain::Part;
use crate::domain::{Annotations, BackupId, Cause, Result, SandboxId, Snapshot};
use crate::ports::SqlValue;
use crate::ports::database::query;
use crate::session::catalogue::Catalogue;
use crate::session::catalogue::snapshots::{annotation_columns, cause_columns, chain_column};
use serde::Deserialize;

/// The key of the retries of writing edits. No sandbox and no backup has such an id.
pub(crate) const EDITS: &str = "snapshots:edits";

/// The editable fields of a snapshot, with their new values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedFields {
    /// What the session says about the snapshot.
    pub annotations: Annotations,
    /// Whether it is kept, whatever its time to live and the policy say.
    pub pinned: bool,
    /// Whether other sessions may claim it.
    pub published: bool,
    /// Time to live in seconds.
    pub ttl_secs: u64,
    /// Whether the use of its session renews the time to live.
    pub renews: bool,
    /// Why it was taken. An automatic snapshot that is requested later becomes a manual one.
    pub cause: Cause,
}

impl EditedFields {
    /// The fields that a snapshot has now.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Self {
        Self {
            annotations: snapshot.annotations.clone(),
            pinned: snapshot.pinned,
            published: snapshot.published,
            ttl_secs: snapshot.ttl_secs,
            renews: snapshot.renews,
            cause: snapshot.cause.clone(),
        }
    }
}

impl Catalogue {
    /// Edits a ready snapshot, and takes its new name from another. Both then lack a sync.
    pub fn edit_snapshot(&self, id: &BackupId, fields: &EditedFields) -> Result<()> {
        self.database.exec(
            "UPDATE snapshots INDEXED BY snapshots_by_name SET name = NULL, unsynced_edits = unsynced_edits + 1
             WHERE state = 'ready' AND name = ? AND id <> ?",
            &[fields.annotations.name.clone().into(), id.as_str().into()],
        )?;
        let mut set = annotation_columns(&fields.annotations)?;
        set.extend([
            ("pinned", fields.pinned.into()),
            ("published", fields.published.into()),
            ("ttl_secs", fields.ttl_secs.into()),
            ("renews", fields.renews.into()),
        ]);
        set.extend(cause_columns(&fields.cause)?);
        let (columns, mut params): (Vec<&str>, Vec<SqlValue>) = set.into_iter().unzip();
        let sql = format!(
            "UPDATE snapshots SET {} = ?, unsynced_edits = unsynced_edits + 1
             WHERE id = ? AND state = 'ready'",
            columns.join(" = ?, ")
        );
        params.push(id.as_str().into());
        self.database.exec(&sql, &params)?;
        // A new edit is written soon, however often the others have failed.
        self.forget_retry(EDITS)
    }

    /// Some ready snapshots after `after_seq` whose `meta.json` lacks edits, in order of `seq`.
    pub fn unsynced_snapshots(&self, after_seq: i64, limit: u32) -> Result<Vec<Snapshot>> {
        self.select_snapshots(
            "INDEXED BY snapshots_unsynced WHERE state = 'ready' AND unsynced_edits > 0 AND seq > ?
             ORDER BY seq LIMIT ?",
            &[after_seq.into(), i64::from(limit).into()],
        )
    }

    /// Records that `meta.json` has a snapshot's edits, unless it was edited since.
    pub fn set_synced(&self, snapshot: &Snapshot) -> Result<()> {
        self.database.exec(
            "UPDATE snapshots SET unsynced_edits = 0 WHERE id = ? AND unsynced_edits = ?",
            &[snapshot.id.as_str().into(), snapshot.unsynced_edits.into()],
        )?;
        Ok(())
    }
}

impl Catalogue {
    /// The snapshots that R2 no longer has whole, the longest lost first.
    pub fn lost_snapshots(&self, limit: u32) -> Result<Vec<Snapshot>> {
        self.select_snapshots(
            "INDEXED BY snapshots_by_state WHERE state = 'lost' ORDER BY ended_at_ms, seq LIMIT ?",
            &[i64::from(limit).into()],
        )
    }

    /// Records that R2 has a lost snapshot whole again. Another may have its name by now.
    pub fn set_found(&self, id: &BackupId) -> Result<()> {
        self.database.exec(
            "UPDATE snapshots SET name = NULL, unsynced_edits = unsynced_edits + 1
             WHERE id = ?1 AND name IS NOT NULL AND EXISTS (SELECT 1 FROM snapshots AS other
                WHERE other.name = snapshots.name AND other.state IN ('pending', 'ready'))",
            &[id.as_str().into()],
        )?;
        self.database.exec(
            "UPDATE snapshots SET state = 'ready', ended_at_ms = NULL WHERE id = ? AND state = 'lost'",
            &[id.as_str().into()],
        )?;
        Ok(())
    }

    /// Snapshots lost at or before `lost_ms` that are neither pinned nor needed to wake, anywhere.
    pub fn lost_to_delete(&self, lost_ms: i64, now_ms: i64, limit: u32) -> Result<Vec<Snapshot>> {
        self.select_snapshots(
            "INDEXED BY snapshots_by_state WHERE state = 'lost' AND pinned = 0 AND ended_at_ms <= ?
                AND NOT EXISTS (SELECT 1 FROM heads CROSS JOIN workspaces USING (sandbox_id)
                    WHERE backup_id = snapshots.id AND workspaces.state <> 'destroyed')
                AND NOT EXISTS (SELECT 1 FROM leases WHERE backup_id = snapshots.id AND until_ms > ?)
             ORDER BY ended_at_ms, seq LIMIT ?",
            &[lost_ms.into(), now_ms.into(), i64::from(limit).into()],
        )
    }

    /// Makes every lost snapshot count as lost at `lost_ms` or later.
    pub fn put_off_lost(&self, lost_ms: i64) -> Result<()> {
        self.database.exec(
            "UPDATE snapshots INDEXED BY snapshots_by_state SET ended_at_ms = MAX(ended_at_ms, ?)
             WHERE state = 'lost'",
            &[lost_ms.into()],
        )?;
        Ok(())
    }

    /// Records whether R2 has lost the machine of a snapshot.
    pub fn set_machine_lost(&self, id: &BackupId, lost: bool) -> Result<()> {
        let sql = if lost {
            "UPDATE snapshots SET machine = json_set(machine, '$.lost', json('true')) WHERE id = ?"
        } else {
            "UPDATE snapshots SET machine = json_remove(machine, '$.lost') WHERE id = ?"
        };
        self.database.exec(sql, &[id.as_str().into()])?;
        Ok(())
    }
}

/// A layer that is becoming full.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Flattening {
    /// Its id.
    pub snapshot_id: BackupId,
    /// The sandbox whose container archives it.
    pub sandbox_id: SandboxId,
}

impl Catalogue {
    /// Records that a layer is about to become full.
    pub fn add_flattening(&self, id: &BackupId, sandbox_id: &SandboxId) -> Result<()> {
        self.database.exec(
            "INSERT OR REPLACE INTO flattening (snapshot_id, sandbox_id) VALUES (?, ?)",
            &[id.as_str().into(), sandbox_id.as_str().into()],
        )?;
        Ok(())
    }

    /// Layers that are becoming full.
    pub fn flattening(&self) -> Result<Vec<Flattening>> {
        let sql = "SELECT snapshot_id, sandbox_id FROM flattening ORDER BY snapshot_id";
        query(self.database.as_ref(), sql, &[])
    }

    /// Whether this snapshot, or one below it in its chain, is being flattened.
    pub fn is_flattening(&self, id: &BackupId) -> Result<bool> {
        let rows = self.database.exec(
            "SELECT 1 AS one FROM flattening WHERE snapshot_id = ?1 OR snapshot_id IN (
                SELECT part.value ->> '$.id' FROM snapshots, json_each(COALESCE(chain, '[]')) AS part
                WHERE snapshots.id = ?1)
             LIMIT 1",
            &[id.as_str().into()],
        )?;
        Ok(!rows.is_empty())
    }

    /// All snapshots whose chains contain `id`.
    pub fn layers_above(&self, id: &BackupId) -> Result<Vec<Snapshot>> {
        let (mut found, mut below): (Vec<Snapshot>, _) = (Vec::new(), vec![id.clone()]);
        while let Some(id) = below.pop() {
            let layers = self.layers_on(&id)?;
            below.extend(layers.iter().map(|layer| layer.id.clone()));
            found.extend(layers);
        }
        Ok(found)
    }

    /// Forgets that a layer was becoming full.
    pub fn drop_flattening(&self, id: &BackupId) -> Result<()> {
        self.database
            .exec("DELETE FROM flattening WHERE snapshot_id = ?", &[id.as_str().into()])?;
        Ok(())
    }

    /// Records that a snapshot is full, and shortens the chains of the layers above it.
    pub fn set_full(&self, full: &Part, above: &[Snapshot]) -> Result<()> {
        self.database.exec(
            "UPDATE snapshots SET chain = NULL, size_bytes = ?, sha256 = ? WHERE id = ?",
            &[full.size_bytes.into(), full.sha256.as_str().into(), full.id.as_str().into()],
        )?;
        for layer in above {
            self.database.exec(
                "UPDATE snapshots SET chain = ? WHERE id = ?",
                &[chain_column(&layer.chain.rebased(full))?, layer.id.as_str().into()],
            )?;
        }
        Ok(())
    }
}
