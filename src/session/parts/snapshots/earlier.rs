//! Turns of the session whose published snapshot this session was opened from. They are not its
//! own, but it may continue the same conversation.

use crate::domain::{
    BackupId, BackupMeta, Error, ErrorCode, Next, Result, SessionId, Turn, TurnPlace, TurnRequest,
    TurnSelector,
};
use crate::session::parts::{Context, LoadedSession};
use crate::support::backup_objects::read_meta;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Whose turns come before a session's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EarlierTurns {
    /// The snapshot that the session was opened from.
    pub snapshot_id: BackupId,
    /// The session that took that snapshot and has the turns. Absent if the snapshot is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The turn that ended with its files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// How to reach these turns.
    pub hint: String,
}

impl Context {
    pub(crate) fn opened_from(&self, open: &LoadedSession) -> Result<Option<BackupId>> {
        let id = match open.row.config.first_snapshot() {
            Some((_, selector)) => selector.backup_id(),
            None => None,
        };
        let Some(id) = id else { return Ok(None) };
        Ok(self.catalogue.snapshot(id)?.is_none().then(|| id.clone()))
    }

    /// The snapshot of a turn that this session lacks. None unless the session that it was opened
    /// from has the turn, and has published the snapshot or may be crossed to.
    pub(crate) async fn earlier_snapshot(
        &self,
        open: &LoadedSession,
        named: &TurnSelector,
        allow_cross_session: bool,
    ) -> Result<Option<BackupId>> {
        let Some((meta, owner)) = self.first_meta(open).await? else { return Ok(None) };
        let boundary = open.boundary(allow_cross_session);
        let last = meta.snapshotter.as_ref().and_then(|ours| ours.cause.turn.as_ref());
        let turn = match (&named.place, last) {
            // Turns after the snapshot's own did not lead to its files.
            (TurnPlace::Number(number), Some(last)) if *number > last.number => {
                if !named.at_or_before {
                    return Ok(None);
                }
                TurnSelector { place: TurnPlace::Number(last.number), at_or_before: true }
            }
            _ => named.clone(),
        };
        let request = TurnRequest {
            turn,
            binding: open.config.backup_binding.clone(),
            until_ms: meta.created_at_ms()?,
            crosses: boundary.requested && boundary.enabled,
        };
        Ok(self.ports.sessions.earlier_turn(&owner, request).await?.snapshot_id)
    }

    pub(crate) async fn earlier_turns(&self, open: &LoadedSession) -> Result<Option<EarlierTurns>> {
        let Some(snapshot_id) = self.opened_from(open)? else { return Ok(None) };
        let (turn, session_id) = match self.first_meta(open).await? {
            Some((meta, owner)) => (meta.snapshotter.and_then(|ours| ours.cause.turn), Some(owner)),
            None => (None, None),
        };
        let hint = how_to_reach(open);
        Ok(Some(EarlierTurns { snapshot_id, session_id, turn, hint }))
    }

    async fn first_meta(&self, open: &LoadedSession) -> Result<Option<(BackupMeta, SessionId)>> {
        let Some(id) = self.opened_from(open)? else { return Ok(None) };
        let bucket = self.ports.buckets.open(&open.config.backup_binding)?;
        let Some(meta) = read_meta(bucket.as_ref(), &id).await? else { return Ok(None) };
        let owner = meta.snapshotter.as_ref().map(|ours| ours.session_id.clone());
        Ok(owner.filter(|owner| *owner != self.session).map(|owner| (meta, owner)))
    }

    pub(crate) fn no_turn(&self, named: &TurnSelector) -> Error {
        let message = match (&named.place, named.at_or_before) {
            (TurnPlace::Number(number), false) => format!("there is no turn {number}"),
            (TurnPlace::Number(number), true) => format!("there is no turn at or before {number}"),
            (TurnPlace::Cursor(_), _) => "no turn has this cursor".to_owned(),
        };
        let nearest = self.catalogue.nearest_turns(&named.place).unwrap_or_default();
        let details = json!({ "nearest": nearest.iter().map(|turn| format!("turn:{turn}")).collect::<Vec<_>>() });
        let opened_from = self.load().and_then(|open| {
            let id = self.opened_from(&open)?;
            Ok(id.map(|id| (id, how_to_reach(&open))))
        });
        match opened_from {
            Ok(Some((id, hint))) => {
                let message = format!(
                    "{message} in this session, which was opened from snapshot {id}: the turns before it belong to the session that took it"
                );
                Error::new(ErrorCode::NotFound, message).with_hint(hint).with_details(details)
            }
            _ => Error::new(ErrorCode::NotFound, message)
                .with_hint(Next::ChooseTurn)
                .with_details(details),
        }
    }
}

fn how_to_reach(open: &LoadedSession) -> String {
    let published = "a turn whose snapshot that session has published is reached by its number, its cursor or the snapshot's id";
    if open.config.modules.cross_session() {
        format!("{published}, and any other turn with allowCrossSession: true")
    } else {
        format!("{published}; that session's own timeline lists them")
    }
}
