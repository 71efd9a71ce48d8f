//! Edits of a snapshot's row, and the edits that `meta.json` lacks.

use crate::domain::{Annotations, BackupId, Result, Snapshot, SnapshotTrigger, Turn};
use crate::ports::SqlValue;
use crate::ports::database::json_value;
use crate::session::catalogue::Catalogue;
use crate::session::catalogue::snapshots::annotation_columns;

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
    pub trigger: SnapshotTrigger,
    /// The last turn that ended with its files.
    pub turn: Option<Turn>,
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
            trigger: snapshot.trigger,
            turn: snapshot.turn.clone(),
        }
    }
}

impl Catalogue {
    /// Edits a ready snapshot, and takes its new name from another that has it.
    /// Each then has one more edit that `meta.json` lacks.
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
            ("trigger", fields.trigger.as_str().into()),
            ("turn", json_value(fields.turn.as_ref())?),
        ]);
        let (columns, mut params): (Vec<&str>, Vec<SqlValue>) = set.into_iter().unzip();
        let sql = format!(
            "UPDATE snapshots SET {} = ?, unsynced_edits = unsynced_edits + 1
             WHERE id = ? AND state = 'ready'",
            columns.join(" = ?, ")
        );
        params.push(id.as_str().into());
        self.database.exec(&sql, &params).map(drop)
    }

    /// Some ready snapshots after `after_seq` with edits that their `meta.json`
    /// lacks, in order of `seq`.
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
