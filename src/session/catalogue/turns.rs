//! Turns of the conversation. A row goes with its snapshot, or when later turns take its place.

use crate::domain::json::render;
use crate::domain::limits::EXPIRY_MARGIN_MS;
use crate::domain::tree::changes::{ChangeCounts, ChangeKind};
use crate::domain::{
    BackupId, Error, Result, SandboxId, Turn, TurnCursor, TurnPlace, TurnSelector,
};
use crate::ports::database::{SEQ_MAX, column, insert, json_column, values};
use crate::ports::sandbox::FoundPath;
use crate::ports::{Row, SqlValue};
use crate::session::catalogue::Catalogue;
use serde::{Deserialize, Serialize};

const COLUMNS: &str = "number, cursor, label, snapshot_id, sandbox_id, before_id, at_ms, changes";

/// A turn as the catalogue has it.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRow {
    /// Number, cursor and label.
    pub turn: Turn,
    /// The snapshot of the files that it ended with.
    pub snapshot_id: BackupId,
    /// The workspace that was active.
    pub sandbox_id: SandboxId,
    /// The snapshot of the files that it began with. None: an empty workspace.
    pub before_id: Option<BackupId>,
    /// When it ended, in milliseconds since the epoch.
    pub at_ms: i64,
    /// What it changed, once somebody has asked.
    pub changes: Option<TurnChanges>,
}

/// What a turn changed against the files before it. Changes in .git and in ignored
/// files do not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct TurnChanges {
    /// Number of changes of each kind. Absent: too many paths changed to compare them in
    /// one call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<ChangeCounts>,
    /// The first changed paths, at most 10.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<ChangedPath>,
}

/// A changed path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct ChangedPath {
    /// From the root.
    #[serde(flatten)]
    pub path: FoundPath,
    /// What happened.
    pub change: ChangeKind,
}

fn read(mut row: Row) -> Result<TurnRow> {
    let row = &mut row;
    Ok(TurnRow {
        turn: Turn {
            number: column(row, "number")?,
            cursor: json_column::<Option<TurnCursor>>(row, "cursor")?,
            label: column(row, "label")?,
        },
        snapshot_id: column(row, "snapshot_id")?,
        sandbox_id: column(row, "sandbox_id")?,
        before_id: column(row, "before_id")?,
        at_ms: column(row, "at_ms")?,
        changes: json_column(row, "changes")?,
    })
}

impl Catalogue {
    fn select_turns(&self, tail: &str, params: &[SqlValue]) -> Result<Vec<TurnRow>> {
        let sql = format!("SELECT {COLUMNS} FROM turns {tail}");
        self.database.exec(&sql, params)?.into_iter().map(read).collect()
    }

    /// The number of a new turn. No other turn gets it.
    pub fn next_turn(&self) -> Result<u64> {
        let sql = "UPDATE session SET turns = turns + 1 RETURNING turns";
        let next = values(self.database.as_ref(), sql, &[])?.pop();
        next.ok_or_else(|| Error::internal("there is no session"))
    }

