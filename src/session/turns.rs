//! Turns of the conversation.

use crate::domain::exec::recorded::CommandsRun;
use crate::domain::limits::{
    TIMELINE_COMMAND_BYTES, TIMELINE_DEFAULT_TURNS, TIMELINE_MAX_TURNS, TURN_COMMANDS_MAX,
    TURN_PATHS_MAX, TURNS_COMPARED_AT_ONCE,
};
use crate::domain::snapshot::turn::check_label;
use crate::domain::time::rfc3339;
use crate::domain::tree::changes::{Change, ChangeCounts};
use crate::domain::{
    BackupId, CommandView, Error, ErrorCode, Result, RowPage, SandboxId, SnapshotState, Turn,
    TurnAnswer, TurnCursor, TurnRequest, WorkspaceRef,
};
use crate::ports::sandbox::FoundPath;
use crate::session::catalogue::{ChangedPath, TurnChanges, TurnRow};
use crate::session::parts::snapshots::earlier::EarlierTurns;
use crate::session::parts::{ArchiveRoom, Archives, Context, LoadedSession};
use crate::session::snapshots::take::{Take, TurnEnd};
use crate::session::trees::Trees;
use crate::session::trees::contents::changed;
use crate::session::trees::differences::Comparing;
use crate::session::trees::tree::Tree;
use crate::session::{Abort, Session, SnapshotRequest, SnapshotView};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A turn to save.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SaveTurnRequest {
    /// The place in the conversation.
    pub cursor: Option<TurnCursor>,
    /// What the caller calls the turn.
    pub label: Option<String>,
    /// The workspace whose turn ends. Refused if another one is active.
    pub expected_active: Option<WorkspaceRef>,
}

impl Session {
    /// Records that a turn has ended: its place in the conversation, and the active workspace's
    /// files, which are saved, as a layer if possible, if they have changed.
    ///
    /// # Errors
    /// Those of a snapshot; `INVALID_ARGUMENT` for a cursor or a label.
    pub async fn save_turn(&self, request: SaveTurnRequest, abort: &Abort) -> Result<SnapshotView> {
        let SaveTurnRequest { cursor, label, expected_active } = request;
        cursor.as_ref().map_or(Ok(()), TurnCursor::check)?;
        label.as_deref().map_or(Ok(()), check_label)?;
        let saved = SnapshotRequest {
            incremental: Some(true),
            expected_active,
            ..SnapshotRequest::default()
        };
        Take::from(self).snapshot(saved, Some(TurnEnd { cursor, label }), abort).await
    }
}

parts!(EarlierTurn { context: Context });

impl Session {
    /// Finds a turn for a session that was opened from one of this session's snapshots.
    ///
    /// # Errors
    /// `INTERNAL` where SQLite fails.
    pub fn earlier_turn(&self, request: &TurnRequest) -> Result<TurnAnswer> {
        let earlier_turn = EarlierTurn::from(self);
        let now_ms = earlier_turn.context.now_ms();
        let Some(row) = earlier_turn.context.catalogue.turn_at(&request.turn, now_ms)? else {
            return Ok(TurnAnswer::default());
        };
        let snapshot = earlier_turn.context.catalogue.snapshot(&row.snapshot_id)?.filter(|row| {
            row.state == SnapshotState::Ready
                && row.binding == request.binding
                && row.created_at_ms <= request.until_ms
                && (request.crosses || row.published)
        });
        Ok(TurnAnswer { snapshot_id: snapshot.map(|snapshot| snapshot.id) })
    }
}

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
    /// On the first page: what ran since the newest turn.
    #[serde(flatten)]
    pub since: CommandsRun,
    /// Cursor of the next page, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// On the last page, if the session was opened from another session's snapshot: the turns
    /// before these.
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
    #[serde(rename = "workspaceId")]
    pub sandbox_id: SandboxId,
    /// The snapshot of the files that it ended with.
    pub snapshot_id: BackupId,
    /// The snapshot of the files that it began with: `changes` are against these. Absent if it
    /// began with none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_snapshot_id: Option<BackupId>,
    /// Whether a rewind to it can be started now.
    pub restorable: bool,
    /// What it changed against the files before it. Absent if those are gone, and for a turn
    /// that this call had no time to compare: call again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<TurnChanges>,
    /// What ran in it, in any workspace of the session.
    #[serde(flatten)]
    pub ran: CommandsRun,
}

