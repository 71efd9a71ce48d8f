//! List the turns, each with what it changed.

use crate::domain::error::{Error, ErrorCode, Result};
use crate::domain::ids::{BackupId, SandboxId};
use crate::domain::limits::{
    TIMELINE_DEFAULT_TURNS, TIMELINE_MAX_TURNS, TURN_PATHS_MAX, TURNS_COMPARED_AT_ONCE,
};
use crate::domain::page::RowPage;
use crate::domain::snapshot::backup::rfc3339;
use crate::domain::snapshot::turn::Turn;
use crate::domain::tree::changes::{Change, ChangeCounts};
use crate::ports::sandbox::FoundPath;
use crate::session::Session;
use crate::session::catalogue::{TurnChanges, TurnPath, TurnRow};
use crate::session::context::Context;
use crate::session::loaded_session::LoadedSession;
use crate::session::snapshots::earlier::EarlierTurns;
use crate::session::snapshots::files::archives::{ArchiveRoom, Archives};
use crate::session::trees::Trees;
use crate::session::trees::changed::changed;
use crate::session::trees::differences::Comparing;
use crate::session::trees::tree::Tree;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Which turns to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct TimelineRequest {
    /// Maximum number of turns, at most 100. Default 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(range(min = 1)))]
    pub limit: Option<u32>,
    /// nextCursor of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of turns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Timeline {
    /// Newest first.
    pub turns: Vec<TurnView>,
    /// Where the next page begins, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// On the last page of a session that was opened from another one's snapshot: whose turns
    /// come before these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<EarlierTurns>,
}

/// A turn of the timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TurnView {
    /// Number, cursor and label, in the same object.
    #[serde(flatten)]
    pub turn: Turn,
    /// When it ended, in RFC 3339.
    pub at: String,
    /// The workspace that was active.
    pub sandbox_id: SandboxId,
    /// The snapshot of the files that it ended with.
    pub snapshot_id: BackupId,
    /// Whether a rewind to it can be started now.
    pub restorable: bool,
    /// What it changed against the files before it. Absent if those are gone, and for a turn
    /// that this call had no time to compare: call again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<TurnChanges>,
}

parts!(TimelineOf { context: Context, archives: Archives });

impl Session {
    /// Lists the turns, newest first. Starts no container.
    ///
    /// A turn is compared with the files before it when it is first listed.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open; `INVALID_ARGUMENT` for another list's cursor;
    /// `RATE_LIMITED` while other calls read too much of archives.
    pub async fn timeline(&self, request: &TimelineRequest) -> Result<Timeline> {
        TimelineOf::from(self).timeline(&Trees::from(self), request).await
    }
}

impl TimelineOf<'_> {
    async fn timeline(&self, trees: &Trees<'_>, request: &TimelineRequest) -> Result<Timeline> {
        let loaded = self.context.load()?;
        loaded.require_snapshots()?;
        let limit = request.limit.unwrap_or(TIMELINE_DEFAULT_TURNS);
        let wanted = RowPage::parse(Some(limit), TIMELINE_MAX_TURNS, request.cursor.as_deref())?;
        let mut rows = self.context.catalogue.turns(wanted.before_seq, wanted.rows_to_read())?;
        let number = |row: &TurnRow| i64::try_from(row.turn.number).unwrap_or(i64::MAX);
        let next_cursor = wanted.cut(&mut rows, number)?;
        self.compare(trees, &loaded, &mut rows).await?;
        let turns = rows.into_iter().map(|row| self.view(row)).collect::<Result<_>>()?;
        // The list is worth more than where it comes from.
        let earlier = match next_cursor {
            None => self.context.earlier_turns(&loaded).await.unwrap_or_default(),
            Some(_) => None,
        };
        Ok(Timeline { turns, next_cursor, earlier })
    }

    /// Finds out what some of the turns changed that were never compared.
    async fn compare(
        &self,
        trees: &Trees<'_>,
        loaded: &LoadedSession,
        rows: &mut [TurnRow],
    ) -> Result<()> {
        let mut room: Option<ArchiveRoom> = None;
        let mut compared = 0;
        for row in rows.iter_mut().filter(|row| row.changes.is_none()) {
            if compared == TURNS_COMPARED_AT_ONCE {
                break;
            }
            let room = match &room {
                Some(room) => room,
                None => room.insert(self.archives.room().await?),
            };
            let changes = changes_of(trees, loaded, room, row).await;
            // Nothing was read of files that are gone: they take no other turn's place.
            let is_gone = |error: &Error| error.code == ErrorCode::SnapshotGone;
            compared += usize::from(!changes.as_ref().is_err_and(is_gone));
            match changes {
                Ok(changes) => {
                    self.context.catalogue.set_turn_changes(row.turn.number, &changes)?;
                    row.changes = Some(changes);
                }
                Err(error) if is_gone(&error) => {}
                // The list is worth more than one turn's changes.
                Err(error) => self.warn_uncompared(row, &error),
            }
        }
        Ok(())
    }

    fn warn_uncompared(&self, row: &TurnRow, error: &Error) {
        let fields = json!({
            "turn": row.turn.number, "backupId": row.snapshot_id,
            "code": error.code, "cause": error.cause,
        });
        self.context.warn("turn.uncompared", fields);
    }

    fn view(&self, row: TurnRow) -> Result<TurnView> {
        let snapshot = self.context.catalogue.snapshot(&row.snapshot_id)?;
        let now_ms = self.context.now_ms();
        Ok(TurnView {
            turn: row.turn,
            at: rfc3339(row.at_ms),
            sandbox_id: row.sandbox_id,
            snapshot_id: row.snapshot_id,
            restorable: snapshot.is_some_and(|snapshot| snapshot.restorable(now_ms).is_ok()),
            changes: row.changes,
        })
    }
}

async fn changes_of(
    trees: &Trees<'_>,
    loaded: &LoadedSession,
    room: &ArchiveRoom,
    row: &TurnRow,
) -> Result<TurnChanges> {
    if row.before_id.as_ref() == Some(&row.snapshot_id) {
        return Ok(shown(&[]));
    }
    let open = async |id: &BackupId| -> Result<Tree> {
        let snapshot = trees.open_by_id(room, loaded, id).await?;
        Ok(Tree::Archive { snapshot, sandbox_id: None })
    };
    let old = match &row.before_id {
        Some(id) => open(id).await?,
        None => Tree::Empty { sandbox_id: None },
    };
    let new = open(&row.snapshot_id).await?;
    let base = Tree::Empty { sandbox_id: None };
    match changed(&old, &new, &base, &Comparing::default()).await {
        Ok(found) => Ok(shown(&found.list)),
        Err(error) if error.code == ErrorCode::TooLarge => {
            Ok(TurnChanges { counts: None, paths: Vec::new() })
        }
        Err(error) => Err(error),
    }
}

fn shown(changes: &[Change]) -> TurnChanges {
    let mut counts = ChangeCounts::default();
    for change in changes {
        counts.count(change.kind);
    }
    let paths = changes
        .iter()
        .take(TURN_PATHS_MAX)
        .map(|change| TurnPath { path: FoundPath::of(&change.path), change: change.kind });
    TurnChanges { counts: Some(counts), paths: paths.collect() }
}