    /// Records that a turn ended with a snapshot's files. Only the latest `keep` turns stay. A turn
    /// whose save was recovered may come after the next turn or a rewind: it is put in before them.
    pub fn add_turn(
        &self,
        turn: &Turn,
        snapshot_id: &BackupId,
        sandbox_id: &SandboxId,
        at_ms: i64,
        keep: u32,
    ) -> Result<()> {
        let (id, number) = (sandbox_id.as_str(), turn.number);
        let next = self.select_turns(
            "WHERE sandbox_id = ? AND number > ? ORDER BY number LIMIT 1",
            &[id.into(), number.into()],
        )?;
        let next = next.into_iter().next();
        let next_ms = next.as_ref().map_or(SEQ_MAX, |next| next.at_ms);
        if self.is_rewound_between(sandbox_id, at_ms, next_ms)? {
            // The next turn begins with what the rewind brought back.
            let last = self.select_turns(
                "WHERE sandbox_id = ? AND number < ? ORDER BY number DESC LIMIT 1",
                &[id.into(), number.into()],
            )?;
            let before = last.into_iter().next().map(|last| last.snapshot_id);
            self.put_turn(turn, snapshot_id, sandbox_id, before, at_ms)?;
        } else if let Some(next) = next {
            self.put_turn(turn, snapshot_id, sandbox_id, next.before_id, at_ms)?;
            self.database.exec(
                "UPDATE turns SET before_id = ?, changes = NULL WHERE number = ?",
                &[snapshot_id.as_str().into(), next.turn.number.into()],
            )?;
        } else {
            let before = self.last_turn_of(sandbox_id)?;
            self.put_turn(turn, snapshot_id, sandbox_id, before, at_ms)?;
            self.database.exec(
                "UPDATE workspaces SET turn_backup_id = ? WHERE sandbox_id = ?",
                &[snapshot_id.as_str().into(), id.into()],
            )?;
        }
        self.database.exec(
            "DELETE FROM turns WHERE number <= (
                SELECT number FROM turns ORDER BY number DESC LIMIT 1 OFFSET ?)",
            &[i64::from(keep).into()],
        )?;
        Ok(())
    }

    /// The snapshot that the next turn begins with: the last turn's, else the restored or rewound
    /// one.
    pub fn last_turn_of(&self, sandbox_id: &SandboxId) -> Result<Option<BackupId>> {
        let found: Vec<Option<BackupId>> = values(
            self.database.as_ref(),
            "SELECT COALESCE(turn_backup_id, from_backup_id) FROM workspaces WHERE sandbox_id = ?",
            &[sandbox_id.as_str().into()],
        )?;
        Ok(found.into_iter().flatten().next())
    }

    /// The newest turn that changed files and ended with those of this snapshot.
    pub fn turn_ending_with(&self, snapshot_id: &BackupId) -> Result<Option<TurnRow>> {
        let found = self.select_turns(
            "WHERE snapshot_id = ? AND before_id IS NOT snapshot_id ORDER BY number DESC LIMIT 1",
            &[snapshot_id.as_str().into()],
        )?;
        Ok(found.into_iter().next())
    }

    /// Puts back the turn of a rebuilt snapshot, unless another turn has its number.
    pub fn put_rebuilt_turn(
        &self,
        turn: &Turn,
        snapshot_id: &BackupId,
        sandbox_id: &SandboxId,
        before_id: Option<BackupId>,
        at_ms: i64,
    ) -> Result<()> {
        let sql = "SELECT 1 FROM turns WHERE number = ?";
        if self.database.exec(sql, &[turn.number.into()])?.is_empty() {
            self.put_turn(turn, snapshot_id, sandbox_id, before_id, at_ms)?;
        }
        self.database
            .exec("UPDATE session SET turns = MAX(turns, ?)", &[turn.number.into()])
            .map(drop)
    }

    fn put_turn(
        &self,
        turn: &Turn,
        snapshot_id: &BackupId,
        sandbox_id: &SandboxId,
        before_id: Option<BackupId>,
        at_ms: i64,
    ) -> Result<()> {
        let cursor = turn.cursor.as_ref().map(TurnCursor::to_text).transpose()?;
        let row = vec![
            ("number", turn.number.into()),
            ("cursor", cursor.into()),
            ("label", turn.label.clone().into()),
            ("snapshot_id", snapshot_id.as_str().into()),
            ("sandbox_id", sandbox_id.as_str().into()),
            ("before_id", before_id.as_ref().map(BackupId::as_str).into()),
            ("at_ms", at_ms.into()),
        ];
        insert(self.database.as_ref(), "turns", row)
    }

    /// Makes the next turn of a rewound workspace begin with the files that it was rewound to.
    pub fn forget_turn_of(&self, sandbox_id: &SandboxId) -> Result<()> {
        self.database.exec(
            "UPDATE workspaces SET turn_backup_id = NULL WHERE sandbox_id = ?",
            &[sandbox_id.as_str().into()],
        )?;
        Ok(())
    }

    /// The named turn. With `at_or_before`, the newest turn up to it, if possible an unexpired one.
    pub fn turn_at(&self, named: &TurnSelector, now_ms: i64) -> Result<Option<TurnRow>> {
        let number = match &named.place {
            TurnPlace::Number(number) => *number,
            TurnPlace::Cursor(cursor) => {
                let sql =
                    "SELECT MAX(number) FROM turns INDEXED BY turns_by_cursor WHERE cursor = ?";
                let found: Vec<Option<u64>> =
                    values(self.database.as_ref(), sql, &[cursor.to_text()?.into()])?;
                match found.into_iter().flatten().next() {
                    Some(number) => number,
                    None => return Ok(None),
                }
            }
        };
        // A number beyond those that the database can hold is no error.
        let number = i64::try_from(number).unwrap_or(SEQ_MAX).min(SEQ_MAX);
        if !named.at_or_before {
            return Ok(self.select_turns("WHERE number = ?", &[number.into()])?.into_iter().next());
        }
        let unexpired = self.select_turns(
            "WHERE number <= ? AND EXISTS (SELECT 1 FROM snapshots
                WHERE snapshots.id = turns.snapshot_id
                    AND (pinned OR created_at_ms + ttl_secs * 1000 >= ?))
             ORDER BY number DESC LIMIT 1",
            &[number.into(), (now_ms + EXPIRY_MARGIN_MS).into()],
        )?;
        if let Some(found) = unexpired.into_iter().next() {
            return Ok(Some(found));
        }
        let newest =
            self.select_turns("WHERE number <= ? ORDER BY number DESC LIMIT 1", &[number.into()])?;
        Ok(newest.into_iter().next())
    }

    /// A page of turns, newest first, before the one of number `before`.
    pub fn turns(&self, before: Option<i64>, limit: u32) -> Result<Vec<TurnRow>> {
        self.select_turns(
            "WHERE number < ? ORDER BY number DESC LIMIT ?",
            &[before.unwrap_or(SEQ_MAX).into(), i64::from(limit).into()],
        )
    }

    /// Stores what a turn changed, so that the next look reads no archive.
    pub fn set_turn_changes(&self, number: u64, changes: &TurnChanges) -> Result<()> {
        self.database.exec(
            "UPDATE turns SET changes = ? WHERE number = ?",
            &[render(changes)?.to_string().into(), number.into()],
        )?;
        Ok(())
    }
}