parts!(TimelineOf { context: Context, archives: Archives });

impl Session {
    /// Lists the turns, newest first. The first list of a turn compares files. Starts no container.
    ///
    /// # Errors
    /// `NOT_FOUND` before the first open; `INVALID_ARGUMENT`; `RATE_LIMITED` for archive reads.
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
        // With the end of the next page's first turn, after which the last turn of this page began.
        let mut ends: Vec<i64> = rows.iter().map(|row| row.at_ms).collect();
        let next_cursor = wanted.cut(&mut rows, number)?;
        self.compare(trees, &loaded, &mut rows).await?;
        ends.insert(0, i64::MAX);
        let mut ran = ran_between(&ends, self.context.catalogue.commands()?).into_iter();
        let since = ran.next().filter(|_| wanted.before_seq.is_none()).unwrap_or_default();
        let turns = rows.into_iter().zip(ran.chain(std::iter::repeat_with(CommandsRun::default)));
        let turns = turns.map(|(row, ran)| self.view(row, ran)).collect::<Result<_>>()?;
        // An error here must not cost the caller the list.
        let earlier = match next_cursor {
            None => self.context.earlier_turns(&loaded).await.unwrap_or_default(),
            Some(_) => None,
        };
        Ok(Timeline { turns, since, next_cursor, earlier })
    }

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
            // For a turn whose files are gone nothing was read, so it takes no other turn's place.
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

    fn view(&self, row: TurnRow, ran: CommandsRun) -> Result<TurnView> {
        let snapshot = self.context.catalogue.snapshot(&row.snapshot_id)?;
        let now_ms = self.context.now_ms();
        Ok(TurnView {
            turn: row.turn,
            at: rfc3339(row.at_ms),
            sandbox_id: row.sandbox_id,
            snapshot_id: row.snapshot_id,
            before_snapshot_id: row.before_id,
            restorable: snapshot.is_some_and(|snapshot| snapshot.restorable(now_ms).is_ok()),
            changes: row.changes,
            ran,
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

/// For each of these moments, newest first, the commands that began between the next one and it.
fn ran_between(ends: &[i64], commands: Vec<(i64, CommandView)>) -> Vec<CommandsRun> {
    let mut ran: Vec<Vec<CommandView>> = vec![Vec::new(); ends.len()];
    for (began_at_ms, command) in commands {
        let in_part = ends.partition_point(|end| *end >= began_at_ms).checked_sub(1);
        if let Some(part) = in_part.and_then(|at| ran.get_mut(at)) {
            part.push(command);
        }
    }
    let shown = |mut commands: Vec<CommandView>| {
        let earlier = commands.len().saturating_sub(TURN_COMMANDS_MAX);
        let mut commands = commands.split_off(earlier);
        for view in &mut commands {
            view.command = view.command.clone().cut(TIMELINE_COMMAND_BYTES);
        }
        let earlier_commands = u64::try_from(earlier).ok().filter(|count| *count > 0);
        CommandsRun { commands, earlier_commands }
    };
    ran.into_iter().map(shown).collect()
}

fn shown(changes: &[Change]) -> TurnChanges {
    let mut counts = ChangeCounts::default();
    for change in changes {
        counts.count(change.kind);
    }
    let paths = changes
        .iter()
        .take(TURN_PATHS_MAX)
        .map(|change| ChangedPath { path: FoundPath::of(&change.path), change: change.kind });
    TurnChanges { counts: Some(counts), paths: paths.collect() }
}
