//! Find the snapshot that a caller names, and check that the caller may reach it.

use crate::domain::ids::not_owned_snapshot;
use crate::domain::limits::SNAPSHOT_NAME_MAX_CHARS;
use crate::domain::snapshot::backup::{expires_at_ms, is_expired};
use crate::domain::snapshot::expired;
use crate::domain::snapshot::ownership::{Access, check_foreign, decide, foreign_origin};
use crate::domain::snapshot::selector::nearest;
use crate::domain::{
    BackupId, BackupMeta, Error, ErrorCode, Event, Next, Result, SandboxId, Snapshot,
    SnapshotSelector, Turn, TurnSelector, Workspace,
};
use crate::ports::{Level, LogLine};
use crate::session::catalogue::TurnRow;
use crate::session::parts::{Context, LoadedSession};
use crate::support::backup_objects::read_meta;
use serde_json::json;

pub(crate) enum Target {
    Own(Box<Snapshot>),
    /// Reached by crossing; only the id is known until `meta.json` is read.
    Foreign(BackupId),
}

impl Context {
    pub(crate) fn locate(
        &self,
        open: &LoadedSession,
        selector: &SnapshotSelector,
        allow_cross_session: bool,
    ) -> Result<Target> {
        // Crossing is refused whatever is named, even if it does not exist.
        let crossing = open.boundary(allow_cross_session).crossing()?;
        let record = match selector {
            SnapshotSelector::Ref(named) => self.catalogue.snapshot(&named.payload.backup.id)?,
            SnapshotSelector::Id(id) => self.catalogue.snapshot(id)?,
            // If no snapshot has the name now, the state of the last one that had it says why.
            SnapshotSelector::Name(name) => {
                match self.catalogue.snapshot_named(name, self.now_ms())? {
                    None => self.catalogue.snapshot_last_named(name)?,
                    held => held,
                }
            }
            SnapshotSelector::Turn(named) => {
                self.catalogue.snapshot(&self.require_turn(named)?.snapshot_id)?
            }
            SnapshotSelector::Latest => {
                let latest = self.catalogue.latest_snapshot(self.now_ms())?;
                Some(latest.ok_or_else(|| none_yet("this session has no snapshot yet"))?)
            }
            SnapshotSelector::Head => {
                let active = self.catalogue.workspace(&open.row.active_sandbox_id)?;
                let head = active.and_then(|row| row.head_backup_id);
                let head = head.ok_or_else(|| none_yet("the active workspace was never saved"))?;
                self.catalogue.snapshot(&head)?
            }
        };
        if let (SnapshotSelector::Name(name), None) = (selector, &record) {
            return Err(self.no_snapshot_named(name)?);
        }
        match (decide(selector, record.as_ref(), crossing)?, record, selector) {
            (Access::Own, Some(record), _) => Ok(Target::Own(Box::new(record))),
            (Access::Crossing, _, SnapshotSelector::Ref(named)) => {
                Ok(Target::Foreign(named.payload.backup.id.clone()))
            }
            (Access::Crossing, _, SnapshotSelector::Id(id)) => Ok(Target::Foreign(id.clone())),
            _ => Err(not_owned_snapshot()),
        }
    }

    /// Whether this session's catalogue lacks the snapshot; another session may have published it.
    pub(crate) fn is_foreign(&self, selector: &SnapshotSelector) -> Result<bool> {
        Ok(match selector.backup_id() {
            Some(id) => self.catalogue.snapshot(id)?.is_none(),
            None => false,
        })
    }

    /// Whether the catalogue lacks the snapshot, but a workspace of this session was made from it.
    pub(crate) fn began_with(&self, selector: &SnapshotSelector) -> Result<bool> {
        let Some(id) = selector.backup_id() else { return Ok(false) };
        if !self.is_foreign(selector)? {
            return Ok(false);
        }
        let live = self.catalogue.live_workspaces()?;
        let is_from = |row: &Workspace| {
            row.made_from_backup_id.as_ref() == Some(id) || row.from_backup_id.as_ref() == Some(id)
        };
        Ok(live.iter().any(is_from))
    }

    fn no_snapshot_named(&self, name: &str) -> Result<Error> {
        // Comparing costs the product of both lengths, and no longer name exists.
        let name: String = name.chars().take(SNAPSHOT_NAME_MAX_CHARS).collect();
        let nearest = nearest(&name, self.catalogue.snapshot_names(self.now_ms())?);
        let error = Error::new(
            ErrorCode::NotFound,
            format!("no snapshot of this session is named {}", name.escape_debug()),
        )
        .with_details(json!({ "name": name, "nearest": nearest }));
        Ok(match nearest.first() {
            Some(first) => error.with_hint(format!("did you mean {first}?")),
            None => error.with_hint(Next::ListNames),
        })
    }

    fn require_turn(&self, named: &TurnSelector) -> Result<TurnRow> {
        self.catalogue.turn_at(named, self.now_ms())?.ok_or_else(|| self.no_turn(named))
    }

    /// Of several turns that ended with its files: the one that the caller named, else the last.
    pub(crate) fn turn_of(
        &self,
        selector: &SnapshotSelector,
        snapshot: &Snapshot,
    ) -> Result<Option<Turn>> {
        Ok(match selector {
            SnapshotSelector::Turn(named) => Some(self.require_turn(named)?.turn),
            _ => snapshot.cause.turn.clone(),
        })
    }

    /// Logs the crossing before any other effect. None: the bucket has no such backup.
    pub(crate) async fn cross_to(
        &self,
        open: &LoadedSession,
        operation: &str,
        selector: &SnapshotSelector,
        id: &BackupId,
    ) -> Result<Option<BackupMeta>> {
        let bucket = self.ports.buckets.open(&open.config.backup_binding)?;
        let meta = read_meta(bucket.as_ref(), id).await?;
        if let Some(meta) = &meta {
            check_foreign(selector, meta)?;
        }
        let origin = meta.as_ref().and_then(foreign_origin).cloned();
        self.note_crossing(operation, Some(id.clone()), origin)?;
        Ok(meta)
    }

    pub(crate) fn note_crossing(
        &self,
        operation: &str,
        backup_id: Option<BackupId>,
        origin_sandbox_id: Option<SandboxId>,
    ) -> Result<()> {
        self.ports.log.write(LogLine::new(
            Level::Warn,
            "session.crossed",
            json!({
                "session": self.session,
                "operation": operation,
                "backupId": backup_id,
                "originSandboxId": origin_sandbox_id,
            }),
        ));
        let operation = operation.to_owned();
        let event = Event::SessionCrossed { operation, backup_id, origin_sandbox_id };
        self.catalogue.add_event(self.now_ms(), &event)
    }
}

fn none_yet(message: &str) -> Error {
    Error::new(ErrorCode::NotFound, message).with_hint(Next::SaveFirst)
}

pub(crate) fn check_unexpired(meta: &BackupMeta, now_ms: i64) -> Result<()> {
    let created_at_ms = meta.created_at_ms().map_err(|error| Error::internal(error.message))?;
    if is_expired(now_ms, created_at_ms, meta.ttl) {
        return Err(expired(&meta.id, expires_at_ms(created_at_ms, meta.ttl)));
    }
    Ok(())
}
